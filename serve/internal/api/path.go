package api

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"mkt/publish/steps"
)

// HistoryRoot is the path below which the routes of the extension "history" are. It is no part of
// version 1.
const HistoryRoot = "/api/ext/history/v0"

// PathPage says which part of a path a page has.
type PathPage struct {
	// From and To bound the publications, zero for no bound. The points in force at From come first.
	From, To time.Time
	// Now has only the points in force at the end, each of a selection that is there.
	Now   bool
	After string // the position of the page before
	Limit int    // of points
}

// Span returns which part of a path the page needs.
func (of PathPage) Span() steps.Span {
	s := steps.Span{From: of.From, To: of.To, After: of.afterSeq(), Count: of.Limit + 1}
	if of.Now {
		s.Count = 0
	}
	return s
}

// afterSeq returns the seq of the position of the page before, 0 if there is none.
func (of PathPage) afterSeq() uint64 {
	if len(of.After) < seqDigits {
		return 0
	}
	seq, err := strconv.ParseUint(of.After[:seqDigits], 10, 64)
	if err != nil {
		return 0
	}
	return seq
}

// point is a point of a path with the number of its selection.
type point struct {
	selection int
	*steps.Point
}

// compare orders points as pages have them. A selection has one point of a seq.
func (x point) compare(other point) int {
	return cmp.Or(cmp.Compare(x.Seq, other.Seq), cmp.Compare(x.selection, other.selection))
}

// pointBytes is about the size of a point.
const pointBytes = 320

