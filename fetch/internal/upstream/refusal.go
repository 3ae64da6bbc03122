package upstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mkt/fetch/provider"
)

// doubt is a refusal of the credential, or of the product, that may be a slip of the
// provider's. The request that met it is sent once more after a pause, and no other
// is sent before it is known what comes of that.
type doubt struct {
	mu    sync.Mutex
	ended chan struct{} // closed when it is known; nil while nothing was refused
}

// begin makes the caller the one who asks again; false if another request is.
func (d *doubt) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended != nil {
		return false
	}
	d.ended = make(chan struct{})
	return true
}

// standing reports whether a refusal is waiting to be confirmed.
func (d *doubt) standing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended != nil
}

// end lets the others go on.
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

// dispel ends the doubt of the request that is to confirm it, if ask is that.
func (c *Client) dispel(ask *asking) {
	if ask.confirming {
		ask.confirming = false
		c.doubt.end()
	}
}

// errUnconfirmed: there was no time left to ask again. It does not wrap the refusal,
// which might be a slip.
var errUnconfirmed = errors.New("refused once, and there was no time to ask again")

// confirm says what a refusal means. It decides only the second time in a row that
// one request is refused, with a pause in between; until then the request is asked
// again after wait.
func (c *Client) confirm(ask *asking, refusal *provider.AnswerError) (wait time.Duration, err error) {
	if ask.confirming {
		c.stop(refusal) // before the others go on
		return final, refusal
	}
	if c.options.Monotonic().Add(c.limits.Confirm).After(c.deadline) {
		return final, fmt.Errorf("%s: %w: %w", refusal.Endpoint, provider.ErrUnreachable, errUnconfirmed)
	}
	if ask.confirming = c.doubt.begin(); !ask.confirming {
		return 0, refusal // turn waits for the other one
	}
	c.options.Log.Warn("the provider refuses; it is asked once more before that counts", "endpoint", refusal.Endpoint,
		"reason", refusal.Verdict.Code, "wait_ms", c.limits.Confirm.Milliseconds())
	return c.limits.Confirm, refusal
}
