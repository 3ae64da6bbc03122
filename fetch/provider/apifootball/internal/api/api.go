// Package api has the names of API-Football's wire format that the adapter and the emulator
// share: endpoints, parameters, error keys, headers and members.
package api

// Endpoints: the closed set of names in the archive, and their paths. The first two are for
// the market engine, the next two for live intelligence, and the last for tests of the
// connection. Three of them have one path and differ in their parameters.
const (
	EndpointFixtures = "fixtures"
	EndpointOdds     = "odds"
	EndpointLive     = "fixtures/live"
	EndpointDetails  = "fixtures/ids"
	EndpointStatus   = "status"
	EndpointLiveOdds = "odds/live" // asked by a test of the connection alone

	PathFixtures = "/fixtures"
	PathOdds     = "/odds"
	PathStatus   = "/status"
	PathLiveOdds = "/odds/live"
)

// Query parameters.
const (
	ParamDate      = "date" // of the kick-off, in the requested time zone: UTC by default
	ParamBookmaker = "bookmaker"
	ParamPage      = "page"
	ParamLive      = "live"
	ParamIDs       = "ids" // up to MaxIDs, separated by IDSeparator
	ParamBet       = "bet" // one kind of bet

	LiveAll     = "all"
	LiveResult  = "59" // the bet "Fulltime Result" of EndpointLiveOdds
	IDSeparator = "-"
	DateForm    = "2006-01-02"
	MaxIDs      = 20 // fixtures in one request for details
	MaxPages    = 200
)

// HeaderKey carries the credential.
const HeaderKey = "x-apisports-key"

// Quota headers: those of the day, which ends at 00:00 UTC, and those of the minute.
const (
	HeaderDayLimit        = "x-ratelimit-requests-limit"
	HeaderDayRemaining    = "x-ratelimit-requests-remaining"
	HeaderMinuteLimit     = "X-RateLimit-Limit"
	HeaderMinuteRemaining = "X-RateLimit-Remaining"
)

// Members of the envelope.
const (
	KeyGet        = "get"
	KeyParameters = "parameters"
	KeyErrors     = "errors"
	KeyResults    = "results"
	KeyPaging     = "paging"
	KeyCurrent    = "current"
	KeyTotal      = "total"
	KeyResponse   = "response"
	KeyMessage    = "message" // of an answer of the server, without an envelope
	GetStatus     = "status"  // the only answer whose response is an object
)

// Keys of the member errors, which name the kind of error. Any other key is the name
// of a parameter.
const (
	ErrToken     = "token"
	ErrAccess    = "access"
	ErrRequests  = "requests"
	ErrRateLimit = "rateLimit"
	ErrPlan      = "plan"
	ErrRequired  = "required"
	ErrBug       = "bug"
)

// Codes of fixture.status.short.
const (
	StatusToBeFixed   = "TBD"
	StatusNotStarted  = "NS"
	StatusFirstHalf   = "1H"
	StatusHalfTime    = "HT"
	StatusSecondHalf  = "2H"
	StatusExtraTime   = "ET"
	StatusBreak       = "BT" // before or in extra time
	StatusShootout    = "P"
	StatusSuspended   = "SUSP"
	StatusInterrupted = "INT"
	StatusLive        = "LIVE" // in play, detail unknown
	StatusFullTime    = "FT"
	StatusAfterExtra  = "AET"
	StatusAfterPens   = "PEN"
	StatusPostponed   = "PST"
	StatusCancelled   = "CANC"
	StatusAbandoned   = "ABD"
	StatusAwarded     = "AWD"
	StatusWalkover    = "WO"
)
