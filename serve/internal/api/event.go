package api

import "mkt/publish/table"

// Types of change events (frozen).
const (
	FixtureMarketsUpdated = "fixture_markets_updated"
	FixtureRemoved        = "fixture_removed"
)

// AppendEvent appends a change event (specification, section 2.9). HTTP and socket send
// the same bytes. content_digest is null if the fixture was removed.
func AppendEvent(dst []byte, e *table.EventRow) []byte {
	dst = addInt(dst, `{"seq":`, e.Seq)
	dst = addText(dst, `,"type":`, e.Type)
	dst = addText(dst, `,"fixture_id":`, e.FixtureID)
	dst = addTime(dst, `,"published_at":`, e.PublishedAt)
	dst = addText(dst, `,"cycle_id":`, e.CycleID)
	dst = addText(dst, `,"provenance":{"provider_fixture_id":`, e.ProviderFixtureID)
	dst = addTextOrNull(dst, `},"content_digest":`, e.ContentDigest)
	return append(dst, '}')
}
