package compare

import (
	"errors"
	"fmt"
	"io"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// cursor reads a table in batches, and can pass rows over.
type cursor[T table.Row] struct {
	name   string
	file   durable.Reader
	rows   *table.Reader[T]
	left   []T   // rows read and not taken yet
	at     int64 // number of the first of them
	passed int   // rows from there on that are not wanted
	row    *T    // the one at hand; nil at the end
}

const (
	batch = 1024
	// seekFrom is from how many rows on it pays to look for a row by its number,
	// which takes as long as reading some hundreds (BenchmarkRun).
	seekFrom = 2 * batch
)

// openCursor opens a table of a side. next must be called for the first row.
func openCursor[T table.Row](s Side, name string) (*cursor[T], error) {
	path := s.Commit.Dir() + "/" + name
	file, err := s.Root.Open(path)
	if err != nil {
		return nil, err
	}
	rows, err := table.NewReader[T](file, file.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return &cursor[T]{name: path, file: file, rows: rows}, nil
}

func (c *cursor[T]) close() {
	c.rows.Close()
	c.file.Close()
}

// skip passes n rows over, when the next are taken.
func (c *cursor[T]) skip(n int) { c.passed += n }

// pass goes to where the next row is to be taken.
func (c *cursor[T]) pass() error {
	n := c.passed
	c.passed = 0
	if to := c.at + int64(n); n-len(c.left) >= seekFrom && to < c.rows.Len() {
		c.left, c.at = nil, to
		if err := c.rows.SeekRow(to); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		return nil
	}
	for n > len(c.left) {
		n -= len(c.left)
		c.at += int64(len(c.left))
		if err := c.fill(); err != nil {
			return err
		}
	}
	c.left, c.at = c.left[n:], c.at+int64(n)
	return nil
}

// take gives the next n rows. They are never written again: whoever has them keeps
// them.
func (c *cursor[T]) take(n int) ([]T, error) {
	if err := c.pass(); err != nil {
		return nil, err
	}
	var taken []T
	for n > len(c.left) {
		n -= len(c.left)
		taken = append(taken, c.left...)
		c.at += int64(len(c.left))
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	first := c.left[:n:n]
	c.left, c.at = c.left[n:], c.at+int64(n)
	if taken == nil {
		return first, nil
	}
	return append(taken, first...), nil
}

// fill reads the next batch, when the last one is used up. There must be one.
func (c *cursor[T]) fill() error {
	rows := make([]T, batch)
	n, err := c.rows.Read(rows)
	if n == 0 {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("%w: it ends behind row %d", snapshot.ErrDamaged, c.at)
		}
		return fmt.Errorf("%s: %w", c.name, err)
	}
	c.left = rows[:n]
	return nil
}

// next moves to the next row; row is nil behind the last.
func (c *cursor[T]) next() error {
	if c.at >= c.rows.Len() {
		c.row = nil
		return nil
	}
	rows, err := c.take(1)
	if err != nil {
		return err
	}
	c.row = &rows[0]
	return nil
}
