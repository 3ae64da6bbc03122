package table

import "fmt"

// SeekRow makes the row of that number, from 0, the next one to be read.
func (r *Reader[T]) SeekRow(row int64) (err error) {
	defer survive(r.spec.name, &err)
	if err := r.rows.SeekToRow(row); err != nil {
		return fmt.Errorf("table %s: row %d: %w", r.spec.name, row, err)
	}
	return nil
}
