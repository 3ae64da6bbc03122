package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table"
)

// Options say what to read.
type Options struct {
	Root     durable.ReadFS // of the tenant and product
	Fixture  string
	Market   string    // "" for all
	From, To time.Time // only the steps between, and the one in force at From; zero for no bound
}

// ErrUnknown is the error for a fixture that no publication has, as far as steps are recorded.
var ErrUnknown = errors.New("no kept publication has the fixture")

// Path is the path of a fixture's prices.
type Path struct {
	Fixture table.FixtureRow // in the newest step that has it
	Steps   []Step           // oldest first
	Closing int              // index of the last step retrieved before kick-off; -1 if none, or if that may still change
	// Opening reports whether the first step is the first publication that had the fixture.
	// Otherwise there may have been others, before steps were recorded or out of the range.
	Opening bool
	Removed bool      // the newest step is the fixture's removal
	Until   time.Time // when the newest publication of the range was published: the last step holds until then
	Last    uint64    // the newest publication, in which the last step holds; 0 if the range ends before it

	whole    steps.Path             // of the fixture, up to the end of the range
	prices   map[string]*steps.Path // of its markets
	judgedAt time.Time              // see [steps.Path.Closing]
}

// Step is a publication that changed the fixture.
type Step struct {
	Version     uint64
	Cycle       layout.CycleID
	FetchedAt   time.Time // provider_fetched_at of the fixture; zero if Removed
	ProcessedAt time.Time // zero if not recorded
	PublishedAt time.Time
	Removed     bool // the publication does not have the fixture
	Fixture     table.FixtureRow
	Markets     []table.MarketRow // with what steps record of them
}

// Market returns a market of the step; nil if the step does not have it.
func (s *Step) Market(id string) *table.MarketRow {
	if i := slices.IndexFunc(s.Markets, func(m table.MarketRow) bool { return m.MarketID == id }); i >= 0 {
		return &s.Markets[i]
	}
	return nil
}

// Newest returns the newest step that has the fixture.
func (p *Path) Newest() *Step {
	for i := range slices.Backward(p.Steps) {
		if !p.Steps[i].Removed {
			return &p.Steps[i]
		}
	}
	return &p.Steps[0]
}

// Read reads the path of a fixture from the steps of the newest publication. Its errors include
// [ErrUnknown], and damage of a segment (snapshot.IsDamage).
func Read(ctx context.Context, o Options) (*Path, error) {
	head, found, err := snapshot.Head(o.Root)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: %w", snapshot.ErrNothing, ErrUnknown)
	}
	m, err := snapshot.Open(o.Root, head)
	if err != nil {
		return nil, err
	}
	r := &reader{path: Path{judgedAt: steps.JudgedAt(&m)}, state: map[string]*table.MarketRow{}, newest: map[string]*table.MarketRow{}, places: map[string]int{}}
	fixture, markets, isThere, err := snapshot.FixtureOf(o.Root, head, m, o.Fixture)
	if err != nil {
		return nil, err
	}
	for i := range markets {
		r.newest[markets[i].MarketID] = &markets[i]
		for k := range markets[i].Selections {
			r.places[markets[i].MarketID+markets[i].Selections[k].SelectionID] = k + 1
		}
	}
	rows, err := steps.Rows(o.Root, &m, o.Fixture, o.Market, func(s snapshot.Segment) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return snapshot.VerifySegment(o.Root, s)
	})
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0 && !isThere:
		return nil, fmt.Errorf("%s: %w", o.Fixture, ErrUnknown)
	case len(rows) == 0: // nothing is recorded of it yet
		rows = unrecorded(head, &fixture, markets)
	}
	if !o.To.IsZero() {
		rows = slices.DeleteFunc(rows, func(r table.StepRow) bool { return r.PublishedAt.After(o.To) })
	}
	r.path.whole, r.path.prices = steps.Paths(rows)
	r.path.Opening = r.path.whole.FromStart
	r.add(rows)
	return r.path.within(o, head)
}

