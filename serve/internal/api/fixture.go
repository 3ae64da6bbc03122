package api

import "mkt/publish/table"

// AppendFixture appends a fixture as lists show it (specification, section 2.6).
func AppendFixture(dst []byte, f *table.FixtureRow) []byte {
	dst = append(dst, `{"fixture_id":`...)
	dst = appendString(dst, f.FixtureID)
	dst = append(dst, `,"home":`...)
	dst = appendStringOrNull(dst, f.Home)
	dst = append(dst, `,"away":`...)
	dst = appendStringOrNull(dst, f.Away)
	dst = append(dst, `,"league":`...)
	dst = appendStringOrNull(dst, f.League)
	dst = append(dst, `,"starts_at":`...)
	dst = appendTimeOrNull(dst, f.StartsAt)
	dst = append(dst, `,"market_count":`...)
	dst = appendInt(dst, int64(f.MarketCount))
	dst = append(dst, `,"provenance":{"source_provider":`...)
	if f.SourceProvider == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, f.SourceProvider)
	}
	dst = append(dst, `,"provider_fixture_id":`...)
	dst = appendString(dst, f.ProviderFixtureID)
	dst = appendAbsent(dst, f.Absent)
	return append(dst, "}}"...)
}

// AppendFixtureDetail appends what the single fixture has after the fields of
// the list: the text that takes the place of the closing brace.
//
// bet_builder_available is false: no provider so far says before the match
// whether a market can be combined, and the contract has no "unknown" here.
func AppendFixtureDetail(dst []byte, f *table.FixtureRow) []byte {
	dst = append(dst, `,"markets_url":"`+Root+`/fixtures/`...)
	dst = append(dst, f.FixtureID...)
	dst = append(dst, `/markets","bet_builder_available":false,"content_digest":`...)
	dst = appendString(dst, f.ContentDigest)
	return append(dst, '}')
}

// JoinFixture appends the single fixture of its two parts.
func JoinFixture(dst, body, detail []byte) []byte {
	dst = append(dst, body[:len(body)-1]...)
	return append(dst, detail...)
}

// absentNames are the contract's names of columns that go by another one.
var absentNames = map[string]string{
	"odds_fractional":   "odds.fractional",
	"odds_decimal":      "odds.decimal",
	"odds_decimal_text": "odds.decimal",
	"clock_period":      "clock.period",
	"clock_minute":      "clock.minute",
	"clock_second":      "clock.second",
	"clock_added":       "clock.added",
	"clock_running":     "clock.running",
	"score_home":        "score.home",
	"score_away":        "score.away",
}

// appendAbsent appends the optional key that tells "not sent" from "sent without
// a value": the nullable fields the provider did not send. Nothing when there
// are none.
func appendAbsent(dst []byte, columns []string) []byte {
	if len(columns) == 0 {
		return dst
	}
	dst = append(dst, `,"absent":[`...)
	for i, name := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		if other, ok := absentNames[name]; ok {
			name = other
		}
		dst = appendString(dst, name)
	}
	return append(dst, ']')
}
