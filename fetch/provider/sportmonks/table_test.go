package sportmonks

import (
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
