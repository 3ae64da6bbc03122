package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// load is the load of BenchmarkRealtimeLoad: accounts that publish a live snapshot every
// period, at different times, and connections that receive it.
type load struct {
	accounts, each, fixtures int
	period, warmUp, measure  time.Duration
}

// loadFromEnv reads MKT_BENCH_REALTIME: accounts, connections an account, fixtures
// in play an account, seconds to measure.
func loadFromEnv(b *testing.B) load {
	l := load{500, 8, 20, 8 * time.Second, 16 * time.Second, time.Minute}
	if said := needs.Env(b, "MKT_BENCH_REALTIME", "run scripts/realtime-bench.sh"); said != "1" {
		var seconds int
		if _, err := fmt.Sscanf(said, "%d,%d,%d,%d", &l.accounts, &l.each, &l.fixtures, &seconds); err != nil {
			b.Fatalf("MKT_BENCH_REALTIME=%s: want 1, or ACCOUNTS,CONNECTIONS,FIXTURES,SECONDS", said)
		}
		l.measure = time.Duration(seconds) * time.Second
	}
	return l
}

// BenchmarkRealtimeLoad measures the server's memory for each connection while nothing is
// published, then latency from publication to receipt, of serve and of the official
// Node server, with ticks and pushing at once, one after the other under the same load, each
// in a process of its own. The clients offer no compression, which would take their processor
// time.
func BenchmarkRealtimeLoad(t *testing.B) {
	l := loadFromEnv(t)
	b := &bench{t: t, load: l, dir: t.TempDir(), tokens: map[string]string{}, published: map[string]time.Time{}}
	b.prepare()
	for i := range b.ids { // something to serve from the first moment
		b.publish(i)
		b.publishFile(i)
	}
	t.Logf("%d accounts, %d connections, %d fixtures in play an account; load average %s", l.accounts, l.accounts*l.each, l.fixtures, loadAverage())
	for round := 1; t.Loop(); round++ {
		ours := b.run("serve", exec.Command(os.Args[0]), b.publish)
		theirs := b.run("node", exec.Command("node", "fanout.mjs"), b.publishBoth)
		t.Logf("round %d: memory a connection %.2f of the official server's, p99 %.2f of it; load average %s", round,
			ours.memory/theirs.memory, ours.p99.Seconds()/theirs.p99.Seconds(), loadAverage())
		for name, m := range map[string]measured{"ours": ours, "official": theirs} { // of the last round
			t.ReportMetric(m.memory, name+"-B/conn")
			t.ReportMetric(m.p50.Seconds(), name+"-p50-s")
			t.ReportMetric(m.p99.Seconds(), name+"-p99-s")
			t.ReportMetric(m.processor, name+"-cores")
		}
	}
}

// measuredServer is the process that BenchmarkRealtimeLoad measures: a server over
// the folder data, until its standard input ends.
func measuredServer(data string) error {
	text, err := os.ReadFile(os.Getenv("TOKENS"))
	if err != nil {
		return err
	}
	var tokens map[string]string
	if err := json.Unmarshal(text, &tokens); err != nil {
		return err
	}
	var list []account.Account
	for id, token := range tokens {
		list = append(list, account.Account{
			ClientID: id, Status: account.Active, TokenDigests: [][32]byte{account.Digest(token)},
			Subscriptions: map[football.Product]account.Subscription{football.LiveIntelligence: {}}, Features: map[string]bool{"live_match": true},
			Provider: account.Provider{Name: "betsapi", Configured: true, Fingerprint: fingerprint},
		})
	}
	g, err := account.NewGeneration(list)
	if err != nil {
		return err
	}
	registry := new(account.Registry)
	registry.Swap(g)
	cache, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { io.Copy(io.Discard, os.Stdin); cancel() }()
	return serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: data, CacheDir: cache, Accounts: registry,
		Poll: 500 * time.Millisecond, Ready: func(url string) { fmt.Println(url) }})
}

type bench struct {
	t      testing.TB
	load   load
	dir    string
	tokens map[string]string
	ids    []string
	lives  []*servetest.LiveRoot

	mu        sync.Mutex
	published map[string]time.Time // by account and published_at
	took      []time.Duration
	bytes     int
	version   int
}

func (b *bench) prepare() {
	for i := range b.load.accounts {
		id := fmt.Sprintf("account-%04d", i)
		token, err := account.NewToken(nil)
		must(b.t, err)
		root := servetest.NewLiveRoot(b.t, filepath.Join(b.dir, "data"), id)
		root.Record(health.Run{Step: "fetch", Cycle: "c", OK: true, FinishedAt: servetest.Start, CredentialFingerprint: fingerprint})
		b.tokens[id], b.ids, b.lives = token, append(b.ids, id), append(b.lives, root)
	}
	text, err := json.Marshal(b.tokens)
	must(b.t, err)
	must(b.t, os.WriteFile(filepath.Join(b.dir, "tokens.json"), text, 0o600))
	must(b.t, os.Mkdir(filepath.Join(b.dir, "bodies"), 0o700))
}

type measured struct {
	memory    float64 // bytes a connection
	p50, p99  time.Duration
	processor float64 // seconds of processor time a second
}

