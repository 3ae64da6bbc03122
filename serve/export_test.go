package serve

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mkt/serve/internal/api"
)

// Routes that only exist in tests, for faulty and slow handlers.
func init() {
	table = append(table,
		route{path: "/test/panic", name: "/test/panic", handle: func(*call) error { panic("secret of the handler") }},
		route{path: "/test/late", name: "/test/late", handle: func(c *call) error {
			c.Write([]byte("half an answer"))
			panic("secret of the handler")
		}},
		route{path: "/test/error", name: "/test/error", handle: func(*call) error { return errors.New("open /secret/path: secret of the handler") }},
		route{path: "/test/slow", name: "/test/slow", handle: func(c *call) error {
			time.Sleep(400 * time.Millisecond)
			return c.sendDocument("done")
		}},
		route{path: "/test/drain", name: "/test/drain", handle: func(c *call) error {
			c.draining.Store(true) // from now on every request is answered as while draining
			return c.sendDocument("done")
		}},
		route{path: "/test/held", name: "/test/held", need: needFixtures, handle: func(c *call) error {
			return c.sendPage("held "+c.ID, func(ctx context.Context) (*api.Page, error) {
				release := make(chan struct{})
				Held <- release
				select {
				case <-release:
					return api.Document("done")
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
		}},
	)
}

// SetReadTime sets the time limit for reading a request's body.
func (o *Options) SetReadTime(d time.Duration) { o.readTime = d }

// SetLimitsBudget sets the time for a command to the server of the limits.
func (o *Options) SetLimitsBudget(d time.Duration) { o.limitsBudget = d }

// Held receives a value for each page of /test/held that is being rendered; the rendering
// ends when the value is closed.
var Held = make(chan chan struct{}, 64)

// NewIdle returns a server that has looked at no dataset yet, and never does.
func NewIdle(o Options) (h http.Handler, end func() error, err error) {
	s, err := newServer(&o)
	if err != nil {
		return nil, nil, err
	}
	return s, s.close, nil
}
