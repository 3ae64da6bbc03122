package simulation

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	rights "mkt/serve/account"
	"mkt/serve/limits"
)

// limit is the limit of all clients that are counted, each a bucket of tokens.
var limit = rights.Limit{Requests: 60, Per: time.Minute, Burst: 10}

// backAfter is how soon limits are exact when the server answers again.
const backAfter = 3 * time.Second

const (
	perToken = time.Second
	depth    = 10 * perToken
)

// tokens is a bucket: by how much it is ahead of the time at.
type tokens struct {
	ahead time.Duration
	at    time.Time
}

// take takes a token of a bucket, and reports whether there was one.
func (b *tokens) take(now time.Time, each, depth time.Duration) bool {
	b.ahead = min(max(0, b.ahead-now.Sub(b.at)), depth)
	b.at = now
	if b.ahead+each > depth {
		return false
	}
	b.ahead += each
	return true
}

// counting judges what Redis and the replicas decide about requests.
type counting struct {
	*redis

	mu       sync.Mutex
	given    map[string]*tokens  // by client
	replicas map[string]*counter // by name: of the newest life
	seldom   time.Time           // the next request of the client that has few
}

func newCounting(r *redis) *counting {
	c := &counting{redis: r, given: map[string]*tokens{}, replicas: map[string]*counter{}}
	r.judge = c.judge
	r.emptied = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.given = map[string]*tokens{}
	}
	return c
}

// answers reports whether the server has answered the replicas for some seconds.
func (c *counting) answers() bool {
	var lives []*life
	for _, r := range c.known() {
		lives = append(lives, r.l)
	}
	return c.hasKept(backAfter) && c.hasAnswered(backAfter, 0, lives...)
}

// known returns the replicas.
func (c *counting) known() map[string]*counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.replicas)
}

// isDue reports whether the client that has few requests has one now.
func (c *counting) isDue() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.seldom) {
		return false
	}
	c.seldom = time.Now().Add(20 * perToken) // below the share of any number of replicas here
	return true
}

// counter has the limits of a replica during a life, and what is known of its decisions.
type counter struct {
	*limits.Shared
	c       *counting
	l       *life
	began   time.Duration        // since the beginning of the world
	told    decision             // the newest one of the server that reached the replica
	heard   int                  // of them
	shares  map[string]*tokens   // by client
	doubted map[string]bool      // clients whose share is not known
	refused map[string]time.Time // when the server refused a client
	others  map[*life]bool       // replicas that this one knows of
}

// decision is what the server said to a request.
type decision struct {
	allowed bool
	ahead   time.Duration
}

// judge compares a decision of the server with the bucket of the client.
func (c *counting) judge(machine, key, answer string) (arrived func()) {
	client, isRate := strings.CutPrefix(key, "mkt:rate:")
	var said, ahead int64
	if _, err := fmt.Sscanf(answer, "*2\r\n:%d\r\n:%d\r\n", &said, &ahead); err != nil || !isRate {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.given[client]
	if b == nil {
		b = &tokens{}
		c.given[client] = b
	}
	if is := b.take(time.Now().Truncate(time.Microsecond), perToken, depth); is != (said == 1) || b.ahead != time.Duration(ahead) {
		c.w.fail(limitsHold, "%s: the server says %d, %s ahead, and the bucket has %t, %s ahead", client, said, time.Duration(ahead), is, b.ahead)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		r := c.replicas[machine]
		r.told = decision{said == 1, time.Duration(ahead)}
		r.heard++
	}
}

// count counts requests at a replica until its life ends.
func (c *counting) count(l *life) {
	r := &counter{c: c, l: l, shares: map[string]*tokens{}, doubted: map[string]bool{}, refused: map[string]time.Time{}, others: map[*life]bool{}}
	r.Shared = limits.Open(redisAddress, limits.Options{Replica: l.machine.name, Now: l.machine.now, Log: slog.New(slog.DiscardHandler), Dial: c.dialer(l)})
	r.began = time.Since(c.w.began)
	c.mu.Lock()
	c.replicas[l.machine.name] = r
	c.mu.Unlock()
	c.w.Add(1)
	go func() {
		defer c.w.Done()
		r.Run(l.ctx)
	}()
	for {
		name, err := l.enter("requests", "")
		if err != nil {
			return
		}
		for range c.w.pick("requests", name, 13) {
			r.request("busy")
		}
		if r.c.isDue() && !r.request("quiet") && !l.dead.Load() {
			c.w.fail(limitsHold, "%s: a client that is far below its limit is refused", l.machine.name)
		}
		r.judge()
		if !sleep(l.ctx, c.w.span("requests", name, 100*time.Millisecond, 12*time.Second)) {
			return
		}
	}
}

// judge checks that the limits are exact if the server answers, and that the replica counts the others that are
// alive, also when the server has forgotten them.
func (r *counter) judge() {
	now, answers, alive := time.Since(r.c.w.began), r.c.answers(), 1
	for _, other := range r.c.known() {
		if other == r || other.l.dead.Load() {
			continue
		}
		if answers && now-max(r.began, other.began) > backAfter {
			r.others[other.l] = true
		}
		if r.others[other.l] {
			alive++
		}
	}
	switch stats := r.Stats(); {
	case r.l.dead.Load():
	case answers && now-r.began > backAfter && !stats.Exact:
		r.c.w.fail(limitsHold, "%s: the server of the limits answers, and the limits are not exact", r.l.machine.name)
	case stats.Replicas < alive:
		r.c.w.fail(limitsHold, "%s counts %d replicas, and %d are alive", r.l.machine.name, stats.Replicas, alive)
	}
}

// request makes a request, judges the decision about it, and reports whether it is allowed.
func (r *counter) request(client string) bool {
	w, began, now, before := r.c.w, time.Now(), r.l.machine.now(), r.Stats()
	heard := r.heard
	_, err := r.Take(r.l.ctx, client, limit, now)
	took := time.Since(began)
	if _, killed := r.l.enter("decided", client); killed != nil { // what the answer changes is done then
		return false
	}
	after, allowed := r.Stats(), err == nil
	if took > limits.CommandTime || err != nil && !strings.Contains(err.Error(), "RATE_LIMITED") {
		w.fail(limitsHold, "%s: a request of %s was answered after %s: %v", r.l.machine.name, client, took, err)
	}
	share := r.shares[client]
	if share == nil {
		share = &tokens{}
		r.shares[client] = share
	}
	switch n := time.Duration(after.Replicas); {
	case after.Shares == before.Shares && r.heard > heard:
		if allowed != r.told.allowed {
			w.fail(limitsHold, "%s: a request of %s: allowed %t, and the server said %t", r.l.machine.name, client, allowed, r.told.allowed)
		}
		if !allowed {
			r.refused[client] = now
		}
		*share, r.doubted[client] = tokens{r.told.ahead, now}, false
	case after.Shares == before.Shares:
		if last, known := r.refused[client]; allowed || !known || now.Sub(last) >= time.Second {
			w.fail(limitsHold, "%s: a request of %s: allowed %t without the server", r.l.machine.name, client, allowed)
		}
	case before.Replicas != after.Replicas:
		r.doubted[client] = true
	case !r.doubted[client]:
		if is := share.take(now, n*perToken, max(depth/(n*perToken), 1)*n*perToken); is != allowed {
			w.fail(limitsHold, "%s: a request of %s: allowed %t, and its share of %d has %t, %s ahead", r.l.machine.name, client, allowed, n, is, share.ahead)
		}
	}
	return allowed
}
