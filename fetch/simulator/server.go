package simulator

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/random"
	"mkt/fetch/simulator/world"
)

// Server emulates a provider: it knows the accounts, counts requests against their
// quotas, and injects faults. It is an http.Handler.
type Server struct {
	options Options
	dialect Dialect
	start   time.Time
	log     *slog.Logger

	mu       sync.Mutex
	accounts map[string]*account
}

// account is the state of a token. Server.mu guards all but the world, which does not
// change.
type account struct {
	Account
	world    *world.World
	window   time.Time // start of the quota window that used counts in
	used     int
	requests map[string]int // by endpoint, including refused ones
	classes  map[Class]int
	all      int
}

// NewServer returns a server that speaks a dialect. The error of a wrong option names it.
func NewServer(o Options, d Dialect) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := o.suits(d.Format()); err != nil {
		return nil, err
	}
	s := &Server{options: o, dialect: d, start: o.Now(), log: o.Log, accounts: make(map[string]*account)}
	var matches *play.Matches
	if o.Matches != "" {
		if matches, err = play.ReadMatches(o.Matches); err != nil {
			return nil, err
		}
	}
	for token, a := range o.Tokens {
		if a.Seed == 0 {
			a.Seed = random.TextSeed(o.Seed, token)
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
		world := world.New(world.Options{Seed: a.Seed, Fixtures: a.Fixtures, InPlay: a.InPlay, Matches: matches, MatchOffsets: o.MatchOffsets,
			Start: s.start.UTC().Truncate(time.Second), Opening: a.Opening, Oddities: o.oddities(), Frozen: o.Frozen})
		s.accounts[token] = &account{Account: a, world: world, requests: make(map[string]int), classes: make(map[Class]int)}
	}
	return s, nil
}

// Tokens returns the credentials accepted, sorted.
func (s *Server) Tokens() []string { return slices.Sorted(maps.Keys(s.accounts)) }

// World returns the world a token sees, nil for an unknown one.
func (s *Server) World(token string) *world.World {
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

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", s.options.Now().UTC().Format(http.TimeFormat))
	if r.Method != http.MethodGet {
		write(w, r, s.dialect.Refuse(BadMethod))
		return
	}
	endpoint, class := s.dialect.Endpoint(r.URL.Path)
	if d, ok := s.dialect.(Sorting); ok {
		endpoint, class = d.EndpointOf(r.URL.Path, r.URL.Query())
	}
	if endpoint == "" {
		write(w, r, s.dialect.Refuse(BadPath))
		return
	}
	a, ok := s.accounts[s.dialect.Token(r)]
	if !ok {
		write(w, r, s.dialect.Refuse(BadToken))
		return
	}
	q := Question{Path: r.URL.Path, Endpoint: endpoint, Query: r.URL.Query(), World: a.world, Now: s.Now()}
	cost := 1
	if d, ok := s.dialect.(Charging); ok {
		cost = d.Cost(q)
	}
	n, left := s.count(a, endpoint, class, cost)
	fault, pick := s.due(a, n, class)
	s.dialect.Quota(w.Header(), a.Quota, max(left, 0), s.reset())
	d := metered(s.dialect, a.Quota, max(left, 0), s.reset().Sub(s.options.Now()))
	switch {
	case a.Denied:
		write(w, r, d.Refuse(NotBought))
	case left < 0:
		write(w, r, d.Refuse(QuotaUsed))
	case fault == QuotaEnds:
		s.endQuota(w, r, a)
	case fault == Limited, fault == LimitedBare, fault == LimitedOK:
		s.limit(w, r, fault)
	default:
		injectFault(w, r, d, fault, pick, func() Answer {
			a := d.Answer(q)
			if a.Items != nil && a.Body == nil {
				a.Body = d.Wrap(a.Items, a.Page)
			}
			return a
		})
	}
}

// asked is the number of a request, from 1: within the account and within its class.
type asked struct{ all, class int }

// count counts a request and returns its numbers and the rest of the quota,
// -1 if the request costs more than was left.
func (s *Server) count(a *account, endpoint string, class Class, cost int) (asked, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.requests[endpoint]++
	a.classes[class]++
	a.all++
	n := asked{a.all, a.classes[class]}
	if window := s.options.Now().Truncate(s.options.QuotaWindow); !window.Equal(a.window) {
		a.window, a.used = window, 0
	}
	if cost > a.Quota-a.used {
		return n, -1
	}
	a.used += cost
	return n, a.Quota - a.used
}

// due returns the fault of a request, noFault for most, and a source of random numbers
// for it. Both depend only on the account's seed and the request's number.
func (s *Server) due(a *account, n asked, class Class) (FaultKind, func(int) int) {
	d := random.Dice(random.TextSeed(a.Seed, "faults"))
	pick := func(m int) int { return d.Under(m, uint64(n.all), 3) }
	for i, f := range s.options.Faults {
		number := n.all
		if f.Class != "" {
			number = n.class
		}
		switch {
		case f.Kind.OnMatches():
		case f.Class != "" && f.Class != class:
		case f.Number > 0 && (f.Number == number || f.Onward && f.Number < number),
			f.Number == 0 && d.Unit(uint64(number), uint64(i), 2) < f.Rate:
			s.log.Debug("fault", "kind", f.Kind, "request", n.all)
			return f.Kind, pick
		}
	}
	return noFault, pick
}

// limit answers a request that came too fast. A provider with one limit answers that its
// quota is used up.
func (s *Server) limit(w http.ResponseWriter, r *http.Request, kind FaultKind) {
	a := s.dialect.Refuse(QuotaUsed)
	paced, isPaced := base(s.dialect).(Paced)
	if isPaced {
		a = paced.TooFast(w.Header())
	}
	switch {
	case kind == LimitedBare:
		clear(w.Header())
		a.Status = http.StatusTooManyRequests
	case kind == LimitedOK:
		clear(w.Header())
		a.Status = http.StatusOK
	case !isPaced:
		w.Header().Set("Retry-After", retryAfter(s.options.RetryAfter))
		a = metered(s.dialect, s.options.Quota, 0, s.options.RetryAfter).Refuse(QuotaUsed)
		s.dialect.Quota(w.Header(), s.options.Quota, 0, s.options.Now().Add(s.options.RetryAfter+time.Second-1).Truncate(time.Second))
	}
	write(w, r, a)
}

// endQuota uses up the rest of an account's quota, and refuses the request.
func (s *Server) endQuota(w http.ResponseWriter, r *http.Request, a *account) {
	s.mu.Lock()
	a.used = a.Quota
	s.mu.Unlock()
	s.dialect.Quota(w.Header(), a.Quota, 0, s.reset())
	write(w, r, metered(s.dialect, a.Quota, 0, s.reset().Sub(s.options.Now())).Refuse(QuotaUsed))
}

func (s *Server) reset() time.Time {
	return s.options.Now().Truncate(s.options.QuotaWindow).Add(s.options.QuotaWindow)
}

func retryAfter(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}
