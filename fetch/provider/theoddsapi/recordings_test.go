package theoddsapi_test

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/theoddsapi", path))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// block is the part of a recorded answer that is one bookmaker's on one fixture.
type block struct {
	Key     string
	Markets []struct {
		Key      string
		Outcomes []struct {
			Name, Description string
			Price, Point      json.Number
		}
	}
}

// outcome is one price with everything that identifies it.
type outcome struct{ fixture, market, name, description, point, price string }

// TestRecordings: nothing of a recorded answer is lost and nothing is added, for every
// bookmaker, and no field is unknown.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		file             string
		american         bool
		makers, outcomes int
	}{
		{"odds/soccer_epl_eu_decimal_20241013.json", false, 19, 1014},
		{"odds/soccer_epl_uk_spreads_20240309.json", false, 18, 898},
		{"odds/soccer_fifa_world_cup_us_american_20260619.json", true, 9, 1110},
		{"event_odds/soccer_germany_bundesliga_player_shots.json", false, 24, 331},
	} {
		body := recorded(t, c.file)
		var events []struct {
			ID         string
			Bookmakers []block
		}
		if json.Unmarshal(body, &events) != nil {
			events = events[:0]
			events = append(events, struct {
				ID         string
				Bookmakers []block
			}{})
			if err := json.Unmarshal(body, &events[0]); err != nil {
				t.Fatal(err)
			}
		}
		sent := make(map[string]map[outcome]int) // by bookmaker
		n := 0
		for _, e := range events {
			for _, b := range e.Bookmakers {
				if sent[b.Key] == nil {
					sent[b.Key] = make(map[outcome]int)
				}
				for _, m := range b.Markets {
					for _, o := range m.Outcomes {
						n++
						sent[b.Key][outcome{e.ID, m.Key, o.Name, o.Description, o.Point.String(), o.Price.String()}]++
					}
				}
			}
		}
		if len(sent) != c.makers || n != c.outcomes {
			t.Errorf("%s: %d bookmakers, %d outcomes", c.file, len(sent), n)
		}
		offers := func(maker string) (fixtures int) {
			for _, e := range events {
				if slices.ContainsFunc(e.Bookmakers, func(b block) bool { return b.Key == maker }) || len(e.Bookmakers) == 0 {
					fixtures++
				}
			}
			return fixtures
		}
		for maker, want := range sent {
			s, err := adapter.ReadMarkets(provider.Payload{Body: body, Query: url.Values{"bookmakers": {maker}}}, provider.Listing{})
			if err != nil || len(s.Fixtures) != offers(maker) || len(s.Fixtures)+len(s.Broken) != len(events) ||
				s.Damaged["fixture: with prices of other bookmakers alone"] != len(s.Broken) || len(s.Damaged) > 1 || len(s.Unknown) > 0 {
				t.Fatalf("%s: %v, %d fixtures, %v %v %v", c.file, err, len(s.Fixtures), s.Broken, s.Damaged, s.Unknown)
			}
			got := 0
			for _, f := range s.Fixtures {
				for _, o := range f.Offers {
					for _, row := range o.Rows {
						r := outcome{fixture: f.Fixture.ProviderFixtureID, market: o.Key, price: row.Decimal.Or(row.OtherPrice.Or(""))}
						for _, l := range row.Labels {
							switch l.Field {
							case "name":
								r.name = l.Text
							case "description":
								r.description = l.Text
							case "point":
								r.point = l.Text
							}
						}
						if want[r]--; want[r] < 0 || (row.OtherPrice.State() == football.Present) != c.american {
							t.Errorf("%s, %s: %+v was not sent", c.file, maker, r)
						}
						got++
					}
				}
			}
			for o, left := range want {
				if left > 0 {
					t.Errorf("%s, %s: %+v is lost", c.file, maker, o)
				}
			}
		}
	}
}

// TestRecordedListings: every competition and fixture is read.
func TestRecordedListings(t *testing.T) {
	l, err := adapter.ReadListing([]provider.Payload{
		{Endpoint: "sports", Body: recorded(t, "sports/all.json")}, {Endpoint: "events", Body: recorded(t, "events/soccer_germany_bundesliga.json")}})
	if err != nil || len(l.Fixtures) != 18 || len(l.Broken)+len(l.Damaged)+len(l.Unknown)+len(l.Filtered) > 0 {
		t.Errorf("%v, %d fixtures, %v %v %v", err, len(l.Fixtures), l.Broken, l.Damaged, l.Unknown)
	}
	u := &upstream{answers: func(r provider.Request) (string, int) {
		if r.Endpoint == "sports" {
			return string(recorded(t, "sports/all.json")), 200
		}
		return "", 0
	}}
	asked, err := adapter.Ask(t.Context(), u)
	if err != nil || !asked.ListingComplete || asked.Counters["competitions"] != 41 {
		t.Errorf("%v, %+v", err, asked)
	}
}
