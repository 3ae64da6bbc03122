// Package fetch is the first stage: it asks an account's provider and keeps the
// bytes. No other stage opens a credential or dials out. It interprets no market.
//
// [Run] performs one cycle: recovery, credential, requests, archive (package raw),
// and state/fetch.json (package health). Whatever goes wrong, older cycles stay
// as they are, and an unfinished cycle does not exist for its readers. [Test] sends
// a few requests to find out whether the connection works and which data the account's
// plan includes. Both count their requests in state/calls.json.
package fetch

import (
	"log/slog"
	"net/http"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Options of one run. The caller holds the lock of Root.
type Options struct {
	Tenant  provider.Tenant
	Product football.Product
	// Cycle to fetch; "" is a new one, named after Now and later than every
	// cycle known below Root.
	Cycle layout.CycleID
	Root  durable.FS // of the tenant and product
	// Open opens the sealed credential; with credential.Open and the identity.
	Open func(sealed, tenant, provider string) (credential.Secret, error)

	// Provider finds an adapter by name.
	Provider func(name string) (provider.Provider, bool)
	Limits   Limits    // zero fields have defaults
	Circuits *Circuits // the process's memory of providers between runs; nil = nothing
	// Quota is the account's quota as other runs and tests last learned it; nil if
	// it is not known. If it has requests left, they are sent, whatever Circuits
	// remembers. The caller decides whether to start a run while the quota is used up.
	Quota *health.Quota
	// Received is given the accepted answers, for the transform of the cycle; nil keeps none.
	Received *raw.Received
	// Stopping is closed when the process is to stop. A run that would have to wait
	// for its provider is then interrupted at once. nil: never.
	Stopping <-chan struct{}

	Now       func() time.Time // nil = time.Now
	Monotonic func() time.Time // measures waits and durations, which Now may not as it may be simulated; nil = time.Now
	Random    func() float64   // from 0 to 1, spreads waits before repeated requests; nil = math/rand
	Log       *slog.Logger     // nil = none
	// Progress is called with how far the run is. Usage is called with the requests that
	// were sent, which are counted in any case. Both may be nil; they are called from many
	// goroutines.
	Progress func(Progress)
	Usage    func(endpoint string, requests int)
	// Transport, for tests, changes how connections to the provider are made. nil = not at all.
	Transport func(*http.Transport)
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int  // requests; Total may grow
	Left        *int // requests left of the provider's quota; nil if not known
}

// Limits are the budgets of a run: the whole, and each request's phases.
type Limits = upstream.Limits

// Circuits is the memory of a process between its cycles, by account and host: whether a
// provider is down, and which requests were sent lately. Safe for concurrent use.
type Circuits = upstream.Circuits

// Summary is the result of a run. It is valid also if Run returns an error.
type Summary struct {
	Cycle    layout.CycleID
	Already  bool // the cycle was sealed before: nothing was done
	Outcome  raw.Outcome
	Code     health.Code // why it failed or stopped early; "" otherwise
	Requests int         // sent, retries among them
	// Cost is how much of the account's quota the run needed: requests, or the provider's
	// credits, without those that it would have left out if less were left.
	Cost      int64
	Responses int   // accepted and archived
	Rejected  int   // archived as rejected
	Bytes     int64 // of accepted answers, uncompressed
	Listed    int   // fixtures on the provider's list
	Filtered  int   // of them left out on entry
	Failed    int   // of them whose markets could not be fetched this time
	// NotOffered is the number of listed fixtures on which the provider offers no
	// markets.
	NotOffered int
	// ListingShort reports whether the provider's list is shorter than its own count, so
	// that no fixture will be removed because it is absent from the list.
	ListingShort bool
	// Quota is the account's quota as the provider last reported it; nil if it
	// reported nothing. If the quota is used up, the run ended because of it, or the
	// run's last request used it up.
	Quota *health.Quota
	// Plan is the account's plan as far as the run's answers showed it; nil if they showed
	// nothing.
	Plan      *health.Plan
	Recovered int // quarantined folders of killed runs
	Took      time.Duration
}

// run is one Run.
type run struct {
	Options
	summary  Summary
	compacts bool      // earlier cycles are to be compacted
	began    time.Time // by Monotonic
	started  time.Time
	values   int64 // JSON values and keys of all accepted answers
}
