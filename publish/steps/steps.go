// Package steps reads the path of prices from the steps of publications: which price a selection had
// when, since when a market is there, and how kick-offs moved.
//
// A path is complete from the oldest kept segment on. It needs no snapshot, so that it outlives
// them, and reading it costs as much as there is of it.
package steps

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Path is the path of the prices of one market.
type Path struct {
	FixtureID, MarketID string
	// Market, MarketName and Period are those of the newest publication that had the market.
	Market, MarketName, Period *string
	Selections                 []Selection // in the order of their ids
	KickOffs                   []KickOff   // oldest first
	// FromStart reports whether the path begins with the first publication that ever had the
	// fixture. Otherwise there may have been other prices before.
	FromStart bool
}

// Selection is the path of one selection.
type Selection struct {
	ID string
	// Selection and Qualifier say what the selection is, in the newest publication that had it.
	Selection, Qualifier *string
	Points               []Point // oldest first, never empty
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

// Memory returns about how many bytes of memory the path has.
func (p *Path) Memory() int {
	const lists = 64 // of reasons and absent columns
	n := int(unsafe.Sizeof(*p)) + cap(p.KickOffs)*int(unsafe.Sizeof(KickOff{}))
	for i := range p.Selections {
		n += int(unsafe.Sizeof(p.Selections[i])) + cap(p.Selections[i].Points)*(int(unsafe.Sizeof(Point{}))+lists)
	}
	return n
}

// HasPrice reports whether the provider sent a price.
func (p *Point) HasPrice() bool { return p.OddsDecimalText != nil || p.OddsFractional != nil }

// Read reads the path of a market from the segments of a manifest, up to a time; zero for all. It
// returns a path without selections if no segment has the market. index returns the index of a
// segment, whose hash it has checked.
func Read(f durable.ReadFS, m *snapshot.Manifest, fixture, market string, until time.Time, index func(snapshot.Segment) (*table.Index, error)) (*Path, error) {
	r := pathReader{fs: f, path: &Path{FixtureID: fixture, MarketID: market}, until: until, named: map[string]*table.StepRow{}}
	for _, s := range slices.Backward(m.Steps) {
		if !until.IsZero() && s.Begins().After(until) {
			continue
		}
		x, err := index(s)
		if err == nil && (x.Has(fixture, market) || x.Has(fixture, "")) {
			err = r.segment(s.File, x)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	return r.end(), nil
}

// NewIndex reads the index of a segment, whose hash the caller has checked.
func NewIndex(f durable.ReadFS, s snapshot.Segment) (*table.Index, error) {
	file, err := f.Open(s.File)
	if err != nil {
		return nil, snapshot.Fault(s.File, err)
	}
	defer file.Close()
	x, err := table.NewIndex(file, file.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
	}
	return x, nil
}

// pathReader reads a path from its newest segment to its oldest one.
type pathReader struct {
	fs    durable.ReadFS
	path  *Path
	until time.Time
	rows  []*table.StepRow
	named map[string]*table.StepRow // the newest row that says what a selection is; that of "" says it of the market
}

func (r *pathReader) segment(name string, x *table.Index) error {
	file, err := r.fs.Open(name)
	if err != nil {
		return snapshot.Fault(name, err)
	}
	defer file.Close()
	// What a market and its selections are is said by their newest rows. Older segments need not be
	// asked for it, unless they have a selection that newer ones lack.
	whole := len(r.named) == 0
	for {
		rows, err := x.AppendRows(nil, file, r.path.FixtureID, "", true)
		if err == nil {
			rows, err = x.AppendRows(rows, file, r.path.FixtureID, r.path.MarketID, whole)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
		}
		if !r.add(rows, whole) {
			whole = true
			continue
		}
		return nil
	}
}

// add adds the rows of a segment. It returns false, and adds none, if they have a selection of which
// nothing is known and are not whole.
func (r *pathReader) add(rows []table.StepRow, whole bool) bool {
	named := map[string]*table.StepRow{}
	for i := range rows {
		row := &rows[i]
		if row.MarketID == "" || !row.Present || r.isLater(row) || r.named[row.SelectionID] != nil {
			continue
		}
		if !whole {
			return false
		}
		for _, of := range []string{row.SelectionID, ""} {
			if was := named[of]; was == nil || was.Seq < row.Seq {
				named[of] = row
			}
		}
	}
	for id, row := range named {
		if r.named[id] == nil {
			r.named[id] = row
		}
	}
	for i := range rows {
		if !r.isLater(&rows[i]) {
			r.rows = append(r.rows, &rows[i])
		}
	}
	return true
}

func (r *pathReader) isLater(row *table.StepRow) bool {
	return !r.until.IsZero() && row.PublishedAt.After(r.until)
}

// end returns the path.
func (r *pathReader) end() *Path {
	slices.SortFunc(r.rows, func(a, b *table.StepRow) int { // all are of one fixture
		if a.Seq != b.Seq {
			return cmp.Compare(a.Seq, b.Seq)
		}
		if a.MarketID != b.MarketID {
			return strings.Compare(a.MarketID, b.MarketID)
		}
		return strings.Compare(a.SelectionID, b.SelectionID)
	})
	p := r.path
	p.add(r.rows)
	if newest := r.named[""]; newest != nil {
		p.Market, p.MarketName, p.Period = newest.Market, newest.MarketName, newest.Period
	}
	for i := range p.Selections {
		if newest := r.named[p.Selections[i].ID]; newest != nil {
			p.Selections[i].Selection, p.Selections[i].Qualifier = newest.Selection, newest.Qualifier
		}
	}
	slices.SortFunc(p.Selections, func(a, b Selection) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// Rows reads the steps of a fixture and of one of its markets, or of all if market is "", from the
// segments of a manifest. They are sorted by seq, in a publication the row of the fixture first.
// verify is called with a segment before it is read.
func Rows(f durable.ReadFS, m *snapshot.Manifest, fixture, market string, verify func(snapshot.Segment) error) (rows []table.StepRow, err error) {
	for _, s := range m.Steps {
		if err := verify(s); err != nil {
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
	some := rows.OfFixture(fixture)
	if market != "" {
		some = rows.OfFixtureAnd(fixture, "market_id", "", market)
	}
	for row, err := range some {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", snapshot.ErrDamaged, err)
		}
		to = append(to, *row)
	}
	return to, nil
}

// add adds rows, which are sorted by seq; in each publication the row of the fixture comes first.
func (p *Path) add(rows []*table.StepRow) {
	at := map[string]int{}
	for _, r := range rows {
		on := At{Seq: uint64(r.Seq), Cycle: layout.CycleID(r.CycleID), PublishedAt: r.PublishedAt.UTC(), Before: r.Before}
		if r.MarketID == "" {
			if len(p.KickOffs) == 0 {
				p.FromStart = r.Present && !r.Before
			}
			p.addKickOff(KickOff{At: on, Present: r.Present, StartsAt: r.StartsAt})
			if !r.Present {
				p.removeAll(on)
			}
			continue
		}
		k, known := at[r.SelectionID]
		if !known {
			k = len(p.Selections)
			at[r.SelectionID] = k
			p.Selections = append(p.Selections, Selection{ID: r.SelectionID})
		}
		point := Point{At: on, Present: r.Present, Line: r.Line,
			OddsFractional: r.OddsFractional, OddsDecimalText: r.OddsDecimalText, Reasons: r.Reasons, Absent: r.Absent}
		if r.ProviderFetchedAt != nil {
			point.FetchedAt = r.ProviderFetchedAt.UTC()
		}
		if r.Publishable != nil {
			point.Publishable = *r.Publishable
		}
		p.Selections[k].Points = append(p.Selections[k].Points, point)
	}
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

// removeAll ends the selections that are there: their fixture went away.
func (p *Path) removeAll(on At) {
	for i := range p.Selections {
		s := &p.Selections[i]
		if s.Points[len(s.Points)-1].Present {
			s.Points = append(s.Points, Point{At: on})
		}
	}
}
