package betsapi_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
)

func recorded(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(needs.Shared(t, "providers/betsapi", path))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// sent is one row of a payload, found without the reader: by walking the JSON.
type sent struct{ market, id, price string }

// sentRows lists every priced row of a recorded answer once: its key (v1, v3) or
// the bookmaker's id of its market (raw), its id, and the price of its newest
// copy. A row of v1 has no id: its texts stand in.
func sentRows(t *testing.T, body []byte) map[sent]int {
	t.Helper()
	var answer struct {
		Results []map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	type copied struct {
		updated string
		rows    map[string][]string // prices by row
	}
	newest := map[string]copied{}
	take := func(market, updated string, rows map[string][]string) {
		if len(rows) > 0 && updated >= newest[market].updated {
			newest[market] = copied{updated, rows}
		}
	}
	for _, fixture := range answer.Results {
		for name, raw := range fixture {
			var blocks []json.RawMessage
			if json.Unmarshal(raw, &blocks) != nil {
				blocks = []json.RawMessage{raw}
			}
			for _, block := range blocks {
				walkBlock(block, name, take)
			}
		}
	}
	all := map[sent]int{}
	for market, c := range newest {
		for id, prices := range c.rows {
			for _, p := range prices {
				all[sent{market, id, p}]++
			}
		}
	}
	return all
}

func walkBlock(block []byte, name string, take func(market, updated string, rows map[string][]string)) {
	var s struct {
		Updated  string                     `json:"updated_at"`
		SP       map[string]json.RawMessage `json:"sp"`
		JSONData struct {
			F []struct {
				ML []struct {
					PI json.Number
					MD string
					PL []struct {
						ID json.Number
						BS string
					}
				}
			}
		} `json:"JsonData"`
	}
	if json.Unmarshal(block, &s) != nil {
		return
	}
	for key, raw := range s.SP {
		var rows []map[string]string
		if json.Unmarshal(raw, &rows) != nil {
			var m struct{ Odds []map[string]string }
			json.Unmarshal(raw, &m)
			rows = m.Odds
		} else if name == "schedule" {
			continue
		}
		found := map[string][]string{}
		for _, row := range rows {
			if id := rowName(row); !strings.HasPrefix(id, "PC") {
				found[id] = append(found[id], row["odds"])
			}
		}
		take(key, s.Updated, found)
	}
	for _, f := range s.JSONData.F {
		for _, m := range f.ML {
			found := map[string][]string{}
			for _, p := range m.PL {
				_, price, _ := strings.Cut(p.BS, "#o=")
				price, _, _ = strings.Cut(price, "#")
				found[p.ID.String()] = append(found[p.ID.String()], price)
			}
			take(m.PI.String()+strings.TrimSpace(m.MD), s.Updated, found)
		}
	}
}

func rowName(row map[string]string) string {
	if id := row["id"]; id != "" {
		return id
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(row)) {
		if k != "odds" && k != "id" {
			b.WriteString(k + "=" + row[k] + ";")
		}
	}
	return b.String()
}

// readRows lists the rows that the reader found in an answer, in the same words. Rows
// taken out of "specials" are given back to it.
func readRows(s provider.Sheet, raw bool) map[sent]int {
	all := map[sent]int{}
	for _, f := range s.Fixtures {
		for _, o := range f.Offers {
			market := o.Key
			switch {
			case raw:
				market = o.ProviderIDs[0] + strings.TrimSpace(o.Name.Or(""))
			case slices.Contains(o.ProviderIDs, "10224"):
				market = "specials"
			}
			for _, row := range o.Rows {
				if row.Trouble == football.Superseded {
					continue
				}
				labels := map[string]string{}
				for _, l := range row.Labels {
					labels[l.Field] = l.Text
				}
				labels["id"] = row.ID.Or("")
				price := row.Decimal.Or("")
				if raw {
					price = row.Fractional.Or("")
				}
				all[sent{market, rowName(labels), price}]++
			}
		}
	}
	return all
}

// TestRecordings: nothing of a recorded answer is lost, and nothing is added.
// A person counted the expected numbers in the payloads.
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
			raw := strings.Contains(c.file, "_raw_")
			want, have := sentRows(t, body), readRows(s, raw)
			for row, n := range want {
				if have[row] != n {
					t.Errorf("%+v is there %d times, sent %d times", row, have[row], n)
				}
			}
			if len(have) != len(want) {
				t.Errorf("%d different rows, sent %d", len(have), len(want))
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
