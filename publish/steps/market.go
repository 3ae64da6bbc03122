package steps

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/stepindex"
)

// Market reads the path of the prices of a market from the segments of a manifest, and keeps the points
// that it has read. Safe for concurrent use.
type Market struct {
	fixtureID, marketID string
	until, judgedAt     time.Time

	mu         sync.Mutex // held during a call of Path
	from       Source
	files      map[string]durable.Reader // those that are open
	isOpen     bool
	segments   []*segment     // those that have rows of the market, oldest first
	fixture    []KickOff      // the rows of the fixture
	numbers    map[string]int // of the selections, by their ids
	selections []selection    // by their numbers
	// The market's names, in its newest row, and the seq of that.
	name, marketName, period *string
	seq                      int64
}

// Source is where segments are read from.
type Source struct {
	FS    durable.ReadFS
	Index func(snapshot.Segment) (*stepindex.Index, error) // of a segment, whose hash it has checked
}

// segment is a segment with the parts of it that were read.
type segment struct {
	snapshot.Segment
	selections []int     // the numbers of those that have rows, in the order of their ids; nil = not read
	points     [][]Point // of each of them, oldest first; nil = not read
	isNamed    bool      // its rows were read with the columns that describe market and selections
}

// selection is a selection of the market, as its newest row describes it.
type selection struct {
	id                 string
	outcome, qualifier *string
	seq                int64 // of that row; -1 if none was read
}

// Span says which points of a path are needed. Besides them, a path has all its selections, each with
// its first price, its last point that was retrieved before kick-off, and its newest one.
type Span struct {
	// From and To bound the publications, zero for no bound. The points in force at From are needed.
	From, To time.Time
	After    uint64 // points with a smaller seq are not needed
	Count    int    // so many of the first ones
}

// Whole is the span of a whole path.
var Whole = Span{Count: math.MaxInt}

// NewMarket returns a market of which nothing is read yet. Its path goes up to a time; zero for all.
func NewMarket(m *snapshot.Manifest, fixture, market string, until time.Time) *Market {
	r := &Market{fixtureID: fixture, marketID: market, until: until, judgedAt: JudgedAt(m, until), numbers: map[string]int{}, seq: -1, files: map[string]durable.Reader{}}
	for _, s := range m.Steps {
		if until.IsZero() || !s.Begins().After(until) {
			r.segments = append(r.segments, &segment{Segment: s})
		}
	}
	return r
}

// Path reads the part of the path that a span needs. The path has no selections if no segment has the
// market. Of segments that are not needed, only the ids of their selections are read.
func (m *Market) Path(from Source, of Span) (*Path, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.from = from
	defer m.close()
	if err := m.open(); err != nil {
		return nil, err
	}
	p := &Path{FixtureID: m.fixtureID, MarketID: m.marketID, JudgedAt: m.judgedAt}
	for _, k := range m.fixture {
		p.addKickOff(k)
	}
	if err := m.readSpan(of, p); err != nil {
		return nil, err
	}
	p.Market, p.MarketName, p.Period = m.name, m.marketName, m.period
	p.Selections = m.paths()
	return p, nil
}

// Memory returns about how many bytes of memory the path has.
func (m *Market) Memory() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	const lists = 64 // of reasons and absent columns
	n := int(unsafe.Sizeof(*m)) + cap(m.fixture)*int(unsafe.Sizeof(KickOff{}))
	for i := range m.selections {
		n += 2*int(unsafe.Sizeof(m.selections[i])) + len(m.selections[i].id)
	}
	for _, s := range m.segments {
		n += int(unsafe.Sizeof(*s)) + cap(s.selections)*8
		for _, points := range s.points {
			n += len(points) * (int(unsafe.Sizeof(Point{})) + lists)
		}
	}
	return n
}