// AppendPath appends a page of the path of a market: its points in the order of seq, each with its
// selection. last is the position after which the next page begins.
func AppendPath(dst []byte, p *steps.Path, of PathPage) (body []byte, last string, more bool) {
	page, more := of.points(p)
	dst = slices.Grow(dst, pointBytes*(len(page)+2*len(p.Selections)+1)) // with opening and closing prices
	if n := len(page); n > 0 {
		last = position(p, page[n-1])
	}
	has := make([]bool, len(p.Selections))
	for _, x := range page {
		has[x.selection] = true
	}
	kickOff, moved := p.KickOff()
	dst = addText(dst, `{"fixture_id":`, p.FixtureID)
	dst = addText(dst, `,"market_id":`, p.MarketID)
	dst = addTextOrNull(dst, `,"market":`, p.Market)
	dst = addTextOrNull(dst, `,"market_name":`, p.MarketName)
	dst = addTextOrNull(dst, `,"period":`, p.Period)
	dst = addTimeOrNull(dst, `,"kick_off":`, kickOff)
	dst = addBool(dst, `,"kick_off_moved":`, moved)
	dst = append(dst, `,"kick_offs":`...)
	dst = appendArray(dst, p.KickOffs, func(dst []byte, k *steps.KickOff) []byte {
		dst = addBool(dst, `{"present":`, k.Present)
		dst = addTimeOrNull(dst, `,"starts_at":`, k.StartsAt)
		return append(addAt(dst, k.At), '}')
	})
	dst = append(dst, `,"selections":[`...)
	for i, first := 0, true; i < len(p.Selections); i++ {
		if of.Now && !has[i] {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendSelectionPath(dst, p, i, page)
	}
	return append(dst, `]}`...), last, more
}

// points returns the points of a page. Those of each selection are in order already, so that only as many
// are compared as the page has.
func (of PathPage) points(p *steps.Path) (page []point, more bool) {
	if of.Now {
		for i := range p.Selections {
			points := p.Selections[i].Points
			if x := points[len(points)-1]; x.Present && (of.To.IsZero() || !x.PublishedAt.After(of.To)) {
				page = append(page, point{i, x})
			}
		}
		slices.SortFunc(page, point.compare)
		return page, false
	}
	left := make([][]*steps.Point, len(p.Selections))
	for i := range p.Selections {
		left[i] = of.within(p.Selections[i].Points)
	}
	var buffer [64]byte
	for {
		next := point{selection: -1}
		for i, points := range left {
			if len(points) > 0 && (next.selection < 0 || points[0].Seq < next.Seq) {
				next = point{i, points[0]}
			}
		}
		if next.selection < 0 {
			return page, false
		}
		left[next.selection] = left[next.selection][1:]
		switch {
		case len(page) == 0 && of.After != "" && string(appendPosition(buffer[:0], p, next)) <= of.After:
		case len(page) == of.Limit:
			return page, true
		default:
			page = append(page, next)
		}
	}
}

// within returns the points of a selection that this page or a later one may have.
func (of PathPage) within(points []*steps.Point) []*steps.Point {
	first := sort.Search(len(points), func(i int) bool { return points[i].PublishedAt.After(of.From) })
	points = points[max(first-1, 0):]
	if !of.To.IsZero() {
		points = points[:sort.Search(len(points), func(i int) bool { return points[i].PublishedAt.After(of.To) })]
	}
	after := of.afterSeq()
	return points[sort.Search(len(points), func(i int) bool { return points[i].Seq >= after }):]
}

// seqDigits is the number of digits of a seq in a position.
const seqDigits = 20

// position is the position of a point in the order of pages, which sorts as text.
func position(p *steps.Path, x point) string {
	return string(appendPosition(nil, p, x))
}

func appendPosition(dst []byte, p *steps.Path, x point) []byte {
	return append(fmt.Appendf(dst, "%0*d", seqDigits, x.Seq), p.Selections[x.selection].ID...)
}

func appendSelectionPath(dst []byte, p *steps.Path, i int, page []point) []byte {
	s := &p.Selections[i]
	dst = addText(dst, `{"selection_id":`, s.ID)
	dst = addTextOrNull(dst, `,"selection":`, s.Selection)
	dst = addTextOrNull(dst, `,"line":`, s.Newest().Line)
	dst = addTextOrNull(dst, `,"qualifier":`, s.Qualifier)
	dst = append(dst, `,"opening":`...)
	dst = appendJudged(dst, p.Opening(s))
	dst = append(dst, `,"closing":`...)
	dst = appendJudged(dst, p.Closing(s))
	dst = append(dst, `,"points":[`...)
	first := true
	for _, x := range page {
		if x.selection != i {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendPoint(dst, x.Point)
	}
	return append(dst, `]}`...)
}

func appendPoint(dst []byte, p *steps.Point) []byte {
	dst = addBool(dst, `{"present":`, p.Present)
	if p.Present {
		dst = addTextOrNull(dst, `,"line":`, p.Line)
		dst = addTextOrNull(dst, `,"odds":{"fractional":`, p.OddsFractional)
		dst = addDigits(dst, `,"decimal":`, p.OddsDecimalText)
		dst = addBool(dst, `},"publishable":`, p.Publishable)
		dst = addTexts(dst, `,"reasons":`, p.Reasons)
		dst = addTime(dst, `,"provider_fetched_at":`, p.FetchedAt)
		dst = addAbsent(dst, p.Absent)
	}
	return append(addAt(dst, p.At), '}')
}

// addAt adds which publication something is of.
func addAt(dst []byte, at steps.At) []byte {
	dst = addInt(dst, `,"seq":`, int64(at.Seq))
	dst = addText(dst, `,"cycle_id":`, string(at.Cycle))
	dst = addTime(dst, `,"published_at":`, at.PublishedAt)
	if at.Before {
		dst = append(dst, `,"before_records":true`...)
	}
	return dst
}

func appendJudged(dst []byte, j steps.Judged) []byte {
	dst = addText(dst, `{"state":`, string(j.State))
	dst = addNonEmpty(dst, `,"reason":`, string(j.Reason))
	dst = append(dst, `,"point":`...)
	if j.Point == nil {
		return append(dst, "null}"...)
	}
	return append(appendPoint(dst, j.Point), '}')
}

// PathMeta is the meta of a path: since when steps are recorded, and whether those of the fixture
// begin with its first publication.
func PathMeta(recordedSince *time.Time, fromStart bool) Meta {
	fields := addTimeOrNull(nil, `,"window":{"recorded_since":`, recordedSince)
	return Meta{fields: append(addBool(fields, `,"from_start":`, fromStart), '}')}
}

// Paged returns the page of a part of a single resource. It keeps no reference to body.
func Paged(body []byte, p Pagination, f Freshness, m Meta) *Page {
	b := make([]byte, 0, len(body)+512)
	b = append(append(b, `{"data":`...), body...)
	return newPage(appendMeta(appendPagination(b, p), f, m), f, m)
}