// unrecorded returns the rows that the newest publication would have recorded of a fixture.
func unrecorded(head snapshot.Commit, f *table.FixtureRow, markets []table.MarketRow) []table.StepRow {
	row := table.StepRow{FixtureID: f.FixtureID, Seq: int64(head.LastSeq), PublishedAt: head.PublishedAt, CycleID: string(head.CycleID), Version: int64(head.Version),
		ProviderFetchedAt: &f.ProviderFetchedAt, Before: true, Present: true}
	one := row
	one.StartsAt, one.Home, one.Away, one.League = f.StartsAt, f.Home, f.Away, f.League
	rows := []table.StepRow{one}
	for i := range markets {
		m := &markets[i]
		for k := range m.Selections {
			s := &m.Selections[k]
			one := row
			one.MarketID, one.Market, one.MarketName, one.Period = m.MarketID, m.Market, m.MarketName, m.Period
			one.SelectionID, one.Subject, one.Selection, one.Line, one.Qualifier = s.SelectionID, s.Subject, s.Selection, s.Line, s.Qualifier
			one.OddsFractional, one.OddsDecimalText, one.Publishable, one.Reasons, one.Absent = s.OddsFractional, s.OddsDecimalText, &s.Publishable, s.Reasons, s.Absent
			rows = append(rows, one)
		}
	}
	return rows
}

type reader struct {
	path    Path
	fixture table.FixtureRow
	state   map[string]*table.MarketRow // the markets that are there, by id
	newest  map[string]*table.MarketRow // those of the newest snapshot, for their order and descriptions
	places  map[string]int              // of their selections, from 1
}

// add adds the steps of rows that are sorted by seq.
func (r *reader) add(rows []table.StepRow) {
	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(row table.StepRow) bool { return row.Seq != rows[0].Seq })
		if end < 0 {
			end = len(rows)
		}
		first := &rows[0]
		s := Step{Version: uint64(first.Version), Cycle: layout.CycleID(first.CycleID), PublishedAt: first.PublishedAt.UTC(), ProcessedAt: timeOf(first.ProcessedAt), FetchedAt: timeOf(first.ProviderFetchedAt)}
		changed := map[string]bool{}
		for i := range rows[:end] {
			row := &rows[i]
			switch {
			case row.MarketID != "":
				r.change(row, changed)
			case row.Present:
				r.fixture = table.FixtureRow{FixtureID: row.FixtureID, Home: row.Home, Away: row.Away, League: row.League, StartsAt: row.StartsAt, ProviderFetchedAt: timeOf(row.ProviderFetchedAt)}
			default:
				s.Removed = true
				clear(r.state)
			}
		}
		for id := range changed {
			if m := r.state[id]; m != nil && len(m.Selections) == 0 {
				delete(r.state, id)
			} else {
				r.sort(m)
			}
		}
		if !s.Removed {
			s.Fixture, s.Markets = r.fixture, r.markets()
		}
		r.path.Steps = append(r.path.Steps, s)
		rows = rows[end:]
	}
}

// change applies a row to its market. The first change of a publication copies the market, since
// the steps before have it too. The market stays while its last selection is gone: another row of
// the publication may bring a new one.
func (r *reader) change(row *table.StepRow, changed map[string]bool) {
	id := row.MarketID
	m := r.state[id]
	if !changed[id] {
		changed[id] = true
		one := table.MarketRow{FixtureID: row.FixtureID, MarketID: id}
		if was := r.newest[id]; was != nil {
			one = *was
			one.Selections = nil
		}
		if m != nil {
			one.Market, one.MarketName, one.Period, one.Selections = m.Market, m.MarketName, m.Period, slices.Clone(m.Selections)
		}
		m = &one
		r.state[id] = m
	}
	if row.Present {
		m.Market, m.MarketName, m.Period = row.Market, row.MarketName, row.Period
	}
	at := slices.IndexFunc(m.Selections, func(s table.SelectionRow) bool { return s.SelectionID == row.SelectionID })
	switch {
	case !row.Present && at >= 0:
		m.Selections = slices.Delete(m.Selections, at, at+1)
	case at >= 0:
		m.Selections[at] = r.selection(row)
	case row.Present:
		m.Selections = append(m.Selections, r.selection(row))
	}
}

