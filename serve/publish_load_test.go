package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve"
	"mkt/serve/account"
)

var (
	loadFor  = flag.Duration("load-for", 4*time.Second, "how long TestPublicationsUnderLoad publishes, and how long it does not")
	inFlight = flag.Int("in-flight", 500, "requests in progress at any time")
)

// S1: a publication every 200 ms under requests that page through everything, -in-flight
// of them at any time. No answer is an error or a mixture, no client sees an
// older publication after a newer one, and every walk shows each permanent fixture exactly
// once. The latencies are logged together with those of the same load without publications,
// before and after it, but are not checked. (-load-for 60s -in-flight 10000 is the long run.)
func TestPublicationsUnderLoad(t *testing.T) {
	needs.Time(t, "a load of seconds")
	l := newPaging(t)
	l.start()
	alone := l.run(*loadFor/2, false)
	during := l.run(*loadFor, true)
	again := l.run(*loadFor/2, false)
	l.stop()
	without := append(alone.took, again.took...)
	slices.Sort(without)
	slices.Sort(during.took)
	p := func(list []int32, percent int) time.Duration {
		return time.Duration(list[min(len(list)*percent/100, len(list)-1)]) * time.Microsecond
	}
	t.Logf("%d in flight: %d requests during %d publications, p50 %v, p99 %v; %d without, p50 %v, p99 %v (before %v, after %v); p99 %.2f times, p50 %.2f times; %d whole walks; load average %s",
		*inFlight, len(during.took), during.publications, p(during.took, 50), p(during.took, 99), len(without), p(without, 50), p(without, 99),
		alone.p99(), again.p99(), p(during.took, 99).Seconds()/p(without, 99).Seconds(), p(during.took, 50).Seconds()/p(without, 50).Seconds(), l.walks.Load(), loadAverage())
	if during.publications == 0 || l.walks.Load() == 0 {
		t.Error("nothing was published, or nobody came to an end")
	}
}

// Some fixtures are permanent, and each of the others exists for a while.
const (
	staying   = 180
	passing   = 40
	passingAt = 20 // at once
)

// paging is a server and a publisher, each in its own process, and the clients.
type paging struct {
	t                 *testing.T
	data, token       string
	publisher, server *loaded
	url               string
	last              map[string]int // the fixtures that last, numbered

	clients  []*pager
	phase    atomic.Pointer[phase]
	walks    atomic.Int64
	finished sync.WaitGroup
}

type phase struct {
	publications int
	took         []int32 // microseconds
}

func (p *phase) p99() time.Duration {
	list := slices.Sorted(slices.Values(p.took))
	return time.Duration(list[len(list)*99/100]) * time.Microsecond
}

func newPaging(t *testing.T) *paging {
	token, err := account.NewToken(nil)
	must(t, err)
	l := &paging{t: t, data: t.TempDir(), token: token, last: map[string]int{}}
	for n := range staying {
		l.last[servetest.FixtureID("acme", n)] = n
	}
	return l
}

// loaded is a process of the load. It receives commands and answers them, line by line.
type loaded struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// loadProcesses are the parts of this binary by their names in MKT_LOAD_PROCESS.
var loadProcesses = map[string]func(testing.TB){"publisher": loadingPublisher, "server": loadedServer}

// alone is the testing.TB of such a process. A failure ends the process.
type alone struct{ testing.TB }

func (alone) Helper()           {}
func (alone) Cleanup(func())    {}
func (alone) Fatal(args ...any) { log.Fatal(args...) }

func (l *paging) process(name string) *loaded {
	l.t.Helper()
	p := &loaded{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), "MKT_LOAD_PROCESS="+name, "MKT_LOAD_DATA="+l.data, "MKT_LOAD_TOKEN="+l.token)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	must(l.t, err)
	out, err := p.StdoutPipe()
	must(l.t, err)
	must(l.t, p.Start())
	p.in, p.out = in, bufio.NewReader(out)
	return p
}

func (p *loaded) line() (string, error) {
	text, err := p.out.ReadString('\n')
	return strings.TrimSpace(text), err
}

func (p *loaded) end() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.Wait()
}

func (l *paging) start() {
	t := l.t
	t.Helper()
	l.publisher = l.process("publisher")
	_, err := l.publisher.line()
	must(t, err)
	l.server = l.process("server")
	url, err := l.server.line()
	must(t, err)
	l.url = strings.TrimPrefix(url, "http://")
	l.phase.Store(new(phase))
	for range *inFlight {
		conn, err := net.Dial("tcp", l.url)
		must(t, err)
		p := &pager{paging: l, asker: asker{conn, bufio.NewReaderSize(conn, 4<<10)}}
		l.clients = append(l.clients, p)
		l.finished.Go(p.run)
	}
}

func (l *paging) run(d time.Duration, publishing bool) *phase {
	l.t.Helper()
	p := new(phase)
	l.collect(p) // samples between two phases belong to none
	if publishing {
		fmt.Fprintln(l.publisher.in, d)
		published, err := l.publisher.line()
		must(l.t, err)
		p.publications, err = strconv.Atoi(published)
		must(l.t, err)
	} else {
		time.Sleep(d)
	}
	if p.took = l.collect(new(phase)); len(p.took) == 0 {
		l.t.Fatal("nobody was answered")
	}
	return p
}

