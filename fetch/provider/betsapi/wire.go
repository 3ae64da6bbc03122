package betsapi

// Name is the provider's name; part of every id minted from it.
const Name = "betsapi"

// Endpoints: the closed set of archive names, and where they are asked. The
// first two are the market engine's, the others live intelligence's.
const (
	endpointUpcoming = "bet365/upcoming"
	endpointPrematch = "bet365/prematch"
	endpointInplay   = "events/inplay"
	endpointView     = "event/view"

	pathUpcoming = "/v1/bet365/upcoming"
	pathPrematch = "/v4/bet365/prematch"
	pathInplay   = "/v3/events/inplay"
	pathView     = "/v1/event/view"
)

// Query parameters. The token is put on by Authorize alone.
const (
	paramToken    = "token"
	paramSport    = "sport_id"
	paramNoESport = "skip_esports"
	paramLanguage = "LNG_ID"
	paramPage     = "page"
	paramDay      = "day"      // of kick-off, UTC
	paramFixtures = "FI"       // up to maxBatch ids, comma between
	paramEvents   = "event_id" // up to maxBatch ids, comma between
)

const (
	sportFootball = "1" // sport_id
	english       = "1" // LNG_ID: market and selection names are stable in one language only
	dayForm       = "20060102"

	maxPages = 100  // of a listing
	maxBatch = 10   // fixtures in one request for markets or views
	hourly   = 3600 // requests of the default package
)

// Error words of the envelope.
const (
	errAuthorize   = "AUTHORIZE_FAILED"
	errPermission  = "PERMISSION_DENIED"
	errTooMany     = "TOO_MANY_REQUESTS"
	errRequired    = "PARAM_REQUIRED"
	errInvalid     = "PARAM_INVALID"
	errNotFound    = "NOT_FOUND"
	errMethod      = "METHOD_NOT_ALLOWED"
	errMaintenance = "UNDER_MAINTENANCE"
	errInternal    = "INTERNAL_SERVER_ERROR"
)

// Quota headers: a fixed hourly window, reset in epoch seconds.
const (
	headerLimit     = "X-RateLimit-Limit"
	headerRemaining = "X-RateLimit-Remaining"
	headerReset     = "X-RateLimit-Reset"
)

// time_status of a listed fixture.
const (
	statusNotStarted  = "0"
	statusInPlay      = "1"
	statusToBeFixed   = "2"
	statusEnded       = "3"
	statusPostponed   = "4"
	statusCancelled   = "5"
	statusWalkover    = "6"
	statusInterrupted = "7"
	statusAbandoned   = "8"
	statusRetired     = "9"
	statusSuspended   = "10"
	statusDecided     = "11"
	statusRemoved     = "99"
)

// Members of the answers, as far as they are read by name.
const (
	keySuccess = "success"
	keyError   = "error"
	keyPager   = "pager"
	keyResults = "results"

	keyFI        = "FI"
	keyUpdatedAt = "updated_at"
	keyMarkets   = "sp"       // of a section, v1 and v3: markets by key
	keyRaw       = "JsonData" // of a section, raw: the bookmaker's own tree

	labelPrefix = "PC" // begins the id of a row that only labels others
)
