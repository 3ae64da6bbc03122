package simulation

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/schedule/sharing"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform/identity"
)

// requestRate is the share of requests to a provider with a fault.
const requestRate = 0.03

// requestFaults are the faults of a single request. Faults that last are commands: see script.
var requestFaults = []simulator.FaultKind{
	simulator.ServerError, simulator.Unavailable, simulator.Reset, simulator.Truncated, simulator.HTML, simulator.Empty, simulator.Wrong,
	simulator.Timeout, simulator.Slow, simulator.LimitedBare, simulator.LimitedOK, simulator.BadCredential, simulator.BadPermission,
	simulator.WithoutIDs, simulator.Duplicate, simulator.BrokenFixture, simulator.Shrink, simulator.Nested, simulator.Redirect, simulator.Bomb,
}

// account is an account with the provider that it is a customer of.
type account struct {
	w        *world
	id       string
	provider string
	products []football.Product
	seed     uint64
	added    bool // from the beginning
	scores   bool // every match in play has a goal that is taken back

	mu       sync.Mutex
	secret   string          // that the provider accepts
	secrets  map[string]bool // that it ever accepted
	off      time.Time       // since when the provider is disabled, or the account deleted; zero: it is not
	leaving  bool            // it is being deleted: what is left of it counts for nothing
	lasting  simulator.FaultKind
	accepts  map[simulator.FaultKind]*simulator.Server // by fault; "" is none
	words    map[string]bool                           // of all answers to the account
	listed   bool                                      // the provider listed fixtures in the run under way
	shown    map[string]bool                           // words of its whole lists in this run, and of shortened ones
	lied     bool                                      // a list of this run left some out, or had an unreadable one
	answers  int                                       // in the run under way
	refusals int                                       // of them without data
	judged   int                                       // rows of matches in play that were compared with what the provider said
	playing  map[string]*playing                       // by the provider's id of the match in play

	timelines timelines
	followed  int // entries of a publication that were looked for in the next one
}

func (w *world) account(id, provider string, products ...football.Product) *account {
	a := &account{w: w, id: id, provider: provider, products: products, seed: w.hash("account", id), words: map[string]bool{}, shown: map[string]bool{}, secrets: map[string]bool{}, playing: map[string]*playing{}}
	a.rotate()
	return a
}

// rotate makes the provider accept another credential only.
func (a *account) rotate() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.secret = simulator.Token(a.w.hash("secret", a.id+a.secret))
	a.secrets[a.secret] = true
	a.accepts = map[simulator.FaultKind]*simulator.Server{}
}

// accepted is the credential that the provider accepts.
func (a *account) accepted() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.secret
}

// isOff notes whether the account may be fetched.
func (a *account) isOff(off bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.off = (time.Time{}); off {
		a.off = time.Now()
	}
}

// offFor is how long the account may not be fetched.
func (a *account) offFor() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.off.IsZero() {
		return 0
	}
	return time.Since(a.off)
}

// leaves notes whether the account is being deleted.
func (a *account) leaves(is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leaving = is
}

func (a *account) isLeaving() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.leaving
}

// server is the account's provider with a fault at every request.
func (a *account) server(kind simulator.FaultKind) *simulator.Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.accepts[kind]; s != nil {
		return s
	}
	o := simulator.Options{Seed: a.seed, Fixtures: 6, InPlay: 2, Quota: 1_000_000, Tokens: map[string]simulator.Account{a.secret: {Seed: a.seed}}}
	if kind != "" {
		o.Faults = []simulator.Fault{{Kind: kind, Rate: 1}}
	}
	if a.scores && a.provider == "betsapi" {
		o.InPlay = 8
		o.Faults = append(o.Faults, simulator.Fault{Kind: simulator.Retracted, Rate: 1})
	}
	s, err := emulators.New(a.provider, o)
	if err != nil {
		panic(err) // of the table of accounts
	}
	a.accepts[kind] = s
	return s
}

// last sets a fault of every request, until it is set to "".
func (a *account) last(kind simulator.FaultKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lasting = kind
}

func lookup(name string) (provider.Provider, bool) {
	p, ok := all.Lookup(name)
	p.Budget.Burst, p.Budget.Concurrency = 100_000, 1
	return p, ok
}

// key makes the ids of all data roots.
var key = identity.Key{1, 2, 3}

// fetchLimits end a run while its account's next one is still to come.
var fetchLimits = fetch.Limits{Run: 4 * time.Minute, Connect: 5 * time.Second, Header: 10 * time.Second, Body: 20 * time.Second}

// job is one product of an account.
type job struct {
	*account
	product football.Product
}

func (j job) String() string { return j.id + " " + string(j.product) }

