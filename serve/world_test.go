package serve_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/admin"
	"mkt/serve/asof"
	"mkt/serve/internal/api"
	"mkt/serve/replay"
)

var must, eventually = check.Must, check.Eventually

// common is one world with every account, for tests that only read.
var common struct {
	sync.Once
	world *world
	dir   string
}

func shared(t testing.TB) *world {
	t.Helper()
	common.Do(func() {
		dir, err := os.MkdirTemp("", "serve-test-")
		must(t, err)
		common.dir = dir
		w := contractWorld(lasting{t, dir})
		common.world = w.start()
	})
	if common.world == nil {
		t.Fatal("the common world did not start")
	}
	return &world{t: t, dataDir: common.world.dataDir, url: common.world.url, admin: common.world.admin, registry: common.world.registry, log: common.world.log,
		accounts: common.world.accounts, tokens: common.world.tokens, roots: common.world.roots, lives: common.world.lives, mu: common.world.mu}
}

// lasting is a testing.TB that outlives its test: the common world ends with the test binary.
type lasting struct {
	testing.TB
	dir string
}

func (l lasting) TempDir() string {
	dir, err := os.MkdirTemp(l.dir, "")
	must(l.TB, err)
	return dir
}

func (lasting) Cleanup(func()) {}

func TestMain(m *testing.M) {
	if data := os.Getenv("MKT_BENCH_DATA"); data != "" {
		if err := measuredServer(data); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if process := loadProcesses[os.Getenv("MKT_LOAD_PROCESS")]; process != nil {
		process(alone{})
		return
	}
	code := m.Run()
	if common.world != nil {
		if err := common.world.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.RemoveAll(common.dir)
	os.Exit(code)
}

// world is a running server over a data root of several tenants, with a clock that only moves
// when a test sets it.
type world struct {
	t        testing.TB
	dataDir  string
	url      string
	admin    *admin.Server
	registry *account.Registry
	clock    atomic.Pointer[time.Time]
	log      *logBuffer
	realtime serve.Realtime
	listen   string      // a free port unless a test says more
	past     *asof.Clock // nil = the present
	replay   replay.Options
	delay    time.Duration // DrainDelay
	edit     func(*serve.Options)
	stop     func() error

	mu       *sync.Mutex
	accounts map[string]account.Account
	tokens   map[string]string
	roots    map[string]*servetest.Root
	lives    map[string]*servetest.LiveRoot
}

var begin = servetest.Start.Add(10 * time.Minute)

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newWorld(t testing.TB, accounts ...string) *world {
	w := &world{t: t, dataDir: t.TempDir(), registry: new(account.Registry), log: new(logBuffer), mu: new(sync.Mutex),
		realtime: serve.Realtime{Tick: 20 * time.Millisecond}, listen: "127.0.0.1:0",
		accounts: map[string]account.Account{}, tokens: map[string]string{}, roots: map[string]*servetest.Root{}, lives: map[string]*servetest.LiveRoot{}}
	w.setClock(begin)
	for _, id := range accounts {
		w.add(id, nil)
	}
	return w
}

func published(t testing.TB, fixtures, markets int) *world {
	w := newWorld(t, "acme")
	w.publish("acme", fixtures, markets, 1)
	return w
}

func (w *world) setClock(at time.Time) { w.clock.Store(&at) }

func (w *world) now() time.Time { return *w.clock.Load() }

const fingerprint = "f0"

func (w *world) add(id string, edit func(*account.Account)) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	a, known := w.accounts[id]
	if !known {
		token, err := account.NewToken(nil)
		must(w.t, err)
		w.tokens[id] = token
		a = account.Account{
			ClientID: id, Name: "Account " + id, Status: account.Active, TokenDigests: [][32]byte{account.Digest(token)},
			Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}, football.LiveIntelligence: {}},
			Features:      map[string]bool{"fixtures": true, "markets": true, "changes": true, "live_match": true, "momentum": true, "advanced_stats": true},
			Origins:       []string{"https://" + id + ".example"}, Limit: account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000},
			Provider: account.Provider{Name: "betsapi", Configured: true, Hint: "…Ab1x", Fingerprint: fingerprint, Capabilities: []football.Capability{football.Prematch, football.LiveStats}},
			Cadence:  map[football.Product]time.Duration{football.MarketEngine: time.Hour},
		}
	}
	a.Subscriptions, a.Features = maps.Clone(a.Subscriptions), maps.Clone(a.Features)
	if edit != nil {
		edit(&a)
	}
	w.accounts[id] = a
	w.swap()
}

func (w *world) remove(id string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.accounts, id)
	w.swap()
}

// swap makes the accounts current. The lock is held.
func (w *world) swap() {
	w.t.Helper()
	var list []account.Account
	for _, id := range slices.Sorted(maps.Keys(w.accounts)) {
		list = append(list, w.accounts[id])
	}
	g, err := account.NewGeneration(list)
	must(w.t, err)
	w.registry.Swap(g)
}

// root returns the tenant's data root, which it creates at the first call.
func (w *world) root(id string) *servetest.Root {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.roots[id] == nil {
		w.roots[id] = servetest.NewRoot(w.t, w.dataDir, id)
	}
	return w.roots[id]
}

// fetched records a successful fetch, which makes the provider CONNECTED and shows that
// the plan includes prematch.
func (w *world) fetched(id string) {
	w.t.Helper()
	w.root(id).Record(health.Run{Step: "fetch", Cycle: "c", OK: true, StartedAt: servetest.Start.Add(-time.Minute), FinishedAt: servetest.Start, CredentialFingerprint: fingerprint,
		Plan: planOf(servetest.Start, true, football.Prematch)})
}

