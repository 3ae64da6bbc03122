// Package api has the names of The Odds API's wire format, version 4, that the adapter and
// the emulator share: endpoints, parameters, error codes, headers and members.
package api

// Endpoints: the closed set of names in the archive.
const (
	EndpointSports    = "sports"     // the competitions
	EndpointEvents    = "events"     // the fixtures of a competition
	EndpointOdds      = "odds"       // the featured markets of a competition's fixtures
	EndpointEventOdds = "event/odds" // any markets of one fixture

	PathSports = "/v4/sports"
)

// PathEvents returns the path of the fixtures of a competition.
func PathEvents(sport string) string { return PathSports + "/" + sport + "/events" }

// PathOdds returns the path of the featured markets of a competition.
func PathOdds(sport string) string { return PathSports + "/" + sport + "/odds" }

// PathEventOdds returns the path of the markets of one fixture.
func PathEventOdds(sport, event string) string { return PathEvents(sport) + "/" + event + "/odds" }

// Query parameters. Authorize adds the key.
const (
	ParamKey        = "apiKey"
	ParamBookmakers = "bookmakers"
	ParamMarkets    = "markets"
	ParamEvents     = "eventIds" // separated by commas
	ParamOddsFormat = "oddsFormat"
	ParamDateFormat = "dateFormat"

	Decimal = "decimal" // oddsFormat
	ISO     = "iso"     // dateFormat
)

const (
	Featured = "h2h,spreads,totals" // markets of EndpointOdds, each a credit
	Result   = "h2h"

	GroupSoccer  = "Soccer"  // of a competition
	PrefixSoccer = "soccer_" // of a competition's key
)

// Codes of the error envelope.
const (
	ErrMissingKey     = "MISSING_KEY"
	ErrInvalidKey     = "INVALID_KEY"
	ErrDeactivated    = "DEACTIVATED_KEY"
	ErrOutOfCredits   = "OUT_OF_USAGE_CREDITS"
	ErrFrequency      = "EXCEEDED_FREQ_LIMIT"
	ErrHistorical     = "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN"
	ErrBookmakers     = "INVALID_BOOKMAKERS"
	ErrMissingMarket  = "MISSING_MARKET"
	ErrMarket         = "INVALID_MARKET"
	ErrMarketCombo    = "INVALID_MARKET_COMBO"
	ErrEventNotFound  = "EVENT_NOT_FOUND"
	ErrUnknownSport   = "UNKNOWN_SPORT"
	ErrInvalidSport   = "INVALID_SPORT"
	ErrInvalidEventID = "INVALID_EVENT_ID"
)

// Headers of every answer: credits of the calendar month.
const (
	HeaderRemaining = "X-Requests-Remaining"
	HeaderUsed      = "X-Requests-Used"
	HeaderLast      = "X-Requests-Last" // the cost of this request
)

// Members of the answers.
const (
	KeyMessage   = "message"
	KeyErrorCode = "error_code"

	KeyID         = "id"
	KeySport      = "sport_key"
	KeyLeague     = "sport_title"
	KeyStart      = "commence_time"
	KeyHome       = "home_team"
	KeyAway       = "away_team"
	KeyBookmakers = "bookmakers"

	KeyKey      = "key" // of a competition, a bookmaker and a market
	KeyMarkets  = "markets"
	KeyOutcomes = "outcomes"

	KeyName        = "name"
	KeyDescription = "description"
	KeyPoint       = "point"
	KeyPrice       = "price"

	KeyGroup     = "group"
	KeyActive    = "active"
	KeyOutrights = "has_outrights"
)
