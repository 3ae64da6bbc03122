package snapshot

import (
	"fmt"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/table"
)

// Rows iterates over the rows of a table's file, which must have been verified. A row is
// only valid until the next one. An error comes last, with the file's name; that of a
// missing file is fs.ErrNotExist.
func Rows[T table.Row](f durable.ReadFS, name string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		file, err := f.Open(name)
		if err != nil {
			yield(nil, Fault(name, err))
			return
		}
		defer file.Close()
		rows, err := table.NewReader[T](file, file.Size())
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", name, err))
			return
		}
		defer rows.Close()
		for row, err := range rows.All {
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
