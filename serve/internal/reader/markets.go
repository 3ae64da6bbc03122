package reader

import (
	"bytes"
	"context"
	"strings"

	"mkt/publish/table"
)

// MarketFilter selects a fixture's markets by canonical name, by period, and by a
// subject that at least one selection has. Its zero value selects all.
type MarketFilter struct{ Market, Period, Subject string }

func (f MarketFilter) passes(e *entry) bool {
	return (f.Market == "" || string(e.market) == f.Market) && (f.Period == "" || string(e.period) == f.Period) &&
		(f.Subject == "" || e.about(f.Subject))
}

// subjectEnd follows each subject of an entry. A subject that contains it cannot be
// found.
const subjectEnd = 0

func appendSubjects(list []byte, m *table.MarketRow) []byte {
	last := ""
	for i := range m.Selections {
		s := m.Selections[i].Subject
		if s == nil || *s == last || strings.IndexByte(*s, subjectEnd) >= 0 {
			continue
		}
		last = *s
		list = append(append(list, last...), subjectEnd)
	}
	return list
}

func (e *entry) about(subject string) bool {
	for rest := e.subjects; len(rest) > 0; {
		one, after, _ := bytes.Cut(rest, []byte{subjectEnd})
		if string(one) == subject {
			return true
		}
		rest = after
	}
	return false
}

// MarketItem is a market of a page. Its bytes are valid only until the callback returns.
type MarketItem struct{ ID, Body []byte }

// Markets calls do with at most limit markets of a fixture that the filter selects
// and whose ids follow after, in the order of their ids. An empty after starts with
// the first one. more reports whether further markets follow.
func (v *View) Markets(ctx context.Context, f Fixture, filter MarketFilter, after string, limit int, do func(MarketItem)) (more bool, err error) {
	r := v.rangeOf(f, filter, after, limit)
	more = r.cut
	taken := 0
	err = v.each(ctx, marketChunks, r, func(_ int, e *entry) bool {
		if string(e.key) <= after || !filter.passes(e) {
			return true
		}
		if taken == limit {
			more = true
			return false
		}
		taken++
		do(MarketItem{e.key, e.body})
		return true
	})
	return more, err
}

// rangeOf returns the entries among which the markets of a page are.
func (v *View) rangeOf(f Fixture, filter MarketFilter, after string, limit int) (r span) {
	r.from, r.to = v.index.markets(f.n)
	if r.from == r.to {
		return r
	}
	if after != "" {
		r.from = max(r.from, v.index.chunkOf(after, r.from, r.to)*chunkRows)
	} else {
		r.following = v.following(f, filter, limit)
	}
	if after == "" && filter == (MarketFilter{}) && r.to-r.from > limit {
		// No market is skipped, so fetch only the shown ones.
		r.to, r.cut = r.from+limit, true
	}
	r.batch = batchOf(r.to - r.from)
	if filter == (MarketFilter{}) {
		r.batch = batchOf(limit + chunkRows) // the first market may be anywhere in its chunk
	}
	return r
}

// Market calls do with the market of a fixture that has the id. found reports whether
// there is one.
func (v *View) Market(ctx context.Context, f Fixture, id string, do func(body []byte)) (found bool, err error) {
	from, to := v.index.markets(f.n)
	if from == to {
		return false, nil
	}
	from = max(from, v.index.chunkOf(id, from, to)*chunkRows)
	err = v.each(ctx, marketChunks, span{from: from, to: to, batch: 1}, func(_ int, e *entry) bool {
		if found = string(e.key) == id; found {
			do(e.body)
		}
		return string(e.key) < id
	})
	return found, err
}

// MarketByName calls do with the market for a canonical name, among those
// the filter selects. Full time is preferred, then an id without a suffix, then
// the provider's order.
func (v *View) MarketByName(ctx context.Context, f Fixture, filter MarketFilter, do func(body []byte)) (found bool, err error) {
	from, to := v.index.markets(f.n)
	var best preference
	var body []byte
	err = v.each(ctx, marketChunks, span{from: from, to: to, batch: batchOf(to - from)}, func(_ int, e *entry) bool {
		if !filter.passes(e) {
			return true
		}
		if p := preferenceOf(e); !found || p.before(best) {
			found, best = true, p
			body = append(body[:0], e.body...)
		}
		return true
	})
	if found && err == nil {
		do(body)
	}
	return found, err
}

// preference orders the markets with one canonical name.
type preference struct {
	notFullTime bool
	suffixed    bool // its id has a suffix, because another market has the definition's id
	ordinal     int  // its position in the provider's order
}

func preferenceOf(e *entry) preference {
	const fullTime = "FT"
	return preference{string(e.period) != fullTime, bytes.IndexByte(e.key, '~') >= 0, e.ordinal}
}

func (p preference) before(q preference) bool {
	switch {
	case p.notFullTime != q.notFullTime:
		return q.notFullTime
	case p.suffixed != q.suffixed:
		return q.suffixed
	}
	return p.ordinal < q.ordinal
}
