package work_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"mkt/cluster/servers"
	"mkt/cluster/system"
	"mkt/internal/testing/check"
)

// watched is a cluster whose workers ask the provider through this test, which sees who asks for
// which account.
type watched struct {
	*system.System
	t        *testing.T
	provider *httptest.Server
	began    time.Time

	mu       sync.Mutex // guards the following fields
	workers  map[string]*worker
	accounts map[string]*sighting
	overlaps []string        // accounts that two live workers asked for at once
	waited   []time.Duration // of accounts that another worker ran after theirs ended
	longest  string
}

// worker is a process of mkt schedule.
type worker struct {
	*system.Process // nil until it is ready
	name            string
	gone            bool // killed, or told to stop; watched.mu
}

// sighting is what was seen of an account.
type sighting struct {
	now      map[*worker]int // requests under way
	last     *worker         // asked last
	at       time.Time       // when it asked
	orphan   *worker         // ended, and no other has asked since
	orphaned time.Time
}

func newWatched(t *testing.T, o system.Options) *watched {
	t.Helper()
	binary, err := servers.MKT()
	check.Must(t, err)
	s := &watched{t: t, began: time.Now(), workers: map[string]*worker{}, accounts: map[string]*sighting{}}
	var emulated atomic.Pointer[url.URL] // set before any worker starts
	s.provider = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			_, _, r.Out.URL.Path = cut(r.In.URL.Path)
			r.SetURL(emulated.Load())
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}, // a worker that was killed
	})
	t.Cleanup(s.provider.Close)
	forward := s.provider.Config.Handler
	s.provider.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		worker, account, _ := cut(r.URL.Path)
		defer s.note(worker, account)()
		forward.ServeHTTP(w, r)
	})
	o.Dir, o.MKT, o.Say = t.TempDir(), binary, t.Logf
	o.Provider = func(worker, account, at string) string {
		target, err := url.Parse(at)
		check.Must(t, err)
		emulated.Store(target)
		return s.provider.URL + "/" + worker + "/" + account
	}
	s.System, err = system.Start(t.Context(), o)
	check.Must(t, err)
	t.Cleanup(s.Stop)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.Workers {
		s.worker(p.Name).Process = p
	}
	return s
}

// cut parses the path /WORKER/ACCOUNT/PATH.
func cut(path string) (worker, account, rest string) {
	worker, rest, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	account, rest, _ = strings.Cut(rest, "/")
	return worker, account, "/" + rest
}

// note records a request for an account; the function that it returns ends it.
func (s *watched) note(name, account string) (end func()) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	w, a := s.worker(name), s.accounts[account]
	if a == nil {
		a = &sighting{now: map[*worker]int{}}
		s.accounts[account] = a
	}
	if a.orphan != nil && a.orphan != w {
		waited := now.Sub(a.orphaned)
		if len(s.waited) == 0 || waited > slices.Max(s.waited) {
			s.longest = fmt.Sprintf("%s of %s, by %s", account, a.orphan.name, w.name)
		}
		s.waited, a.orphan = append(s.waited, waited), nil
	}
	for other, n := range a.now {
		if other != w && n > 0 && !other.gone && !w.gone {
			s.overlaps = append(s.overlaps, fmt.Sprintf("%s by %s and %s", account, other.name, w.name))
		}
	}
	a.now[w]++
	a.last, a.at = w, now
	return func() {
		s.mu.Lock()
		a.now[w]--
		s.mu.Unlock()
	}
}

// worker returns a worker, which may not be ready yet.
func (s *watched) worker(name string) *worker {
	if s.workers[name] == nil {
		s.workers[name] = &worker{name: name}
	}
	return s.workers[name]
}

