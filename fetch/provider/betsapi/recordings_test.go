package betsapi_test

import (
	"os"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/testing/needs"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/betsapi", path))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRecordings: a person counted the expected numbers in the payloads.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		file                            string
		offers, priced, mapped, rows    int
		unresolved, skippedMarketsLists int
	}{
		{"football_v3_2020-09_fulham_arsenal", 71, 44, 71, 281, 0, 1},
		{"football_raw_2018-06_russia_saudi", 138, 138, 137, 1420, 0, 0},
		{"football_v1_2017-06_arsenal_leicester", 53, 53, 53, 353, 0, 0},
		{"other_sport_cricket_2025-05", 64, 62, 0, 722, 60, 1},
		{"other_sport_volleyball_2025-05", 6, 6, 0, 22, 0, 1},
	} {
		t.Run(c.file, func(t *testing.T) {
			body := recorded(t, "bet365-prematch/"+c.file+".json")
			s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
			if err != nil || len(s.Fixtures) != 1 || len(s.Broken) > 0 || len(s.Unknown) > 0 {
				t.Fatalf("%v, %d fixtures, broken %v, unknown %v", err, len(s.Fixtures), s.Broken, s.Unknown)
			}
			got := struct{ priced, mapped, rows, unresolved int }{}
			for _, o := range s.Fixtures[0].Offers {
				if len(o.Rows) > 0 {
					got.priced++
				}
				if o.Reading != nil {
					got.mapped++
				}
				for _, row := range o.Rows {
					got.rows++
					if row.Trouble != "" {
						got.unresolved++
					}
				}
			}
			if n := len(s.Fixtures[0].Offers); n != c.offers || got.priced != c.priced || got.mapped != c.mapped || got.rows != c.rows ||
				got.unresolved != c.unresolved || s.Skipped["schedule.main"] != c.skippedMarketsLists {
				t.Errorf("%d offers, %+v, skipped %v, want %+v", n, got, s.Skipped, c)
			}
		})
	}
}

// TestRecordedListings: pages of other times and sports are read without a field
// that nobody knows.
func TestRecordedListings(t *testing.T) {
	for _, c := range []struct {
		file             string
		fixtures, esport int
		other            int
	}{
		{"bet365-upcoming/soccer_2017-03_page1.json", 50, 0, 0},
		{"bet365-upcoming/other_sport_table_tennis_2020-04.json", 0, 0, 1},
		{"bet365-inplay_filter/all_sports_2021-12.json", 1, 4, 66},
		{"bet365-inplay_filter/basketball_2018-01.json", 1, 0, 0},
	} {
		body := recorded(t, c.file)
		l, err := adapter.ReadListing([]provider.Payload{{Body: body, Number: 1}})
		if err != nil || len(l.Broken) > 0 || len(l.Unknown) > 0 {
			t.Errorf("%s: %v, broken %v, unknown %v", c.file, err, l.Broken, l.Unknown)
		}
		esport := 0
		for rule, n := range l.Filtered {
			if strings.HasPrefix(rule, "esoccer:") {
				esport += n
			}
		}
		if len(l.Fixtures) != c.fixtures || esport != c.esport || l.Filtered["sport:not-football"] != c.other {
			t.Errorf("%s: %d fixtures, filtered %v", c.file, len(l.Fixtures), l.Filtered)
		}
	}
}
