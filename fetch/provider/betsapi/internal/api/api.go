// Package api holds the words of BetsAPI's wire format, which the adapter and
// the emulator share: endpoints, parameters, error words, headers and members.
package api

// Endpoints: the closed set of archive names, and where they are asked. The
// first two are the market engine's, the others live intelligence's.
const (
	EndpointUpcoming = "bet365/upcoming"
	EndpointPrematch = "bet365/prematch"
	EndpointInplay   = "events/inplay"
	EndpointView     = "event/view"

	PathUpcoming = "/v1/bet365/upcoming"
	PathPrematch = "/v4/bet365/prematch"
	PathInplay   = "/v3/events/inplay"
	PathView     = "/v1/event/view"
)

// Query parameters. The token is put on by Authorize alone.
const (
	ParamToken    = "token"
	ParamSport    = "sport_id"
	ParamNoESport = "skip_esports"
	ParamLanguage = "LNG_ID"
	ParamPage     = "page"
	ParamDay      = "day"      // of kick-off, UTC
	ParamFixtures = "FI"       // up to MaxBatch ids, comma between
	ParamEvents   = "event_id" // up to MaxBatch ids, comma between
)

const (
	SportFootball = "1" // sport_id
	English       = "1" // LNG_ID: market and selection names are stable in one language only
	DayForm       = "20060102"

	MaxPages = 100  // of a listing
	MaxBatch = 10   // fixtures in one request for markets or views
	Hourly   = 3600 // requests of the default package
)

// Error words of the envelope.
const (
	ErrAuthorize   = "AUTHORIZE_FAILED"
	ErrPermission  = "PERMISSION_DENIED"
	ErrTooMany     = "TOO_MANY_REQUESTS"
	ErrRequired    = "PARAM_REQUIRED"
	ErrInvalid     = "PARAM_INVALID"
	ErrNotFound    = "NOT_FOUND"
	ErrMethod      = "METHOD_NOT_ALLOWED"
	ErrMaintenance = "UNDER_MAINTENANCE"
	ErrInternal    = "INTERNAL_SERVER_ERROR"
)

// Quota headers: a fixed hourly window, reset in epoch seconds.
const (
	HeaderLimit     = "X-RateLimit-Limit"
	HeaderRemaining = "X-RateLimit-Remaining"
	HeaderReset     = "X-RateLimit-Reset"
)

// time_status of a listed fixture.
const (
	StatusNotStarted  = "0"
	StatusInPlay      = "1"
	StatusToBeFixed   = "2"
	StatusEnded       = "3"
	StatusPostponed   = "4"
	StatusCancelled   = "5"
	StatusWalkover    = "6"
	StatusInterrupted = "7"
	StatusAbandoned   = "8"
	StatusRetired     = "9"
	StatusSuspended   = "10"
	StatusDecided     = "11"
	StatusRemoved     = "99"
)

// Members of the answers, as far as they are read by name.
const (
	KeySuccess = "success"
	KeyError   = "error"
	KeyPager   = "pager"
	KeyResults = "results"

	KeyFI        = "FI"
	KeyUpdatedAt = "updated_at"
	KeyMarkets   = "sp"       // of a section, v1 and v3: markets by key
	KeyRaw       = "JsonData" // of a section, raw: the bookmaker's own tree

	LabelPrefix = "PC" // begins the id of a row that only labels others
)
