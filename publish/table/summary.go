package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"mkt/publish/table/columnar"
)

// Summary describes the rows of a table in the manifest.
type Summary struct {
	Rows int64 `json:"rows"`
	// Digest of the rows' logical content, independent of the Parquet library:
	// SHA-256 over each column's name and the SHA-256 of its values with their
	// levels. See [columnar.Stream] for the exact bytes.
	Digest  string            `json:"digest"`
	Columns map[string]Counts `json:"columns"`
}

// Counts has the number of values in each state of a column. Of a nested column, its elements are counted.
type Counts = columnar.Counts

// tally counts and hashes each column by itself.
type tally struct {
	layout  *columnar.Layout
	columns []column
	rows    int64
}

type column struct {
	counts Counts
	hash   hash.Hash
}

func newTally(l *columnar.Layout) *tally {
	t := &tally{layout: l, columns: make([]column, len(l.Leaves))}
	for i := range t.columns {
		t.columns[i].hash = sha256.New()
	}
	return t
}

// add adds the values of a leaf.
func (t *tally) add(leaf int, s *columnar.Stream) {
	c := &t.columns[leaf]
	c.hash.Write(s.Bytes)
	c.counts.Add(s.Counts)
}

func (t *tally) summary() Summary {
	all := sha256.New()
	columns := map[string]Counts{}
	for i := range t.columns {
		c, name := &t.columns[i], t.layout.Leaves[i].Name
		if c.counts.Value+c.counts.Zero == 0 && t.layout.Tags[name].Get("later") != "" {
			continue
		}
		all.Write(binary.AppendUvarint(nil, uint64(len(name))))
		all.Write([]byte(name))
		all.Write(c.hash.Sum(nil))
		columns[name] = c.counts
	}
	return Summary{Rows: t.rows, Digest: hex.EncodeToString(all.Sum(nil)), Columns: columns}
}