func (b *bench) run(name string, cmd *exec.Cmd, publish func(account int)) measured {
	t := b.t
	modules, err := filepath.Abs("../testdata/node")
	must(t, err)
	if name == "node" {
		cmd.Dir = modules
	}
	cmd.Env = append(append(os.Environ(), cmd.Env...), "MKT_BENCH_DATA="+filepath.Join(b.dir, "data"), "FOLDER="+filepath.Join(b.dir, "bodies"), "TOKENS="+filepath.Join(b.dir, "tokens.json"))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer cmd.Wait()
	defer stdin.Close()
	url, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)

	time.Sleep(2 * b.load.warmUp)
	before := b.resident(cmd)
	clients := b.connect(strings.TrimSpace(url) + "/realtime/")
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	time.Sleep(2 * b.load.warmUp) // garbage of the handshakes goes
	idle := b.resident(cmd)

	ctx, stop := context.WithCancel(t.Context())
	var publishing sync.WaitGroup
	publishing.Go(func() {
		tick := time.NewTicker(b.load.period / time.Duration(b.load.accounts))
		defer tick.Stop()
		for i := 0; ; i = (i + 1) % b.load.accounts {
			publish(i)
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	defer publishing.Wait()
	defer stop()
	time.Sleep(b.load.warmUp)
	b.mu.Lock()
	b.took, b.bytes = nil, 0
	b.mu.Unlock()
	used := processor(t, cmd.Process.Pid)
	most := 0.0
	for end := time.Now().Add(b.load.measure); time.Now().Before(end); time.Sleep(time.Second) {
		most = max(most, float64(check.Resident(t, cmd.Process.Pid)))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.took)
	if len(b.took) == 0 {
		t.Fatalf("%s: nothing was received", name)
	}
	m := measured{
		memory: (idle - before) / float64(len(clients)),
		p50:    b.took[len(b.took)/2], p99: b.took[len(b.took)*99/100],
		processor: (processor(t, cmd.Process.Pid) - used).Seconds() / b.load.measure.Seconds(),
	}
	t.Logf("%-5s %d connections, %d pushes of %d bytes: publication to receipt p50 %v, p99 %v, max %v; %.1f KiB a connection (resident %.1f MiB without, %.1f with them, %.1f at most while publishing); %.0f %% of a core",
		name, len(clients), len(b.took), b.bytes/len(b.took), m.p50.Round(time.Millisecond), m.p99.Round(time.Millisecond), b.took[len(b.took)-1].Round(time.Millisecond),
		m.memory/1024, before/(1<<20), idle/(1<<20), most/(1<<20), 100*m.processor)
	return m
}

func (b *bench) connect(url string) []*socketiotest.Client {
	var mu sync.Mutex
	var list []*socketiotest.Client
	turns := make(chan struct{}, 50)
	var wait sync.WaitGroup
	for _, id := range b.ids {
		for range b.load.each {
			turns <- struct{}{}
			wait.Go(func() {
				defer func() { <-turns }()
				c, err := socketiotest.Dial(b.t.Context(), socketiotest.Options{URL: url, Auth: map[string]string{"token": b.tokens[id]}})
				if err == nil {
					_, err = c.Call(b.t.Context(), "subscribe", map[string]string{"channel": "live"})
				}
				if err != nil {
					b.t.Error(err)
					return
				}
				mu.Lock()
				list = append(list, c)
				mu.Unlock()
				go b.receive(id, c)
			})
		}
	}
	wait.Wait()
	return list
}

func (b *bench) receive(id string, c *socketiotest.Client) {
	for {
		e, err := c.Next(context.Background())
		if err != nil {
			return
		}
		now := time.Now()
		if e.Name != "live" {
			continue
		}
		b.mu.Lock()
		if at, ok := b.published[id+publishedAt(e.Args[0])]; ok {
			b.took = append(b.took, now.Sub(at))
			b.bytes += len(e.Args[0])
		}
		b.mu.Unlock()
	}
}

func publishedAt(body []byte) string {
	const key = `"published_at":"`
	i := bytes.LastIndex(body, []byte(key))
	return string(body[i+len(key) : i+len(key)+24])
}

// publish publishes a snapshot in the data root. The body that serve makes of it is later
// given to the other server.
func (b *bench) publish(n int) {
	id := b.ids[n]
	c := b.lives[n].Publish(servetest.LiveSamples(id, b.load.fixtures*6/5, 1, servetest.Start))
	b.note(id, c.PublishedAt)
}

// publishBoth is publishFile after the work of publish, which uses the same processors.
func (b *bench) publishBoth(n int) {
	b.publish(n)
	b.publishFile(n)
}

// publishFile replaces an account's file with a body as serve would push it.
func (b *bench) publishFile(n int) {
	b.version++
	at := servetest.Start.Add(time.Duration(b.version) * time.Second).Add(1000 * time.Hour)
	name := filepath.Join(b.dir, "bodies", b.ids[n]+".json")
	must(b.t, os.WriteFile(name+"~", b.body(at), 0o600))
	must(b.t, os.Rename(name+"~", name))
	b.note(b.ids[n], at)
}

func (b *bench) body(at time.Time) []byte {
	var list []*api.LiveFixture
	for _, f := range servetest.LiveSamples("account-0000", b.load.fixtures*6/5, 1, servetest.Start) {
		if f.Row.InPlay {
			list = append(list, api.NewLiveFixture(&f.Row, api.LiveDetail{Counters: f.Counters}))
		}
	}
	return api.AppendLivePush(nil, api.LiveItems(list, time.Now()), len(list), api.Freshness{ProviderFetchedAt: &at, ProcessedAt: &at, PublishedAt: &at})
}

func (b *bench) note(id string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.published[id+at.UTC().Format("2006-01-02T15:04:05.000Z")] = time.Now()
}

// resident returns the median of a server's memory over some seconds.
func (b *bench) resident(cmd *exec.Cmd) float64 {
	var list []float64
	for range 10 {
		list = append(list, float64(check.Resident(b.t, cmd.Process.Pid)))
		time.Sleep(500 * time.Millisecond)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func processor(t testing.TB, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond // in ticks of 1/100 s
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	return strings.Join(strings.Fields(string(text))[:min(3, len(strings.Fields(string(text))))], " ")
}
