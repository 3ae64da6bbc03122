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
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"

	"mkt/fetch/credential"
)

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
