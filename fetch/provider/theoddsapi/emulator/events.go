package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

// Listed implements meant.Lister.
func (d *dialect) Listed(w *world.World, now time.Time) []competition.Fixture {
	return d.lists.Get(w, now, func(f competition.Fixture, _ time.Time) competition.Fixture { return f })
}

// ahead returns the fixtures that are to be played or in play: the provider says nothing
// about others, and has no competition of eSoccer.
func ahead(w *world.World, now time.Time) []competition.Fixture {
	return slices.DeleteFunc(w.Football(now), func(f competition.Fixture) bool { return f.Status > competition.InPlay })
}

// sport is a competition of the list.
type sport struct {
	Key         string `json:"key"`
	Group       string `json:"group"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Active      bool   `json:"active"`
	Outrights   bool   `json:"has_outrights"`
}

// others are a competition of another sport, and one without matches.
var others = []sport{
	{"basketball_northern_league", "Basketball", "Northern League", "Basketball of the north", true, false},
	{api.PrefixSoccer + "cup_of_regions_winner", api.GroupSoccer, "Cup of Regions Winner", "Who wins the cup", true, true},
}

// sports returns the active competitions.
func (d *dialect) sports(q simulator.Question) (items [][]byte) {
	active := make(map[string]bool)
	for _, f := range d.Listed(q.World, q.Now) {
		active[sportOf(f.League)] = true
	}
	all := slices.Clone(others)
	for _, l := range competition.Leagues() {
		if key := sportOf(l); l.Human() {
			all = append(all, sport{key, api.GroupSoccer, l.Name, l.Name, active[key], false})
		}
	}
	slices.SortFunc(all, func(a, b sport) int { return cmp.Compare(a.Key, b.Key) })
	for _, s := range all {
		if s.Active {
			items = append(items, simulator.JSON(s))
		}
	}
	return items
}

func isSport(key string) bool {
	return slices.ContainsFunc(others, func(s sport) bool { return s.Key == key }) ||
		slices.ContainsFunc(competition.Leagues(), func(l competition.League) bool { return l.Human() && sportOf(l) == key })
}

// sportOf returns the key of a competition: the words of its name, without characters that
// are not ASCII.
func sportOf(l competition.League) string {
	words := strings.FieldsFunc(strings.ToLower(l.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return api.PrefixSoccer + strings.Join(words, "_")
}

// event is a fixture. Bookmakers is absent in a list of fixtures.
type event struct {
	ID         string  `json:"id"`
	Sport      string  `json:"sport_key"`
	League     string  `json:"sport_title"`
	Start      string  `json:"commence_time"`
	Home       string  `json:"home_team"`
	Away       string  `json:"away_team"`
	Bookmakers *[]book `json:"bookmakers,omitempty"`
}

// book, prices and outcome are the objects of an answer about prices.
type book struct {
	Key     string   `json:"key"`
	Title   string   `json:"title"`
	Updated string   `json:"last_update,omitempty"` // absent in the answer about one fixture
	Markets []prices `json:"markets"`
}

type prices struct {
	Key      string    `json:"key"`
	Updated  string    `json:"last_update"`
	Outcomes []outcome `json:"outcomes"`
}

type outcome struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Price       json.Number `json:"price"`
	Point       json.Number `json:"point,omitempty"`

	meant meant.Row
}

func eventOf(w *world.World, f competition.Fixture) *event {
	return &event{ID: idOf(w, f), Sport: sportOf(f.League), League: f.League.Name, Start: timeOf(f.KickOff), Home: f.Home.Name, Away: f.Away.Name}
}

func timeOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// scatter is the factor of ids. An id has 32 hexadecimal digits: the first half is the
// product of the fixture's number and the factor, the second half is a checksum.
const scatter = 0x9e3779b97f4a7c15

var fixtureIDs = world.IDs{First: 1}

func idOf(w *world.World, f competition.Fixture) string {
	n := uint64(fixtureIDs.Of(w, f))
	return fmt.Sprintf("%016x%016x", n*scatter, n*scatter^n)
}

// FixtureID implements meant.Dialect.
func (*dialect) FixtureID(w *world.World, f competition.Fixture) string { return idOf(w, f) }

// FixtureNumber implements meant.Dialect.
func (*dialect) FixtureNumber(w *world.World, id string) (int64, bool) {
	if !isID(id) {
		return 0, false
	}
	first, _ := strconv.ParseUint(id[:16], 16, 64)
	second, _ := strconv.ParseUint(id[16:], 16, 64)
	n := first ^ second
	if n*scatter != first {
		return 0, false
	}
	return fixtureIDs.Number(w, int64(n))
}

// Playing implements meant.Dialect: the provider has no statistics.
func (*dialect) Playing(w *world.World, m feed.Match) meant.Match {
	return meant.Match{ID: idOf(w, m.Fixture), WithoutTimer: true, WithoutTimeline: true, Match: m}
}

// decimal writes a number as the provider does: 4.0, 1.83, without a plus.
func decimal(text string) json.Number {
	text = strings.TrimPrefix(text, "+")
	if !strings.Contains(text, ".") {
		return json.Number(text + ".0")
	}
	text = strings.TrimRight(text, "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return json.Number(text)
}

var isID = regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString
