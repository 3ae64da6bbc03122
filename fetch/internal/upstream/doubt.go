package upstream

import (
	"context"
	"sync"
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
