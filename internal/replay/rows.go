package replay

import (
	"cmp"
	"fmt"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// mostChanges bounds the listed rows of one cycle.
const mostChanges = 20

// rowsOf has a function for every table of a manifest. It lists the first rows different between
// two folders, and counts the differences by column.
var rowsOf = map[string]func(r *run, c *Cycle, name, thenDir, nowDir string) error{
	"fixtures":      rows(layout.FixturesFile, func(x *table.FixtureRow) string { return x.FixtureID }),
	"markets":       rows(layout.MarketsFile, func(x *table.MarketRow) string { return x.FixtureID + "/" + x.MarketID }),
	"listing":       rows(layout.ListingFile, func(x *table.ListingRow) string { return x.FixtureID }),
	"live":          rows(layout.LiveFile, func(x *table.LiveRow) string { return x.FixtureID }),
	"live_counters": rows(layout.LiveCountersFile, func(x *table.LiveCounterRow) string { return x.FixtureID + "/" + x.Metric }),
	"live_timeline": rows(layout.LiveTimelineFile, func(x *table.LiveTimelineRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Ordinal) }),
	"live_buckets":  rows(layout.LiveBucketsFile, func(x *table.LiveBucketRow) string { return fmt.Sprintf("%s/%05d", x.FixtureID, x.Minute) }),
	"live_periods":  rows(layout.LivePeriodsFile, func(x *table.LivePeriodRow) string { return fmt.Sprintf("%s/%d", x.FixtureID, x.Half) }),
	"live_states":   rows(layout.LiveStatesFile, func(x *table.LiveStateRow) string { return x.FixtureID }),
}

func (r *run) compareRows(c *Cycle, thenDir, nowDir string) error {
	c.Columns = Counts{}
	for _, t := range c.Tables {
		if compare, known := rowsOf[t.Name]; known {
			if err := compare(r, c, t.Name, thenDir, nowDir); err != nil {
				return fmt.Errorf("compare %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

func rows[T table.Row](file string, key func(*T) string) func(r *run, c *Cycle, name, thenDir, nowDir string) error {
	return func(r *run, c *Cycle, name, thenDir, nowDir string) error {
		then, now := snapshot.Rows[T](r.Source, thenDir+"/"+file), snapshot.Rows[T](r.Target, nowDir+"/"+file)
		for p, err := range diff.Pairs(then, now, func(a, b *T) int { return cmp.Compare(key(a), key(b)) }) {
			switch {
			case err != nil:
				return err
			case p.New == nil:
				c.changed(Change{Table: name, Row: key(p.Old), What: "removed"})
			case p.Old == nil:
				c.changed(Change{Table: name, Row: key(p.New), What: "added"})
			default:
				if columns := diff.Columns(*p.Old, *p.New); len(columns) > 0 {
					text := func(row *T) string { return diff.Text(row, columns[0]).Or("NULL") }
					c.changed(Change{Table: name, Row: key(p.Old), What: "changed", Columns: columns, Example: text(p.Old) + " → " + text(p.New)})
				}
			}
		}
		return nil
	}
}

// changed counts a change, and keeps it if it is one of the first.
func (c *Cycle) changed(change Change) {
	for _, column := range change.Columns {
		c.Columns[change.Table+"."+column]++
	}
	if change.Columns == nil {
		c.Columns[change.Table+" "+change.What]++
	}
	if len(c.Changed) < mostChanges {
		c.Changed = append(c.Changed, change)
	}
}
