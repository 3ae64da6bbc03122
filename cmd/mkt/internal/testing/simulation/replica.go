package simulation

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"sync"
	"time"

	"mkt/internal/coordination"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/replica"
)

// mirror is a machine that keeps a copy of the object store for its clients, as mkt serve does. Its files
// are real: what a power cut takes of them is copied again.
type mirror struct {
	*machine
	data   string
	server Server // over data; nil: there is none

	mu      sync.Mutex
	seen    map[job]snapshot.Commit // newest commit that a client saw during this life
	counter *counter
	rotten  map[string]bool // folders with a file of which a bit has rotted while the machine was off, until it is copied anew
}

// refuses reports whether a client gets no answer, because a rotten file differs from its
// hash: a server compares them before it serves them, and the replica copies them anew.
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

// mirror returns a machine with a replica.
func (s *system) mirror(name string) *mirror {
	m := &mirror{data: filepath.Join(s.TempDir(), name), rotten: map[string]bool{}}
	if s.serve != nil {
		m.data, m.server = s.serve(name)
	}
	m.machine = s.machine(name, func(l *life) { s.follow(l, m) })
	return m
}

// follow is the program of a machine with a replica.
func (s *system) follow(l *life, m *mirror) {
	if _, err := s.enter(l, "start", ""); err != nil || !sleep(l.ctx, s.span("start", l.id(), 0, 2*time.Second)) {
		return
	}
	m.mu.Lock()
	m.seen = map[job]snapshot.Commit{}
	m.mu.Unlock()
	// No dataset waits for another: nothing decides which of those that wait comes next.
	r := replica.New(replica.Options{Store: s.depot.store(l), Data: m.data, Clients: s.served, Products: []football.Product{football.MarketEngine, football.LiveIntelligence},
		Every: 30 * time.Second, AtOnce: 2 * len(s.accounts), Now: m.now, Log: slog.New(slog.DiscardHandler)})
	address, err := coordination.Parse("nats://10.0.0.1:4222")
	var conn *coordination.Conn
	if err == nil {
		conn, err = coordination.Open(coordination.Options{Address: address, Use: coordination.ForNews, Name: m.name, Version: "test", Now: l.steady(), Random: s.spread(l, "connect"), Dialer: &dialer{s.broker, l}})
	}
	if err == nil {
		defer conn.Close()
		err = conn.Listen(l.ctx, func(client, product string, _ uint64) {
			if client == "" {
				r.NotifyAll()
				return
			}
			r.Notify(client, football.Product(product))
		})
	}
	if err != nil {
		s.fail(progress, "%s cannot listen: %v", m.name, err)
		return
	}
	var counts sync.WaitGroup
	counts.Go(func() { s.count(l, m) })
	r.Run(l.ctx)
	counts.Wait()
}

// served are the accounts that replicas serve.
func (s *system) served() []string { return s.office.newest().IDs() }

// reader is a client of an account. It reads everything once, then follows the change log, at another
// replica each time. It lags, and is cut off at times.
type reader struct {
	s    *system
	job  job
	life *life // of the machine that it runs on, which never ends
	position
	saved position // from which it continues after it died
	http  surfer
}

// position is how far a reader has come.
type position struct {
	history string
	seq     uint64
	state   content
}

// read is the program of a reader.
func (s *system) read(ctx context.Context, c *reader) {
	for n := 1; ; n++ {
		name, err := s.enter(c.life, "poll", c.job.String())
		if err != nil {
			return
		}
		c.poll(s.mirrors[s.pick("mirror", name, len(s.mirrors))])
		if !sleep(ctx, s.pause(name)) {
			return
		}
	}
}

// pause is how long a client does nothing. At times it is cut off for longer.
func (s *system) pause(name string) time.Duration {
	wait := s.span("poll", name, 20*time.Second, 3*time.Minute)
	if s.pick("cut off", name, 40) == 0 {
		wait += 30 * time.Minute
	}
	return wait
}

// look opens the copy of a replica as a reader does. root is nil if there is nothing to read.
func (c *reader) look(m *mirror) (root *durable.Disk, head snapshot.Commit) {
	if m.alive() == nil {
		return nil, head
	}
	root, err := durable.OpenWithin(m.data, c.job.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, head // nothing was copied yet
	}
	if err != nil {
		c.s.fail(nothingTorn, "%s on %s: %v", c.job, m.name, err)
		return nil, head
	}
	if !m.refuses(root, c.job) {
		head = c.s.book.judge(root, c.job, m.name)
	}
	if head.Version == 0 {
		root.Close()
		return nil, head
	}
	m.mu.Lock()
	before := m.seen[c.job]
	m.seen[c.job] = head
	m.mu.Unlock()
	if before.HistoryID == head.HistoryID && head.Version < before.Version {
		c.s.fail(oneHistory, "%s on %s: version %d was served, and now %d is", c.job, m.name, before.Version, head.Version)
	}
	return root, head
}

