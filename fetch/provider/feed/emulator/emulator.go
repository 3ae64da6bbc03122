// Package emulator is the reference server of the feed: the simulated world in its format.
package emulator

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	provider "mkt/fetch/provider/feed"
	"mkt/fetch/provider/feed/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

// New returns the reference server, which has no recordings to replay.
func New(o simulator.Options) (*simulator.Server, error) {
	if o.Replay != "" {
		return nil, fmt.Errorf("replay %s: a feed has no recorded payloads; leave it out", o.Replay)
	}
	return simulator.NewServer(o, dialect{world.IDs{First: 1_000_000}})
}

type dialect struct{ world.IDs }

// object is a JSON object. A member is absent, nil, or a value.
type object map[string]any

var endpoints = map[string]string{api.PathFixtures: api.EndpointFixtures, api.PathMarkets: api.EndpointMarkets, api.PathLive: api.EndpointLive}
var classes = map[string]simulator.Class{api.PathFixtures: simulator.Listing, api.PathMarkets: simulator.Markets, api.PathLive: simulator.Playing}

// Endpoint, and the methods after it, implement [simulator.Dialect].
func (dialect) Endpoint(path string) (string, simulator.Class) { return endpoints[path], classes[path] }

func (dialect) Token(r *http.Request) (token string) {
	_, token, _ = strings.Cut(r.Header.Get("Authorization"), "Bearer ")
	return token
}

func (dialect) Quota(h http.Header, limit, remaining int, reset time.Time) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
}

var refusals = [...]int{simulator.BadMethod: 405, simulator.BadPath: 404, simulator.BadToken: 401, simulator.NotBought: 403,
	simulator.QuotaUsed: 429, simulator.Broken: 500, simulator.Maintenance: 503}

func (dialect) Refuse(why simulator.Refusal) simulator.Answer {
	return simulator.Answer{Status: refusals[why], Body: simulator.JSON(object{"error": http.StatusText(refusals[why])})}
}

func (dialect) Format() simulator.Format {
	return simulator.Format{List: "fixtures", IDs: []string{"id"}, Nonsense: `{"source":17,"fixtures":{}}`, Classes: []simulator.Class{simulator.Listing, simulator.Markets, simulator.Playing}}
}

// Wrap takes the time of a list of fixtures, and the members of the envelope, from Page.Asked.
func (dialect) Wrap(items [][]byte, page *simulator.Page) []byte {
	page = cmp.Or(page, &simulator.Page{Asked: ` "next":$next,"fixtures":`})
	at, members, _ := strings.Cut(page.Asked, " ")
	next := "null"
	if page.Number*page.Size < page.Total {
		next = fmt.Sprintf(`"%d.%s"`, page.Number+1, at) // the next page of the list as it was then
	}
	members = strings.NewReplacer("$count", strconv.Itoa(page.Total), "$next", next).Replace(members)
	return append(simulator.AppendArray([]byte(`{"source":"`+provider.Simulated+`",`+members), items), '}')
}

func (d dialect) Answer(q simulator.Question) simulator.Answer {
	items, page := [][]byte{}, simulator.Page{Number: 1, Asked: ` "complete":true,"count":$count,"matches":`}
	add := func(x object) { items = append(items, simulator.JSON(x)) }
	switch q.Endpoint {
	case api.EndpointFixtures:
		at, cursor := int64(0), cmp.Or(q.Query.Get(api.ParamCursor), fmt.Sprint("1.", q.Now.Unix()))
		if _, err := fmt.Sscanf(cursor, "%d.%d", &page.Number, &at); err != nil || page.Number < 1 || at > q.Now.Unix() {
			return d.Refuse(simulator.BadPath)
		}
		all := d.Listed(q.World, time.Unix(at, 0).UTC().Truncate(time.Minute))
		all, page = simulator.PageOf(all, page.Number, max(100, len(all)/99))
		for _, f := range all {
			add(d.fixture(q.World, f, statuses[f.Status]))
		}
		page.Asked = fmt.Sprint(at, ` "complete":true,"count":$count,"next":$next,"fixtures":`)
		return simulator.Answer{Items: items, Page: &page}
	case api.EndpointMarkets:
		ids, missing := strings.Split(q.Query.Get(api.ParamFixtures), ","), []string{}
		if len(ids) > api.MaxFixtures || slices.Contains(ids, "") {
			return d.Refuse(simulator.BadPath)
		}
		for _, id := range ids {
			number, known := d.FixtureNumber(q.World, id)
			if o, ok := q.World.Offering(number, q.Now); known && ok {
				markets, _ := marketsOf(o) // retrieved every minute, and when they move
				add(object{"id": id, "retrieved_at": time.Unix(max(q.Now.Truncate(time.Minute).Unix(), o.Since.Unix()+60), 0).UTC(), "markets": markets})
			} else {
				missing = append(missing, id)
			}
		}
		page.Asked = ` "missing":` + string(simulator.JSON(missing)) + `,"fixtures":`
	default:
		for _, m := range q.World.Live(q.Now) {
			add(d.match(q.World, m, q.Now))
		}
	}
	page.Size, page.Total = len(items), len(items)
	return simulator.Answer{Items: items, Page: &page}
}

