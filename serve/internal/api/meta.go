package api

import "time"

// Meta has the members of meta besides the freshness of the data. Its zero value has
// none.
type Meta struct {
	before    []byte // before the freshness
	fields    []byte
	after     []byte // after index_stale
	staleable bool
}

// FixtureListMeta is the meta of GET /fixtures. changesCursor is the position of the
// paged dataset in /changes, and changesSeq the same position for the socket, so that a
// bootstrap misses nothing.
func FixtureListMeta(count, filtered int, provider, changesCursor string, changesSeq uint64) Meta {
	fields := addInt(nil, `,"fixture_count":`, int64(count))
	fields = addInt(fields, `,"filtered_count":`, int64(filtered))
	fields = addNonEmpty(fields, `,"source_provider":`, provider)
	fields = append(fields, `,"index_stale":`...)
	after := addText(nil, `,"changes_cursor":`, changesCursor)
	after = addInt(after, `,"changes_seq":`, int64(changesSeq))
	return Meta{fields: fields, after: after, staleable: true}
}

// MarketListMeta is the meta of GET /fixtures/{id}/markets. count is the number of the
// fixture's markets, whatever the filter.
func MarketListMeta(fixtureID string, count int) Meta {
	fields := addText(nil, `,"fixture_id":`, fixtureID)
	return Meta{fields: addInt(fields, `,"market_count":`, int64(count))}
}

// Window is the retained part of the change log. If it is empty, FirstSeq is LastSeq+1.
// RetainedFrom is when its first event was published, or nil if it is empty.
type Window struct {
	FirstSeq, LastSeq uint64
	RetainedFrom      *time.Time
}

// ChangesMeta is the meta of GET /changes.
func ChangesMeta(w Window) Meta {
	return Meta{fields: addWindow(nil, w)}
}

func addWindow(dst []byte, w Window) []byte {
	dst = addInt(dst, `,"window":{"first_seq":`, int64(w.FirstSeq))
	dst = addInt(dst, `,"last_seq":`, int64(w.LastSeq))
	dst = addTimeOrNull(dst, `,"retained_from":`, w.RetainedFrom)
	return append(dst, '}')
}