func (l *paging) collect(next *phase) (took []int32) {
	l.phase.Store(next)
	for _, c := range l.clients {
		c.mu.Lock()
		took = append(took, c.took...)
		c.took = nil
		c.mu.Unlock()
	}
	return took
}

func (l *paging) stop() {
	for _, c := range l.clients {
		c.over.Store(true)
	}
	l.finished.Wait()
	must(l.t, errors.Join(l.server.end(), l.publisher.end()))
}

type pager struct {
	*paging
	asker
	over atomic.Bool
	body []byte

	mu   sync.Mutex
	took []int32 // of this phase

	version int // of the newest page it was shown
}

func (p *pager) run() {
	defer p.conn.Close()
	for !p.over.Load() {
		if err := p.walk(); err != nil {
			p.t.Error(err)
			return
		}
	}
}

func (p *pager) walk() error {
	var shown [staying]byte
	for cursor := ""; ; {
		body, err := p.ask(cursor)
		if err == nil {
			err = p.check(body, &shown)
		}
		if err != nil || p.over.Load() {
			return err
		}
		next := between(body, `"next_cursor":"`, `"`)
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	for n, times := range shown {
		if times != 1 {
			return fmt.Errorf("fixture %d lasts and was shown %d times", n, times)
		}
	}
	p.walks.Add(1)
	return nil
}

func (p *pager) ask(cursor string) ([]byte, error) {
	began, now := time.Now(), p.phase.Load()
	length, err := p.begin(head("/api/v1/fixtures?limit=50"+cursor, p.token, ""))
	if err != nil {
		return nil, err
	}
	p.body = slices.Grow(p.body[:0], length)[:length]
	if _, err := io.ReadFull(p.reader, p.body); err != nil {
		return nil, err
	}
	if now == p.phase.Load() { // a request of two phases is of none
		p.mu.Lock()
		p.took = append(p.took, int32(time.Since(began).Microseconds()))
		p.mu.Unlock()
	}
	return p.body, nil
}

// check checks that a page is of one publication, which is not older than the last one.
func (p *pager) check(body []byte, shown *[staying]byte) error {
	at, err := time.Parse(time.RFC3339, between(body, `"published_at":"`, `"`))
	if err != nil {
		return err
	}
	version := int(at.Sub(servetest.Start).Hours()) + 1
	if version < p.version {
		return fmt.Errorf("version %d after %d", version, p.version)
	}
	p.version = version
	mark := fmt.Appendf(nil, " v%d\"", version)
	for rest := body; ; {
		id := between(rest, `"fixture_id":"`, `"`)
		if id == "" {
			return nil
		}
		_, rest, _ = bytes.Cut(rest, []byte(id))
		home, _, _ := bytes.Cut(rest, []byte(`,"away"`))
		if !bytes.HasSuffix(home, mark) {
			return fmt.Errorf("version %d shows %s", version, home)
		}
		if n, lasts := p.last[id]; lasts {
			shown[n]++
		}
	}
}

func between(body []byte, from, to string) string {
	_, rest, _ := bytes.Cut(body, []byte(from))
	text, _, _ := bytes.Cut(rest, []byte(to))
	if len(text) == len(rest) {
		return ""
	}
	return string(text)
}

// loadingPublisher is the process that publishes: first once, then every 200 ms for as long as
// it is told.
func loadingPublisher(t testing.TB) {
	root := servetest.NewRoot(t, os.Getenv("MKT_LOAD_DATA"), "acme")
	root.Record(health.Run{Step: "fetch", Cycle: "c", OK: true, FinishedAt: servetest.Start, CredentialFingerprint: fingerprint})
	publish := func() { // some of the passing fixtures have come or gone
		version := int(root.Commit.Version) + 1
		list := servetest.Samples("acme", staying, 1, version)
		for k := range passingAt {
			list = append(list, servetest.Sample("acme", staying+(version+k)%passing, 1, version))
		}
		root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: min(1, version/20)})
	}
	publish()
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		d, err := time.ParseDuration(lines.Text())
		must(t, err)
		n, tick, end := 0, time.NewTicker(200*time.Millisecond), time.Now().Add(d)
		for time.Now().Before(end) {
			<-tick.C
			publish()
			n++
		}
		fmt.Println(n)
	}
}

func loadedServer(t testing.TB) {
	data, token := os.Getenv("MKT_LOAD_DATA"), os.Getenv("MKT_LOAD_TOKEN")
	g, err := account.NewGeneration([]account.Account{{
		ClientID: "acme", Status: account.Active, TokenDigests: [][32]byte{account.Digest(token)},
		Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}}, Features: map[string]bool{"fixtures": true},
		Limit:    account.Limit{Requests: 1_000_000_000, Per: time.Minute, Burst: 1_000_000_000},
		Provider: account.Provider{Name: "betsapi", Configured: true, Fingerprint: fingerprint},
	}})
	must(t, err)
	registry := new(account.Registry)
	registry.Swap(g)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { io.Copy(io.Discard, os.Stdin); cancel() }()
	must(t, serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: data, Accounts: registry,
		Poll: 50 * time.Millisecond, Ready: func(url string) { fmt.Println(url) }}))
}
