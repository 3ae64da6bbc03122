// Package steps reads the path of prices from the steps of publications: which price a selection had
// when, since when a market is there, and how kick-offs moved.
//
// A path is complete from the oldest kept segment on. It needs no snapshot, so that it outlives
// them, and reading it costs as much as there is of it.
package steps

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/stepindex"
)

// Path is the path of the prices of one market, whole or as far as a [Span] needs it.
type Path struct {
	FixtureID, MarketID string
	// Market, MarketName and Period are those of the newest publication that had the market.
	Market, MarketName, Period *string
	Selections                 []Selection // in the order of their ids
	KickOffs                   []KickOff   // oldest first
	JudgedAt                   time.Time   // see [JudgedAt]
}

// FromStart reports whether the path begins with the first publication that ever had the fixture.
// Otherwise there may have been other prices before.
func (p *Path) FromStart() bool {
	return len(p.KickOffs) > 0 && p.KickOffs[0].Present && !p.KickOffs[0].Before
}

// Selection is the path of one selection.
type Selection struct {
	ID string
	// Selection and Qualifier say what the selection is, in the newest publication that had it.
	Selection, Qualifier *string
	Subject              *string  // whom it is about; only in the paths of [Paths]
	Points               []*Point // oldest first, never empty; they must not be changed
}

// Newest returns the newest point at which the selection was there, or else the first one.
func (s *Selection) Newest() *Point {
	for _, x := range slices.Backward(s.Points) {
		if x.Present {
			return x
		}
	}
	return s.Points[0]
}

// Point is a state of a selection that began with a publication.
type Point struct {
	At
	Present         bool // false: it went away, and the rest is zero
	FetchedAt       time.Time
	Line            *string
	OddsFractional  *string // the provider's characters; nil is null, or absent if Absent names it
	OddsDecimalText *string
	Publishable     bool
	Reasons         []string // why it is not
	Absent          []string // of odds_fractional and odds_decimal
}

// At says which publication something is of.
type At struct {
	Seq         uint64
	Version     uint64 // only in the paths of [Paths]
	Cycle       layout.CycleID
	PublishedAt time.Time
	// Before: the state is older than the publication, which is the last one that recorded no steps.
	Before bool
}

// KickOff is when a fixture was to begin, from a publication on.
type KickOff struct {
	At
	Present  bool // false: the dataset does not have the fixture any more
	StartsAt *time.Time
}

// HasPrice reports whether the provider sent a price.
func (p *Point) HasPrice() bool { return p.OddsDecimalText != nil || p.OddsFractional != nil }

// Since is when the provider was asked for the state, or, if that is not recorded, when it was published.
func (p *Point) Since() time.Time {
	if p.FetchedAt.IsZero() {
		return p.PublishedAt
	}
	return p.FetchedAt
}

// KickOff returns the newest known kick-off, nil if there is none, and whether it was another one before.
func (p *Path) KickOff() (at *time.Time, moved bool) {
	for _, k := range p.KickOffs {
		if !k.Present {
			continue
		}
		if at != nil && (k.StartsAt == nil || !k.StartsAt.Equal(*at)) {
			moved = true
		}
		if k.StartsAt != nil {
			at = k.StartsAt
		}
	}
	return at, moved
}

// NewIndex reads the index of a segment, whose hash the caller has checked.
func NewIndex(f durable.ReadFS, s snapshot.Segment) (*stepindex.Index, error) {
	file, err := f.Open(s.File)
	if err != nil {
		return nil, snapshot.Fault(s.File, err)
	}
	defer file.Close()
	x, err := stepindex.New(file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	return x, nil
}

// Rows reads the steps of a fixture and of one of its markets, or of all if market is "", from the
// segments of a manifest, oldest first, each of which is verified. They are sorted by seq, in a publication the
// row of the fixture first.
func Rows(ctx context.Context, f durable.ReadFS, segments []snapshot.Segment, fixture, market string) (rows []table.StepRow, err error) {
	for _, s := range segments {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := snapshot.VerifySegment(f, s); err != nil {
			return nil, err
		}
		if rows, err = appendRows(rows, f, s.File, fixture, market); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	slices.SortStableFunc(rows, func(a, b table.StepRow) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Compare(&b))
	})
	return rows, nil
}

