package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
	accounts "mkt/serve/account"
	"mkt/serve/limits"
)

// Rates of the faults of one command to the server of the limits.
const (
	countLostRate  = 1.0 / 300
	countCutRate   = 1.0 / 300 // the connection is cut
	countAloneRate = 1.0 / 300 // the server counts, and its answer is lost
	redisAwayRate  = 1.0 / 1_500
)

// limit is the limit of all clients that are counted, each a bucket of tokens.
var limit = accounts.Limit{Requests: 60, Per: time.Minute, Burst: 10}

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

// counting is the server of the limits: miniredis, over connections that lose and delay. It comes and goes.
type counting struct {
	w     *world
	redis *miniredis.Miniredis

	mu       sync.Mutex
	down     bool
	slow     bool
	refuses  bool
	conns    map[net.Conn]bool
	failed   time.Time           // when a command may last have failed
	given    map[string]*tokens  // by client
	replicas map[string]*counter // by name: of the newest life
	seldom   time.Time           // the next request of the client that has few
}

func newCounting(w *world) *counting {
	c := &counting{w: w, redis: miniredis.NewMiniRedis(), conns: map[net.Conn]bool{}, given: map[string]*tokens{}, replicas: map[string]*counter{}}
	c.redis.ClockTTL(true)
	return c
}

// change changes the server, after which a command may fail.
func (c *counting) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	c.failed = time.Now()
}

// cut ends all connections.
func (c *counting) cut() {
	for conn := range c.conns {
		conn.Close()
	}
}

func (c *counting) stop(down bool) {
	c.change(func() {
		c.down = down
		c.cut()
	})
}

// forget restarts the server, which keeps nothing.
func (c *counting) forget() {
	c.change(func() {
		c.redis.FlushAll()
		c.given = map[string]*tokens{}
		c.cut()
	})
}

func (c *counting) crawl(slow bool) { c.change(func() { c.slow = slow }) }

func (c *counting) refuse(refuses bool) {
	c.change(func() {
		c.refuses = refuses
		text := ""
		if refuses {
			text = "LOADING Redis is loading the dataset in memory"
		}
		c.redis.SetError(text)
	})
}

// answers reports whether the server has answered for some seconds.
func (c *counting) answers() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.down && !c.slow && !c.refuses && time.Since(c.failed) > backAfter
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
	others  map[*life]bool       // replicas of which this one knows
}

// dial connects a replica.
func (r *counter) dial(context.Context, string, string) (net.Conn, error) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.c.down || r.l.dead.Load() || r.c.w.isStopped() {
		return nil, errors.New("connection refused")
	}
	server, err := r.c.redis.Dial()
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	r.c.conns[far] = true
	context.AfterFunc(r.l.ctx, func() { far.Close() })
	r.c.w.Add(1)
	go func() {
		defer r.c.w.Done()
		for buffer := make([]byte, 64<<10); r.pass(far, server, buffer); {
		}
		r.c.mu.Lock()
		delete(r.c.conns, far)
		r.c.mu.Unlock()
		far.Close()
		server.Close()
	}()
	return near, nil
}

// pass passes a command and its answer on, and reports whether the connection goes on.
func (r *counter) pass(client, server net.Conn, buffer []byte) bool {
	w := r.c.w
	n, err := client.Read(buffer)
	if err != nil {
		return false
	}
	command, key := about(string(buffer[:n]))
	name, err := r.l.enter("limits", command+" "+key)
	if err != nil {
		return false
	}
	r.c.mu.Lock()
	latency := w.span("latency", name, 100*time.Microsecond, 3*time.Millisecond)
	if r.c.slow {
		latency = w.span("slow", name, 60*time.Millisecond, time.Second)
	}
	r.c.mu.Unlock()
	if !sleep(r.l.ctx, latency) {
		return false
	}
	silent := false
	switch {
	case w.happens("count lost", name, countLostRate):
		r.c.change(func() {})
		return true
	case w.happens("count cut", name, countCutRate):
		r.c.change(func() {})
		return false
	case w.happens("Redis gone", name, redisAwayRate):
		r.c.stop(true)
		if w.pick("keeps", name, 2) == 0 {
			r.c.forget()
		}
		w.later(w.span("gone", name, 100*time.Millisecond, time.Minute), func() { r.c.stop(false) })
		return false
	case w.happens("count unanswered", name, countAloneRate):
		r.c.change(func() {})
		silent = true
	}
	if _, err := server.Write(buffer[:n]); err != nil {
		return false
	}
	if n, err = server.Read(buffer); err != nil {
		return false
	}
	told := r.c.decided(key, string(buffer[:n]))
	if silent {
		return true
	}
	if _, err := client.Write(buffer[:n]); err != nil {
		return false
	}
	if told != nil {
		r.c.mu.Lock()
		r.told = *told
		r.heard++
		r.c.mu.Unlock()
	}
	return true
}

// about returns the name and the first key of a command.
func about(command string) (name, key string) {
	words := strings.Split(command, "\r\n")
	if len(words) > 8 && strings.HasPrefix(words[2], "EVAL") {
		return words[2], words[8]
	}
	return words[2], ""
}

// decision is what the server said to a request.
type decision struct {
	allowed bool
	ahead   time.Duration
}

// decided compares a decision of the server with the bucket of the client. It returns nil for another answer.
func (c *counting) decided(key, answer string) *decision {
	client, isRate := strings.CutPrefix(key, "mkt:rate:")
	var said, ahead int64
	if _, err := fmt.Sscanf(answer, "*2\r\n:%d\r\n:%d\r\n", &said, &ahead); err != nil || !isRate {
		return nil
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
	return &decision{said == 1, time.Duration(ahead)}
}

// count counts requests at a replica until its life ends.
func (c *counting) count(l *life) {
	address, err := cluster.ParseAddress("redis://10.0.0.2:6379")
	if err != nil {
		panic(err) // of a fixed address
	}
	r := &counter{c: c, l: l, shares: map[string]*tokens{}, doubted: map[string]bool{}, refused: map[string]time.Time{}, others: map[*life]bool{}}
	r.Shared = limits.Open(address, limits.Options{Replica: l.machine.name, Now: l.machine.now, Log: slog.New(slog.DiscardHandler), Dial: r.dial})
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
