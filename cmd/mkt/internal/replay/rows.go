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

// walk goes along one table of two cycles, notes the first rows that differ, and
// counts columns.
type walk func(r *run, c *Cycle, name, thenDir, nowDir string) error

// walks are those of every table that a manifest names.
var walks = map[string]walk{
	"fixtures":      along(layout.FixturesFile, func(x *table.FixtureRow) string { return x.FixtureID }),
	"markets":       along(layout.MarketsFile, func(x *table.MarketRow) string { return x.FixtureID + "/" + x.MarketID }),
	"listing":       along(layout.ListingFile, func(x *table.ListingRow) string { return x.FixtureID }),
	"live":          along(layout.LiveFile, func(x *table.LiveRow) string { return x.FixtureID }),
	"live_counters": along(layout.LiveCountersFile, func(x *table.LiveCounterRow) string { return x.FixtureID + "/" + x.Metric }),
	"live_timeline": along(layout.LiveTimelineFile, func(x *table.LiveTimelineRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Ordinal) }),
	"live_buckets":  along(layout.LiveBucketsFile, func(x *table.LiveBucketRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Minute) }),
	"live_periods":  along(layout.LivePeriodsFile, func(x *table.LivePeriodRow) string { return fmt.Sprintf("%s/%d", x.FixtureID, x.Half) }),
	"live_states":   along(layout.LiveStatesFile, func(x *table.LiveStateRow) string { return x.FixtureID }),
}

// rows names the first rows that differ, and counts columns.
func (r *run) rows(c *Cycle, thenDir, nowDir string) error {
	c.Columns = Counts{}
	for _, t := range c.Tables {
		if walk, known := walks[t.Name]; known {
			if err := walk(r, c, t.Name, thenDir, nowDir); err != nil {
				return fmt.Errorf("compare %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// along walks along two files that are sorted by key.
func along[T table.Row](file string, key func(*T) string) walk {
	return func(r *run, c *Cycle, name, thenDir, nowDir string) error {
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
		return pair(c, name, a, b, key)
	}
}

// pair notes the rows of a that b lacks, those that it has anew, and those that
// differ.
func pair[T table.Row](c *Cycle, name string, a, b *cursor[T], key func(*T) string) (err error) {
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

func openRows[T table.Row](f durable.ReadFS, name string) (*cursor[T], error) {
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
