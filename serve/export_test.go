package serve

import (
	"errors"
	"time"
)

// Routes that only the tests' server has: what a faulty or slow handler does.
func init() {
	table = append(table,
		route{path: "/test/panic", name: "/test/panic", handle: func(*call) error { panic("secret of the handler") }},
		route{path: "/test/late", name: "/test/late", handle: func(c *call) error {
			c.answer.Write([]byte("half an answer"))
			panic("secret of the handler")
		}},
		route{path: "/test/error", name: "/test/error", handle: func(*call) error { return errors.New("open /secret/path: secret of the handler") }},
		route{path: "/test/slow", name: "/test/slow", handle: func(c *call) error {
			time.Sleep(400 * time.Millisecond)
			return c.sendDocument("done")
		}},
	)
}
