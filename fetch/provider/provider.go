// Package provider defines a provider's adapter: the hosts it may contact, its
// capabilities, how it sends requests and how it reads payloads. Everything about one
// provider is in one folder below this one.
//
// The half that asks and the half that reads share nothing but bytes. Asking performs
// requests through an [Exchange], which adds the credential, retries, archives every
// response and classifies it. Reading is a pure function of archived payloads, without
// a client, a clock or a credential.
package provider

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// Capability is one kind of data that a provider offers (specification, section 2.11).
type Capability = football.Capability

const (
	Prematch     = football.Prematch
	LiveOdds     = football.LiveOdds
	LiveStats    = football.LiveStats
	Timeline     = football.LiveTimeline
	PlayerEvents = football.PlayerEvents
)

// Provider is one adapter's registration.
type Provider struct {
	Name         string       // "betsapi"; part of every id, never changed
	BaseURL      string       // default, https
	Hosts        []string     // the https hosts that may be contacted with the default settings
	Conditional  bool         // an answer's entity tag is sent back, and 304 means that it is the same
	AnyHost      bool         // an account names the host, which may be any public one; there is no default
	Capabilities []Capability // for sale by the provider and known to the adapter; an account's plan may include less
	Budget       Budget
	Cycle        Estimate

	// Sections and Metrics are words of the provider that reach clients: the tabs in
	// which its markets are shown, and the counters missing from football.Metrics.
	// They are those seen so far; the provider may add one.
	Sections []string
	Metrics  []string
	// Keyed are the members of answers that hold things by their keys, such as markets. Every
	// other member holds members with names.
	Keyed []string

	// Authorize adds the credential to a request. The transport calls it on a copy,
	// immediately before the request is sent.
	Authorize func(r *http.Request, credential string)
	// Classify judges a complete answer: the body decides, not the status.
	Classify func(status int, header http.Header, body []byte) Verdict

	// Bookmakers is for a provider that sells the prices of several bookmakers: nil if
	// it sells those of one.
	Bookmakers *Bookmakers

	// Probes are the requests that test a connection, in this order. The first is the
	// cheapest one that succeeds with a good credential only. The others show the content
	// of the account's plan, each with one cheap request.
	Probes []Probe
	// ReadPlan reads the account's plan as far as an accepted answer shows it. It is a pure
	// function and safe for concurrent use; unreadable bytes show nothing.
	ReadPlan func(a Answered) Plan
	// NeededBy returns the capabilities lost if a request is refused because
	// of the account's plan: nil if the request says nothing about any of them.
	NeededBy func(r Request) []Capability

	// Table returns the adapter's mapping table, in which input.Reading.Rule names lines.
	Table func() *mapping.Table
	// ParseTable reads an account's own mapping table; nil if an account has none of its own.
	ParseTable func(text string) (*mapping.Table, error)

	// Recorded recognizes a payload whose request is not known. It must not fail on
	// any bytes.
	Recorded func(body []byte) Recorded

	Markets MarketAdapter // market_engine; nil if the provider has no prematch
	Live    LiveAdapter   // live_intelligence; nil if the provider has no live statistics
}

// Probe returns one request of a test of the connection. It returns false if there is
// nothing to ask for, such as a detail of a match when no match is in play.
type Probe func(Probing) (Request, bool)

// Probing holds the values that a probe may depend on.
type Probing struct {
	Now       time.Time
	Bookmaker string    // as Exchange.Bookmaker
	Answers   []Payload // accepted answers of the probes before it, in their order
}

// Answer returns the body of the first accepted answer of an endpoint, nil if there is
// none.
func (p Probing) Answer(endpoint string) []byte {
	for _, a := range p.Answers {
		if a.Endpoint == endpoint {
			return a.Body
		}
	}
	return nil
}

// Answered is an accepted answer, with its report of the account's quota.
type Answered struct {
	Payload
	Quota *Quota // as in Verdict
}

// Plan is an account's plan as far as one answer shows it.
type Plan struct {
	Name     string       // in the provider's own words; "" if the answer does not tell it
	EndsAt   time.Time    // zero if the answer does not tell it
	Includes []Capability // those that the answer has data of
}

// Bookmakers says whose prices an account may choose. The prices of a fixture are
// always those of one bookmaker: they are never merged.
type Bookmakers struct {
	Default string // the requested one if the account has chosen none
	// Valid reports whether name can be a bookmaker of the provider, in the
	// provider's own spelling of it: an id or a key.
	Valid func(name string) bool
	// Query returns the part of a request's query that names a bookmaker, from which
	// ReadMarkets knows whose prices to read.
	Query func(name string) url.Values
	// Unknown is why a request with an unknown bookmaker is rejected; "" if the provider
	// answers it without prices.
	Unknown string
}

// Budget bounds the requests of one account's runs.
type Budget struct {
	Requests    int           // per Window, unless a header reports another number
	Window      time.Duration //
	Burst       int           // requests a second at most
	Concurrency int           // requests at once
	MaxBody     int64         // bytes, decompressed
	// Renewed is how long a quota lasts that the provider reports in its answers; 0: as
	// long as Window.
	Renewed time.Duration
}

// QuotaWindow returns how long a quota lasts that the provider reports.
func (b Budget) QuotaWindow() time.Duration { return cmp.Or(b.Renewed, b.Window) }