// Listed implements [meant.Lister], and the methods after it [meant.Dialect].
func (dialect) Listed(w *world.World, now time.Time) []competition.Fixture { return w.Known(now) }

func (dialect) Markets(_ *world.World, o *bookmaker.Offering) (known []meant.Market) {
	_, known = marketsOf(o)
	return known
}

func (d dialect) Playing(w *world.World, m feed.Match) meant.Match {
	return meant.Match{ID: d.FixtureID(w, m.Fixture), EventID: d.FixtureID(w, m.Fixture), Match: m}
}

var statuses = [...]string{competition.NotStarted: api.NotStarted, competition.InPlay: api.InPlay, competition.Ended: api.Over,
	competition.Postponed: api.Off, competition.Cancelled: api.Off, competition.Withdrawn: api.Off}

// fixture writes times in several zones. Some have no league, but not the games that are known by it.
func (d dialect) fixture(w *world.World, f competition.Fixture, status string) object {
	league := map[bool]any{true: f.League.Name}[f.Lot(40, 302) > 0 || !f.League.Human()] // or nil
	return object{"id": d.FixtureID(w, f), "home": f.Home.Name, "away": f.Away.Name, "league": league, "status": status,
		"starts_at": f.KickOff.In(time.FixedZone("", 1800*f.Lot(5, 301)))}
}

var halves = [...]int{play.FirstHalf: 1, play.HalfTime: 1, play.SecondHalf: 2, play.BeforeExtra: 3, play.ExtraFirst: 3, play.ExtraBreak: 3,
	play.ExtraSecond: 4, play.BeforeShootout: 5, play.Shootout: 5, play.FullTime: 0}
var kinds = map[play.IncidentKind]string{play.Goal: "GOAL", play.Corner: "CORNER", play.YellowCard: "YELLOW_CARD", play.RedCard: "RED_CARD",
	play.Substitution: "SUBSTITUTION", play.PenaltyMissed: "PENALTY"}
var renamed = strings.NewReplacer("blocked", "shots_blocked", "second yellows", "second_yellow_cards", " ", "_", "-", "_")

// match has neither clock nor score before it begins. An event that was withdrawn is no longer there.
func (d dialect) match(w *world.World, m feed.Match, now time.Time) object {
	sent, x := m.Sent(now), d.fixture(w, m.Fixture, api.NotStarted)
	x["observed_at"], x["score"] = sent.At, nil
	if !sent.Begun {
		return x
	}
	events, counters, periods, shown := []object{}, object{}, m.Periods(), int(sent.Clock.Shown/time.Second)
	half := cmp.Or(halves[sent.Clock.Phase], halves[periods[len(periods)-1].Phase])
	for i, r := range m.Reported() {
		if at := sent.At.Sub(m.Whistle); kinds[r.Kind] != "" && r.Appears <= at && (r.Withdrawn == 0 || at < r.Withdrawn) {
			minute, added := r.Clock.Minute()
			events = append(events, object{"id": fmt.Sprint("e", i), "kind": kinds[r.Kind], "minute": minute, "added": added, "side": [...]string{"HOME", "AWAY"}[r.Side]})
		}
	}
	for metric := range play.ExpectedGoals { // all but the last, which is in hundredths
		home, state := sent.Value(metric, play.Home)
		away, awayState := sent.Value(metric, play.Away)
		if metric == play.Possession {
			home, away = sent.Counts().PossessionOf(play.Home), sent.Counts().PossessionOf(play.Away)
		}
		if state != feed.Absent { // or neither side's
			counters[renamed.Replace(metric.String())] = object{"home": []any{feed.Null: nil, feed.Value: home}[state], "away": []any{feed.Null: nil, feed.Value: away}[awayState]}
		}
	}
	x["status"], x["events"], x["counters"], x["score"] = statuses[sent.Status], events, counters, object{"home": sent.Score[0], "away": sent.Score[1]}
	x["clock"] = object{"half": half, "minute": shown / 60, "second": shown % 60, "added": sent.Clock.Added, "running": sent.Clock.Running, "shootout": half == 5}
	return x
}