// open finds the rows of the fixture, and leaves the segments that have rows of the market.
func (m *Market) open() error {
	if m.isOpen {
		return nil
	}
	var segments []*segment
	var fixture []KickOff
	for _, s := range m.segments {
		x, err := m.from.Index(s.Segment)
		if err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		for _, k := range x.KickOffs(m.fixtureID) {
			if m.until.IsZero() || !k.PublishedAt.After(m.until) {
				at := At{Seq: uint64(k.Seq), Cycle: layout.CycleID(k.CycleID), PublishedAt: k.PublishedAt, Before: k.Before}
				fixture = append(fixture, KickOff{At: at, Present: k.Present, StartsAt: k.StartsAt})
			}
		}
		if x.Count(m.fixtureID, m.marketID) > 0 {
			segments = append(segments, s)
		}
	}
	m.segments, m.fixture, m.isOpen = segments, fixture, true
	return nil
}

// readSpan reads the segments that a span needs.
func (m *Market) readSpan(of Span, p *Path) error {
	if len(m.segments) == 0 {
		return nil
	}
	oldestFirst := m.segments
	newestFirst := slices.Clone(m.segments)
	slices.Reverse(newestFirst)
	if err := m.read(newestFirst[0], stepindex.PathColumns); err != nil {
		return err
	}
	if err := m.readPoints(of); err != nil {
		return err
	}
	for _, s := range newestFirst {
		if err := m.readSelections(s); err != nil {
			return err
		}
	}
	if err := m.find(newestFirst, stepindex.PathColumns, func(x *Point) bool { return x.Present }); err != nil {
		return err
	}
	if err := m.find(oldestFirst, stepindex.PriceColumns, (*Point).HasPrice); err != nil {
		return err
	}
	if kickOff, _ := p.KickOff(); kickOff != nil {
		if err := m.find(newestFirst, stepindex.PriceColumns, func(x *Point) bool { return x.Since().Before(*kickOff) }); err != nil {
			return err
		}
	}
	if of.Count == 0 {
		return nil
	}
	// The points in force at the beginning. They also say which selections a fixture takes with it if it
	// goes away after that.
	newestFirst = slices.DeleteFunc(newestFirst, func(s *segment) bool { return s.First >= of.After && s.Begins().After(of.From) })
	return m.find(newestFirst, stepindex.PriceColumns, func(x *Point) bool { return x.Seq < of.After || !x.PublishedAt.After(of.From) })
}

// readPoints reads segments until they have all points of a span, except those in force at its beginning.
func (m *Market) readPoints(of Span) error {
	n := 0
	for _, s := range m.segments {
		if n >= of.Count || !of.To.IsZero() && s.Begins().After(of.To) {
			return nil
		}
		if s.Last < of.After || !s.At.After(of.From) {
			continue
		}
		if err := m.read(s, stepindex.PriceColumns); err != nil {
			return err
		}
		for _, points := range s.points {
			for k := range points {
				if points[k].Seq > of.After && points[k].PublishedAt.After(of.From) {
					n++
				}
			}
		}
	}
	return nil
}

// find reads segments in an order until every selection in them has a wanted point, as far as there is
// one. With [stepindex.PathColumns] it also reads the description of a selection beside that point.
func (m *Market) find(order []*segment, columns stepindex.Columns, isWanted func(*Point) bool) error {
	found := make([]bool, len(m.selections))
	for _, s := range order {
		for k, n := range s.selections {
			if found[n] {
				continue
			}
			if err := m.read(s, columns); err != nil {
				return err
			}
			for i := range s.points[k] {
				found[n] = found[n] || isWanted(&s.points[k][i])
			}
			if found[n] && columns == stepindex.PathColumns && !s.isNamed {
				if err := m.rows(s, columns, m.addNames); err != nil {
					return err
				}
				s.isNamed = true
			}
		}
	}
	return nil
}

// readSelections reads the ids of the selections in a segment. If the segment goes on after the last
// wanted publication, all of it is read, because some of its rows do not count.
func (m *Market) readSelections(s *segment) error {
	if s.selections != nil {
		return nil
	}
	if !m.until.IsZero() && s.At.After(m.until) {
		return m.read(s, stepindex.PathColumns)
	}
	list := []int{}
	err := m.rows(s, stepindex.SelectionColumn, func(rows []table.StepRow) {
		for i := range rows {
			list, _ = m.with(list, rows[i].SelectionID)
		}
	})
	if err == nil {
		s.selections = list
	}
	return err
}

