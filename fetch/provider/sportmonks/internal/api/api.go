// Package api has the names of Sportmonks' wire format that the adapter and the emulator
// share: endpoints, parameters, states and members.
package api

// Endpoints: the closed set of names in the archive, and their paths, which dates and
// fixture ids follow.
const (
	EndpointBetween  = "fixtures/between"
	EndpointMulti    = "fixtures/multi"
	EndpointByDate   = "fixtures/date"
	EndpointInplay   = "livescores/inplay"
	EndpointPrematch = "odds/pre-match/fixtures" // read, not asked: the rows of one fixture

	EndpointLiveOdds = "odds/inplay/fixtures" // asked by a test of the connection alone

	PathBetween = "/v3/football/fixtures/between/" // from/to
	PathMulti   = "/v3/football/fixtures/multi/"   // ids with commas between
	PathByDate  = "/v3/football/fixtures/date/"    // a day
	PathInplay  = "/v3/football/livescores/inplay"

	PathLiveOdds = "/v3/football/odds/inplay/fixtures/" // a fixture id
)

// Query parameters. Authorize puts the token into a header.
const (
	ParamInclude = "include"
	ParamFilters = "filters"
	ParamPage    = "page"
	ParamPerPage = "per_page"

	HeaderToken = "Authorization" // the token alone, without a word before it

	IncludeListing = "participants;league"
	// IncludeOdds selects the fields that are read: a row has 21 fields, and a big match
	// 2,300 rows of one bookmaker.
	IncludeOdds   = "odds:id,fixture_id,market_id,bookmaker_id,label,value,name,market_description,dp3,stopped,total,handicap"
	IncludeInplay = "participants;league;scores;periods;statistics;events"

	FilterBookmakers = "bookmakers" // in ParamFilters, "bookmakers:2"

	DayForm = "2006-01-02"
)

const (
	PerPage    = "50"
	MaxPages   = 100  // of a list
	MaxBatch   = 6    // fixtures in one request for prices: a big match has 57,000 values and 0.7 MB
	Hourly     = 2000 // requests of one entity in an hour on the smallest paid plan
	TimeForm   = "2006-01-02 15:04:05"
	NoResult   = "No result(s) found" // begins the message of an answer that found nothing
	SportID    = "1"                  // football
	Bet365     = "2"                  // bookmaker_id
	Days       = 14                   // of the listing
	CurrentRow = "CURRENT"            // description of the scores row that says the score now
	SideHome   = "home"
	SideAway   = "away"
)

// Members of the answers.
const (
	KeyData       = "data"
	KeyMessage    = "message"
	KeyPagination = "pagination"
	KeyHasMore    = "has_more"
	KeyCount      = "count"
	KeyRateLimit  = "rate_limit"
	KeyRemaining  = "remaining"
	KeyResets     = "resets_in_seconds"
	KeyEntity     = "requested_entity"
	EntityFixture = "Fixture"
	KeyOdds       = "odds"

	KeySubscription = "subscription"
	KeyPlans        = "plans"
	KeyAddOns       = "add_ons"
	KeySport        = "sport"
	SportFootball   = "Football" // of a plan
)

// state_id of a fixture.
const (
	StateNotStarted     = "1"
	StateFirstHalf      = "2"
	StateHalfTime       = "3"
	StateBreak          = "4"
	StateFullTime       = "5"
	StateExtraTime      = "6"
	StateAfterExtra     = "7"
	StateAfterPenalties = "8"
	StatePenalties      = "9"
	StatePostponed      = "10"
	StateSuspended      = "11"
	StateCancelled      = "12"
	StateToBeAnnounced  = "13"
	StateWalkover       = "14"
	StateAbandoned      = "15"
	StateDelayed        = "16"
	StateAwarded        = "17"
	StateInterrupted    = "18"
	StateAwaiting       = "19" // updates
	StateDeleted        = "20"
	StateExtraBreak     = "21"
	StateSecondHalf     = "22"
	StateExtraSecond    = "23"
	StatePenaltyBreak   = "25"
	StatePending        = "26"
)
