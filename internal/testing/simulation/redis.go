package simulation

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
)

// Rates of the faults of one command to Redis, and of one message from it.
const (
	commandLostRate  = 1.0 / 300
	commandLateRate  = 1.0 / 600 // it is done when its client has given up
	commandCutRate   = 1.0 / 300 // the connection is cut
	commandAloneRate = 1.0 / 300 // the server does it, and its answer is lost
	commandKillRate  = 1.0 / 2_500
	redisAwayRate    = 1.0 / 3_000
	newsLostRate     = 1.0 / 6 // one replica does not hear of a publication: it has it later than the others
)

// redisAddress is the server's, as every machine has it in its settings.
var redisAddress = func() cluster.Address {
	a, err := cluster.ParseAddress("redis://10.0.0.2:6379")
	if err != nil {
		panic(err) // of a fixed address
	}
	return a
}()

// redis is the server that the machines of a cluster share: miniredis, over connections that lose and delay. It
// comes and goes.
type redis struct {
	w      *world
	server *miniredis.Miniredis
	// judge judges the answer to a command of a machine. What it returns is called when the answer has arrived.
	judge   func(machine, key, answer string) (arrived func())
	emptied func() // is called when the server has lost everything

	mu      sync.Mutex
	down    bool
	slow    bool
	refuses bool
	mute    bool              // no message gets through
	apart   map[*machine]bool // reach everything but the server
	conns   map[net.Conn]bool
	changed time.Time             // when the server last did anything but answer
	forgot  time.Time             // when it last lost everything
	failed  map[*life][]time.Time // when commands of a machine may have failed
}

func newRedis(w *world) *redis {
	c := &redis{w: w, server: miniredis.NewMiniRedis(), conns: map[net.Conn]bool{}, apart: map[*machine]bool{}, failed: map[*life][]time.Time{}}
	c.server.ClockTTL(true)
	return c
}

// change changes the server, after which commands may fail.
func (c *redis) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	c.changed = time.Now()
}

// cut ends all connections.
func (c *redis) cut() {
	for conn := range c.conns {
		conn.Close()
	}
}

func (c *redis) stop(down bool) {
	c.change(func() {
		c.down = down
		c.cut()
	})
}

// forget restarts the server, which keeps nothing: it was flushed, or an empty one has taken its place.
func (c *redis) forget() {
	c.server.FlushAll()
	c.mu.Lock()
	c.forgot = time.Now()
	c.cut()
	c.mu.Unlock()
	c.emptied()
}

func (c *redis) crawl(slow bool) { c.change(func() { c.slow = slow }) }

func (c *redis) refuse(refuses bool) {
	c.change(func() {
		c.refuses = refuses
		text := ""
		if refuses {
			text = "LOADING Redis is loading the dataset in memory"
		}
		c.server.SetError(text)
	})
}

func (c *redis) silence(mute bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mute = mute
}

// part says whether a machine does not reach the server.
func (c *redis) part(m *machine, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apart[m] = is
}

func (c *redis) isApart(m *machine) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.apart[m] || m.isCut()
}

func (c *redis) isMute() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mute
}

// hasKept reports whether the server has lost nothing for a while.
func (c *redis) hasKept(during time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.forgot) > during
}

// hasAnswered reports whether the server has answered for a while, and all commands of each of some machines but
// a few.
func (c *redis) hasAnswered(during time.Duration, but int, lives ...*life) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range lives {
		if n := len(c.failed[l]); n > but && time.Since(c.failed[l][n-1-but]) <= during {
			return false
		}
	}
	return !c.down && !c.slow && !c.refuses && time.Since(c.changed) > during
}

// fails notes that a command of a machine fails, or may fail.
func (c *redis) fails(l *life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed[l] = append(c.failed[l], time.Now())
}

// open opens a connection of a machine for leases and news.
func (c *redis) open(l *life) *cluster.Conn {
	return cluster.Open(cluster.Options{Address: redisAddress, Name: l.id(), Installation: key.Fingerprint(), Now: l.machine.now, Log: slog.New(slog.DiscardHandler), Dial: c.dialer(l)})
}

