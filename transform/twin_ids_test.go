package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/sportmonks"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// One key under two market ids: the name and the ids of a market do not depend on whether
// the other one exists that day.
func TestOneKeyUnderTwoIDs(t *testing.T) {
	for _, c := range []struct {
		what, key string
		ids       []string
		markets   int // of all ids together
	}{
		{"a known id and a strange one", "both_teams_to_score", []string{"10150", "77777"}, 2},
		{"two strange ids", "both_teams_to_score", []string{"77777", "77778"}, 2},
		{"a known id and another market's", "both_teams_to_score", []string{"10150", "50424"}, 2},
		{"two known ids are one market", "half_time_full_time_correct_score", []string{"43", "10201"}, 1},
		{"a key that nobody knows", "riddle", []string{"1", "2"}, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			together := idsOf(t, c.key, c.ids...)
			all := map[string]bool{}
			for _, list := range together {
				all[list] = true
			}
			if len(all) != c.markets {
				t.Errorf("together: %v", together)
			}
			for _, id := range c.ids {
				if alone := idsOf(t, c.key, id); alone[id] == "" || alone[id] != together[id] {
					t.Errorf("%s alone\n%s\nbeside the other\n%s", id, alone[id], together[id])
				}
			}
		})
	}
}

// idsOf reads a payload with a market of one key under several ids, each in a tab of its
// own, and returns the meaning and the ids for each.
func idsOf(t *testing.T, key string, ids ...string) map[string]string {
	t.Helper()
	rows := `{"id":"1","odds":"1.80","name":"Yes"},{"id":"2","odds":"2.00","name":"No"}`
	if strings.HasPrefix(key, "half_time") {
		rows = `{"id":"1","odds":"9.00","name":"1-0 2-0"}`
	}
	var tabs []string
	for i, id := range ids {
		tabs = append(tabs, fmt.Sprintf(`%q:{"updated_at":"1772600%d00","key":"#K#","sp":{%q:{"id":%q,"name":"","odds":[%s]}}}`,
			[]string{"main", "goals", "others"}[i], i+1, key, id, rows))
	}
	body := `{"success":1,"results":[{"FI":"900001","event_id":"1",` + strings.Join(tabs, ",") + `}]}`
	sheet, err := betsapi.Provider().Markets.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{})
	must(t, err)
	if len(sheet.Fixtures) != 1 {
		t.Fatalf("%+v", sheet)
	}
	f := football.Fixture{ProviderFixtureID: "900001"}
	f.Home, f.Away = football.Of("Alder Town"), football.Of("Birch United")
	found := map[string]string{}
	for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, "betsapi"), f, sheet.Fixtures[0].Offers) {
		words := []string{string(m.ID), string(m.Origin), m.Canonical}
		for _, s := range m.Selections {
			words = append(words, string(s.ID))
		}
		for _, id := range m.ProviderMarketIDs {
			found[id] = strings.Join(words, " ")
		}
	}
	return found
}

// lists are lists of prices that a bookmaker sells at Sportmonks, several of them under one market
// id: the market, its name, and rows of label, name, total and handicap.
var lists = []struct {
	market, name string
	rows         []string
}{
	{"1", "Full Time Result", []string{"1|", "X|", "2|"}},
	{"1", "Match Winner", []string{"1|", "X|", "2|"}},
	{"1", "Enhanced Prices", []string{"1|", "X|", "2|"}},
	{"1", "Early Payout", []string{"1|", "X|", "2|"}},
	{"80", "Goals Over/Under", []string{"Over|2.5", "Under|2.5"}},
	{"80", "Match Goals", []string{"Over|2.5", "Under|2.5"}},
	{"80", "Goals Over/Under Extra", []string{"Over|2.5", "Under|2.5", "Over|3.5", "Under|3.5"}},
	{"14", "Both Teams to Score", []string{"Yes|", "No|"}},
	{"14", "Both Teams to Receive a Card", []string{"Yes|", "No|"}},
	{"2", "Double Chance Special", []string{"1X|", "12|", "X2|"}},
	{"99999", "Riddle", []string{"A|", "B|"}},
}

// One provider market under several names: whatever lists there are that day, and in whatever
// order, each market has the same ids, and no two selections share one.
func TestOneMarketUnderManyNames(t *testing.T) {
	alone := make([]string, len(lists))
	for i := range lists {
		alone[i] = namedIDs(t, i)[lists[i].name]
	}
	rapid.Check(t, func(r *rapid.T) {
		chosen := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).Draw(r, "order")[:rapid.IntRange(1, len(lists)).Draw(r, "number")]
		together := namedIDs(t, chosen...)
		met := map[string]bool{}
		for _, i := range chosen {
			if got := together[lists[i].name]; got != alone[i] {
				r.Errorf("%s: %s, alone %s", lists[i].name, got, alone[i])
			}
			for _, id := range strings.Fields(together[lists[i].name]) {
				if met[id] {
					r.Errorf("%s is there twice", id)
				}
				met[id] = true
			}
		}
	})
}

// namedIDs reads a payload with some of the lists, and returns the ids of each, by its name.
func namedIDs(t *testing.T, chosen ...int) map[string]string {
	t.Helper()
	var rows []string
	for _, i := range chosen {
		for k, row := range lists[i].rows {
			label, total, _ := strings.Cut(row, "|")
			rows = append(rows, fmt.Sprintf(`{"id":%d,"fixture_id":1,"market_id":%s,"bookmaker_id":2,"label":%q,"name":%q,"total":%q,"market_description":%q,"dp3":"2.%d%d","stopped":false}`,
				100*i+k, lists[i].market, label, label, total, lists[i].name, i, k))
		}
	}
	body := `{"data":[` + strings.Join(rows, ",") + `]}`
	sheet, err := sportmonks.Provider().Markets.ReadMarkets(provider.Payload{Endpoint: "odds/pre-match/fixtures", Body: []byte(body)}, provider.Listing{})
	if err != nil || len(sheet.Fixtures) != 1 {
		t.Fatalf("%v, %+v", err, sheet)
	}
	f := football.Fixture{ProviderFixtureID: "1", Home: football.Of("Alder Town"), Away: football.Of("Birch United")}
	found := map[string]string{}
	for _, m := range markets.Derive(identity.NewMinter(identity.Key{1}, "sportmonks"), f, sheet.Fixtures[0].Offers) {
		words := []string{string(m.ID)}
		for _, s := range m.Selections {
			words = append(words, string(s.ID))
		}
		slices.Sort(words)
		found[m.Name.Or("")] = strings.Join(words, " ")
	}
	return found
}