// entry names the job to the scheduler.
func (j job) entry() string { return sharing.Entry(j.id, j.product) }

// dir is the folder of the job below a data root.
func (j job) dir() string { return layout.TenantProduct(j.id, string(j.product)) }

// network connects the machines with the providers.
type network struct {
	w        *world
	accounts map[string]*account
	dialled  chan net.Conn
	server   *http.Server
	ended    chan struct{}
}

func newNetwork(w *world, accounts []*account) *network {
	n := &network{w: w, accounts: map[string]*account{}, dialled: make(chan net.Conn), ended: make(chan struct{})}
	for _, a := range accounts {
		n.accounts[a.id] = a
	}
	type key struct{}
	n.server = &http.Server{
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, key{}, c.(*wire).life)
		},
		Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			n.answer(r.Context().Value(key{}).(*life), out, r)
		}),
	}
	go func() {
		defer close(n.ended)
		_ = n.server.Serve(n) // it ends with Close
	}()
	return n
}

// Accept implements [net.Listener].
func (n *network) Accept() (net.Conn, error) {
	c, ok := <-n.dialled
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// Close implements [net.Listener].
func (n *network) Close() error { return nil }

// Addr implements [net.Listener].
func (n *network) Addr() net.Addr { return &net.IPAddr{} }

// close ends the providers.
func (n *network) close() {
	close(n.dialled)
	<-n.ended
	_ = n.server.Close()
}

// wire is a connection of a life of a machine.
type wire struct {
	net.Conn
	life *life
}

// dialer lets the stage fetch of a life reach the providers.
func (n *network) dialer(l *life) func(*http.Transport) {
	return func(t *http.Transport) {
		t.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
			if l.dead.Load() {
				return nil, errKilled
			}
			near, far := net.Pipe()
			context.AfterFunc(l.ctx, func() { near.Close() })
			select {
			case n.dialled <- &wire{far, l}:
				return near, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
}

// answer lets a provider answer a request, perhaps with a fault.
func (n *network) answer(l *life, out http.ResponseWriter, r *http.Request) {
	w, id := n.w, strings.TrimSuffix(r.Host, ".example")
	a := n.accounts[id]
	if off := a.offFor(); off > 2*fetchLimits.Run {
		w.fail(offIsOff, "%s: a request, %s after it was disabled or deleted", id, off)
	}
	name, err := l.enter("request", id+" "+r.URL.Path+"?"+unsecret(r, a))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if l.machine.isCut() {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	a.mu.Lock()
	fault := a.lasting
	a.mu.Unlock()
	if fault == "" && w.happens("provider", name, requestRate) {
		fault = requestFaults[w.pick("fault", name, len(requestFaults))]
		w.note("%s %s", id, fault)
	}
	writes := 0
	kept := &keeper{ResponseWriter: out, lag: func() time.Duration {
		writes++
		return w.span("lag", fmt.Sprint(name, writes), 10*time.Microsecond, time.Millisecond)
	}}
	defer func() {
		a.count(fault)
		a.heard(r, kept, fault)
	}()
	if !sleep(l.ctx, w.span("latency", name, 10*time.Millisecond, 400*time.Millisecond)) {
		panic(http.ErrAbortHandler)
	}
	a.tells(l, r, fault)
	a.server(fault).ServeHTTP(kept, r)
}

// count counts an answer of the run under way.
func (a *account) count(fault simulator.FaultKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers++
	switch fault {
	case simulator.ServerError, simulator.LimitedBare, simulator.LimitedOK, simulator.QuotaEnds, simulator.BadCredential, simulator.BadPermission:
		a.refusals++
	}
}

// refused reports whether the provider gave no data in the run under way.
func (a *account) refused() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers > 0 && a.answers == a.refusals
}

// unsecret is the query of a request without the credential.
func unsecret(r *http.Request, a *account) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := r.URL.Query()
	for name, values := range q {
		for _, v := range values {
			if a.secrets[v] {
				q.Del(name)
			}
		}
	}
	return q.Encode()
}

// keeper keeps a copy of an answer.
type keeper struct {
	http.ResponseWriter
	lag    func() time.Duration // before a write, so that none comes at the very instant of a deadline
	status int
	body   bytes.Buffer
}

func (k *keeper) WriteHeader(status int) {
	k.status = status
	k.ResponseWriter.WriteHeader(status)
}

func (k *keeper) Write(p []byte) (int, error) {
	if k.status == 0 {
		k.status = http.StatusOK
	}
	time.Sleep(k.lag())
	if k.body.Len() < 8<<20 {
		k.body.Write(p)
	}
	return k.ResponseWriter.Write(p)
}

// Unwrap implements the convention of [http.ResponseController].
func (k *keeper) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// Hijack implements [http.Hijacker].
func (k *keeper) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(k.ResponseWriter).Hijack()
}

// heard notes everything that the provider told the account.
func (a *account) heard(r *http.Request, k *keeper, fault simulator.FaultKind) {
	body := k.body.Bytes()
	if k.Header().Get("Content-Encoding") == "gzip" {
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(io.LimitReader(z, 8<<20)) // half an answer has words too
		}
	}
	words := wordsOf(body)
	a.mu.Lock()
	defer a.mu.Unlock()
	for word := range words {
		a.words[word] = true
	}
	if !isListing(a.provider, r) && !listsSports(r) {
		return
	}
	a.listed = a.listed || isListing(a.provider, r) && k.status == http.StatusOK
	a.lied = a.lied || fault == simulator.Shrink || fault == simulator.BrokenFixture
	if fault != simulator.BrokenFixture { // which may name another sport
		maps.Copy(a.shown, words)
	}
}

