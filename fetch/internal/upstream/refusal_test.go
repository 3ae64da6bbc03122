package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// Between a refusal and the second answer to the same request nothing else is sent; then
// every request that waited is sent, or none.
func TestNothingIsSentWhileARefusalIsInDoubt(t *testing.T) {
	for name, sure := range map[string]bool{"a slip": false, "meant": true} {
		t.Run(name, func(t *testing.T) {
			var sent, refused atomic.Int64
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if n := sent.Add(1); n <= 2 && r.URL.Query().Get("page") != "0" {
					t.Errorf("page %s is sent as request %d", r.URL.Query().Get("page"), n)
				}
				if r.URL.Query().Get("page") == "0" && (sure || refused.Add(1) == 1) {
					say(401, "c")(w, r)
					return
				}
				fine(w, r)
			})
			b := newBench(t, s.URL, func(o *Options) { o.Limits.Confirm = 150 * time.Millisecond })
			get := func(page int) error {
				_, err := b.Get(t.Context(), provider.Request{Endpoint: "tiny/list", Path: "/v1/list", Query: url.Values{"page": {fmt.Sprint(page)}}}, func(Answer) error { return nil })
				return err
			}
			var all sync.WaitGroup
			var failed atomic.Int64
			all.Go(func() {
				if err := get(0); err != nil {
					failed.Add(1)
				}
			})
			for !b.doubt.isOpen() {
				time.Sleep(time.Millisecond)
			}
			for page := 1; page <= 8; page++ {
				all.Go(func() {
					if err := get(page); err != nil {
						failed.Add(1)
					}
				})
			}
			all.Wait()
			if sure && (failed.Load() != 9 || sent.Load() != 2 || b.Stopped() == nil) || !sure && (failed.Load() != 0 || sent.Load() != 10 || b.Stopped() != nil) {
				t.Errorf("%d failed, %d sent, stopped %v", failed.Load(), sent.Load(), b.Stopped())
			}
		})
	}
}

// Requests refused at the same time are one doubt, and an occasional refusal does not
// count.
func TestRefusalsAtOnce(t *testing.T) {
	var begun sync.WaitGroup
	begun.Add(4)
	var sent atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if sent.Add(1) <= 4 {
			begun.Done()
			begun.Wait()
			say(401, "c")(w, r)
			return
		}
		fine(w, r)
	})
	b := newBench(t, s.URL, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := b.ask(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if sent.Load() != 8 || b.Stopped() != nil {
		t.Errorf("%d sent, stopped %v", sent.Load(), b.Stopped())
	}
}

// Where there is no time to ask again, nothing is decided.
func TestRefusalAtTheEndOfTheRun(t *testing.T) {
	url, asked := script(t, say(401, "c"))
	b := newBench(t, url, func(o *Options) { o.Limits.Run, o.Limits.Confirm = time.Second, 2*time.Second })
	var refusal *provider.AnswerError
	if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || errors.As(err, &refusal) || asked.Load() != 1 || b.Stopped() != nil {
		t.Errorf("%v, asked %d, stopped %v", err, asked.Load(), b.Stopped())
	}
}
