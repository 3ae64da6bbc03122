// Package upstream is the one HTTP client of the module: nothing else dials out.
//
// It connects to https hosts named by the provider's adapter, directly (without the
// environment's proxy, without redirects), at addresses it checks when it dials.
// Every phase of every request has a budget, and so has the whole run, whatever
// the provider asks for. An answer is read to its end, decompressed within bounds,
// judged by the adapter, and handed to the caller before it is used or retried.
//
// Its errors name the endpoint and one of a fixed set of reasons. The errors of
// net/http, which hold URLs and parts of answers, never leave this package.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/provider"
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
	requests atomic.Int64 // sent
	spent    atomic.Int64 // of the quota, by the answers
	received atomic.Int64 // bytes of answers, unpacked
	values   atomic.Int64 // of accepted ones
}

// New returns a client, or an error with the name of the wrong option.
func New(o Options) (*Client, error) {
	if o.BaseURL == "" {
		o.BaseURL = o.Provider.BaseURL
	}
	base, err := checkBase(o)
	if err != nil {
		return nil, err
	}
	if o.Circuits == nil {
		o.Circuits = &Circuits{}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	c := &Client{options: o, limits: o.Limits.withDefaults(), base: base}
	now := o.Monotonic()
	c.limiter = o.Circuits.limiter(o.Account, base.Host, credential.Fingerprint(o.Credential.Reveal()), o.Provider.Budget, c.limits.Break, now)
	c.memory = newMemory(o.Circuits.large)
	c.limiter.begin(now, o.Now(), o.QuotaLeftAt, o.QuotaLimit)
	c.leave = sync.OnceFunc(c.limiter.end)
	c.http = c.transport()
	c.deadline = now.Add(c.limits.Run)
	life, cancel := context.WithDeadlineCause(context.Background(), c.deadline, errBudget)
	c.life, c.stop = context.WithCancelCause(life)
	context.AfterFunc(c.life, cancel)
	c.sending, c.stopSend = context.WithCancelCause(c.life)
	return c, nil
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

// checkBase checks the base URL against the hosts named by the adapter.
// Another host needs the flag, and is then dialled at private addresses only.
func checkBase(o Options) (*url.URL, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("base URL of %s: want https://host, without user, query and fragment", o.Provider.Name)
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && o.AllowPrivateAddress) {
		return nil, fmt.Errorf("base URL of %s: scheme %q: want https (http needs allow_private_address)", o.Provider.Name, base.Scheme)
	}
	if !o.AllowPrivateAddress && !known(o.Provider, base) {
		return nil, fmt.Errorf("base URL of %s: host %q is not one of the provider's (%s); one of your own needs allow_private_address",
			o.Provider.Name, base.Hostname(), strings.Join(o.Provider.Hosts, ", "))
	}
	return base, nil
}

// known reports whether a base URL is one that the adapter names, on the port of
// https.
func known(p provider.Provider, base *url.URL) bool {
	return base.Scheme == "https" && (base.Port() == "" || base.Port() == "443") &&
		slices.ContainsFunc(p.Hosts, func(h string) bool { return strings.EqualFold(h, base.Hostname()) })
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
	return q, nil
}

// jitter returns a random time of up to d: requests that waited together must not
// return together.
func (c *Client) jitter(d time.Duration) time.Duration {
	return time.Duration(c.options.Random() * float64(d))
}
