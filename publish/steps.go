package publish

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// writeSteps writes the changes of prices and kick-offs by the publication, and returns their segment;
// nil if nothing changed. The first time it writes the state before as well, so that the steps alone
// have every price since then.
func (d *Draft) writeSteps(ctx context.Context, at time.Time) (*snapshot.Segment, error) {
	before := d.base.Manifest
	s := stepWriter{
		here:   table.StepRow{PublishedAt: at, CycleID: string(d.Cycle), Version: int64(d.base.Commit.Version) + 1, ProcessedAt: d.canonical.ProcessedAt},
		before: table.StepRow{Before: true},
		whole:  before != nil && len(before.Steps) == 0,
	}
	old, canonical := "", layout.Cycle(layout.CanonicalDir, d.Cycle)+"/"+layout.MarketsFile
	if before != nil {
		c := d.base.Commit
		s.before.PublishedAt, s.before.CycleID, s.before.Seq = c.PublishedAt.UTC(), string(c.CycleID), int64(c.LastSeq)
		s.before.Version, s.before.ProcessedAt = int64(c.Version), before.ProcessedAt
		var err error
		if old, err = d.base.file(d.Root, layout.MarketsFile); err != nil {
			return nil, err
		}
	}
	var rows int64
	file, err := snapshot.CreateFile(d.Root, d.Dir, "steps.parquet", func(out io.Writer) error {
		s.w = table.NewWriter[table.StepRow](durable.Until(ctx, out), d.header())
		wanted := map[string]bool{}
		for i := range d.plan.fixtures {
			f := &d.plan.fixtures[i]
			wanted[f.id] = s.whole || f.changed()
		}
		prices := func(name string) iter.Seq2[*table.PriceRow, error] {
			if name == "" {
				return diff.Each[table.PriceRow](nil)
			}
			return snapshot.PricesOfFixtures(d.Root, name, func(id string) bool { return wanted[id] })
		}
		if err := s.write(d.plan.fixtures, prices(old), prices(canonical)); err != nil {
			return err
		}
		sum, err := s.w.Close()
		rows = sum.Rows
		return err
	})
	d.Manifest.Counters["steps"] = rows
	if err != nil || rows == 0 {
		return nil, err
	}
	last := d.base.Commit.LastSeq
	segment := &snapshot.Segment{First: last + 1, Last: last, At: at, Bytes: file.Bytes, SHA256: file.SHA256}
	if s.whole && last > 0 { // without an event there was no fixture
		segment.First = last // which the rows of the state before have
	}
	if d.segment != nil {
		segment.Last = d.segment.Last
	}
	segment.File = layout.Segment(layout.StepsDir, segment.First, segment.Last, d.Cycle)
	d.Segments[segment.File] = d.Dir + "/steps.parquet"
	return segment, nil
}

// stepRows is the number of rows that are written together.
const stepRows = 64

// stepWriter compares two datasets.
type stepWriter struct {
	w            *table.Writer[table.StepRow]
	here, before table.StepRow // the columns that all rows of this publication, and of the state before it, share
	whole        bool          // the state before is written
	old, new     []*table.PriceSelectionRow
	rows         []table.StepRow // not written yet
}

// write writes the steps of all fixtures. The markets are sorted as the fixtures are.
func (s *stepWriter) write(fixtures []decision, old, new iter.Seq2[*table.PriceRow, error]) error {
	byID := func(a, b *table.PriceRow) int {
		if order := strings.Compare(a.FixtureID, b.FixtureID); order != 0 {
			return order
		}
		return strings.Compare(a.MarketID, b.MarketID)
	}
	next := 0
	for pair, err := range diff.Pairs(old, new, byID) {
		if err != nil {
			return err
		}
		id := cmp.Or(pair.New, pair.Old).FixtureID
		for next < len(fixtures) && fixtures[next].id <= id {
			if err := s.fixture(&fixtures[next]); err != nil {
				return err
			}
			next++
		}
		if next == 0 || fixtures[next-1].id != id {
			continue
		}
		if err := s.market(&fixtures[next-1], pair); err != nil {
			return err
		}
	}
	for ; next < len(fixtures); next++ {
		if err := s.fixture(&fixtures[next]); err != nil {
			return err
		}
	}
	return s.flush()
}

// fixture writes the rows of a fixture itself.
func (s *stepWriter) fixture(d *decision) error {
	if s.whole && d.before != nil {
		if err := s.add(d.before.step(s.before)); err != nil {
			return err
		}
	}
	row := s.here
	row.Seq = d.seq
	switch {
	case d.seq == 0 || !d.removed && d.before != nil && d.before.saysTheSame(&d.fixture):
		return nil
	case d.removed:
		row.FixtureID = d.id
		return s.add(row)
	}
	return s.add(d.step(row))
}

func (f *fixture) step(row table.StepRow) table.StepRow {
	row.FixtureID, row.Present, row.ProviderFetchedAt, row.StartsAt = f.id, true, &f.fetchedAt, f.startsAt
	row.Home, row.Away, row.League = f.home, f.away, f.league
	return row
}

// saysTheSame reports whether two rows of a fixture differ in nothing that a step records.
func (f *fixture) saysTheSame(other *fixture) bool {
	return sameTime(f.startsAt, other.startsAt) && sameText(f.home, other.home) && sameText(f.away, other.away) && sameText(f.league, other.league)
}

// changed reports whether the markets of a fixture may have changed. Those of one that went away do not
// count.
func (d *decision) changed() bool {
	return d.seq > 0 && !d.removed && !d.moved && (d.before == nil || d.before.digest != d.digest)
}