// listsSports reports whether a request is for the sports of The Odds API. Each of them has a list.
func listsSports(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/v4/sports") }

// wordsOf returns the words of an answer: ids, prices and names in parts.
func wordsOf(body []byte) map[string]bool {
	words := map[string]bool{}
	text := strings.ReplaceAll(string(body), `\/`, "/")
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '/' || r == '-' || r == '+')
	}) {
		if len(word) <= 64 {
			words[word] = true
		}
	}
	return words
}

// isListing reports whether a request is for a provider's list of coming fixtures.
func isListing(provider string, r *http.Request) bool {
	switch path := r.URL.Path; provider {
	case "betsapi":
		return strings.HasSuffix(path, "/bet365/upcoming")
	case "sportmonks":
		return strings.Contains(path, "/fixtures/between/")
	case "apifootball":
		return path == "/fixtures" && !r.URL.Query().Has("ids") && !r.URL.Query().Has("live")
	case "theoddsapi":
		return strings.HasSuffix(path, "/events")
	case "feed:simulated":
		return path == "/feed/v1/fixtures"
	}
	return false
}

// begins forgets what the provider listed in the run before.
func (a *account) begins() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listed, a.lied, a.answers, a.refusals, a.shown = false, false, 0, 0, map[string]bool{}
}

// lists reports whether the provider still lists a fixture that is to come, also by the clock of the
// machine that asked. If a list of this run was shortened or had an unreadable fixture, it must have had this one.
func (a *account) lists(fixture string, now time.Time) bool {
	s := a.server("")
	a.mu.Lock()
	defer a.mu.Unlock()
	return (!a.lied || a.shown[fixture]) && slices.ContainsFunc(s.Listed(a.secret), func(f meant.Fixture) bool {
		return f.ID == fixture && !f.Over && f.Human && f.KickOff.After(s.Now().Add(time.Minute)) && f.KickOff.After(now.Add(time.Minute))
	})
}

// hasListed reports whether the provider listed fixtures in the run under way.
func (a *account) hasListed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listed
}

// said reports whether the provider ever told the account a word.
func (a *account) said(word string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.words[word]
}

// isLive reports whether a request is for the matches in play, or for their events.
func isLive(provider string, r *http.Request) (list, events bool) {
	if provider != "betsapi" {
		return false, false
	}
	return strings.HasSuffix(r.URL.Path, "/events/inplay"), strings.HasSuffix(r.URL.Path, "/event/view")
}

// tells notes what the provider says of the matches in play in the answer to a request, before it is sent.
func (a *account) tells(l *life, r *http.Request, fault simulator.FaultKind) {
	list, events := isLive(a.provider, r)
	if !list && !events {
		return
	}
	s, now := a.server(""), l.machine.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := strings.Split(r.URL.Query().Get("event_id"), ",")
	for _, m := range s.InPlay(a.secret) {
		if events && !slices.Contains(ids, m.EventID) {
			continue
		}
		p := a.playing[m.EventID]
		if p == nil {
			p = &playing{}
			a.playing[m.EventID] = p
		}
		if fault != "" {
			if p.doubted.IsZero() {
				p.doubted = now
			}
			continue
		}
		sent := m.Sent(s.Now())
		if !sent.Begun {
			continue
		}
		from := now
		if !p.doubted.IsZero() {
			from = p.doubted
		}
		if list {
			p.heard, p.scores, p.doubted = now, nil, time.Time{}
		}
		p.score(sent.Score, from, now)
		if events && !m.WithoutTimeline {
			p.viewed, p.goals = now, goalsOf(&m, sent.At.Sub(m.Whistle))
			p.since = append(p.since, p.goals...)
		}
	}
}