// Estimate is how much of the quota a cycle of an ordinary account uses. The schedule
// spreads the quota by it until cycles of the account have been measured.
type Estimate struct {
	Markets int // of 300 fixtures
	Live    int // of 20 fixtures in play, without the requests counted in Asked.Optional; 0 if the provider has no live statistics
}

// Bookmaker returns whose prices are asked for when an account has chosen that one.
func (p *Provider) Bookmaker(chosen string) string {
	if p.Bookmakers == nil {
		return ""
	}
	return cmp.Or(chosen, p.Bookmakers.Default)
}

// MarketAdapter asks for and reads the payloads of the market engine.
type MarketAdapter interface {
	// Ask performs one cycle's requests. It returns after the last answer; its
	// result is written to the raw cycle's header. One fixture's failure is
	// counted, not returned. An error means the cycle failed.
	Ask(ctx context.Context, x Exchange) (Asked, error)
	// ReadListing reads the listing payloads of a cycle, in archive order.
	ReadListing(pages []Payload) (Listing, error)
	// IsListing and IsMarkets sort a cycle's payloads by endpoint.
	IsListing(endpoint string) bool
	IsMarkets(endpoint string) bool
	// ReadMarkets reads one payload of markets. l has the teams and the kick-off. Damage
	// affects only its own part: a row is marked, a market is RAW, a section is
	// left out, and a fixture without any part left is reported in Broken. Bytes
	// that do not parse, and a damaged envelope, are an error. It must be safe for
	// concurrent use.
	ReadMarkets(p Payload, l Listing) (Sheet, error)
}

// Verdict is how one answer is classified.
type Verdict struct {
	Kind Kind
	Code string        // the provider's own error word, from a closed set of the adapter; "" if it is accepted
	Wait time.Duration // the wait that the provider asks for, 0 if it does not say
	// Quota is the account's quota as the answer reports it in the provider's own way;
	// nil if it says nothing, or says it in the headers X-RateLimit-Limit, -Remaining
	// and -Reset, which the transport reads itself.
	Quota *Quota
	// Document is an accepted answer as it was parsed to judge it; nil if the adapter does
	// not keep that.
	Document *strictjson.Document
}

// Kind of verdict.
type Kind uint8

const (
	Accepted        Kind = iota
	CredentialFault      // the token is wrong: stop the run
	PermissionFault      // the token is good, the product is not bought: stop the run
	Limited              // quota used up; the token is good
	Retryable            // the provider's own fault: try again within the budget
	Rejected             // an answer that cannot be the requested one
)

// Listing is the content of the provider's list of fixtures, all of its pages joined.
type Listing struct {
	Fixtures map[string]ListedFixture // by provider fixture id
	Filtered map[string]int           // fixtures left out, by rule, "esoccer:league-name"
	Broken   map[string]int           // unreadable items, by reason
	Damaged  map[string]int           // unreadable parts of other items, by part and fault
	Unknown  map[string]int           // unknown fields, by name
	// Met counts the items, and Hurt the damaged ones among them that could be used. Damaged
	// is an item with a damaged part, with null where the provider always sends a value, or
	// without a member that it always sends beside an unknown one.
	Met, Hurt int
	// Table is the account's own mapping table, nil if the provider has none of that kind.
	Table *mapping.Table
}

// Joined returns the listing's fixture with an id, for a fixture whose further data was
// fetched at the given time. It returns false if the listing does not have the fixture.
func (l Listing) Joined(provider, id string, fetched time.Time) (football.Fixture, bool) {
	listed, ok := l.Fixtures[id]
	if fetched.After(listed.FetchedAt) {
		listed.FetchedAt = fetched
	}
	listed.Provider, listed.ProviderFixtureID = provider, id
	return listed.Fixture, ok
}

// ListedFixture is one item of the listing.
type ListedFixture struct {
	football.Fixture      // without its ID
	Over             bool // ended, cancelled or withdrawn: not active any more
	// InPlay reports that the match has begun. If markets of it were sent all the same, with
	// those of others, they are not read: prematch prices do not move any more.
	InPlay bool
}

// Sheet is the content of one payload of markets.
type Sheet struct {
	Fixtures []FixtureOffers
	Broken   map[string]football.Reason // provider fixture id → why nothing of it could be read
	Damaged  map[string]int             // unreadable parts, by part and fault
	Unknown  map[string]int
	Skipped  map[string]int // left out because it repeats or says nothing, by name
	// Met and Hurt count the parts of fixtures seen, and those of them that
	// are among Damaged: together they state the readable share of a payload. A row with
	// null where the provider always sends a value is damaged.
	Met, Hurt Parts
}

// Parts are numbers of parts of fixtures, by level.
type Parts struct{ Sections, Markets, Rows int }

// Add adds others to p.
func (p *Parts) Add(others Parts) {
	p.Sections, p.Markets, p.Rows = p.Sections+others.Sections, p.Markets+others.Markets, p.Rows+others.Rows
}

// FixtureOffers is one fixture and every market offered on it that can be read.
type FixtureOffers struct {
	Fixture football.Fixture // without ID
	Offers  []input.Offer
	// Partial reports whether a section or more could not be read and is missing in
	// Offers. A damaged market or row is in Offers and is marked.
	Partial bool
}
