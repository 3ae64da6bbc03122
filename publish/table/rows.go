package table

import "time"

// The rows of the tables as Parquet holds them, one line a column. The names, the
// order and the types of the columns are the format (see Version). The tags:
//
//   - parquet: the name and the encoding. A nullable column is optional. NULL in a
//     provider's column means "sent without a value", unless the column absent
//     beside it names the column: then the provider did not send it.
//   - means: the meaning of the column, for people. Every file carries it under the key
//     mkt.columns, so changing it changes the bytes of every file.
//   - digest (fixtures, markets and live rows): the column's code in the content digest, "-" if
//     the digest leaves it out. Every published digest depends on the codes: a code never changes and is
//     never used again. A new column gets the next code of its table, wherever it stands, with
//     "?": it is left out if it has no value, so that rows from before it keep their digest.
//   - later: the column was added when files without it had been published. If no row has a value,
//     [Summary] leaves it out, as builds before the column did.

// Version of the table format, in every file's metadata.
//
//	1: first
//	2: live_timeline has half and listed_at, and minute and second may be NULL;
//	   live_buckets has added
//	3: live_timeline has added; live_periods has minutes, minutes_known, home_known and
//	   away_known
const Version = 3

// FixtureRow is one fixture. Sorted by fixture_id, unique.
type FixtureRow struct {
	FixtureID         string     `parquet:"fixture_id" digest:"0" means:"opaque, stable id of the fixture; rows are sorted by it, unique"`
	Home              *string    `parquet:"home,optional" digest:"1" means:"home team as the provider writes it"`
	Away              *string    `parquet:"away,optional" digest:"2" means:"away team as the provider writes it"`
	League            *string    `parquet:"league,optional,dict" digest:"3" means:"league as the provider writes it"`
	StartsAt          *time.Time `parquet:"starts_at,optional,timestamp(millisecond)" digest:"4?" means:"kick-off, UTC"`
	MarketCount       int32      `parquet:"market_count" digest:"5" means:"markets of the fixture in this dataset"`
	SourceProvider    string     `parquet:"source_provider,dict" digest:"6" means:"name of the provider the fixture comes from"`
	ProviderFixtureID string     `parquet:"provider_fixture_id" digest:"7" means:"the provider's own id of the fixture"`
	ProviderFetchedAt time.Time  `parquet:"provider_fetched_at,timestamp(millisecond)" digest:"-" means:"newest retrieval from the provider that the fixture was read from, UTC"`
	ContentDigest     string     `parquet:"content_digest" digest:"-" means:"SHA-256 of all canonical content of the fixture and its markets, retrieval times left out"`
	AnswerSHA256      *string    `parquet:"answer_sha256,optional" digest:"-" later:"true" means:"SHA-256 of the provider's answer that the markets were read from; NULL if they were in none, and in rows written before this column"`
	Absent            []string   `parquet:"absent,list,dict" digest:"8" means:"columns of this row that the provider did not send at all"`
}

// MarketRow is one market with its selections. Sorted by fixture_id, market_id.
type MarketRow struct {
	FixtureID         string         `parquet:"fixture_id,dict" digest:"0" means:"fixture the market belongs to; first sort key"`
	MarketID          string         `parquet:"market_id" digest:"1" means:"opaque, stable id of the market, unique within the fixture; second sort key"`
	Ordinal           int32          `parquet:"ordinal,dict" digest:"2" means:"place of the market in the provider's order within the fixture, from 0"`
	Market            *string        `parquet:"market,optional,dict" digest:"3" means:"canonical market name; NULL when RAW"`
	MarketName        *string        `parquet:"market_name,optional,dict" digest:"4" means:"the provider's name of the market"`
	Period            *string        `parquet:"period,optional,dict" digest:"5" means:"canonical period; NULL when RAW"`
	Sections          []string       `parquet:"sections,list,dict" digest:"6" means:"the provider's tabs the market was met in, in the order met"`
	Lines             []string       `parquet:"lines,list,dict" digest:"7" means:"distinct lines of the market, in order"`
	OriginType        string         `parquet:"origin_type,dict" digest:"8" means:"MAPPED: canonical identity established; RAW: not proven"`
	DerivationVersion string         `parquet:"derivation_version,dict" digest:"9" means:"version of the canonical derivation rules that produced the row"`
	SelectionCount    int32          `parquet:"selection_count,dict" digest:"10" means:"selections of the market"`
	ProviderMarketIDs []string       `parquet:"provider_market_ids,list,dict" digest:"11" means:"the provider's own ids of the market, sorted"`
	ProviderMarketKey string         `parquet:"provider_market_key,dict" digest:"12" means:"the provider's own key of the market"`
	Rule              *string        `parquet:"rule,optional,dict" digest:"13" means:"mapping rule that named the market; NULL when RAW"`
	RawReason         *string        `parquet:"raw_reason,optional,dict" digest:"14" means:"why the market stayed RAW; NULL when MAPPED"`
	Absent            []string       `parquet:"absent,list,dict" digest:"15" means:"columns of this row that the provider did not send at all"`
	Selections        []SelectionRow `parquet:"selections,list"`
}

