package serve_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/serve/account"
)

// swapping swaps generations until the readers have finished.
func (w *world) swapping(t *testing.T, generations func(n int) account.Account, readers func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			case <-time.After(time.Millisecond):
			}
			g, err := account.NewGeneration([]account.Account{generations(n)})
			if err != nil {
				t.Error(err)
			}
			w.registry.Swap(g)
		}
	}()
	readers()
	close(stop)
	if n := <-done; n < 5 {
		t.Errorf("%d generations only", n)
	}
}

// A request uses one generation from its first check to its last byte: the headers from the
// gate and the body agree.
func TestOneGenerationPerRequest(t *testing.T) {
	t.Parallel()
	w := published(t, 2, 2).start()
	base := w.accounts["acme"]
	numbered := func(n int) account.Account {
		a := base
		a.Name = fmt.Sprint("generation ", n)
		a.Limit = account.Limit{Requests: 1_000_000 + n, Per: time.Minute, Burst: 1_000_000 + n}
		a.Origins = []string{fmt.Sprintf("https://g%d.example", n)}
		if n%3 == 2 {
			a.Status = account.Suspended
		}
		return a
	}
	w.swapping(t, numbered, func() {
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				answered := 0
				for answered < 50 {
					r, err := w.send("GET", "/account", "acme", nil)
					if err == nil && r.status == 403 && r.code() == "CLIENT_SUSPENDED" {
						continue
					}
					answered++
					var a struct {
						Data struct {
							Name      string
							Status    string
							RateLimit struct{ Requests, Burst int } `json:"rate_limit"`
						}
					}
					if err != nil || r.status != 200 || json.Unmarshal([]byte(r.body), &a) != nil {
						t.Errorf("%v %d %s", err, r.status, r.body)
						return
					}
					n, _ := strconv.Atoi(strings.TrimPrefix(a.Data.Name, "generation "))
					if a.Data.Name == base.Name {
						continue // from before the first
					}
					if limit := r.header.Get("RateLimit-Policy"); a.Data.RateLimit.Requests != 1_000_000+n || a.Data.RateLimit.Burst != 1_000_000+n || limit != fmt.Sprintf(`"default";q=%d;w=60`, 1_000_000+n) || n%3 == 2 || a.Data.Status != "ACTIVE" {
						t.Errorf("%s, status %s, limit %+v, in the header %s: of several generations", a.Data.Name, a.Data.Status, a.Data.RateLimit, limit)
					}
				}
			})
		}
		readers.Wait()
	})
}

// A request that began before a suspension is finished; a later one is refused.
func TestSuspensionDuringARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	slow := make(chan reply, 1)
	go func() {
		r, _ := w.sendPlain("/test/slow", "acme")
		slow <- r
	}()
	eventually(t, "the slow one is in", func() bool { return w.metric("mkt_http_requests_in_flight") == 1 })
	w.add("acme", func(a *account.Account) { a.Status = account.Suspended })
	if r := w.get("/account", "acme"); r.code() != "CLIENT_SUSPENDED" {
		t.Errorf("after the suspension: %d", r.status)
	}
	if r := <-slow; r.status != 200 {
		t.Errorf("what was under way: %d %s", r.status, r.body)
	}
}
