package table

import (
	"fmt"
	"io"

	"mkt/publish/table/columnar"
)

// Summarize counts and hashes the rows of a file as its [Writer] did. It uses the columns of the
// file; an older format may have fewer.
func Summarize[T Row](file io.ReaderAt, size int64) (_ Summary, err error) {
	r, err := NewReader[T](file, size)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	defer columnar.Recovered(r.spec.Name, &err)
	s := columnar.FileLayout(r.spec.Name, r.file.Schema())
	s.Tags = r.spec.Tags // summary leaves out later columns without a value
	t, rows, columns := newTally(s), columnar.NewColumns(s), columnar.NewFileReader(s, r.file, r.rows.Source())
	add := func() {
		for i := range rows.Leaves {
			t.add(i, &rows.Leaves[i])
		}
		rows.Reset()
	}
	const batch = 256
	for {
		err := columns.Next()
		if err == io.EOF {
			add()
			return t.summary(), nil
		}
		n := int(min(batch, columns.Left()))
		if err == nil {
			err = columns.Copy(rows, n)
		}
		if err != nil {
			return Summary{}, fmt.Errorf("table %s: %w", r.spec.Name, err)
		}
		if t.rows += int64(n); rows.Size() >= drainBytes {
			add()
		}
	}
}
