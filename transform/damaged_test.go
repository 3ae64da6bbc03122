package transform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/internal/testing/durabletest"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/reading"
)

// both is a fixture with the result in main and, unless other is "", other under another
// name.
func both(id, other string) string {
	result := fmt.Sprintf(`"main":{"updated_at":"1795160000","sp":{"full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"%s1","odds":"1.90","name":"1"},{"id":"%s2","odds":"3.40","name":"Draw"},{"id":"%s3","odds":"4.00","name":"2"}]}}}`, id, id, id)
	if other != "" {
		result += "," + other
	}
	return fmt.Sprintf(`%s {"success":1,"results":[{"FI":"%s","event_id":"9",%s}]}`, id, id, result)
}

// Each kind of damage affects only itself: the result of every fixture is published as
// without damage, and the damaged part is RAW or not publishable if the model has a place
// for it, else the fixture is partial. All of it is counted.
func TestDamagedParts(t *testing.T) {
	const btts = `"both_teams_to_score":{"id":"10150","name":"Both Teams to Score","odds":`
	for name, c := range map[string]struct {
		other   string
		partial bool
		raw     string // key of the market that must be RAW
		damaged string // kind that must be counted
	}{
		"nothing":              {other: ``},
		"an empty section":     {other: `"goals":""`, partial: true, damaged: "section: not an object"},
		"a section of text":    {other: `"goals":"text"`, partial: true, damaged: "section: not an object"},
		"empty markets":        {other: `"goals":{"updated_at":"1795160000","sp":""}`, partial: true, damaged: "section: its markets are no object"},
		"a block of null":      {other: `"others":[null]`, partial: true, damaged: "section: not an object"},
		"a block that is none": {other: `"others":[[]]`, partial: true, damaged: "section: not an object"},
		"a section twice":      {other: `"goals":{"sp":{` + btts + `[]}}},"goals":{"sp":{}}`, damaged: "fixture: a key twice"},
		"a field twice":        {other: `"goals":{"updated_at":"1","updated_at":"2","sp":{}}`, damaged: "section: a key twice"},
		"a market of text":     {other: `"goals":{"sp":{"both_teams_to_score":"text"}}`, raw: "both_teams_to_score", damaged: "market: not an object"},
		"rows in an object":    {other: `"goals":{"sp":{` + btts + `{"0":{"id":"1","odds":"1.80","name":"Yes"},"1":{"id":"2","odds":"2.00","name":"No"}}}}}`, raw: "both_teams_to_score", damaged: "market: its rows are no list"},
		"rows of text":         {other: `"goals":{"sp":{` + btts + `"text"}}}`, raw: "both_teams_to_score", damaged: "market: its rows are no list"},
		"a name of digits":     {other: `"goals":{"sp":{"both_teams_to_score":{"id":"10150","name":10150,"odds":[{"id":"1","odds":"1.80","name":"Yes"}]}}}`, raw: "both_teams_to_score", damaged: "market: id or name is no text"},
		"a name of a list":     {other: `"goals":{"sp":{"both_teams_to_score":{"id":"10150","name":["x"],"odds":[{"id":"1","odds":"1.80","name":"Yes"}]}}}`, raw: "both_teams_to_score", damaged: "market: id or name is no text"},
		"beside a result":      {other: `"goals":{"sp":{` + btts + `[{"id":"1","odds":"1.80","name":"Yes"}]},"full_time_result":{"id":"40","name":"Full Time Result","odds":[]},` + btts + `[{"id":"1","odds":"1.80","name":"Yes"}]}}}`, raw: "both_teams_to_score", damaged: "market: its key is there twice"},
		"a market twice":       {other: `"goals":{"sp":{` + btts + `[{"id":"1","odds":"1.80","name":"Yes"}]},` + btts + `[{"id":"1","odds":"1.85","name":"Yes"}]}}}`, raw: "both_teams_to_score", damaged: "market: its key is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			root := small(both("1", c.other), both("2", "")).mem(t)
			s, err := run(root, durabletest.NewMem())
			must(t, err)
			m, _, err := snapshot.OpenCanonical(root, cycleID)
			must(t, err)
			if (s.Partial == 1) != c.partial || s.Fixtures != 2 || s.Broken != 0 || (s.Damaged > 0) != (c.damaged != "") || m.Damaged[c.damaged] == 0 && c.damaged != "" || m.Counters["fixtures_partial"] != int64(s.Partial) {
				t.Errorf("summary %+v, damaged %v", s, m.Damaged)
			}
			for _, row := range rows[table.ListingRow](t, root, layout.ListingFile) {
				want := map[bool]string{true: "PARTIAL", false: "REFRESHED"}[c.partial && row.ProviderFixtureID == "1"]
				if row.Markets != want {
					t.Errorf("fixture %s is %s, want %s", row.ProviderFixtureID, row.Markets, want)
				}
			}
			results, raw := 0, ""
			for _, row := range rows[table.MarketRow](t, root, layout.MarketsFile) {
				switch {
				case row.ProviderMarketKey == "full_time_result" && row.Market != nil && row.SelectionCount == 3 && row.Selections[1].Publishable:
					results++
				case row.OriginType == "RAW" && !row.Selections[0].Publishable:
					raw += row.ProviderMarketKey
				}
			}
			if results != 2 || raw != c.raw {
				t.Errorf("%d results of 2, RAW %q, want %q", results, raw, c.raw)
			}
		})
	}
}

