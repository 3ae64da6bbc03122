package simulation

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// reader is a client of an account. It reads everything once, then follows the change log, at another
// replica each time. It lags, and is cut off at times.
type reader struct {
	s       *services
	job     job
	life    *life // of the machine that it runs on, which never ends
	mirrors []*mirror
	position
	saved position // from which it continues after it died
	http  *surfer
}

// position is how far a reader has come.
type position struct {
	history string
	seq     uint64
	state   content
}

// run is the program of a reader.
func (c *reader) run(ctx context.Context) {
	for n := 1; ; n++ {
		name, err := c.life.enter("poll", c.job.String())
		if err != nil {
			return
		}
		c.poll(c.mirrors[c.s.pick("mirror", name, len(c.mirrors))])
		if !sleep(ctx, c.pause(name)) {
			return
		}
	}
}

// pause is how long a client does nothing. At times it is cut off for longer.
func (c *reader) pause(name string) time.Duration {
	wait := c.s.span("poll", name, 20*time.Second, 3*time.Minute)
	if c.s.pick("cut off", name, 40) == 0 {
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
		head = c.s.book.judge(root, c.job, m.machine)
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
	c.http.surf(m, head)
	c.page(root, m.name, head, manifest, math.MaxInt)
}

// watchers are clients that read the data roots of a machine, by the folder of their job.
type watchers map[string][]*reader

// read lets a client read a data root in the middle of whatever runs there, and reports whether the root has
// one. At times the client dies, and continues from the position that it saved.
func (w watchers) read(l *life, base, name string) bool {
	clients, s := w[base], l.machine.w
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
	c.visit(l.machine, l.disk, 1+s.pick("page", name, 20))
	return true
}

// visit reads the newest publication of a machine as a server does, and at most a number of events.
func (c *reader) visit(m *machine, disk *durabletest.Mem, most int) {
	s, root := c.s, within(disk, c.job.dir())
	head, found, err := snapshot.Head(root)
	if m.isRotten() {
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
	if head = s.book.judge(root, c.job, m); head.Version == 0 {
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
