package api

import "time"

// Meta is what meta holds beside the freshness of the data. Its zero value
// holds nothing.
type Meta struct {
	before    []byte // in front of the freshness
	fields    []byte
	after     []byte // behind index_stale
	staleable bool
}

// FixtureListMeta is the meta of GET /fixtures. changesCursor is the position in
// /changes of the dataset being paged, and changesSeq the same position as the
// socket counts it, so that a bootstrap misses nothing.
func FixtureListMeta(count, filtered int, provider, changesCursor string, changesSeq uint64) Meta {
	b := append([]byte(nil), `,"fixture_count":`...)
	b = appendInt(b, int64(count))
	b = append(b, `,"filtered_count":`...)
	b = appendInt(b, int64(filtered))
	b = append(b, `,"source_provider":`...)
	if provider == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, provider)
	}
	b = append(b, `,"index_stale":`...)
	after := append([]byte(nil), `,"changes_cursor":`...)
	after = appendString(after, changesCursor)
	after = append(after, `,"changes_seq":`...)
	after = appendInt(after, int64(changesSeq))
	return Meta{fields: b, after: after, staleable: true}
}

// MarketListMeta is the meta of GET /fixtures/{id}/markets: the fixture's
// markets in all, whatever the filter.
func MarketListMeta(fixtureID string, count int) Meta {
	b := append([]byte(nil), `,"fixture_id":`...)
	b = appendString(b, fixtureID)
	b = append(b, `,"market_count":`...)
	return Meta{fields: appendInt(b, int64(count))}
}

// Window is the retained part of the change log. FirstSeq is LastSeq+1 when it
// is empty; RetainedFrom is when its first event was published, nil when empty.
type Window struct {
	FirstSeq, LastSeq uint64
	RetainedFrom      *time.Time
}

// ChangesMeta is the meta of GET /changes.
func ChangesMeta(w Window) Meta {
	b := append([]byte(nil), `,"window":`...)
	return Meta{fields: AppendWindow(b, w)}
}

// AppendWindow appends the window as /changes and the socket show it.
func AppendWindow(dst []byte, w Window) []byte {
	dst = append(dst, `{"first_seq":`...)
	dst = appendInt(dst, int64(w.FirstSeq))
	dst = append(dst, `,"last_seq":`...)
	dst = appendInt(dst, int64(w.LastSeq))
	dst = append(dst, `,"retained_from":`...)
	dst = appendTimeOrNull(dst, w.RetainedFrom)
	return append(dst, '}')
}
