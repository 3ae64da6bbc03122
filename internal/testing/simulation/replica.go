package simulation

import (
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"mkt/internal/cluster/replica"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// mirror is a machine that keeps a copy of the object store for its clients, as mkt serve does. Its files
// are real: what a power cut takes of them is copied again.
type mirror struct {
	*machine
	data   string
	server Server // over data; nil: there is none

	mu     sync.Mutex
	seen   map[job]snapshot.Commit // newest commit that a client saw during this life
	rotten map[string]bool         // folders with a file that was damaged while the machine was off, until it is copied again
}

// refuses reports whether a client gets no answer, because a rotten file differs from its
// hash: a server compares them before it serves them, and the replica copies them again.
func (m *mirror) refuses(root durable.ReadFS, j job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.rotten[j.dir()] {
		return false
	}
	c, found, err := snapshot.Head(root)
	if err == nil && found {
		_, err = intact(root, c, func(string) bool { return false })
	}
	if snapshot.IsDamage(err) {
		return true
	}
	delete(m.rotten, j.dir())
	return false
}

// mirror returns a machine with a replica, and with a server over it if serve is not nil.
func (s *services) mirror(name string, serve func(name string) (string, Server)) *mirror {
	m := &mirror{data: filepath.Join(s.TempDir(), name), rotten: map[string]bool{}}
	if serve != nil {
		m.data, m.server = serve(name)
	}
	m.machine = s.machine(name, func(l *life) { s.follow(l, m) })
	return m
}

// follow is the program of a machine with a replica.
func (s *services) follow(l *life, m *mirror) {
	if _, err := l.enter("start", ""); err != nil || !sleep(l.ctx, s.span("start", l.id(), 0, 2*time.Second)) {
		return
	}
	m.mu.Lock()
	m.seen = map[job]snapshot.Commit{}
	m.mu.Unlock()
	// No dataset waits for another: nothing decides which of those that wait comes next.
	r := replica.New(replica.Options{Store: s.depot.store(l), Data: m.data, Clients: func() []string { return s.office.newest().IDs() }, Products: []football.Product{football.MarketEngine, football.LiveIntelligence},
		Every: 30 * time.Second, AtOnce: 2 * len(s.accounts), Now: m.now, Log: slog.New(slog.DiscardHandler)})
	conn := s.redis.open(l)
	defer conn.Close()
	var all sync.WaitGroup
	all.Go(func() {
		conn.Listen(l.ctx, func(client, product string, _ uint64) {
			if client == "" {
				r.NotifyAll()
				return
			}
			r.Notify(client, football.Product(product))
		})
	})
	all.Go(func() { s.counting.count(l) })
	r.Run(l.ctx)
	all.Wait()
}