// Paths returns the whole paths of a fixture's markets by their ids, from its rows as [Rows] returns them, and what
// they have of the fixture.
func Paths(rows []table.StepRow, judgedAt time.Time) (fixture Path, all map[string]*Path) {
	fixture.JudgedAt, all = judgedAt, map[string]*Path{}
	places := map[[2]string]int{} // of a selection in its path, by the ids of market and selection
	for i := range rows {
		r := &rows[i]
		if r.MarketID == "" {
			at := PointOf(r).At
			fixture.addKickOff(KickOff{At: at, Present: r.Present, StartsAt: r.StartsAt})
			for id, place := range places {
				if s := &all[id[0]].Selections[place]; !r.Present {
					s.Points = remove(s.Points, at)
				}
			}
			continue
		}
		p := all[r.MarketID]
		if p == nil {
			p = &Path{FixtureID: r.FixtureID, MarketID: r.MarketID}
			all[r.MarketID] = p
		}
		id := [2]string{r.MarketID, r.SelectionID}
		place, known := places[id]
		if !known {
			place = len(p.Selections)
			places[id] = place
			p.Selections = append(p.Selections, Selection{ID: r.SelectionID})
		}
		s, point := &p.Selections[place], PointOf(r)
		s.Points = append(s.Points, &point)
		if r.Present {
			p.Market, p.MarketName, p.Period = r.Market, r.MarketName, r.Period
			s.Subject, s.Selection, s.Qualifier = r.Subject, r.Selection, r.Qualifier
		}
	}
	for _, p := range all {
		p.KickOffs, p.JudgedAt = fixture.KickOffs, judgedAt
		slices.SortFunc(p.Selections, func(a, b Selection) int { return cmp.Compare(a.ID, b.ID) })
	}
	return fixture, all
}

func appendRows(to []table.StepRow, f durable.ReadFS, name, fixture, market string) ([]table.StepRow, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, snapshot.Fault(name, err)
	}
	defer file.Close()
	rows, err := table.NewReader[table.StepRow](file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	defer rows.Close()
	some := rows.FixtureRows(fixture)
	if market != "" {
		some = rows.FixtureRowsWith(fixture, "market_id", "", market)
	}
	for row, err := range some {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
		}
		to = append(to, *row)
	}
	return to, nil
}

// PointOf returns the point that begins with a row.
func PointOf(r *table.StepRow) Point {
	at := At{Seq: uint64(r.Seq), Version: uint64(r.Version), Cycle: layout.CycleID(r.CycleID), PublishedAt: r.PublishedAt, Before: r.Before}
	p := Point{At: at, Present: r.Present, Line: r.Line, OddsFractional: r.OddsFractional, OddsDecimalText: r.OddsDecimalText, Reasons: r.Reasons, Absent: r.Absent}
	if r.ProviderFetchedAt != nil {
		p.FetchedAt = *r.ProviderFetchedAt
	}
	p.Publishable = r.Publishable != nil && *r.Publishable
	return p
}

// remove ends a selection if it is there when its fixture goes away.
func remove(points []*Point, at At) []*Point {
	i := slices.IndexFunc(points, func(x *Point) bool { return x.Seq >= at.Seq })
	if i < 0 {
		i = len(points)
	}
	if i == 0 || !points[i-1].Present {
		return points
	}
	return slices.Insert(points, i, &Point{At: at})
}

// addKickOff adds a kick-off unless it is the last one: another row may be of a team's new name.
func (p *Path) addKickOff(k KickOff) {
	if n := len(p.KickOffs); n > 0 {
		last := p.KickOffs[n-1]
		same := last.StartsAt == k.StartsAt || last.StartsAt != nil && k.StartsAt != nil && last.StartsAt.Equal(*k.StartsAt)
		if same && last.Present == k.Present {
			return
		}
	}
	p.KickOffs = append(p.KickOffs, k)
}
