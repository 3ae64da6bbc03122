package snapshot

import (
	"fmt"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/table"
)

// Rows reads the file of a table from its first row to its last. A row is only valid
// until the next one. What goes wrong comes last, with the file's name; of a file that
// is not there it is fs.ErrNotExist. Hold the file against its hash before.
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
