package simulator

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Server answers for a provider: it knows the accounts, keeps their quotas and
// counts, and makes go wrong what is to go wrong. It is an http.Handler.
type Server struct {
	options Options
	dialect Dialect
	start   time.Time
	log     *slog.Logger

	mu       sync.Mutex
	accounts map[string]*account
	faults   map[FaultKind]int
}

// account is what a server remembers of a token. Guarded by Server.mu but for
// the world, which does not change.
type account struct {
	Account
	world    *World
	window   time.Time // start of the hour that used counts for
	used     int
	requests map[string]int // by endpoint, every request with the token
	classes  map[Class]int
	all      int
}

// NewServer returns a server that speaks a dialect. An error names the option
// that is wrong.
func NewServer(o Options, d Dialect) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, dialect: d, start: o.Now(), log: o.Log,
		accounts: make(map[string]*account), faults: make(map[FaultKind]int)}
	var matches *Matches
	if o.Matches != "" {
		if matches, err = ReadMatches(o.Matches); err != nil {
			return nil, err
		}
	}
	for token, a := range o.Tokens {
		if a.Seed == 0 {
			a.Seed = TextSeed(o.Seed, token)
		}
		if a.Fixtures == 0 {
			a.Fixtures = o.Fixtures
		}
		if a.InPlay == 0 {
			a.InPlay = o.InPlay
		}
		if a.Quota == 0 {
			a.Quota = o.Quota
		}
		world := MakeWorld(WorldOptions{Seed: a.Seed, Fixtures: a.Fixtures, InPlay: a.InPlay, Matches: matches, MatchOffsets: o.MatchOffsets,
			Start: s.start.UTC().Truncate(time.Second), Oddities: o.oddities(), Frozen: o.Frozen})
		s.accounts[token] = &account{Account: a, world: world, requests: make(map[string]int), classes: make(map[Class]int)}
	}
	return s, nil
}

// Tokens returns the credentials accepted, sorted.
func (s *Server) Tokens() []string { return slices.Sorted(maps.Keys(s.accounts)) }

// World returns the world a token sees, nil for an unknown one.
func (s *Server) World(token string) *World {
	if a, ok := s.accounts[token]; ok {
		return a.world
	}
	return nil
}

// Now is the time in the simulated worlds: UTC, whole seconds.
func (s *Server) Now() time.Time {
	passed := s.options.Now().Sub(s.start)
	return s.start.Add(time.Duration(float64(passed) * s.options.Speed)).UTC().Truncate(time.Second)
}

// Requests returns how often a token asked, by endpoint.
func (s *Server) Requests(token string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.accounts[token]; ok {
		return maps.Clone(a.requests)
	}
	return nil
}

// Faults returns how often each fault befell a request.
func (s *Server) Faults() map[FaultKind]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.faults)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		write(w, r, s.dialect.Refuse(BadMethod))
		return
	}
	endpoint, class := s.dialect.Endpoint(r.URL.Path)
	if endpoint == "" {
		write(w, r, s.dialect.Refuse(BadPath))
		return
	}
	a, ok := s.accounts[s.dialect.Token(r)]
	if !ok {
		write(w, r, s.dialect.Refuse(BadToken))
		return
	}
	n, left := s.count(a, endpoint, class)
	fault, pick := s.due(a, n, class)
	s.dialect.Quota(w.Header(), a.Quota, max(left, 0), s.reset())
	d := metered(s.dialect, a.Quota, max(left, 0), s.reset().Sub(s.options.Now()))
	switch {
	case a.Denied:
		write(w, r, d.Refuse(NotBought))
	case left < 0:
		write(w, r, d.Refuse(QuotaUsed))
	default:
		s.spoil(w, r, d, fault, pick, func() Answer {
			a := d.Answer(Question{Path: r.URL.Path, Endpoint: endpoint, Query: r.URL.Query(), World: a.world, Now: s.Now()})
			if a.Items != nil && a.Body == nil {
				a.Body = d.Wrap(a.Items, a.Page)
			}
			return a
		})
	}
}

// asked is the number of a request, from 1: of the account and of its class.
type asked struct{ all, class int }

// count books a request and returns its numbers and what is left of the quota,
// -1 when it is one too many.
func (s *Server) count(a *account, endpoint string, class Class) (asked, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.requests[endpoint]++
	a.classes[class]++
	a.all++
	n := asked{a.all, a.classes[class]}
	if window := s.options.Now().Truncate(s.options.QuotaWindow); !window.Equal(a.window) {
		a.window, a.used = window, 0
	}
	if a.used >= a.Quota {
		return n, -1
	}
	a.used++
	return n, a.Quota - a.used
}

// reset is when the quota comes back: the fixed window's end.
func (s *Server) reset() time.Time {
	return s.options.Now().Truncate(s.options.QuotaWindow).Add(s.options.QuotaWindow)
}

// retryAfter writes a wait in whole seconds.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}