// market writes the rows of a market's selections. A fixture that went away has one row, which
// speaks for them.
func (s *stepWriter) market(d *decision, p diff.Pair[table.PriceRow]) error {
	changed := d.changed()
	whole := s.whole && p.Old != nil
	if !changed && !whole {
		return nil
	}
	if !changed {
		p.New = p.Old
	}
	if whole || p.Old == nil || p.New == nil || !s.differing(p.Old.Selections, p.New.Selections) {
		s.old, s.new = selections(s.old, p.Old), selections(s.new, p.New)
	}
	s.old, s.new = sorted(s.old), sorted(s.new)
	for old, new := s.old, s.new; len(old) > 0 || len(new) > 0; {
		var before, now *table.PriceSelectionRow
		if len(new) == 0 || len(old) > 0 && old[0].SelectionID <= new[0].SelectionID {
			before = old[0]
		}
		if len(old) == 0 || len(new) > 0 && new[0].SelectionID <= old[0].SelectionID {
			now, new = new[0], new[1:]
		}
		if before != nil {
			old = old[1:]
		}
		if err := s.pair(d, p, before, now, changed, whole); err != nil {
			return err
		}
	}
	return nil
}

// pair writes the rows of a selection. Either side is nil if its market does not have it.
func (s *stepWriter) pair(d *decision, p diff.Pair[table.PriceRow], before, now *table.PriceSelectionRow, changed, whole bool) error {
	if whole && before != nil {
		if err := s.selection(s.before, d.before, p.Old, before, true); err != nil {
			return err
		}
	}
	row := s.here
	row.Seq = d.seq
	switch {
	case !changed || before != nil && now != nil && samePrice(before, now):
		return nil
	case now == nil:
		return s.selection(row, &d.fixture, p.Old, before, false)
	}
	return s.selection(row, &d.fixture, p.New, now, true)
}

func (s *stepWriter) selection(row table.StepRow, f *fixture, m *table.PriceRow, of *table.PriceSelectionRow, present bool) error {
	row.FixtureID, row.MarketID, row.SelectionID, row.ProviderFetchedAt = m.FixtureID, m.MarketID, of.SelectionID, &f.fetchedAt
	if row.Present = present; present {
		row.Market, row.MarketName, row.Period, row.Subject = m.Market, m.MarketName, m.Period, of.Subject
		row.Selection, row.Line, row.Qualifier, row.Reasons = of.Selection, of.Line, of.Qualifier, of.Reasons
		publishable := of.Publishable // the memory of the selection is used again
		row.OddsFractional, row.OddsDecimalText, row.Publishable = of.OddsFractional, of.OddsDecimalText, &publishable
		for _, name := range of.Absent {
			if isPrice(name) {
				row.Absent = append(row.Absent, name)
			}
		}
	}
	return s.add(row)
}

// add writes a row, together with others.
func (s *stepWriter) add(row table.StepRow) error {
	if s.rows = append(s.rows, row); len(s.rows) < stepRows {
		return nil
	}
	return s.flush()
}

func (s *stepWriter) flush() error {
	err := s.w.Write(s.rows...)
	s.rows = s.rows[:0]
	return err
}

// differing finds the selections that differ, if two markets have the same ones in the same order, as most
// have. Of two with one id only the first one counts.
func (s *stepWriter) differing(old, new []table.PriceSelectionRow) (sameOrder bool) {
	s.old, s.new = s.old[:0], s.new[:0]
	if len(old) != len(new) {
		return false
	}
	for i := range old {
		a, b := &old[i], &new[i]
		if a.SelectionID != b.SelectionID {
			return false
		}
		if samePrice(a, b) {
			continue
		}
		first := 0
		for old[first].SelectionID != a.SelectionID {
			first++
		}
		if first == i {
			s.old, s.new = append(s.old, a), append(s.new, b)
		}
	}
	return true
}

// selections returns the selections of a market, in the memory of dst.
func selections(dst []*table.PriceSelectionRow, m *table.PriceRow) []*table.PriceSelectionRow {
	dst = dst[:0]
	if m == nil {
		return dst
	}
	for i := range m.Selections {
		dst = append(dst, &m.Selections[i])
	}
	return dst
}

// sorted sorts selections by their ids. Of two with one id only the first one is left.
func sorted(all []*table.PriceSelectionRow) []*table.PriceSelectionRow {
	slices.SortStableFunc(all, func(a, b *table.PriceSelectionRow) int { return strings.Compare(a.SelectionID, b.SelectionID) })
	return slices.CompactFunc(all, func(a, b *table.PriceSelectionRow) bool { return a.SelectionID == b.SelectionID })
}

// samePrice reports whether two rows of a selection differ in nothing that a step records.
func samePrice(a, b *table.PriceSelectionRow) bool {
	return a.Publishable == b.Publishable && sameText(a.OddsDecimalText, b.OddsDecimalText) && sameText(a.OddsFractional, b.OddsFractional) &&
		sameText(a.Line, b.Line) && sameText(a.Selection, b.Selection) && sameText(a.Qualifier, b.Qualifier) && slices.Equal(a.Reasons, b.Reasons) &&
		(slices.Equal(a.Absent, b.Absent) || isAbsent(a, "odds_decimal") == isAbsent(b, "odds_decimal") && isAbsent(a, "odds_fractional") == isAbsent(b, "odds_fractional"))
}

func isPrice(name string) bool { return name == "odds_decimal" || name == "odds_fractional" }

func isAbsent(s *table.PriceSelectionRow, name string) bool { return slices.Contains(s.Absent, name) }

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
