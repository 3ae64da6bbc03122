package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/publish/health"
)

// Options of a client: one run of one account.
type Options struct {
	Provider            provider.Provider
	Account             string
	BaseURL             string // "" = the provider's
	AllowPrivateAddress bool   // also http, and loopback and private addresses: the simulator
	Credential          credential.Secret
	Limits              Limits
	Circuits            *Circuits        // nil = for this client alone
	Now                 func() time.Time // when answers arrived; may be a simulated clock
	Monotonic           func() time.Time // for waits and deadlines
	Log                 *slog.Logger
	Usage               func(endpoint string, requests int) // requests sent; may be nil
	// QuotaLeftAt is when the provider last reported requests left, to another run or to a
	// test; zero if not known. It overrides the memory of [Circuits].
	QuotaLeftAt time.Time
	QuotaLimit  int             // as the provider last reported it to another run or to a test; 0 if not known
	Stopping    <-chan struct{} // closed when the process is to stop: then no request waits any more; nil = never
	Random      func() float64  // from 0 to 1, spreads waits; nil = math/rand

	// For tests: how to resolve, whom to trust, and where to dial instead.
	Transport func(*http.Transport)
	Resolver  *net.Resolver
}

// Client sends requests to one provider for one account. Safe for concurrent use.
type Client struct {
	options Options
	limits  Limits
	base    *url.URL
	limiter *hostLimiter
	http    *http.Transport
	memory  *memory
	quota   quota
	doubt   doubt
	leave   func() // ends the run on the limiter

	life     context.Context // ends with the error that stops the run, and its requests under way
	stop     context.CancelCauseFunc
	sending  context.Context // of life; ends before it when the quota is used up: nothing is sent then
	stopSend context.CancelCauseFunc
	deadline time.Time
	tries    atomic.Int64 // numbers the requests in the order in which they are sent
	requests atomic.Int64 // sent
	spent    atomic.Int64 // of the quota, by the answers
	received atomic.Int64 // bytes of answers, unpacked
	values   atomic.Int64 // of accepted ones
}

// Requests returns how many requests were sent, retries included.
func (c *Client) Requests() int { return int(c.requests.Load()) }

// Spent returns how much of the account's quota the answers used.
func (c *Client) Spent() int64 { return c.spent.Load() }

// Values returns how many JSON values and keys the accepted answers contain.
func (c *Client) Values() int64 { return c.values.Load() }

// Left returns how many requests may still be sent, and false if not known.
func (c *Client) Left() (provider.Quota, bool) { return c.limiter.quota(c.options.Monotonic()) }

// Close closes idle connections and abandons requests under way.
func (c *Client) Close() {
	c.stop(errClosed)
	c.leave()
	c.http.CloseIdleConnections()
}

var errClosed = errors.New("client is closed")

// Stopped returns the error that ended the run for every request, such as a refused
// credential, a used up quota or an outage of the provider. It is nil until then.
func (c *Client) Stopped() error {
	if err := context.Cause(c.sending); err != errClosed {
		return err
	}
	return nil
}

// request builds the request without the credential.
func (c *Client) request(ctx context.Context, r provider.Request) (*http.Request, error) {
	if !strings.HasPrefix(r.Path, "/") || strings.Contains(r.Path, "..") {
		return nil, fmt.Errorf("%s: path does not begin at the root", r.Endpoint)
	}
	target := *c.base
	target.Path = strings.TrimSuffix(c.base.Path, "/") + r.Path
	target.RawQuery = r.Query.Encode()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: path or query cannot be sent", r.Endpoint)
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("Accept-Encoding", "gzip")
	q.Header.Set("User-Agent", "mkt")
	if r.Unless != "" {
		q.Header.Set("If-None-Match", r.Unless)
	}
	return q, nil
}

// jitter returns a random time of up to d: requests that waited together must not
// return together.
func (c *Client) jitter(d time.Duration) time.Duration {
	return time.Duration(c.options.Random() * float64(d))
}

// quota is the account's quota as the answers of a run reported it.
type quota struct {
	mu     sync.Mutex
	newest *health.Quota // nil if no answer reported anything
	number int64         // of the request whose answer newest is from
	ended  bool          // the run ended because of it: later answers change nothing

	waiting time.Time     // until when requests wait
	waited  time.Duration // how long they did and will, in all
}
