package upstream

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// ratioFrom is how many decompressed bytes are accepted before the ratio counts.
const ratioFrom = 1 << 20

// unpackers are used again: each has tables and a window.
var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// readBody reads an answer to its end and decompresses it: at most max bytes, in time,
// and no slower than allowed. The bytes read before a failure are returned beside it.
// cancel ends the request's context. The caller must end a large answer's turn when it
// no longer needs the answer.
func (c *Client) readBody(ctx context.Context, cancel context.CancelCauseFunc, resp *http.Response, max int64) ([]byte, *turn, *failure) {
	if resp.ContentLength > max {
		return nil, nil, tooLarge
	}
	wire := &meter{r: resp.Body}
	defer c.watch(wire, cancel)()
	bounded := &io.LimitedReader{R: wire, N: max + 1}
	var unpacked io.Reader = bounded
	switch encoding := strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		packed := unpackers.Get().(*gzip.Reader)
		defer unpackers.Put(packed)
		if err := packed.Reset(bounded); err != nil {
			return nil, nil, bodyFailure(ctx, err)
		}
		unpacked = packed
	default:
		return nil, nil, badEncoding
	}
	g := &gathering{memory: c.memory}
	body, failed := c.collect(ctx, g, unpacked, wire, max)
	g.release()
	return body, g.turn, failed
}

// collect reads an answer in pieces, so one cut off at the cap never takes
// much more memory than the cap.
func (c *Client) collect(ctx context.Context, g *gathering, unpacked io.Reader, wire *meter, max int64) ([]byte, *failure) {
	for {
		if err := g.grow(ctx, wire); err != nil {
			return g.first(headSize), bodyFailure(ctx, err)
		}
		err := g.fill(unpacked)
		switch {
		case g.total > max || wire.n.Load() > max:
			return g.first(headSize), tooLarge
		case g.total > ratioFrom && g.total > c.limits.MaxRatio*wire.n.Load():
			return g.first(headSize), bomb
		case err == io.EOF:
			return g.first(g.total), nil
		case err != nil:
			return g.first(g.total), bodyFailure(ctx, err)
		}
	}
}

// watch ends a request whose body takes too long or trickles. The result
// stops the watching.
func (c *Client) watch(wire *meter, cancel context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	go func() {
		end := time.NewTimer(c.limits.Body)
		defer end.Stop()
		window := time.NewTicker(c.limits.Window)
		defer window.Stop()
		p := pace{least: int64(float64(c.limits.MinRate) * c.limits.Window.Seconds())}
		for {
			select {
			case <-done:
				return
			case <-end.C:
				if wire.held.Load()%2 != 0 {
					end.Reset(c.limits.Body) // it waits for its turn, which is not the provider's fault
					continue
				}
				cancel(tooSlow)
				return
			case <-window.C:
				if p.isSlow(wire.n.Load(), wire.held.Load()) {
					cancel(tooSlow)
					return
				}
			}
		}
	}()
	return func() { close(done) }
}

// pace is the number of bytes received until the end of the window before.
type pace struct {
	least   int64 // bytes in a window
	n, held int64
}

// isSlow reports whether too little was received in the window that ends. A window in
// which the meter was held, even for a part of it, does not count.
func (p *pace) isSlow(n, held int64) bool {
	slow := n-p.n < p.least && held == p.held && held%2 == 0
	p.n, p.held = n, held
	return slow
}
