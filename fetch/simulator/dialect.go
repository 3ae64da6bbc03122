package simulator

import (
	"net/http"
	"net/url"
	"time"

	"mkt/fetch/simulator/world"
)

// Dialect is one provider's wire format: its requests and its answers. It must be safe
// for concurrent use.
type Dialect interface {
	// Endpoint returns the name of the endpoint that a path requests, such as
	// "bet365/upcoming", and its class; "" if the provider has no such path.
	Endpoint(path string) (name string, class Class)
	// Token takes the credential out of a request.
	Token(r *http.Request) string
	// Quota puts the provider's quota headers on an answer.
	Quota(h http.Header, limit, remaining int, reset time.Time)
	// Refuse is the provider's answer to a request it does not serve.
	Refuse(why Refusal) Answer
	// Answer serves a request.
	Answer(q Question) Answer
	// Format returns the part of the wire format that the faults need.
	Format() Format
	// Wrap puts the items of an answer into the provider's envelope. page is nil for
	// an answer without pages.
	Wrap(items [][]byte, page *Page) []byte
}

// Charging is implemented by a dialect whose requests do not all cost one of the quota.
type Charging interface {
	// Cost returns the cost of a request. One without a cost is served even if the
	// quota is used up.
	Cost(q Question) int
}

// Sorting is implemented by a dialect in which the endpoint depends on the parameters.
type Sorting interface {
	// EndpointOf is Endpoint, of a path with its parameters.
	EndpointOf(path string, query url.Values) (name string, class Class)
}

// Metered is implemented by a dialect that states the quota in the body of an answer.
type Metered interface {
	// Metered returns the dialect of one answer: Refuse and Wrap of it state the quota.
	Metered(limit, remaining int, resets time.Duration) Dialect
}

// Paced is implemented by a dialect whose provider limits how fast requests may come
// apart from the quota.
type Paced interface {
	// TooFast is the provider's answer to a request that came too soon. It adds the
	// headers of such an answer.
	TooFast(h http.Header) Answer
}

// Format describes a wire format of JSON objects to the faults.
type Format struct {
	List     string   // the field that holds the items of an answer; "" if an answer is a bare array of them
	IDs      []string // the fields of an item that hold ids of a fixture
	Nonsense string   // an answer whose fields have types that they never have
	Classes  []Class  // the classes of the requests that the dialect serves
	Recorded bool     // answers are recorded ones, and no world has a part in them
}

// Class groups endpoints, so a fault can be limited to some of them.
type Class string

const (
	Listing Class = "listing" // the list of fixtures
	Markets Class = "markets" // the markets of fixtures
	Playing Class = "live"    // the list of matches in play
	Details Class = "details" // all data of single matches
)

var classes = []Class{Listing, Markets, Playing, Details}

// Refusal is why a request is not served.
type Refusal uint8

const (
	BadMethod Refusal = iota
	BadPath
	BadToken
	NotBought   // the token is good, the product was not bought
	QuotaUsed   // no requests left in the window
	Broken      // the provider's own fault
	Maintenance // the provider is down on purpose
)

// Question is one request that is to be served.
type Question struct {
	Path     string
	Endpoint string
	Query    url.Values
	World    *world.World
	Now      time.Time // the world's
}

// Answer is one response, before compression.
type Answer struct {
	Status int // 0 is 200
	Header http.Header
	// Items are the fixtures of the answer, and Page says which page of a list they are.
	// Dialect.Wrap makes the body of them, unless Body was recorded.
	Items [][]byte
	Page  *Page
	Body  []byte
}
