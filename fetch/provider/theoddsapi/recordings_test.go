package theoddsapi_test

import (
	"os"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/providertest"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/theoddsapi", path))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRecordings reads the prices of every bookmaker.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		file             string
		makers, outcomes int
	}{
		{"odds/soccer_epl_eu_decimal_20241013.json", 19, 1014},
		{"odds/soccer_epl_uk_spreads_20240309.json", 18, 898},
		{"odds/soccer_fifa_world_cup_us_american_20260619.json", 9, 1110},
		{"event_odds/soccer_germany_bundesliga_player_shots.json", 24, 331},
	} {
		t.Run(c.file, func(t *testing.T) {
			providertest.CheckRecorded(t, theoddsapi.Provider(), recorded(t, c.file), c.makers, c.outcomes)
		})
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
