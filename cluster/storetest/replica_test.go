package storetest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
)

var publications = flag.Int("publications", 300, "publications that replicas follow, while the store is stopped and started")

// patience is how long a test waits for what must happen.
const patience = time.Minute

// C3: three replicas follow the store through publications every tenth of a second, while it
// is stopped and started. None goes back or stops answering, and all end at the newest.
func TestReplicasFollow(t *testing.T) {
	t.Parallel()
	n := *publications
	if testing.Short() {
		n = 30
	}
	i := newInstallation(t)
	s, err := gateway.Another()
	must(t, err)
	t.Cleanup(s.Stop)
	f := &followed{t: t, i: i, made: map[string]time.Time{}, stop: make(chan struct{})}
	w := newWorker(t, "worker", gateway.URL("replicas"), football.LiveIntelligence)
	disk, err := durable.OpenUnsynced(t.TempDir())
	must(t, err)
	w.f = disk
	i.run("cycle", "--tenant", account, "--product", "live_intelligence") // so that there are states
	f.states(w)
	f.publish(w, 1)
	for r := range 3 {
		var ready struct {
			BaseURL string `json:"base_url"`
		}
		i.start(&ready, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(i.dir, fmt.Sprint("replica-", r)),
			"--store", s.URL("replicas"), "--store-poll", "1s", "--poll", "50ms")
		f.follow(ready.BaseURL)
	}
	for number := 2; number <= n; number++ {
		f.publish(w, number)
		switch number {
		case n / 3:
			s.Stop()
			f.outage(true)
		case n * 2 / 3:
			must(t, s.Start())
			f.outage(false)
		}
		time.Sleep(100 * time.Millisecond) // the pace of the load, which nothing is asserted about
	}
	f.finish(n)
}

// followed are replicas that are asked all the time.
type followed struct {
	t    *testing.T
	i    *installation
	stop chan struct{}
	all  sync.WaitGroup

	mu      sync.Mutex
	made    map[string]time.Time // when each publication was acknowledged, by its time
	newest  string
	away    bool
	back    time.Time // when the store answered again
	seen    []string  // by each replica
	delays  []time.Duration
	answers int
	refused string // what a replica answers before it has data
}

// states stores the state files of the installation, which say that a provider is connected.
func (f *followed) states(w *worker) {
	var roots [2]*durable.Disk
	for at, dir := range []string{"data/client_id=acme/product=live_intelligence", "data/client_id=acme"} {
		var err error
		roots[at], err = durable.OpenUnsynced(filepath.Join(f.i.dir, dir))
		must(f.t, err)
		f.t.Cleanup(func() { roots[at].Close() })
	}
	must(f.t, w.d.ShipStates(f.t.Context(), roots[0], roots[1]))
}

