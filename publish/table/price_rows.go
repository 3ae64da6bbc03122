package table

// PriceRow is the part of a [MarketRow] in which steps may differ. It is read from files of
// markets and never written.
type PriceRow struct {
	FixtureID  string              `parquet:"fixture_id,dict" means:"as in MarketRow"`
	MarketID   string              `parquet:"market_id" means:"as in MarketRow"`
	Market     *string             `parquet:"market,optional,dict" means:"as in MarketRow"`
	MarketName *string             `parquet:"market_name,optional,dict" means:"as in MarketRow"`
	Period     *string             `parquet:"period,optional,dict" means:"as in MarketRow"`
	Selections []PriceSelectionRow `parquet:"selections,list"`
}

// PriceSelectionRow is the part of a [SelectionRow] in which steps may differ.
type PriceSelectionRow struct {
	SelectionID     string   `parquet:"selection_id" means:"as in SelectionRow"`
	Selection       *string  `parquet:"selection,optional,dict" means:"as in SelectionRow"`
	Line            *string  `parquet:"line,optional,dict" means:"as in SelectionRow"`
	Qualifier       *string  `parquet:"qualifier,optional,dict" means:"as in SelectionRow"`
	OddsFractional  *string  `parquet:"odds_fractional,optional,dict" means:"as in SelectionRow"`
	OddsDecimalText *string  `parquet:"odds_decimal_text,optional,dict" means:"as in SelectionRow"`
	Subject         *string  `parquet:"subject,optional,dict" means:"as in SelectionRow"`
	Publishable     bool     `parquet:"publishable" means:"as in SelectionRow"`
	Reasons         []string `parquet:"reasons,list,dict" means:"as in SelectionRow"`
	Absent          []string `parquet:"absent,list,dict" means:"as in SelectionRow"`
}
