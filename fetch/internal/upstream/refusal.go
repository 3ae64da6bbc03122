package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mkt/fetch/provider"
)

// doubt is a refusal of the credential, or of the product, that may be a mistake of the
// provider. The refused request is sent once more after a pause, and no other request
// is sent until its answer is known.
type doubt struct {
	mu    sync.Mutex
	ended chan struct{} // closed when the answer is known; nil unless a refusal is open
}

// begin reports whether the caller is the one that repeats its request. It returns
// false if another request does.
func (d *doubt) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended != nil {
		return false
	}
	d.ended = make(chan struct{})
	return true
}

// isOpen reports whether a refusal is waiting to be confirmed.
func (d *doubt) isOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended != nil
}

// end lets the other requests continue.
func (d *doubt) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended != nil {
		close(d.ended)
		d.ended = nil
	}
}

// wait waits while another request is being confirmed.
func (d *doubt) wait(ctx context.Context) error {
	for {
		d.mu.Lock()
		ended := d.ended
		d.mu.Unlock()
		if ended == nil {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dispel ends the doubt if ask is the request that is to confirm it.
func (c *Client) dispel(ask *asking) {
	if ask.confirming {
		ask.confirming = false
		c.doubt.end()
	}
}

// errUnconfirmed means no time was left to confirm a refusal. It does not wrap the
// refusal, which may be a mistake.
var errUnconfirmed = errors.New("refused once, and there was no time to repeat the request")

// confirm judges a refusal. It is final only if one request is refused twice in a row,
// with a pause in between; until then the request is repeated after wait.
func (c *Client) confirm(ask *asking, refusal *provider.AnswerError) (wait time.Duration, err error) {
	if ask.confirming {
		c.stop(refusal) // before the others go on
		return final, refusal
	}
	if c.options.Monotonic().Add(c.limits.Confirm).After(c.deadline) {
		return final, fmt.Errorf("%s: %w: %w", refusal.Endpoint, provider.ErrUnreachable, errUnconfirmed)
	}
	if ask.confirming = c.doubt.begin(); !ask.confirming {
		return 0, refusal // admit waits for the other one
	}
	c.options.Log.Warn("the provider refuses; the request is repeated before that counts", "endpoint", refusal.Endpoint,
		"reason", refusal.Verdict.Code, "wait_ms", c.limits.Confirm.Milliseconds())
	return c.limits.Confirm, refusal
}
