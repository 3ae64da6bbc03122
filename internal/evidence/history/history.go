package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mkt/publish/durable"
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
	Markets []Market         // by their newest steps, the newest first, and in the order of the newest snapshot
	Closing int              // index of the last step retrieved before kick-off; -1 if none, or if that may still change
	// FromStart reports whether the first step is the first publication that had the fixture.
	// Otherwise there may have been others, before steps were recorded or out of the range.
	FromStart bool
	Removed   bool      // the newest step is the fixture's removal
	Until     time.Time // when the newest publication of the range was published: the last step holds until then
	Last      uint64    // the newest publication, in which the last step holds; 0 if the range ends before it
}

// Step is a publication that changed the fixture: a point of the fixture itself, which has no price.
type Step struct {
	steps.Point
	ProcessedAt time.Time // zero if not recorded
}

// Market returns a market of the path; nil if no step has it.
func (p *Path) Market(id string) *Market {
	if i := slices.IndexFunc(p.Markets, func(m Market) bool { return m.MarketID == id }); i >= 0 {
		return &p.Markets[i]
	}
	return nil
}

// Newest returns the index of the newest step that has the fixture.
func (p *Path) Newest() int {
	if p.Removed {
		return len(p.Steps) - 2
	}
	return len(p.Steps) - 1
}

// Offered returns the markets that the newest step with the fixture has.
func (p *Path) Offered() (rows []table.MarketRow) {
	for i := range p.Markets {
		if p.Markets[i].Newest == p.Newest() {
			rows = append(rows, p.Markets[i].MarketRow)
		}
	}
	return rows
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
	fixture, markets, isThere, err := snapshot.FixtureOf(o.Root, head, m, o.Fixture)
	if err != nil {
		return nil, err
	}
	rows, err := steps.Rows(ctx, o.Root, m.Steps, o.Fixture, o.Market)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0 && !isThere:
		return nil, fmt.Errorf("%s: %w", o.Fixture, ErrUnknown)
	case len(rows) == 0: // nothing is recorded of it yet
		rows = unrecorded(head, &fixture, markets)
	}
	p := &Path{Until: head.PublishedAt.UTC(), Last: head.Version}
	if !o.To.IsZero() {
		rows = slices.DeleteFunc(rows, func(r table.StepRow) bool { return r.PublishedAt.After(o.To) })
		if o.To.Before(p.Until) {
			p.Until, p.Last = o.To.UTC(), 0
		}
	}
	whole, paths := steps.Paths(rows, steps.JudgedAt(&m, o.To))
	p.addSteps(rows)
	p.FromStart = whole.FromStart()
	if !p.begin(o.From) {
		return nil, fmt.Errorf("%s: %w in this time", o.Fixture, ErrUnknown)
	}
	p.Closing = p.closing(&whole)
	p.addMarkets(paths, markets)
	return p, nil
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

// addSteps adds the steps of rows, and the fixture as the newest of them has it.
func (p *Path) addSteps(rows []table.StepRow) {
	for i := range rows {
		r := &rows[i]
		if n := len(p.Steps); n == 0 || p.Steps[n-1].Seq != uint64(r.Seq) { // the row of the fixture, if there is one
			x := steps.PointOf(r)
			p.Steps = append(p.Steps, Step{steps.Point{At: x.At, Present: r.MarketID != "" || r.Present, FetchedAt: x.FetchedAt}, timeOf(r.ProcessedAt)})
		}
		if r.MarketID == "" && r.Present {
			p.Fixture = table.FixtureRow{FixtureID: r.FixtureID, Home: r.Home, Away: r.Away, League: r.League, StartsAt: r.StartsAt, ProviderFetchedAt: timeOf(r.ProviderFetchedAt)}
		}
	}
}