// A row with contradicting fields is not publishable; its neighbours are.
func TestDamagedRow(t *testing.T) {
	body := strings.Replace(both("1", ""), `"odds":"3.40"`, `"odds":"3.40","odds":"3.60"`, 1)
	root := small(body).mem(t)
	_, err := run(root, durabletest.NewMem())
	must(t, err)
	for _, row := range rows[table.MarketRow](t, root, layout.MarketsFile) {
		var got []string
		for _, s := range row.Selections {
			price := "none"
			if s.OddsDecimalText != nil {
				price = *s.OddsDecimalText
			}
			got = append(got, fmt.Sprint(price, s.Publishable, s.Reasons))
		}
		if want := "[1.90true [] nonefalse [AMBIGUOUS_SHAPE ODDS_NULL] 4.00true []]"; fmt.Sprint(got) != want || *row.Market != "MATCH_RESULT" {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// If a fixture was read twice, a complete reading has priority over a newer one.
func TestWholeBeforePartial(t *testing.T) {
	w := small(both("1", `"half":{"updated_at":"1795160000","sp":{}}`))
	newer := w.sheets[0]
	newer.FetchedAt = newer.FetchedAt.Add(1)
	newer.Body = []byte(strings.Replace(string(newer.Body), `"half":{"updated_at":"1795160000","sp":{}}`, `"half":"text"`, 1))
	w.sheets = append(w.sheets, newer)
	root := w.mem(t)
	s, err := run(root, durabletest.NewMem())
	must(t, err)
	if s.Partial != 0 || s.Damaged != 1 {
		t.Errorf("%+v", s)
	}
}

// Damage everywhere means another format, so the run fails. A little damage, or any share
// of a small payload, does not.
func TestTooMuchDamage(t *testing.T) {
	for _, c := range []struct {
		fixtures, damaged int
		quarantined       bool
	}{{25, 25, true}, {25, 21, true}, {20, 20, false}, {500, 21, false}} {
		var fixtures []string
		for i := range c.fixtures {
			other := ""
			if i < c.damaged {
				other = `"goals":"text"`
			}
			fixtures = append(fixtures, both(fmt.Sprint(100+i), other))
		}
		w := small(fixtures...)
		w.sheets = joined(w.sheets)
		s, err := run(w.mem(t), durabletest.NewMem())
		if errors.Is(err, reading.ErrQuarantined) != c.quarantined {
			t.Errorf("%d of %d: %v", c.damaged, c.fixtures, err)
		}
		if err == nil && s.Partial != c.damaged {
			t.Errorf("%d of %d: %+v", c.damaged, c.fixtures, s)
		}
	}
}

// joined combines the results of many payloads.
func joined(sheets []provider.Payload) []provider.Payload {
	var results []string
	for _, s := range sheets {
		text, _ := strings.CutPrefix(string(s.Body), `{"success":1,"results":[`)
		results = append(results, strings.TrimSuffix(text, "]}"))
	}
	one := sheets[0]
	one.Query = nil
	one.Body = []byte(`{"success":1,"results":[` + strings.Join(results, ",") + "]}")
	return []provider.Payload{one}
}
