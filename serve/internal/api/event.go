package api

import "mkt/publish/table"

// Types of change events (frozen).
const (
	FixtureMarketsUpdated = "fixture_markets_updated"
	FixtureRemoved        = "fixture_removed"
)

// AppendEvent appends a change event (specification, section 2.9). HTTP and
// socket send these very bytes. content_digest is null where a fixture left.
func AppendEvent(dst []byte, e *table.EventRow) []byte {
	dst = append(dst, `{"seq":`...)
	dst = appendInt(dst, e.Seq)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, e.Type)
	dst = append(dst, `,"fixture_id":`...)
	dst = appendString(dst, e.FixtureID)
	dst = append(dst, `,"published_at":`...)
	dst = appendTime(dst, e.PublishedAt)
	dst = append(dst, `,"cycle_id":`...)
	dst = appendString(dst, e.CycleID)
	dst = append(dst, `,"provenance":{"provider_fixture_id":`...)
	dst = appendString(dst, e.ProviderFixtureID)
	dst = append(dst, `},"content_digest":`...)
	dst = appendStringOrNull(dst, e.ContentDigest)
	return append(dst, '}')
}
