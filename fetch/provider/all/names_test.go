package all_test

import (
	"encoding/csv"
	"os"
	"slices"
	"testing"

	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/internal/needs"
	"mkt/publish/football"
)

// contradicted reports whether a line of a table is not taken for a market of that name.
func contradicted(t *mapping.Table, l *mapping.Line, name string) bool {
	id := ""
	if len(l.Entry.IDs) > 0 {
		id = l.Entry.IDs[0]
	}
	reading, reason := t.Read(l.Entry, id, name)
	return reading == nil && reason == football.ConditionFailed && l.Entry.Reading != nil
}

// TestRulesFitTheirNames: no rule contradicts the provider's own name of the market, in the
// tables and in the provider's lists of markets.
func TestRulesFitTheirNames(t *testing.T) {
	lists := map[string]string{"apifootball": "apifootball_prematch", "betsapi": "bet365_betsapi", "sportmonks": "sportmonks", "theoddsapi": "theoddsapi"}
	for _, p := range all.All() {
		t.Run(p.Name, func(t *testing.T) {
			rules := 0
			for _, l := range p.Table().Lines() {
				if l.Entry.Reading == nil {
					continue
				}
				if rules++; contradicted(p.Table(), &l, l.Name) || contradicted(p.Table(), &l, l.Entry.Key) && p.Name == "theoddsapi" {
					t.Errorf("%s contradicts %q", l.Rule, l.Name)
				}
			}
			if rules < 30 {
				t.Errorf("%d rules", rules)
			}
			checkList(t, p, lists[p.Name])
		})
	}
}

// checkList holds the rules of a provider against its list of markets: lines of key and name, or of key,
// id and name.
func checkList(t *testing.T, p provider.Provider, list string) {
	f, err := os.Open(needs.Shared(t, "vocabulary", "raw", list+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at, met := slices.Index(lines[0], "name"), 0
	for _, l := range p.Table().Lines() {
		for _, line := range lines[1:] {
			if l.Entry.Reading == nil || l.Match != line[0] {
				continue
			}
			if met++; contradicted(p.Table(), &l, line[at]) {
				t.Errorf("%s contradicts %q", l.Rule, line[at])
			}
		}
	}
	if met < 30 {
		t.Errorf("%d names", met)
	}
}

// TestNamesThatContradict: a market whose name says another thing that is counted, or another
// time, than the rule of its id or key stays RAW.
func TestNamesThatContradict(t *testing.T) {
	for _, c := range []struct {
		provider, match, name string
		fits                  bool
	}{
		{"sportmonks", "1", "Most Corners", false},
		{"sportmonks", "1", "Extra Time Result", false},
		{"sportmonks", "1", "First Half Result", false},
		{"sportmonks", "1", "Result After 15 Minutes", false},
		{"sportmonks", "1", "Result (1-0)", false},
		{"sportmonks", "1", "Match Bookings", false},
		{"sportmonks", "1", "5", false},
		{"sportmonks", "1", "Full Time Result", true},
		{"sportmonks", "1", "Result (90 minutes)", true},
		{"sportmonks", "1", "Result (excl. extra time)", true},
		{"sportmonks", "1", "Enhanced Prices", true},
		{"sportmonks", "1", "", true},
		{"sportmonks", "31", "Full Time Result", false},
		{"sportmonks", "34", "Result After 10 Minutes", true},
		{"sportmonks", "80", "Total Corners", false},
		{"sportmonks", "80", "Total Shots", false},
		{"sportmonks", "80", "Goals Over/Under Extra", true},
		{"sportmonks", "14", "Both Teams to Receive a Card", false},
		{"sportmonks", "67", "Total Goals", false},
		{"sportmonks", "67", "Corners Extra", true},
		{"sportmonks", "284", "Team Shots", false},
		{"sportmonks", "285", "Team Shots on Goal", false},
		{"sportmonks", "80", "Team Total Goals Extra", false},
		{"sportmonks", "80", "Goals - Home", false},
		{"sportmonks", "20", "Goals of Away", false},
		{"sportmonks", "20", "Goals of Home", true},
		{"sportmonks", "82", "Goals/Both Teams to Score", true},
	} {
		p, ok := all.Lookup(c.provider)
		if !ok {
			t.Fatal(c.provider)
		}
		for _, l := range p.Table().Lines() {
			if l.By == "key" && l.Match == c.match && contradicted(p.Table(), &l, c.name) == c.fits {
				t.Errorf("%s %q: fits is %v", l.Rule, c.name, !c.fits)
			}
		}
	}
}