// begin removes the steps that are over at a time, and a removal of the fixture at the beginning. It reports whether a
// step with the fixture is left.
func (p *Path) begin(from time.Time) bool {
	for len(p.Steps) > 1 && (!p.Steps[1].PublishedAt.After(from) || !p.Steps[0].Present) {
		p.Steps, p.FromStart = p.Steps[1:], false
	}
	n := len(p.Steps)
	p.Removed = n > 1 && !p.Steps[n-1].Present
	return n > 0 && p.Steps[0].Present
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// closing returns the index of the last step before kick-off: the fixture is judged as its selections are.
func (p *Path) closing(whole *steps.Path) int {
	var fixture steps.Selection
	for i := range p.Steps {
		fixture.Points = append(fixture.Points, &p.Steps[i].Point)
	}
	j := whole.Closing(&fixture)
	if j.State == steps.Provisional {
		return -1
	}
	return slices.Index(fixture.Points, j.Point)
}

// addMarkets adds the markets that a step has, with the descriptions of the newest snapshot.
func (p *Path) addMarkets(paths map[string]*steps.Path, newest []table.MarketRow) {
	for id, of := range paths {
		row := table.MarketRow{FixtureID: of.FixtureID, MarketID: id, Ordinal: math.MaxInt32}
		if i := slices.IndexFunc(newest, func(m table.MarketRow) bool { return m.MarketID == id }); i >= 0 {
			row = newest[i]
		}
		if m := p.market(of, row); m.Newest >= 0 {
			p.Markets = append(p.Markets, m)
		}
	}
	slices.SortFunc(p.Markets, func(a, b Market) int {
		return cmp.Or(cmp.Compare(b.Newest, a.Newest), cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.MarketID, b.MarketID))
	})
}

// market returns a market with its series. row is its description in the newest snapshot. Newest is -1 if no step has the
// market.
func (p *Path) market(of *steps.Path, row table.MarketRow) Market {
	described := row.Selections
	place := func(id string) int {
		if i := slices.IndexFunc(described, func(s table.SelectionRow) bool { return s.SelectionID == id }); i >= 0 {
			return i
		}
		return len(described)
	}
	row.Market, row.MarketName, row.Period, row.Selections = of.Market, of.MarketName, of.Period, nil
	m := Market{MarketRow: row, Newest: -1}
	has := make([]bool, len(p.Steps)) // which steps have the market
	for i := range of.Selections {
		var row table.SelectionRow
		if k := place(of.Selections[i].ID); k < len(described) {
			row = described[k]
		}
		if s := p.series(of, &of.Selections[i], row, has); s.newest >= 0 {
			m.Series, m.Newest = append(m.Series, s), max(m.Newest, s.newest)
		}
	}
	outcomes := outcomesOf(&row)
	slices.SortStableFunc(m.Series, func(a, b Series) int { // the newest snapshot may not have the market
		return cmp.Or(cmp.Compare(b.newest, a.newest), cmp.Compare(place(a.SelectionID), place(b.SelectionID)), CompareLines(a.Line, b.Line),
			cmp.Compare(slices.Index(outcomes, text(a.row.Selection)), slices.Index(outcomes, text(b.row.Selection))))
	})
	for k := range m.Series {
		s := &m.Series[k]
		if s.newest == m.Newest {
			m.Selections = append(m.Selections, s.row)
		}
		for i := range s.Points {
			x := &s.Points[i]
			switch {
			case x.State != "":
			case !p.Steps[i].Present:
				x.State = NoFixture
			case !has[i]:
				x.State = NoMarket
			default:
				x.State = NoSelection
			}
			x.Same = i > 0 && x.equals(s.Points[i-1])
		}
	}
	return m
}

// series returns the series of a selection, which row describes, without the state of the steps that lack it, and notes which
// steps have it. Its newest step is -1 if no step has it.
func (p *Path) series(of *steps.Path, s *steps.Selection, row table.SelectionRow, has []bool) Series {
	one := Series{SelectionID: s.ID, Points: make([]Point, len(p.Steps)), Opening: of.Opening(s), Closing: of.Closing(s), newest: -1}
	points, now := s.Points, Point{}
	for i := range p.Steps {
		for ; len(points) > 0 && points[0].Seq <= p.Steps[i].Seq; points = points[1:] {
			if now = (Point{}); points[0].Present {
				now = pointOf(points[0])
			}
		}
		if one.Points[i] = now; now.State != "" {
			one.newest, has[i] = i, true
		}
	}
	row.SelectionID, row.Subject, row.Selection, row.Qualifier = s.ID, s.Subject, s.Selection, s.Qualifier
	setPrice(&row, s.Newest())
	one.row, one.Name, one.Line = row, NameOf(&row), LineOf(&row)
	return one
}