// selection returns what a row says of a selection, with the descriptions of the newest snapshot.
func (r *reader) selection(row *table.StepRow) (s table.SelectionRow) {
	if place := r.places[row.MarketID+row.SelectionID]; place > 0 {
		s = r.newest[row.MarketID].Selections[place-1]
	}
	s.SelectionID, s.Subject, s.Selection, s.Line, s.Qualifier = row.SelectionID, row.Subject, row.Selection, row.Line, row.Qualifier
	s.OddsFractional, s.OddsDecimalText, s.Reasons, s.Absent = row.OddsFractional, row.OddsDecimalText, row.Reasons, row.Absent
	s.Publishable = row.Publishable != nil && *row.Publishable
	return s
}

// sort brings the selections of a market, which may be nil, into the newest snapshot's order.
func (r *reader) sort(m *table.MarketRow) {
	if m == nil {
		return
	}
	place := func(s *table.SelectionRow) int { return cmp.Or(r.places[m.MarketID+s.SelectionID], len(r.places)+1) }
	slices.SortStableFunc(m.Selections, func(a, b table.SelectionRow) int {
		return cmp.Or(cmp.Compare(place(&a), place(&b)), cmp.Compare(a.SelectionID, b.SelectionID))
	})
}

// markets returns the markets that are there, in the newest snapshot's order; those that it lacks
// come last, by id.
func (r *reader) markets() []table.MarketRow {
	place := func(id string) int {
		if m := r.newest[id]; m != nil {
			return int(m.Ordinal)
		}
		return len(r.newest)
	}
	ids := slices.SortedFunc(maps.Keys(r.state), func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	list := make([]table.MarketRow, len(ids))
	for i, id := range ids {
		list[i] = *r.state[id]
	}
	return list
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// within leaves the steps of the range, and finds the closing one.
func (p *Path) within(o Options, head snapshot.Commit) (*Path, error) {
	p.Until, p.Last = head.PublishedAt.UTC(), head.Version
	if !o.To.IsZero() && o.To.Before(p.Until) {
		p.Until, p.Last = o.To.UTC(), 0
	}
	if !o.To.IsZero() && o.To.Before(p.judgedAt) {
		p.judgedAt = o.To
	}
	for len(p.Steps) > 1 && (!p.Steps[1].PublishedAt.After(o.From) || p.Steps[0].Removed) {
		p.Steps, p.Opening = p.Steps[1:], false
	}
	if len(p.Steps) == 0 || len(p.Steps) == 1 && p.Steps[0].Removed {
		return nil, fmt.Errorf("%s: %w in this time", o.Fixture, ErrUnknown)
	}
	p.Fixture, p.Removed = p.Newest().Fixture, p.Steps[len(p.Steps)-1].Removed
	p.Closing = p.closing()
	return p, nil
}

// closing returns the index of the last step before kick-off: the fixture is judged as its selections are.
func (p *Path) closing() int {
	var fixture steps.Selection
	for i := range p.Steps {
		s := &p.Steps[i]
		fixture.Points = append(fixture.Points, &steps.Point{At: steps.At{PublishedAt: s.PublishedAt}, Present: !s.Removed, FetchedAt: s.FetchedAt})
	}
	j := p.whole.Closing(&fixture, p.judgedAt)
	if j.State == steps.Provisional {
		return -1
	}
	return slices.Index(fixture.Points, j.Point)
}
