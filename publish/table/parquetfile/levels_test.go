package parquetfile

import (
	"math/bits"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"mkt/internal/testing/check"
)

// A page whose levels contradict each other or the column is refused, since its values would be
// others than were written.
func TestLevelsOfAPage(t *testing.T) {
	for name, c := range map[string]struct {
		maxRep, maxDef byte
		entries        int
		reps, defs     []byte
		values         int
		ok             bool
	}{
		"optional":               {0, 1, 3, nil, []byte{1, 0, 1}, 2, true},
		"a level too high":       {0, 2, 3, nil, []byte{3, 0, 2}, 2, false},
		"too few values":         {0, 1, 3, nil, []byte{1, 1, 1}, 2, false},
		"too few levels":         {0, 1, 3, nil, []byte{1, 0}, 2, false},
		"too many levels":        {0, 1, 3, nil, []byte{1, 0, 1, 1}, 2, false},
		"lists":                  {1, 1, 3, []byte{0, 1, 0}, []byte{1, 1, 0}, 2, true},
		"begins within a row":    {1, 1, 3, []byte{1, 1, 0}, []byte{1, 1, 0}, 2, false},
		"a list in no list":      {2, 2, 3, []byte{0, 3, 0}, []byte{2, 2, 0}, 2, false},
		"more of an empty list":  {1, 1, 3, []byte{0, 1, 0}, []byte{1, 0, 1}, 2, false},
		"no levels of the lists": {1, 1, 3, nil, []byte{1, 0, 1}, 2, false},
	} {
		page := dataPage{entries: c.entries, encoding: format.Plain, values: make([]byte, 4*c.values), reps: runs(t, c.reps, c.maxRep), defs: runs(t, c.defs, c.maxDef)}
		p := NewColumnReader(&Leaf{MaxRep: c.maxRep, MaxDef: c.maxDef, Kind: parquet.Int32}, 0, new(Source))
		if err := p.load(&page); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// runs encodes levels.
func runs(t *testing.T, levels []byte, most byte) []byte {
	t.Helper()
	encoded, err := (&rle.Encoding{BitWidth: bits.Len8(most)}).EncodeLevels(nil, levels)
	check.Must(t, err)
	return encoded
}
