// Package requests has the steps that all adapters share while they send the requests of
// one cycle: send several at once, count and report the progress, record the fixtures
// that failed, and stop when the quota is used up.
package requests

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/internal/decode"
	"mkt/fetch/provider"
)

// Cycle is the state of one cycle's requests. Its methods are safe for concurrent use.
type Cycle struct {
	provider.Exchange

	// Asked is the result. While requests are under way, only the methods change it.
	Asked provider.Asked

	mu          sync.Mutex
	done, total int   // requests
	answered    int   // answered requests for markets
	first       error // why the first failed request did so
	limited     bool  // the quota is used up
}

// New returns the state of a cycle that sends its requests through x.
func New(x provider.Exchange) *Cycle {
	return &Cycle{Exchange: x, Asked: provider.Asked{Counters: make(map[string]int64)}}
}

// Count adds to a counter.
func (c *Cycle) Count(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Asked.Counters[name] += int64(n)
}

// Expect adds requests to those that the cycle will send.
func (c *Cycle) Expect(requests int) { c.progress(0, requests) }

// Step reports that one of the expected requests is done.
func (c *Cycle) Step() { c.progress(1, 0) }

func (c *Cycle) progress(done, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.total = c.done+done, c.total+total
	c.Progress(min(c.done, c.total), c.total)
}

// Each calls send for 0 to n-1, as many at once as the exchange allows. It stops at the
// first error, which it returns.
func (c *Cycle) Each(ctx context.Context, n int, send func(ctx context.Context, i int) error) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, c.Concurrency()))
	for i := range n {
		workers.Go(func() error { return send(ctx, i) })
	}
	return workers.Wait()
}

// Batches requests fixtures, at most size at a time. send requests some of them and records the
// answer. If the answer cannot be used, each fixture is requested alone, so a broken one does not
// affect the others; split counts how often that is so. One fixture's failure is recorded; an
// error is returned if the run must stop.
func (c *Cycle) Batches(ctx context.Context, ids []string, size int, split string, send func(ctx context.Context, ids []string) error) error {
	batches := slices.Collect(slices.Chunk(ids, size))
	c.Expect(len(batches))
	return c.Each(ctx, len(batches), func(ctx context.Context, n int) error {
		defer c.Step()
		return c.batch(ctx, batches[n], split, send)
	})
}

func (c *Cycle) batch(ctx context.Context, ids []string, split string, send func(ctx context.Context, ids []string) error) error {
	if c.Stopped() {
		c.Fail(nil, ids...)
		return nil
	}
	err := send(ctx, ids)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || decode.MustStop(err):
		return err
	case len(ids) == 1 || !decode.WorthSplitting(err):
		c.Fail(err, ids...)
		return nil
	}
	c.Count(split, 1)
	for _, id := range ids {
		if err := c.batch(ctx, []string{id}, split, send); err != nil {
			return err
		}
	}
	return nil
}

// Answered records that a request for markets was answered, and the fixtures on which
// the provider offers none by this answer.
func (c *Cycle) Answered(notOffered ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered++
	c.Asked.NotOffered = append(c.Asked.NotOffered, notOffered...)
}

// Fail records fixtures whose data could not be fetched, and why: err is nil if no
// request was sent, or if its error is recorded already. The error of a used up quota
// stops the cycle.
func (c *Cycle) Fail(err error, fixtures ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Asked.Failed = append(c.Asked.Failed, fixtures...)
	if c.first == nil {
		c.first = err
	}
	c.limited = c.limited || decode.KindOf(err) == provider.Limited
}

// Stopped reports whether the quota is used up: then no more requests must be sent.
func (c *Cycle) Stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limited
}

// Err returns the first recorded error if no request for markets was answered.
func (c *Cycle) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered > 0 {
		return nil
	}
	return c.first
}

// Result returns the result of the cycle, and err. Its lists of fixtures are sorted: it
// must not depend on the order in which the answers arrived.
func (c *Cycle) Result(err error) (provider.Asked, error) {
	slices.Sort(c.Asked.Failed)
	slices.Sort(c.Asked.NotOffered)
	return c.Asked, err
}

// Missing returns the requested fixtures that an answer lacks. It returns an error if one
// of them may be in a part of the answer whose fixture cannot be read: it is not known
// then whether the provider offers anything on it.
func Missing(endpoint string, requested []string, found map[string]bool, unread int) (missing []string, err error) {
	missing = slices.DeleteFunc(slices.Clone(requested), func(id string) bool { return found[id] })
	if unread > 0 && len(missing) > 0 {
		return nil, decode.Unreadable(endpoint, fmt.Errorf("%d fixtures without an id, and %d are missing", unread, len(missing)))
	}
	return missing, nil
}
