package sportmonks

import (
	"encoding/csv"
	"strings"
	"testing"

	"mkt/fetch/internal/answer"
	"mkt/fetch/mapping/mappingtest"
)

// TestTableLines: the id of a line is its key, and lines of rows have keys of their own.
func TestTableLines(t *testing.T) {
	mappingtest.CheckLines(t, table())
	for key, e := range table().ByKey {
		if len(e.IDs) != 1 || !answer.IsDigits(key) || e.Key != key || e.IDs[0] != key {
			t.Errorf("%s: key %s, ids %v", key, e.Key, e.IDs)
		}
	}
	for name, e := range table().ByRow {
		if len(e.IDs) != 1 || !answer.IsDigits(e.IDs[0]) || table().ByKey[e.Key] != nil {
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
