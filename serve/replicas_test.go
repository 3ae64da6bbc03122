package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
	"mkt/serve"
	"mkt/serve/account"
)

// replicas are servers of one data root that share their limits.
func replicas(t *testing.T, w *world, n int, redis string) []*world {
	t.Helper()
	a, err := cluster.ParseAddress("redis://" + redis)
	must(t, err)
	list := make([]*world, n)
	for i := range list {
		list[i] = &world{t: t, dataDir: w.dataDir, registry: w.registry, log: new(logBuffer), mu: w.mu, listen: w.listen,
			accounts: w.accounts, tokens: w.tokens, roots: w.roots, lives: w.lives, realtime: w.realtime}
		list[i].setClock(begin)
		list[i].edit = func(o *serve.Options) {
			o.Now, o.Limits, o.Replica = time.Now, a, fmt.Sprint("web-", i)
			o.SetLimitsBudget(10 * time.Second) // nothing is slow but the machine
			o.Realtime.Tick = time.Second
		}
		list[i].start()
	}
	eventually(t, "all know of each other", func() bool {
		for _, r := range list {
			if r.metric("mkt_limits_replicas") != float64(n) {
				return false
			}
		}
		return true
	})
	return list
}

// Four servers answer exactly the requests of one, and hold as many sockets. When the
// server of the limits is away, no request fails, and the servers stay ready. All of them
// report the counts of each.
func TestLimitsOverReplicas(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	w := newWorld(t, "sockets")
	w.add("acme", func(a *account.Account) { a.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 40} })
	list := replicas(t, w, 4, m.Addr())
	answers := func(as string, each int) map[int]int {
		var mu sync.Mutex
		statuses := map[int]int{}
		var wait sync.WaitGroup
		for _, r := range list {
			wait.Go(func() {
				for range each {
					a := r.get("/schema", as)
					mu.Lock()
					statuses[a.status]++
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		return statuses
	}
	if got := answers("acme", 20); got[http.StatusOK] != 40 || got[http.StatusTooManyRequests] != 40 {
		t.Errorf("answers by status: %v, want 40 of 200 and 40 of 429", got)
	}
	var open atomic.Int64
	var wait sync.WaitGroup
	for _, r := range list {
		wait.Go(func() {
			for range 4 {
				if _, err := r.dial("sockets"); err == nil {
					open.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if open.Load() != 8 {
		t.Errorf("%d sockets of the account are open, want 8", open.Load())
	}
	for _, key := range m.Keys() {
		if strings.Contains(key, "mkt_") || !strings.HasPrefix(key, "mkt:") {
			t.Errorf("a key in the server of the limits: %s", key)
		}
	}
	m.Close()
	if got := answers("sockets", 20); got[http.StatusOK] != 80 {
		t.Errorf("without the server of the limits: answers by status: %v, want 80 of 200", got)
	}
	for _, r := range list {
		must(t, r.admin.Ready())
		if exact := r.metric("mkt_limits_exact"); exact != 0 {
			t.Errorf("mkt_limits_exact is %v", exact)
		}
		must(t, r.stop())
	}
	last := &world{t: t, dataDir: w.dataDir, registry: w.registry, log: new(logBuffer), mu: w.mu, listen: w.listen, tokens: w.tokens}
	last.setClock(begin)
	last.edit = func(o *serve.Options) { o.Now = time.Now }
	if usage := last.start().get("/account/usage", "sockets").body; !strings.Contains(usage, `{"route":"/schema","product":null,"count":80}`) {
		t.Errorf("not what all replicas counted: %s", usage)
	}
}

// The official client against four servers (C7): testdata/node/replicas.mjs.
func TestNodeReplicas(t *testing.T) {
	m := miniredis.RunT(t)
	w := newWorld(t, "acme")
	list := replicas(t, w, 4, m.Addr())
	var bases []string
	for _, r := range list {
		bases = append(bases, r.url)
	}
	text, err := json.Marshal(bases)
	must(t, err)
	source, err := os.ReadFile("../testdata/node/replicas.mjs")
	must(t, err)
	s := node(t, "replicas.mjs", string(source), "BASES="+string(text), "TOKEN="+w.token("acme"))
	s.until("full")
	m.Close() // each server now allows its share, and the open sockets stay
	s.until("shares")
	must(t, m.Restart())
	s.until("done")
}