func (f *followed) publish(w *worker, number int) {
	c := cycle{product: football.LiveIntelligence, number: number, refreshed: upTo(3)}
	must(f.t, c.transform(w.f))
	s, err := publish.Run(f.t.Context(), w.options(c))
	must(f.t, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = s.PublishedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	f.made[f.newest] = time.Now()
}

func (f *followed) outage(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away = away; !away {
		f.back = time.Now()
	}
}

// follow asks a replica until the test ends. Every answer must be whole and not older than
// the one before.
func (f *followed) follow(base string) {
	f.mu.Lock()
	at := len(f.seen)
	f.seen = append(f.seen, "")
	f.mu.Unlock()
	f.all.Go(func() {
		for {
			select {
			case <-f.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			status, _, body, err := f.i.get(base, "/live")
			var answer struct {
				Meta struct {
					PublishedAt string `json:"published_at"`
				}
			}
			if err != nil || json.Unmarshal(body, &answer) != nil {
				f.t.Errorf("a replica answers %d: %s %v", status, body, err)
				return
			}
			if f.note(at, status, answer.Meta.PublishedAt, body); f.t.Failed() {
				return
			}
		}
	})
}

func (f *followed) note(at, status int, published string, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.seen[at]
	if status != http.StatusOK {
		if f.refused = string(body); before != "" {
			f.t.Errorf("a replica that answered %s answers %d: %s", before, status, body)
		}
		return
	}
	f.answers++
	made, known := f.made[published]
	switch {
	case published < before:
		f.t.Errorf("a replica goes back from %s to %s", before, published)
	case published == before:
	case !known:
		f.t.Errorf("a replica answers with %s, which was not acknowledged", published)
	case !f.away && made.After(f.back):
		f.delays = append(f.delays, time.Since(made))
	}
	f.seen[at] = published
}

func (f *followed) finish(n int) {
	late := time.After(patience)
	for { // Every replica gets to the newest publication, or the test does not end.
		f.mu.Lock()
		all := !slices.ContainsFunc(f.seen, func(s string) bool { return s != f.newest })
		f.mu.Unlock()
		if all || f.t.Failed() {
			break
		}
		select {
		case <-late:
			f.t.Errorf("the replicas have %v, and not %s: %s", f.seen, f.newest, f.refused)
		case <-time.After(20 * time.Millisecond):
		}
	}
	close(f.stop)
	f.all.Wait()
	slices.Sort(f.delays)
	if k := len(f.delays); k > 0 {
		f.t.Logf("%d publications, %d answers; from a commit to the first answer with it: median %v, p99 %v, longest %v", n, f.answers,
			f.delays[k/2].Round(time.Millisecond), f.delays[k*99/100].Round(time.Millisecond), f.delays[k-1].Round(time.Millisecond))
	}
}

// C10: a replica answers every route as the server on the machine that published, byte by
// byte but for the age, and so keeps the contract that the tests of serve hold that server
// against; over the socket too.
func TestReplicaAnswersAsTheWorker(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	args := []string{"--store", gateway.URL("contract")}
	for range 2 {
		for _, product := range []string{"market_engine", "live_intelligence"} {
			i.run(append(args, "cycle", "--tenant", account, "--product", product)...)
		}
	}
	var worker, replica struct {
		BaseURL string `json:"base_url"`
	}
	i.start(&worker, "serve", "--listen", "127.0.0.1:0")
	i.start(&replica, append(args, "serve", "--listen", "127.0.0.1:0", "--data", "replica", "--store-poll", "1s")...)
	late := time.After(patience)
	for {
		status, _, body, err := i.get(replica.BaseURL, "/live")
		if err == nil && status == http.StatusOK {
			break
		}
		select {
		case <-late:
			t.Fatalf("the replica has no data: %s", body)
		case <-time.After(20 * time.Millisecond):
		}
	}
	c := &crawl{i: i, bases: [2]string{worker.BaseURL, replica.BaseURL}, seen: map[string]bool{}}
	for _, path := range []string{"/fixtures?limit=2", "/fixtures?limit=2&sport=nonsense", "/fixtures", "/changes?limit=3", "/live?limit=1", "/live", "/schema", "/status",
		"/account", "/fixtures/fx_" + strings.Repeat("a", 26), "/live/none", "/changes?cursor=none", "/nonsense"} {
		c.visit(path)
	}
	for len(c.todo) > 0 {
		path := c.todo[0]
		c.todo = c.todo[1:]
		c.compare(path)
	}
	c.socket()
	t.Logf("%d answers are the same: %v", len(c.seen), c.statuses)
	if c.statuses["200"] < 50 || c.statuses["404"] == 0 || c.statuses["400"] == 0 {
		t.Error("the crawl has hardly seen anything")
	}
}

// crawl asks two servers for the same paths, and follows what the answers name.
type crawl struct {
	i        *installation
	bases    [2]string
	seen     map[string]bool
	todo     []string
	statuses map[string]int
}

func (c *crawl) visit(path string) {
	if !c.seen[path] && len(c.seen) < 400 {
		c.seen[path] = true
		c.todo = append(c.todo, path)
	}
}

var (
	changing = regexp.MustCompile(`"(age_ms|feed_age_ms|request_id|checked_at|time|requests|uptime_ms|data_age_ms|lag_ms)":("[^"]*"|\d+)`)
	links    = regexp.MustCompile(`"/api/v1(/[^"]+)"`)
	ids      = regexp.MustCompile(`"fixture_id":"(fx_[a-z2-7]{26})"`)
	cursors  = regexp.MustCompile(`"next_cursor":"([^"]+)"`)
)

func (c *crawl) compare(path string) {
	c.i.t.Helper()
	var bodies [2][]byte
	var statuses [2]int
	var types [2]string
	for at, base := range c.bases {
		status, header, body, err := c.i.get(base, path)
		must(c.i.t, err)
		bodies[at], statuses[at], types[at] = changing.ReplaceAll(body, []byte(`"$1":0`)), status, header.Get("Content-Type")
	}
	if statuses[0] != statuses[1] || types[0] != types[1] || !bytes.Equal(bodies[0], bodies[1]) {
		c.i.t.Errorf("GET %s: the worker answers %d %s\n%.1000s\nthe replica %d %s\n%.1000s", path, statuses[0], types[0], bodies[0], statuses[1], types[1], bodies[1])
	}
	if c.statuses == nil {
		c.statuses = map[string]int{}
	}
	c.statuses[fmt.Sprint(statuses[0])]++
	for _, m := range links.FindAllSubmatch(bodies[0], 100) {
		c.visit(string(m[1]))
	}
	live := strings.HasPrefix(path, "/live")
	for _, m := range ids.FindAllSubmatch(bodies[0], 100) {
		if id := string(m[1]); live {
			c.visit("/live/" + id)
		} else {
			c.visit("/fixtures/" + id)
			c.visit("/fixtures/" + id + "/markets")
		}
	}
	if m := cursors.FindSubmatch(bodies[0]); m != nil {
		first, _, _ := strings.Cut(path, "?")
		c.visit(first + "?limit=2&cursor=" + url.QueryEscape(string(m[1])))
	}
}

// socket compares what both servers send over the socket: the log from its beginning, and
// the acknowledgement of the fixtures in play. The messages are those that the official
// client sends by polling.
func (c *crawl) socket() {
	var said [2]string
	for at, base := range c.bases {
		s := &poll{i: c.i, url: base + "/realtime/?EIO=4&transport=polling"}
		var open struct{ Sid string }
		must(c.i.t, json.Unmarshal(s.ask(http.MethodGet, "")[1:], &open))
		s.url += "&sid=" + open.Sid
		s.ask(http.MethodPost, `40{"token":"`+c.i.token+`"}`)
		s.until("40{")
		s.ask(http.MethodPost, `420["subscribe",{"channel":"changes","cursor":0,"backlog":50}]`)
		said[at] = s.until("430[")
		s.ask(http.MethodPost, `421["subscribe",{"channel":"live"}]`)
		said[at] += s.until("431[")
		s.ask(http.MethodPost, "41")
	}
	if said[0] != said[1] || !strings.Contains(said[0], `"seq":1,`) || !strings.Contains(said[0], `"channel":"live"`) {
		c.i.t.Errorf("over the socket the worker sends\n%.1000s\nand the replica\n%.1000s", said[0], said[1])
	}
}

type poll struct {
	i       *installation
	url     string
	waiting []string
}

func (s *poll) ask(method, body string) []byte {
	s.i.t.Helper()
	r, err := http.NewRequestWithContext(s.i.t.Context(), method, s.url, strings.NewReader(body))
	must(s.i.t, err)
	answer, err := http.DefaultClient.Do(r)
	must(s.i.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s.i.t, err)
	if answer.StatusCode != http.StatusOK {
		s.i.t.Fatalf("%s over the socket: %d %s", method, answer.StatusCode, text)
	}
	return text
}

// until returns the next message that begins with a text.
func (s *poll) until(prefix string) string {
	for {
		for len(s.waiting) > 0 {
			message := s.waiting[0]
			s.waiting = s.waiting[1:]
			if strings.HasPrefix(message, prefix) {
				return message
			}
			if strings.HasPrefix(message, "44") || message == "1" {
				s.i.t.Fatalf("over the socket: %s", message)
			}
		}
		s.waiting = strings.Split(string(s.ask(http.MethodGet, "")), "\x1e")
	}
}
