package theoddsapi

// A damaged part of a payload affects nothing else: a row is kept and marked, a market is
// kept as RAW, and larger parts are left out. All damage is counted by the names below,
// which contain no text of the payload.
const (
	sportNoShape = "competition: cannot be read"

	eventRepeats = "fixture: a key twice"
	eventName    = "fixture: a name is no text"
	eventTime    = "fixture: commence_time is no time"
	eventSport   = "fixture: sport_key is no text"

	fixtureNoID      = "fixture: without an id"
	fixtureTwice     = "fixture: there twice"
	fixtureOthers    = "fixture: with prices of other bookmakers alone"
	fixtureNoPrices  = "fixture: its bookmakers are no list"
	bookmakerNoShape = "bookmaker: cannot be read"
	bookmakerRepeats = "bookmaker: a key twice"
	bookmakerMarkets = "bookmaker: its markets are no list"
	marketNoKey      = "market: without a key"
	marketTwice      = "market: its key is there twice"
	marketRepeats    = "market: a key twice"
	marketRows       = "market: its outcomes are no list"
	rowNoName        = "row: without a name"
	rowNoPrice       = "row: without a price"
	rowNoObject      = "row: not an object"
	rowRepeats       = "row: a key twice"
	rowField         = "row: a field is no text"
)
