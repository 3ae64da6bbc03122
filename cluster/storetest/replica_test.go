package storetest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// C10: a replica answers every route as the server on the machine that published, byte by
// byte but for the age, and so keeps the contract that the tests of serve hold that server
// against.
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
