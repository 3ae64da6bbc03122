package sportmonks

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/internal/decode"
	"mkt/internal/testing/mappingtest"
	"mkt/internal/testing/needs"
)

// TestTableLines: the id of a line is its key, and lines of rows have keys of their own. A line
// for the rows of a market stands beside that of the market.
func TestTableLines(t *testing.T) {
	mappingtest.CheckLines(t, table())
	for match, e := range table().ByKey {
		if id := strings.TrimSuffix(match, linesEntry); len(e.IDs) != 1 || !decode.IsDigits(id) || table().ByKey[id] == nil || e.Key != id || e.IDs[0] != id {
			t.Errorf("%s: key %s, ids %v", match, e.Key, e.IDs)
		}
	}
	for name, e := range table().ByRow {
		if len(e.IDs) != 1 || !decode.IsDigits(e.IDs[0]) || table().ByKey[e.Key] != nil {
			t.Errorf("row %s: key %s, ids %v", name, e.Key, e.IDs)
		}
	}
}

// readNames reads lines of market ids and names.
func readNames(t *testing.T, text string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil || len(lines) < 40 {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	return lines[1:]
}

// TestKnownNames: a market is known under its name in the provider's list, which is its identity, and under
// the names of bookmakers, which are identities of their own.
func TestKnownNames(t *testing.T) {
	for _, line := range readNames(t, namesCSV) {
		e := table().ByKey[line[0]]
		if e == nil || e.Reading == nil || keyOf(line[0], line[1]) == line[0] {
			t.Errorf("%v adds nothing", line)
		}
	}
	list, err := os.ReadFile(needs.Shared(t, "vocabulary", "raw", "sportmonks.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range readNames(t, string(list)) {
		if e := table().ByKey[line[0]]; e == nil || keyOf(line[0], line[1]) != line[0] || e.Reading != nil && !fits(e.Reading, line[1]) {
			t.Errorf("%v is not the market's own name", line[:2])
		}
	}
}

// TestNames: a market is mapped under the known names of its id and of ids with the same meaning, and under no other:
// a word that nobody foresaw may be that of another thing counted, another time or another side.
func TestNames(t *testing.T) {
	known := map[string][]string{
		"1":  {"", "Fulltime Result", "FULL-TIME RESULT", "Match Winner"},
		"80": {"", "Goals Over/Under", "Match Goals", "Goal Line"},
		"67": {"Corners", "Corners Over Under", "Total Corners"},
		"31": {"Half Time Result", "1st Half Winner", "To Win 1st Half"},
	}
	unknown := []string{"1H Result", "HT Goals", "Result 1st Period", "Headed Goals", "Player Goals", "Aggregate Result", "1. Halbzeit Ergebnis", "Most Corners", "Extra Time Result",
		"Result After 15 Minutes", "Fulltime Result (1-0)", "Match Bookings", "5", "-", "Total Corners", "Total - Home", "Home Team Goals", "Team Total Goals", "Total Shots", "To Qualify", "First team to score",
		"Home/Away", "Draw No Bet", "Fulltime Result – Enhanced Prices", "Fulltime Result Women", "Result", "A name of no market"}
	for market, names := range known {
		for _, name := range names {
			if !fits(table().ByKey[market].Reading, name) {
				t.Errorf("%s %q: not mapped", market, name)
			}
		}
		for _, name := range unknown {
			if fits(table().ByKey[market].Reading, name) && !slices.Contains(names, name) {
				t.Errorf("%s %q: mapped", market, name)
			}
		}
	}
}
