package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
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
	if err != nil {
		t.Fatal(err)
	}
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
