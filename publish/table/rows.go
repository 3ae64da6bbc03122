package table

import "time"

// Rows as they lie in Parquet. Column names and order are the format; types are
// what an auditor computes with. A nullable column is optional in Parquet; for
// those a provider fills, the column "absent" names the ones it did not send, so
// that NULL and not named there means "sent without a value".

// Version of the table format, in every file's metadata.
//
//	1: first
//	2: live_timeline has half and listed_at, and minute and second may be NULL;
//	   live_buckets has added
const Version = 2

// FixtureRow is one fixture. Sorted by fixture_id, unique.
type FixtureRow struct {
	FixtureID         string     `parquet:"fixture_id"`
	Home              *string    `parquet:"home,optional"`
	Away              *string    `parquet:"away,optional"`
	League            *string    `parquet:"league,optional,dict"`
	StartsAt          *time.Time `parquet:"starts_at,optional,timestamp(millisecond)"`
	MarketCount       int32      `parquet:"market_count"`
	SourceProvider    string     `parquet:"source_provider,dict"`
	ProviderFixtureID string     `parquet:"provider_fixture_id"`
	ProviderFetchedAt time.Time  `parquet:"provider_fetched_at,timestamp(millisecond)"`
	ContentDigest     string     `parquet:"content_digest"`
	Absent            []string   `parquet:"absent,list,dict"`
}

// MarketRow is one market with its selections. Sorted by fixture_id, market_id.
type MarketRow struct {
	FixtureID         string         `parquet:"fixture_id,dict"`
	MarketID          string         `parquet:"market_id"`
	Ordinal           int32          `parquet:"ordinal"`
	Market            *string        `parquet:"market,optional,dict"`
	MarketName        *string        `parquet:"market_name,optional,dict"`
	Period            *string        `parquet:"period,optional,dict"`
	Sections          []string       `parquet:"sections,list,dict"`
	Lines             []string       `parquet:"lines,list,dict"`
	OriginType        string         `parquet:"origin_type,dict"`
	DerivationVersion string         `parquet:"derivation_version,dict"`
	SelectionCount    int32          `parquet:"selection_count"`
	ProviderMarketIDs []string       `parquet:"provider_market_ids,list,dict"`
	ProviderMarketKey string         `parquet:"provider_market_key,dict"`
	Rule              *string        `parquet:"rule,optional,dict"`
	RawReason         *string        `parquet:"raw_reason,optional,dict"`
	Absent            []string       `parquet:"absent,list,dict"`
	Selections        []SelectionRow `parquet:"selections,list"`
}

// SelectionRow is one selection, nested in its market in the provider's order.
type SelectionRow struct {
	SelectionID         string     `parquet:"selection_id"`
	Selection           *string    `parquet:"selection,optional,dict"`
	Line                *string    `parquet:"line,optional,dict"`
	Qualifier           *string    `parquet:"qualifier,optional,dict"`
	OddsFractional      *string    `parquet:"odds_fractional,optional,dict"`
	OddsDecimalText     *string    `parquet:"odds_decimal_text,optional,dict"` // the provider's digits
	OddsDecimal         *float64   `parquet:"odds_decimal,optional"`           // the same, to compute with
	Dimension           *string    `parquet:"dimension,optional,dict"`
	Subject             *string    `parquet:"subject,optional,dict"`
	Subject2            *string    `parquet:"subject_2,optional,dict"`
	GridRow             *string    `parquet:"grid_row,optional,dict"`
	GridColumn          *string    `parquet:"grid_column,optional,dict"`
	QualityStatus       string     `parquet:"quality_status,dict"`
	Publishable         bool       `parquet:"publishable"`
	Reasons             []string   `parquet:"reasons,list,dict"`
	ProviderSelectionID *string    `parquet:"provider_selection_id,optional"`
	Absent              []string   `parquet:"absent,list,dict"`
	Labels              []LabelRow `parquet:"labels,list"`
}

// LabelRow is one descriptive field of the provider's row, verbatim.
type LabelRow struct {
	Field string `parquet:"field,dict"`
	Text  string `parquet:"text,dict"`
}

// ListingRow is what a cycle's listing said of one fixture (canonical only).
// Sorted by fixture_id, unique.
type ListingRow struct {
	FixtureID         string `parquet:"fixture_id"`
	ProviderFixtureID string `parquet:"provider_fixture_id"`
	// Status: LISTED, or OVER when the fixture ended, was cancelled or withdrawn.
	Status string `parquet:"status,dict"`
	// Markets: REFRESHED, PARTIAL (refreshed but for sections that could not be read),
	// FAILED (its retrieval or reading failed) or NONE (not asked, or the provider
	// offers none: then it has a row of its own all the same).
	Markets string `parquet:"markets,dict"`
}

// EventRow is one change event (specification, section 2.9). Sorted by seq, gapless.
type EventRow struct {
	Seq               int64     `parquet:"seq"`
	Type              string    `parquet:"type,dict"`
	FixtureID         string    `parquet:"fixture_id"`
	PublishedAt       time.Time `parquet:"published_at,timestamp(millisecond)"`
	CycleID           string    `parquet:"cycle_id,dict"`
	ProviderFixtureID string    `parquet:"provider_fixture_id"`
	ContentDigest     *string   `parquet:"content_digest,optional"` // nil on fixture_removed
}
