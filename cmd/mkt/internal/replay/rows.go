package replay

import (
	"errors"
	"fmt"
	"io"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// mostChanges bounds the rows that are told of one cycle.
const mostChanges = 20

// rows names the first rows that differ, and counts columns.
func (r *run) rows(c *Cycle, thenDir, nowDir string) error {
	c.Columns = Counts{}
	for _, t := range c.Tables {
		var err error
		switch t.Name {
		case "fixtures":
			err = rowsOf(r, c, t.Name, layout.FixturesFile, thenDir, nowDir, func(x *table.FixtureRow) string { return x.FixtureID })
		case "markets":
			err = rowsOf(r, c, t.Name, layout.MarketsFile, thenDir, nowDir, func(x *table.MarketRow) string { return x.FixtureID + "/" + x.MarketID })
		case "live":
			err = rowsOf(r, c, t.Name, layout.LiveFile, thenDir, nowDir, func(x *table.LiveRow) string { return x.FixtureID })
		case "live_counters":
			err = rowsOf(r, c, t.Name, layout.LiveCountersFile, thenDir, nowDir, func(x *table.LiveCounterRow) string { return x.FixtureID + "/" + x.Metric })
		case "live_timeline":
			err = rowsOf(r, c, t.Name, layout.LiveTimelineFile, thenDir, nowDir, func(x *table.LiveTimelineRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Ordinal) })
		case "live_buckets":
			err = rowsOf(r, c, t.Name, layout.LiveBucketsFile, thenDir, nowDir, func(x *table.LiveBucketRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Minute) })
		}
		if err != nil {
			return fmt.Errorf("compare %s: %w", t.Name, err)
		}
	}
	return nil
}

// rowsOf walks along two sorted tables at once.
func rowsOf[T table.Row](r *run, c *Cycle, name, file, thenDir, nowDir string, key func(*T) string) error {
	a, err := openRows[T](r.Source, thenDir+"/"+file)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := openRows[T](r.Target, nowDir+"/"+file)
	if err != nil {
		return err
	}
	defer b.close()
	change := func(row, what string) {
		c.Columns[name+" "+what]++
		if len(c.Changed) < mostChanges {
			c.Changed = append(c.Changed, Change{Table: name, Row: row, What: what})
		}
	}
	for a.row != nil || b.row != nil {
		switch {
		case b.row == nil || a.row != nil && key(a.row) < key(b.row):
			change(key(a.row), "removed")
			err = a.next()
		case a.row == nil || key(b.row) < key(a.row):
			change(key(b.row), "added")
			err = b.next()
		default:
			if columns := table.Differences(*a.row, *b.row); len(columns) > 0 {
				note(c, name, key(a.row), columns, *a.row, *b.row)
			}
			if err = a.next(); err == nil {
				err = b.next()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func note[T table.Row](c *Cycle, name, row string, columns []string, then, now T) {
	for _, column := range columns {
		c.Columns[name+"."+column]++
	}
	if len(c.Changed) < mostChanges {
		c.Changed = append(c.Changed, Change{Table: name, Row: row, What: "changed", Columns: columns,
			Example: fmt.Sprintf("%s → %s", table.Column(then, columns[0]), table.Column(now, columns[0]))})
	}
}

// cursor is a table, a row at a time.
type cursor[T table.Row] struct {
	row   *T // nil at the end
	rows  []T
	at    int
	table *table.Reader[T]
	file  durable.Reader
	eof   bool
}

func openRows[T table.Row](f durable.FS, name string) (*cursor[T], error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	rows, err := table.NewReader[T](file, file.Size())
	if err != nil {
		file.Close()
		return nil, err
	}
	c := &cursor[T]{table: rows, file: file}
	if err := c.next(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// next goes to the next row. The one before is not kept.
func (c *cursor[T]) next() error {
	if c.at++; c.at < len(c.rows) {
		c.row = &c.rows[c.at]
		return nil
	}
	c.row = nil
	for !c.eof {
		const batch = 64
		rows := make([]T, batch)
		n, err := c.table.Read(rows)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		c.eof = errors.Is(err, io.EOF)
		if n > 0 {
			c.rows, c.at, c.row = rows[:n], 0, &rows[0]
			return nil
		}
	}
	return nil
}

func (c *cursor[T]) close() {
	c.table.Close()
	c.file.Close()
}