// planOf is a plan that was found to include capabilities, or to refuse them.
func planOf(at time.Time, included bool, list ...football.Capability) *health.Plan {
	p := &health.Plan{Capabilities: map[football.Capability]health.Evidence{}}
	for _, c := range list {
		p.Capabilities[c] = health.Evidence{Included: included, At: at}
	}
	return p
}

func (w *world) publish(id string, fixtures, markets, version int) {
	w.t.Helper()
	list := servetest.Samples(id, fixtures, markets, version)
	w.root(id).Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	w.fetched(id)
}

// live returns the tenant's live root, which it creates at the first call.
func (w *world) live(id string) *servetest.LiveRoot {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lives[id] == nil {
		w.lives[id] = servetest.NewLiveRoot(w.t, w.dataDir, id)
	}
	return w.lives[id]
}

// publishLive publishes live samples that were observed just before begin.
func (w *world) publishLive(id string, fixtures int) {
	w.t.Helper()
	w.live(id).Publish(servetest.LiveSamples(id, fixtures, 1, begin.Add(-2*time.Second)))
}

func (w *world) start() *world {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	adminServer, err := admin.Open(admin.Options{Listen: "127.0.0.1:0", Version: "test"})
	must(w.t, err)
	w.admin = adminServer
	o := serve.Options{
		Listen: w.listen, DataDir: w.dataDir, CacheDir: w.t.TempDir(), Accounts: w.registry, Clock: w.past, Replay: w.replay, Now: w.now, Admin: adminServer,
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Poll: 20 * time.Millisecond,
		Realtime: w.realtime, DrainDelay: w.delay, Ready: func(url string) { ready <- url },
	}
	if w.edit != nil {
		w.edit(&o)
	}
	go func() { done <- serve.Run(ctx, o) }()
	select {
	case w.url = <-ready:
	case err := <-done:
		w.t.Fatal(err)
	}
	eventually(w.t, "what was published is loaded", func() bool { return adminServer.Ready() == nil }) // a busy machine takes longer than Ready waits
	var once sync.Once
	w.stop = func() (err error) {
		once.Do(func() { cancel(); err = errors.Join(<-done, adminServer.Close()) })
		return err
	}
	w.t.Cleanup(func() { must(w.t, w.stop()) })
	return w
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) code() string {
	var e struct {
		Error struct{ Code string }
	}
	json.Unmarshal([]byte(r.body), &e)
	return e.Error.Code
}

// client does not add Accept-Encoding by itself.
var client = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}

// do sends a request and checks the answer against docs/openapi.yaml. path is below /api/v1
// unless it begins with "//". as is the account whose token is sent, or "". headers are
// names and values in turn.
func (w *world) do(method, path, as string, headers ...string) reply {
	w.t.Helper()
	r, err := w.send(method, path, as, nil, headers...)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (w *world) get(path, as string, headers ...string) reply {
	w.t.Helper()
	return w.do("GET", path, as, headers...)
}

func (w *world) send(method, path, as string, body io.Reader, headers ...string) (reply, error) {
	target := "/api/v1" + path
	if strings.HasPrefix(path, "//") {
		target = path[1:]
	}
	q, err := http.NewRequest(method, w.url+target, body)
	if err != nil {
		return reply{}, err
	}
	if as != "" {
		w.mu.Lock()
		token, ok := w.tokens[as]
		w.mu.Unlock()
		if !ok {
			token = as
		}
		q.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Add(headers[i], headers[i+1])
	}
	a, err := client.Do(q)
	if err != nil {
		return reply{}, err
	}
	defer a.Body.Close()
	r := reply{status: a.StatusCode, header: a.Header}
	data, err := unzip(a)
	if err != nil {
		return r, err
	}
	r.body = string(data)
	doc, err := openAPI()
	root := "/api/v1"
	if strings.HasPrefix(target, api.HistoryRoot+"/fixtures/") && r.code() != string(api.NotFound) {
		doc, err = openHistory()
		root = api.HistoryRoot
	}
	if err != nil {
		return r, err
	}
	plain, _, _ := strings.Cut(strings.TrimPrefix(target, root), "?")
	return r, doc.check(method, plain, r.status, r.header, data)
}

func unzip(a *http.Response) ([]byte, error) {
	if a.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(a.Body)
	}
	z, err := gzip.NewReader(a.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

type item struct {
	FixtureID string `json:"fixture_id"`
	MarketID  string `json:"market_id"`
	Seq       uint64 `json:"seq"`
	Home      *string

	DetailAvailable bool `json:"detail_available"`
}

type page struct {
	Data       []item
	Pagination struct {
		Limit      int
		NextCursor *string `json:"next_cursor"`
		HasMore    bool    `json:"has_more"`
	}
	Meta struct {
		FixtureCount  int    `json:"fixture_count"`
		FilteredCount int    `json:"filtered_count"`
		IndexStale    bool   `json:"index_stale"`
		ChangesCursor string `json:"changes_cursor"`
		ChangesSeq    uint64 `json:"changes_seq"`
		AgeMS         *int64 `json:"age_ms"`
		PublishedAt   string `json:"published_at"`
		Window        struct {
			FirstSeq uint64 `json:"first_seq"`
			LastSeq  uint64 `json:"last_seq"`
		}
	}
}

func (r reply) page(t testing.TB) page {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	var p page
	must(t, json.Unmarshal([]byte(r.body), &p))
	return p
}
