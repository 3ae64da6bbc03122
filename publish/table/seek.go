package table

import "fmt"

// Seek makes the row of that number, from 0, the next one to be read.
func (r *Reader[T]) Seek(row int64) (err error) {
	defer survive(r.spec.name, &err)
	if err := r.rows.SeekToRow(row); err != nil {
		return fmt.Errorf("table %s: row %d: %w", r.spec.name, row, err)
	}
	return nil
}
