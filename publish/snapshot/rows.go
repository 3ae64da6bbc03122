package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// Rows iterates over the rows of a table's file, which must have been verified. A row is only
// valid until the next one. An error comes last, with the file's name. It is [fs.ErrNotExist] for
// a missing file.
func Rows[T table.Row](f durable.ReadFS, name string) iter.Seq2[*T, error] {
	named := func(err error) error { return fmt.Errorf("%s: %w", name, err) }
	return rowsOf(f, name, named, func(r *table.Reader[T]) iter.Seq2[*T, error] { return r.All })
}

// PricesOfFixtures iterates over the rows of some fixtures in a file of markets as [Rows] does. A row and its
// selections are valid until the next row.
func PricesOfFixtures(f durable.ReadFS, name string, wanted func(fixtureID string) bool) iter.Seq2[*table.PriceRow, error] {
	named := func(err error) error { return fmt.Errorf("%s: %w", name, err) }
	return rowsOf(f, name, named, func(r *table.Reader[table.PriceRow]) iter.Seq2[*table.PriceRow, error] {
		return table.PricesOfFixtures(r, wanted)
	})
}

// rowsOf iterates over some rows of a table's file. fault describes an error of the table.
func rowsOf[T table.Row](f durable.ReadFS, name string, fault func(error) error, some func(*table.Reader[T]) iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		file, err := f.Open(name)
		if err != nil {
			yield(nil, Fault(name, err))
			return
		}
		defer file.Close()
		rows, err := table.NewReader[T](file, file.Size())
		if err != nil {
			yield(nil, fault(err))
			return
		}
		defer rows.Close()
		for row, err := range some(rows) {
			if err != nil {
				err = fault(err)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// VerifiedRows is [Rows] for a file in the folder of a manifest, after a check of the file's hash
// against the manifest.
func VerifiedRows[T table.Row](f durable.ReadFS, dir string, m Manifest, name string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if err := Verify(f, dir, m.Only(name)); err != nil {
			yield(nil, err)
			return
		}
		Rows[T](f, dir+"/"+name)(yield)
	}
}

// CyclesIn returns the cycles with a folder in a folder of a tenant and product, oldest first. A
// missing folder has none.
func CyclesIn(f durable.ReadFS, dir string) (ids []layout.CycleID, err error) {
	entries, err := f.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}