// dialer connects a machine.
func (c *redis) dialer(l *life) cluster.Dialer {
	return func(context.Context, string, string) (net.Conn, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.down || c.apart[l.machine] || l.machine.isCut() || l.dead.Load() || c.w.isStopped() {
			c.failed[l] = append(c.failed[l], time.Now())
			return nil, errors.New("connection refused")
		}
		server, err := c.server.Dial()
		if err != nil {
			return nil, err
		}
		near, far := net.Pipe()
		c.conns[far] = true
		context.AfterFunc(l.ctx, func() { far.Close() })
		c.w.Add(1)
		go func() {
			defer c.w.Done()
			p := &passage{c: c, l: l, client: far, server: server}
			for buffer := make([]byte, 64<<10); p.pass(buffer); {
			}
			c.mu.Lock()
			delete(c.conns, far)
			c.mu.Unlock()
			far.Close()
			server.Close()
		}()
		return near, nil
	}
}

// passage is a connection to the server.
type passage struct {
	c              *redis
	l              *life
	client, server net.Conn
	listens        bool // the server sends messages, and no answers
}

// pass passes a command and its answer on, and reports whether the connection goes on.
func (p *passage) pass(buffer []byte) bool {
	c, w := p.c, p.c.w
	n, err := p.client.Read(buffer)
	if err != nil {
		return false
	}
	command, key := about(string(buffer[:n]))
	name, err := p.l.enter("redis", command+" "+key)
	if err != nil {
		return false
	}
	c.mu.Lock()
	latency := w.span("latency", name, 100*time.Microsecond, 3*time.Millisecond)
	if c.slow {
		latency = w.span("slow", name, 60*time.Millisecond, 1200*time.Millisecond)
	}
	c.mu.Unlock()
	isSilent := false
	switch {
	case c.isApart(p.l.machine), w.happens("Redis request lost", name, commandLostRate):
		c.fails(p.l)
		return true
	case w.happens("Redis connection cut", name, commandCutRate):
		c.fails(p.l)
		return false
	case w.happens("killed", name, commandKillRate):
		defer p.l.kill(name)
		if w.pick("when", name, 2) == 0 {
			return false
		}
		isSilent = true
	case w.happens("Redis gone", name, redisAwayRate):
		c.stop(true)
		if w.pick("keeps", name, 2) == 0 {
			c.forget()
		}
		w.later(w.span("gone", name, 100*time.Millisecond, time.Minute), func() { c.stop(false) })
		return false
	case w.happens("Redis request late", name, commandLateRate):
		c.fails(p.l)
		latency = w.span("late", name, 100*time.Millisecond, 6*time.Second)
	case w.happens("Redis answer lost", name, commandAloneRate):
		c.fails(p.l)
		isSilent = true
	}
	if !sleep(p.l.ctx, latency) {
		return false
	}
	if _, err := p.server.Write(buffer[:n]); err != nil {
		return false
	}
	if p.listens {
		return true
	}
	if command == "SUBSCRIBE" {
		p.listens = true
		w.Add(1)
		go p.listen()
		return true
	}
	if n, err = p.server.Read(buffer); err != nil {
		return false
	}
	arrived := c.judge(p.l.machine.name, key, string(buffer[:n]))
	if isSilent {
		return true
	}
	if _, err := p.client.Write(buffer[:n]); err != nil {
		return false
	}
	arrived()
	return true
}

// listen passes on what the server sends to a client that listens.
func (p *passage) listen() {
	w := p.c.w
	defer w.Done()
	defer p.client.Close()
	for buffer := make([]byte, 64<<10); ; {
		n, err := p.server.Read(buffer)
		if err != nil {
			return
		}
		message := bytes.Clone(buffer[:n])
		words := strings.Split(string(message), "\r\n")
		isNews := len(words) > 6 && words[2] == "message"
		about := words[0]
		if isNews {
			about = words[6]
		}
		o, err := w.register(&p.l.actor, "news", about)
		if err != nil {
			return
		}
		w.Add(1)
		go func() { // the server does not wait for it
			defer w.Done()
			if <-o.turn != nil || !sleep(p.l.ctx, w.span("latency", o.name, 100*time.Microsecond, 3*time.Millisecond)) ||
				isNews && (p.c.isMute() || w.happens("news lost", o.name, newsLostRate)) || p.c.isApart(p.l.machine) {
				return
			}
			_, _ = p.client.Write(message) // it may have left
		}()
	}
}

// about returns the name of a command and its first key.
func about(command string) (name, key string) {
	words := strings.Split(command, "\r\n")
	switch {
	case strings.HasPrefix(words[2], "EVAL") && len(words) > 8:
		return words[2], words[8]
	case len(words) > 4 && !strings.HasPrefix(words[2], "EVAL"):
		return words[2], words[4]
	}
	return words[2], ""
}
