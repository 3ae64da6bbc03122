package sportmonks

import (
	"encoding/csv"
	"strings"
	"testing"

	"mkt/fetch/internal/decode"
	"mkt/fetch/mapping/mappingtest"
)

// TestTableLines: the id of a line is its key, and lines of rows have keys of their own.
func TestTableLines(t *testing.T) {
	mappingtest.CheckLines(t, table())
	for key, e := range table().ByKey {
		if len(e.IDs) != 1 || !decode.IsDigits(key) || e.Key != key || e.IDs[0] != key {
			t.Errorf("%s: key %s, ids %v", key, e.Key, e.IDs)
		}
	}
	for name, e := range table().ByRow {
		if len(e.IDs) != 1 || !decode.IsDigits(e.IDs[0]) || table().ByKey[e.Key] != nil {
			t.Errorf("row %s: key %s, ids %v", name, e.Key, e.IDs)
		}
	}
}

// TestKnownNamesFit: no rule contradicts a name under which its market is known.
func TestKnownNamesFit(t *testing.T) {
	r := csv.NewReader(strings.NewReader(namesCSV))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil || len(lines) < 40 {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	for _, line := range lines[1:] {
		if e := table().ByKey[line[0]]; e.Reading != nil {
			if reading, _ := table().Read(e, line[0], line[1]); reading == nil {
				t.Errorf("%s contradicts %q", line[0], line[1])
			}
		}
	}
}

// TestNamesOfOtherMarkets: a market under a name of other ids in the provider's list is not
// read by its id, unless one of them has the same meaning.
func TestNamesOfOtherMarkets(t *testing.T) {
	for _, c := range []struct {
		market, name string
		another      bool
	}{
		{"1", "To Qualify", true},
		{"1", "First team to score", true},
		{"1", "Home/Away", true},
		{"1", "Draw No Bet", true},
		{"14", "Win To Nil", true},
		{"80", "Total - Home", true},
		{"80", "Home Team Goals", true},
		{"1", "Match Winner", false},
		{"1", "Full Time Result - Enhanced Prices", false},
		{"80", "Match Goals", false},
		{"67", "Total Corners", false},
		{"1", "A name of no market", false},
		{"1", "", false},
		{"999", "To Qualify", false},
	} {
		if got := isAnother(table().ByKey[c.market], c.market, c.name); got != c.another {
			t.Errorf("%s %q: %v", c.market, c.name, got)
		}
	}
}
