package fetch_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/layout"
)

// cutter cuts a provider's answers on one path short: the text ends there, or the
// connection does.
type cutter struct {
	provider http.Handler
	path     string
	breaks   bool

	at      atomic.Int64 // bytes; an answer of the run before may still be on its way
	longest atomic.Int64 // of those that were cut
	whole   sync.Map     // bodies let through
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Del("Accept-Encoding")
	answer := httptest.NewRecorder()
	c.provider.ServeHTTP(answer, r)
	body, at := answer.Body.Bytes(), int(c.at.Load())
	for name := range answer.Header() {
		w.Header().Set(name, answer.Header().Get(name))
	}
	if !strings.HasSuffix(r.URL.Path, c.path) || len(body) <= at {
		c.whole.Store(string(body), true)
		w.Write(body)
		return
	}
	c.longest.Store(int64(len(body)))
	length := at
	if c.breaks {
		length = len(body)
	}
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(http.StatusOK)
	w.Write(body[:at])
	http.NewResponseController(w).Flush()
	if c.breaks {
		panic(http.ErrAbortHandler)
	}
}

// Answers cut at every KiB are refused, wherever the cut is: whatever a cycle
// accepts came whole, and the newest cycle that can be used is never one in which
// no markets did.
func TestAnswersCutAtEveryKiB(t *testing.T) {
	step := 1 << 10
	if testing.Short() {
		step = 256 << 10
	}
	for _, path := range []string{"/upcoming", "/prematch"} {
		for _, breaks := range []bool{false, true} {
			name := path + " ends early"
			if breaks {
				name = path + " breaks off"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				now := time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
				o := simulator.Options{Seed: 7, Fixtures: 20, Now: func() time.Time { return now }, Quota: 1_000_000, Tokens: map[string]simulator.Account{canary: {Seed: 7}}}
				sim, err := emulator.New(o)
				must(t, err)
				c := &cutter{provider: sim, path: path, breaks: breaks}
				c.at.Store(1 << 30)
				server := httptest.NewServer(c)
				t.Cleanup(server.Close)
				p := betsapi.Provider()
				p.Budget.Burst = 10_000
				b := newBench(t, server.URL, p)
				b.options.Limits.Tries, b.options.Limits.Header, b.options.Limits.Body, b.options.Limits.Window = 2, 10*time.Second, 10*time.Second, 5*time.Second
				_, err = b.run(t.Context())
				must(t, err)
				cuts, refused := 0, 0
				c.at.Store(0)
				for ; ; c.at.Add(int64(step)) {
					c.longest.Store(0)
					b.clock = b.clock.Add(time.Hour)
					s, err := b.run(t.Context())
					if c.longest.Load() == 0 {
						break // none was as long
					}
					cuts++
					if (s.Outcome == raw.Failed) != (err != nil) {
						t.Fatalf("cut at %d: %s, %v", c.at.Load(), s.Outcome, err)
					}
					refused += onlyWhole(t, b, c, s.Cycle)
				}
				if cuts == 0 {
					t.Error("nothing was cut")
				}
				t.Logf("%d cuts, %d answers refused, 0 used in part", cuts, refused)
			})
		}
	}
}

// onlyWhole compares the answers a cycle accepted with those let through whole,
// and returns how many answers it refused.
func onlyWhole(t *testing.T, b *bench, c *cutter, id layout.CycleID) (refused int) {
	t.Helper()
	a, err := raw.Open(b.options.Root, id)
	must(t, err)
	for _, r := range a.Responses() {
		if !r.Accepted() {
			refused++
			continue
		}
		body, err := a.Body(r)
		must(t, err)
		if _, whole := c.whole.Load(string(body)); !whole {
			t.Errorf("cut at %d: %s was accepted, %d bytes", c.at.Load(), r.Endpoint, len(body))
		}
	}
	if refused == 0 {
		t.Errorf("cut at %d: nothing was refused", c.at.Load())
	}
	return refused
}