// SelectionRow is one selection, nested in its market in the provider's order.
type SelectionRow struct {
	SelectionID         string     `parquet:"selection_id" digest:"16" means:"opaque, stable id of the selection, unique within the market"`
	Selection           *string    `parquet:"selection,optional,dict" digest:"17" means:"canonical outcome; the provider's words when RAW"`
	Line                *string    `parquet:"line,optional,dict" digest:"18" means:"canonical line of a handicap or total"`
	Qualifier           *string    `parquet:"qualifier,optional,dict" digest:"19" means:"what else tells the selection apart"`
	OddsFractional      *string    `parquet:"odds_fractional,optional,dict" digest:"20" means:"fractional price exactly as the provider wrote it"`
	OddsDecimalText     *string    `parquet:"odds_decimal_text,optional,dict" digest:"21" means:"decimal price exactly as the provider wrote it"`
	OddsDecimal         *float64   `parquet:"odds_decimal,optional,dict" digest:"22" means:"the same as a number; NULL when the text is not a plain number"`
	Dimension           *string    `parquet:"dimension,optional,dict" digest:"23" means:"what is counted or compared"`
	Subject             *string    `parquet:"subject,optional,dict" digest:"24" means:"whom it is about"`
	Subject2            *string    `parquet:"subject_2,optional,dict" digest:"25" means:"the second one it is about"`
	GridRow             *string    `parquet:"grid_row,optional,dict" digest:"26" means:"row in the table of a two-way product"`
	GridColumn          *string    `parquet:"grid_column,optional,dict" digest:"27" means:"column in the table of a two-way product"`
	QualityStatus       string     `parquet:"quality_status,dict" digest:"28" means:"OK, SUSPECT or UNREADABLE"`
	Publishable         bool       `parquet:"publishable" digest:"29" means:"whether the service vouches for the selection"`
	Reasons             []string   `parquet:"reasons,list,dict" digest:"30" means:"why it does not"`
	ProviderSelectionID *string    `parquet:"provider_selection_id,optional" digest:"31" means:"the provider's own id of the selection"`
	Absent              []string   `parquet:"absent,list,dict" digest:"32" means:"columns of this selection that the provider did not send at all"`
	Labels              []LabelRow `parquet:"labels,list"`
}

// LabelRow is one descriptive field of the provider's row, verbatim.
type LabelRow struct {
	Field string `parquet:"field,dict" digest:"33" means:"name of a descriptive field of the provider's row"`
	Text  string `parquet:"text,dict" digest:"34" means:"its text, verbatim"`
}

// ListingRow is one fixture in a cycle's listing (canonical only). Sorted by fixture_id, unique.
type ListingRow struct {
	FixtureID         string `parquet:"fixture_id" means:"opaque, stable id of the fixture; rows are sorted by it, unique"`
	ProviderFixtureID string `parquet:"provider_fixture_id" means:"the provider's own id of the fixture"`
	// Status: LISTED, or OVER if the fixture ended, was cancelled or withdrawn.
	Status string `parquet:"status,dict" means:"LISTED, or OVER when the fixture ended, was cancelled or withdrawn"`
	// Markets: REFRESHED; PARTIAL: refreshed except unreadable sections; FAILED: not retrieved or
	// not read; NONE: not asked for, or not offered by the provider. With NONE the cycle has a
	// fixture row.
	Markets string `parquet:"markets,dict" means:"REFRESHED, PARTIAL (refreshed but for sections that could not be read: they are not in markets), FAILED (could not be had or read) or NONE (not asked for, or not offered: then fixtures has the row)"`
	// StartsAt is there if Markets is FAILED or NONE, for a fixture that keeps its markets: it may have begun earlier than it had
	// been listed before, when its markets were retrieved.
	StartsAt *time.Time `parquet:"starts_at,optional,timestamp(millisecond)" later:"true" means:"kick-off by the list, UTC, if markets is FAILED or NONE"`
}

// EventRow is one change event (specification, section 2.9). Sorted by seq, gapless.
type EventRow struct {
	Seq               int64     `parquet:"seq" means:"number of the event, rising without gaps for ever; rows are sorted by it"`
	Type              string    `parquet:"type,dict" means:"fixture_markets_updated (refreshed, not necessarily changed) or fixture_removed"`
	FixtureID         string    `parquet:"fixture_id" means:"fixture the event is about"`
	PublishedAt       time.Time `parquet:"published_at,timestamp(millisecond)" means:"when the event became readable, UTC"`
	CycleID           string    `parquet:"cycle_id,dict" means:"processing cycle that caused it"`
	ProviderFixtureID string    `parquet:"provider_fixture_id" means:"the provider's own id of the fixture"`
	ContentDigest     *string   `parquet:"content_digest,optional" means:"digest of the fixture's content as published; NULL when removed"`
}
