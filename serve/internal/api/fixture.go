package api

import "mkt/publish/table"

// AppendFixture appends a fixture as lists show it (specification, section 2.6).
func AppendFixture(dst []byte, f *table.FixtureRow) []byte {
	dst = addText(dst, `{"fixture_id":`, f.FixtureID)
	dst = addTextOrNull(dst, `,"home":`, f.Home)
	dst = addTextOrNull(dst, `,"away":`, f.Away)
	dst = addTextOrNull(dst, `,"league":`, f.League)
	dst = addTimeOrNull(dst, `,"starts_at":`, f.StartsAt)
	dst = addInt(dst, `,"market_count":`, int64(f.MarketCount))
	dst = addNonEmpty(dst, `,"provenance":{"source_provider":`, f.SourceProvider)
	dst = addText(dst, `,"provider_fixture_id":`, f.ProviderFixtureID)
	dst = addAbsent(dst, f.Absent)
	dst = addText(dst, `},"content_digest":`, f.ContentDigest)
	return append(dst, '}')
}

// AppendFixtureDetail appends a single fixture: the fields of the list's item and further ones.
//
// bet_builder_available is false: no provider so far says before the match whether a
// market can be combined, and the contract has no value for "unknown".
func AppendFixtureDetail(dst, listed []byte, id string) []byte {
	dst = append(dst, listed[:len(listed)-1]...)
	dst = addText(dst, `,"markets_url":`, Root+"/fixtures/"+id+"/markets")
	dst = addBool(dst, `,"bet_builder_available":`, false)
	return append(dst, '}')
}