func (s *watched) start(name string) *worker {
	s.t.Helper()
	p, err := s.StartWorker(s.t.Context(), name)
	check.Must(s.t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.worker(name)
	w.Process = p
	return w
}

// end ends a worker. Its accounts are orphans until another worker asks for them.
func (s *watched) end(w *worker, how func() error) {
	s.t.Helper()
	held := s.leases(w.PID())
	s.mu.Lock()
	w.gone = true
	now := time.Now()
	for account, a := range s.accounts {
		// With the lease it had begun, and may not have asked the provider.
		if a.last == w || slices.Contains(held, account) {
			a.orphan, a.orphaned = w, now
		}
	}
	s.mu.Unlock()
	check.Must(s.t, how())
}

// leases returns the accounts whose leases a process holds.
func (s *watched) leases(process int) (accounts []string) {
	s.t.Helper()
	keys, err := redis.Strings(s.Redis.Do("KEYS", "mkt:lease:*"))
	check.Must(s.t, err)
	for _, key := range keys {
		holder, err := redis.String(s.Redis.Do("GET", key))
		if err != nil && err != redis.ErrNil {
			s.t.Fatal(err)
		}
		if strings.HasSuffix(holder, "(process "+strconv.Itoa(process)+")") {
			accounts = append(accounts, strings.Split(key, ":")[2])
		}
	}
	return accounts
}

// awaitAll waits until every account was asked for after a time, by a worker that runs.
func (s *watched) awaitAll(after time.Time, within time.Duration) time.Duration {
	s.t.Helper()
	for ; ; time.Sleep(50 * time.Millisecond) {
		late := ""
		s.mu.Lock()
		for _, a := range s.Accounts {
			// A worker that was told to stop may still have asked for it.
			if seen := s.accounts[a.ID]; seen == nil || seen.orphan != nil || !seen.at.After(after) {
				late += " " + a.ID
			}
		}
		s.mu.Unlock()
		if late == "" {
			return time.Since(after)
		}
		if time.Since(after) > within {
			s.t.Fatalf("these do not run after %s:%s", within, late)
		}
	}
}

// awaitNews waits for a publication that a replica shows long before it would poll the store.
func (s *watched) awaitNews(replica *system.Process) {
	s.t.Helper()
	account := s.Accounts[0]
	newest := time.Now()
	check.Eventually(s.t, "the replica hears of a publication", func() bool {
		at, err := replica.Published(s.t.Context(), account)
		if err != nil || !at.After(newest) {
			return false
		}
		newest = at
		return time.Since(at) < 3*time.Second
	})
}

// report logs how long the accounts of workers that ended waited, and fails if one waited too
// long.
func (s *watched) report(what string, workers int, most time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waited) == 0 {
		s.t.Errorf("no account moved when workers were %s", what)
		return
	}
	slices.Sort(s.waited)
	at := func(share float64) time.Duration {
		return s.waited[int(share*float64(len(s.waited)-1))].Round(100 * time.Millisecond)
	}
	s.t.Logf("%d workers %s: %d accounts moved; half ran elsewhere within %s, 95 %% within %s, all within %s (%s)", workers, what, len(s.waited), at(0.5), at(0.95), at(1), s.longest)
	if at(1) > most {
		s.t.Errorf("an account waited %s", at(1))
	}
	s.waited, s.longest = nil, ""
}

// checkAlone fails if two workers ran one account at once: both asked the provider, or one found
// that the other had published.
func (s *watched) checkAlone() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.overlaps) > 0 {
		s.t.Errorf("%d times two workers asked for one account at once: %v", len(s.overlaps), s.overlaps[:min(len(s.overlaps), 5)])
	}
	for _, p := range s.Workers {
		log, err := os.ReadFile(p.LogFile())
		check.Must(s.t, err)
		if n := bytes.Count(log, []byte("another publisher was faster")); n > 0 {
			s.t.Errorf("%d times another worker had published what %s ran", n, p.Name)
		}
	}
}

// published counts the publications in the store.
func (s *watched) published() int {
	all, _ := filepath.Glob(s.Store.File("client_id=*/product=*/commits/*"))
	return len(all)
}
