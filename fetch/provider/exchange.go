package provider

import (
	"context"
	"net/url"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
)

// Exchange is the access of an adapter that asks to the outside world.
type Exchange interface {
	// Get performs the request within the run's budget, retries it if that may help,
	// archives the answer and returns it if its verdict is
	// [Accepted]. Otherwise the error is an *[AnswerError] (refused, rejected,
	// limited) or wraps [ErrUnreachable]. Safe for concurrent use.
	Get(ctx context.Context, r Request) (Payload, error)
	// Concurrency is how many Gets may be under way at once.
	Concurrency() int
	// Quota returns the rest of the provider's quota, as far as is known. It
	// returns false before the first answer, and if neither the provider reports a
	// quota nor the [Budget] has one.
	Quota() (Quota, bool)
	// Bookmaker is the account's bookmaker, the default if it has chosen
	// none; "" for a provider with the prices of only one. An adapter puts it into every
	// request for prices, so the archived query shows the reader whose they are.
	Bookmaker() string
	// Now is the run's clock.
	Now() time.Time
	// Progress reports how far the run is; total may grow.
	Progress(done, total int)
}

// EndpointMapping is no request: it is the account's own mapping table, which is archived before
// the answers that are read with it.
const EndpointMapping = "mapping"

// Request is one request, without any secret in it.
type Request struct {
	Endpoint string // closed set of the adapter, "bet365/upcoming": archive, usage and metric label
	Path     string // below the base URL, "/v1/bet365/upcoming"
	Query    url.Values
	Unless   string // the entity tag of the answer that is known; "" for any
}

// Quota is how many requests may still be sent, and until when that is so. For a
// provider with credits, it is the number of credits left.
type Quota struct {
	Left   int
	Limit  int           // how many the account has in all; 0 if not known
	Resets time.Duration // from now
	// Cost is how much of the quota the answer used; nil: one request.
	Cost *int
}

// Payload is one accepted answer as archived.
type Payload struct {
	Number    int // position in the archive, from 1
	Endpoint  string
	Query     url.Values
	FetchedAt time.Time
	Body      []byte // the reader keeps no part of it: another answer may be read into the same memory
	// Document is the answer, parsed, and may be there in place of Body; nil if its reader is
	// to parse Body.
	Document *strictjson.Document
	Trace    *Trace  // gets the position of every value read; may be nil
	Fields   *Fields // counts the members of the answer; may be nil
	// Slabs is where the reader may make rows, which its caller uses up before it resets
	// them; nil if the rows must have memory of their own.
	Slabs *input.Slabs
}

// Asked is the result of a cycle's requests.
type Asked struct {
	// ListingComplete reports whether the list is known to be complete: it has as many
	// fixtures as its own count says. A fixture that is absent from an incomplete list
	// may still exist.
	ListingComplete bool
	Listed          int      // fixtures listed
	Filtered        int      // left out on entry, such as eSoccer, see Filters
	Failed          []string // provider fixture ids whose markets could not be fetched
	// NotOffered are the provider fixture ids that were requested and are absent from
	// accepted answers, or have no markets by the listing: the provider offers none on
	// them. This is an answer, not a failure. None of them is in Failed. Both lists may be
	// in any order: the archive sorts them, see raw.Writer.Seal.
	NotOffered []string
	// Optional is how many of the requests the cycle would have left out if less of the
	// quota were left.
	Optional int
	// Resume is where the next cycle continues, in the adapter's own form; "" if it
	// begins anywhere.
	Resume   string
	Counters map[string]int64
}
