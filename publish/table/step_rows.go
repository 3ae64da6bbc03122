package table

import "time"

// StepRow is one change of a selection: of its price, its line, its publishability, or of whether
// the dataset has it. A row without a market is a change of the fixture: of its kick-off, or of
// whether the dataset has it. Sorted by fixture_id, market_id, selection_id, seq.
type StepRow struct {
	FixtureID   string    `parquet:"fixture_id,dict" means:"fixture that changed; first sort key"`
	MarketID    string    `parquet:"market_id,dict" means:"market of the selection; empty in a row of the fixture itself; second sort key"`
	SelectionID string    `parquet:"selection_id" means:"selection that changed; empty in a row of the fixture itself; third sort key"`
	Seq         int64     `parquet:"seq,dict" means:"number of the change event that belongs to the change; fourth sort key"`
	PublishedAt time.Time `parquet:"published_at,timestamp(millisecond),dict" means:"when the change became readable, UTC"`
	CycleID     string    `parquet:"cycle_id,dict" means:"processing cycle that published it"`
	Version     int64     `parquet:"version,dict" means:"number of the publication"`
	// Before marks the first rows of a root that was published to before there were steps.
	Before            bool       `parquet:"before" means:"true: no change but the state in the newest publication before steps were recorded, whose seq, published_at and cycle_id the row has"`
	Present           bool       `parquet:"present" means:"whether the dataset has it from then on; false: it went away, and the columns of its content are NULL"`
	ProviderFetchedAt *time.Time `parquet:"provider_fetched_at,optional,timestamp(millisecond),dict" means:"retrieval that the fixture was read from, UTC; NULL if the fixture went away"`
	ProcessedAt       *time.Time `parquet:"processed_at,optional,timestamp(millisecond),dict" means:"when the cycle was processed, UTC; NULL if that is not recorded"`
	StartsAt          *time.Time `parquet:"starts_at,optional,timestamp(millisecond),dict" means:"kick-off, UTC, in rows of the fixture"`
	Home              *string    `parquet:"home,optional,dict" means:"home team as the provider writes it, in rows of the fixture"`
	Away              *string    `parquet:"away,optional,dict" means:"away team as the provider writes it, in rows of the fixture"`
	League            *string    `parquet:"league,optional,dict" means:"league as the provider writes it, in rows of the fixture"`
	Market            *string    `parquet:"market,optional,dict" means:"canonical market name; NULL when RAW, and in rows of the fixture"`
	MarketName        *string    `parquet:"market_name,optional,dict" means:"the provider's name of the market"`
	Period            *string    `parquet:"period,optional,dict" means:"canonical period; NULL when RAW"`
	Subject           *string    `parquet:"subject,optional,dict" means:"whom the selection is about"`
	Selection         *string    `parquet:"selection,optional,dict" means:"canonical outcome; the provider's words when RAW"`
	Line              *string    `parquet:"line,optional,dict" means:"canonical line of a handicap or total"`
	Qualifier         *string    `parquet:"qualifier,optional,dict" means:"what else tells the selection apart"`
	OddsFractional    *string    `parquet:"odds_fractional,optional,dict" means:"fractional price exactly as the provider wrote it"`
	OddsDecimalText   *string    `parquet:"odds_decimal_text,optional,dict" means:"decimal price exactly as the provider wrote it"`
	Publishable       *bool      `parquet:"publishable,optional" means:"whether the service vouches for the selection; NULL in rows of the fixture and where it went away"`
	Reasons           []string   `parquet:"reasons,list,dict" means:"why it does not"`
	Absent            []string   `parquet:"absent,list,dict" means:"columns of this row that the provider did not send at all"`
}