// poll asks a replica for the events after the newest one that the reader has.
func (c *reader) poll(m *mirror) {
	root, head := c.look(m)
	if root == nil {
		return
	}
	defer root.Close()
	manifest, err := snapshot.Open(root, head)
	if err != nil {
		return // judge says it
	}
	c.surf(m, head)
	c.page(root, m.name, head, manifest, math.MaxInt)
}

// readMeanwhile lets a client read a data root in the middle of whatever runs there, and reports whether the root has
// one. At times the client dies, and continues from the position that it saved.
func (s *system) readMeanwhile(d *disk, name string) bool {
	clients := s.watchers[d.base]
	if len(clients) == 0 {
		return false
	}
	c := clients[s.pick("client", name, len(clients))]
	switch s.pick("client dies", name, 10) {
	case 0:
		c.position = c.saved
		c.state = maps.Clone(c.saved.state)
	case 1:
		c.saved = c.position
		c.saved.state = maps.Clone(c.state)
	}
	c.visit(d.l.machine, d.mem, 1+s.pick("page", name, 20))
	return true
}

// visit reads the newest publication of a machine as a server does, and at most a number of events.
func (c *reader) visit(m *machine, disk *durabletest.Mem, most int) {
	s, root := c.s, within(disk, c.job.dir())
	head, found, err := snapshot.Head(root)
	if s.isRotten(m) {
		return
	}
	if err == nil && found {
		err = snapshot.EnsureDurable(root, head)
	}
	switch {
	case err != nil:
		s.fail(nothingTorn, "%s on %s: a reader: %v", c.job, m.name, err)
		return
	case !found:
		if last := s.book.acknowledged(m, c.job); last > 0 {
			s.fail(acknowledged, "%s on %s: a reader finds nothing, and version %d was acknowledged", c.job, m.name, last)
		}
		return
	}
	if head = s.book.judge(root, c.job, m.name); head.Version == 0 {
		return
	}
	s.book.noteSeen(m, c.job, head.Version)
	if manifest, err := snapshot.Open(root, head); err == nil {
		c.page(root, m.name, head, manifest, most)
	}
}

// page reads the next events of the change log, and compares when it has read them all. If the log does not
// have the next event any more, it reads everything.
func (c *reader) page(root durable.ReadFS, where string, head snapshot.Commit, manifest snapshot.Manifest, most int) {
	fresh := c.s.book.content(c.job, head)
	switch {
	case fresh == nil:
		return // judge says it
	case c.history != head.HistoryID, c.seq+1 < head.FirstSeq:
		if c.history == head.HistoryID && c.s.book.isYoung(c.job, c.history, c.seq+1, head.PublishedAt) {
			c.s.fail(oneHistory, "%s on %s: version %d has events from seq %d on; seq %d is younger than a week", c.job, where, head.Version, head.FirstSeq, c.seq+1)
		}
		c.position = position{head.HistoryID, head.LastSeq, maps.Clone(fresh)}
		return
	case c.seq > head.LastSeq:
		if !c.s.book.cluster {
			c.s.fail(acknowledged, "%s on %s: a reader has seen seq %d, and version %d ends at %d", c.job, where, c.seq, head.Version, head.LastSeq)
		}
		return // this replica is behind
	}
	for row, err := range snapshot.Events(root, manifest, c.seq) {
		if err != nil {
			c.s.fail(oneHistory, "%s on %s: events after %d: %v", c.job, where, c.seq, err)
			return
		}
		if most--; most < 0 {
			return
		}
		if uint64(row.Seq) != c.seq+1 {
			c.s.fail(oneHistory, "%s: seq %d follows %d", c.job, row.Seq, c.seq)
		}
		c.seq = uint64(row.Seq)
		apply(c.state, row)
	}
	if !maps.Equal(c.state, fresh) {
		c.s.fail(clientsAgree, "%s on %s: version %d, seq %d: a reader has %d fixtures, a fresh start has %d: %s", c.job, where, head.Version, c.seq, len(c.state), len(fresh), difference(c.state, fresh))
	}
}

func apply(to content, row *table.EventRow) {
	if row.Type == publish.Removed {
		delete(to, row.FixtureID)
	} else {
		to[row.FixtureID] = deref(row.ContentDigest)
	}
}

func difference(a, b content) string {
	for _, id := range sorted(a) {
		if a[id] != b[id] {
			return id + " " + a[id] + " or " + b[id]
		}
	}
	for _, id := range sorted(b) {
		if a[id] != b[id] {
			return id + " is missing"
		}
	}
	return "none"
}