// with adds the selection of the next row to a list of numbers, unless it is that of the row before.
func (m *Market) with(list []int, id string) (_ []int, isNext bool) {
	if k := len(list); k > 0 && m.selections[list[k-1]].id == id {
		return list, false
	}
	n, known := m.numbers[id]
	if !known {
		n = len(m.selections)
		m.numbers[id] = n
		m.selections = append(m.selections, selection{id: id, seq: -1})
	}
	return append(list, n), true
}

// read reads the points of a segment.
func (m *Market) read(s *segment, columns stepindex.Columns) error {
	if s.points != nil {
		return nil
	}
	x, err := m.from.Index(s.Segment)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	list, lists, points, begin := []int{}, [][]Point{}, make([]Point, 0, x.Count(m.fixtureID, m.marketID)), 0
	err = m.rows(s, columns, func(rows []table.StepRow) {
		for i := range rows {
			isNext := false
			if list, isNext = m.with(list, rows[i].SelectionID); isNext && len(points) > 0 {
				lists = append(lists, points[begin:])
				begin = len(points)
			}
			points = append(points, PointOf(&rows[i]))
		}
		if columns == stepindex.PathColumns {
			m.addNames(rows)
		}
	})
	if err != nil {
		return err
	}
	if len(points) > 0 {
		lists = append(lists, points[begin:])
	}
	s.selections, s.points, s.isNamed = list, lists, s.isNamed || columns == stepindex.PathColumns
	return nil
}

// addNames adds the descriptions of the market and its selections from rows, if those are the newest ones.
func (m *Market) addNames(rows []table.StepRow) {
	for i := range rows {
		r := &rows[i]
		if !r.Present {
			continue
		}
		if of := &m.selections[m.numbers[r.SelectionID]]; r.Seq > of.seq {
			of.seq, of.outcome, of.qualifier = r.Seq, r.Selection, r.Qualifier
		}
		if r.Seq > m.seq {
			m.seq, m.name, m.marketName, m.period = r.Seq, r.Market, r.MarketName, r.Period
		}
	}
}

// close closes the files that were opened, and forgets where they are.
func (m *Market) close() {
	m.from = Source{}
	for _, file := range m.files {
		file.Close()
	}
	clear(m.files)
}

// rows calls do with the rows of the market in a segment, some at a time, which are valid until it returns.
func (m *Market) rows(s *segment, columns stepindex.Columns, do func([]table.StepRow)) error {
	x, err := m.from.Index(s.Segment)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	file := m.files[s.File]
	if file == nil {
		if file, err = m.from.FS.Open(s.File); err != nil {
			return fmt.Errorf("%s: %w", s.File, snapshot.Fault(s.File, err))
		}
		m.files[s.File] = file
	}
	err = x.Rows(file, m.fixtureID, m.marketID, columns, func(rows []table.StepRow) {
		if !m.until.IsZero() && s.At.After(m.until) {
			rows = slices.DeleteFunc(rows, func(r table.StepRow) bool { return r.PublishedAt.After(m.until) })
		}
		do(rows)
	})
	if err != nil {
		return fmt.Errorf("%s: %w: %w", s.File, snapshot.ErrDamaged, err)
	}
	return nil
}

// paths returns the paths of the selections, as far as they were read.
func (m *Market) paths() []Selection {
	all := make([][]*Point, len(m.selections))
	for _, s := range m.segments {
		for k, points := range s.points {
			to := &all[s.selections[k]]
			for i := range points {
				*to = append(*to, &points[i])
			}
		}
	}
	list := make([]Selection, len(all))
	for n, points := range all {
		for _, k := range m.fixture {
			if !k.Present {
				points = remove(points, k.At)
			}
		}
		s := &m.selections[n]
		list[n] = Selection{ID: s.id, Selection: s.outcome, Qualifier: s.qualifier, Points: points}
	}
	slices.SortFunc(list, func(a, b Selection) int { return strings.Compare(a.ID, b.ID) })
	return list
}
