package publish_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/changelog"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

var (
	logSteps     = flag.Int("steps", 300, "steps of each history of the change log")
	logHistories = flag.Int("histories", 4, "histories of the change log")
)

// L1: publications, repeated and older ones, kills, power cuts, full disks, restores of
// backups and collections, in any order, with consumers that read at any moment. The
// events that every consumer receives are ordered, unique, gapless, atomic per
// publication, resumable, and lead to the dataset. -steps 10000 -histories 20 is the
// drill. The files are in memory; the stage and the formats are the real ones.
func TestChangeLogUnderAnything(t *testing.T) {
	t.Parallel()
	steps, histories := *logSteps, *logHistories
	if testing.Short() {
		steps, histories = min(steps, 80), min(histories, 2)
	}
	for seed := range histories {
		t.Run(fmt.Sprint("history ", seed), func(t *testing.T) {
			t.Parallel()
			newChronicle(t, uint64(seed)).run(steps)
		})
	}
}

// randomHistory is one random history and what must hold in it.
type randomHistory struct {
	t      *testing.T
	random *rand.Rand
	f      *durabletest.Mem
	keep   retention.Policy
	hour   int // of the newest cycle

	now    edition  // what is certainly published
	next   *edition // what may be published by now
	backup *backedUp

	log       changelog.Log    // what anybody received
	seen      map[string]*view // what was read of publications, by the commit's hash
	consumers []*consumer
	did       map[string]int
}

// edition is an expected publication.
type edition struct {
	version  uint64
	cycle    cycle
	fixtures map[int]int
	events   map[string]string // by fixture
	last     uint64
}

type backedUp struct {
	f   *durabletest.Mem
	now edition
}

func newChronicle(t *testing.T, seed uint64) *randomHistory {
	c := &randomHistory{t: t, random: rand.New(rand.NewPCG(seed, 11)), f: durabletest.NewMem(), seen: map[string]*view{}, did: map[string]int{}}
	c.keep = retention.Policy{Snapshots: 1 + c.random.IntN(4), SnapshotAge: time.Hour, CycleAge: time.Hour, ChangeEvents: 1 + c.random.Uint64N(40)}
	for range 4 {
		c.consumers = append(c.consumers, &consumer{randomHistory: c})
	}
	c.publish(c.newCycle(), nil)
	return c
}

func (c *randomHistory) run(steps int) {
	for range steps {
		c.step()
		if c.t.Failed() {
			return
		}
	}
	for _, k := range c.consumers {
		k.drain()
	}
	if _, err := look(c.f); err != nil {
		c.t.Error(err)
	}
	c.t.Logf("%d steps: %v; %d versions, seq %d", steps, c.did, c.now.version, c.log.Last())
}

func (c *randomHistory) step() {
	switch n := c.random.IntN(100); {
	case n < 25:
		c.publish(c.newCycle(), nil)
	case n < 32:
		c.broken(c.newCycle())
	case n < 35:
		c.again()
	case n < 37:
		c.older()
	case n < 39:
		c.collect()
	case n < 40:
		c.backup = &backedUp{c.f.PowerCut(1, 0), c.now}
		c.did["backups"]++
	case n < 41:
		c.restore()
	default:
		c.anybody().poll()
	}
}

func (c *randomHistory) anybody() *consumer { return c.consumers[c.random.IntN(len(c.consumers))] }

func (c *randomHistory) newCycle() cycle {
	c.hour += 1 + c.random.IntN(30)
	k := cycle{number: c.hour, partly: c.random.IntN(2) == 0, edition: 1 + c.random.IntN(2)}
	k.drawFixtures(func() int { return c.random.IntN(7) })
	k.transform(c.t, c.f)
	return k
}

func (c *randomHistory) after(k cycle) *edition {
	e := &edition{version: c.now.version + 1, cycle: k, fixtures: map[int]int{}, events: map[string]string{}}
	maps.Copy(e.fixtures, c.now.fixtures)
	k.model(e.fixtures)
	for n, seen := range e.fixtures {
		if seen == k.number || seen < 0 && c.now.fixtures[n] != seen {
			e.events[fixtureID(n)] = publish.Updated
		}
	}
	for n := range c.now.fixtures {
		if _, still := e.fixtures[n]; !still {
			e.events[fixtureID(n)] = publish.Removed
		}
	}
	e.last = c.now.last + uint64(len(e.events))
	return e
}

// publish runs the stage on a cycle while consumers read. A plan injects faults.
func (c *randomHistory) publish(k cycle, plan durabletest.Plan) {
	c.next = c.after(k)
	at := map[int]bool{}
	for range 3 {
		at[1+c.random.IntN(170)] = true
	}
	f := durabletest.Wrap(c.f, func(op durabletest.Op) error {
		if at[op.Number] {
			c.anybody().poll()
		}
		if plan != nil {
			return plan(op)
		}
		return nil
	})
	o := options(f, k, fmt.Sprint("run-", k.number, "-", c.random.Uint32()))
	if o.Retention.ChangeEvents = c.keep.ChangeEvents; c.random.IntN(4) == 0 {
		o.Retention = c.keep
	}
	if c.random.IntN(20) == 0 {
		o.Now = func() time.Time { return k.at().Add(-time.Hour) }
	}
	_, err := publish.Run(context.Background(), o)
	switch {
	case err == nil:
		c.did["publications"]++
		c.now, c.next = *c.next, nil
		c.read()
	case plan == nil:
		c.t.Errorf("cycle %d: %v", k.number, err)
	}
}

// broken runs a publication that is killed, loses power, or finds the disk full, and
// sometimes tries again.
func (c *randomHistory) broken(k cycle) {
	at := 1 + c.random.IntN(170)
	switch kind := c.random.IntN(3); kind {
	case 0:
		c.did["full disks"]++
		c.publish(k, durabletest.FullAt(at))
	default:
		c.did["kills"]++
		c.publish(k, durabletest.KillAt(at))
		if kind == 2 {
			c.did["power cuts"]++
			c.f = c.f.PowerCut([]float64{0, 0.5, 1}[c.random.IntN(3)], c.random.Uint64())
		}
	}
	c.conclude()
	if c.next != nil && c.random.IntN(2) == 0 {
		c.publish(k, nil)
	}
	c.next = nil
}

// conclude finds out whether a broken publication was committed.
func (c *randomHistory) conclude() {
	head, _, err := snapshot.Head(c.f)
	must(c.t, err)
	if c.next != nil && head.Version == c.next.version {
		c.now, c.next = *c.next, nil
		c.did["published although broken"]++
		c.read()
	}
	if head.Version != c.now.version {
		c.t.Errorf("version %d, and %d was acknowledged or reported", head.Version, c.now.version)
	}
}

// again publishes the newest cycle once more, which must do nothing.
func (c *randomHistory) again() {
	if c.now.cycle.number == 0 {
		return // a restored publication may have a cycle that this history cannot make
	}
	s, err := publish.Run(context.Background(), options(c.f, c.now.cycle, fmt.Sprint("again-", c.random.Uint32())))
	if err != nil || !s.Already || s.Version != c.now.version {
		c.t.Errorf("again: %+v, %v", s, err)
	}
	c.did["cycles published again"]++
}

// older publishes a cycle that was never published and is older than what is.
func (c *randomHistory) older() {
	c.hour++
	k := cycle{number: c.hour, refreshed: []int{1}}
	k.transform(c.t, c.f)
	c.publish(c.newCycle(), nil)
	_, err := publish.Run(context.Background(), options(c.f, k, fmt.Sprint("older-", c.random.Uint32())))
	if !errors.Is(err, publish.ErrOlderCycle) {
		c.t.Errorf("an older cycle: %v", err)
	}
	c.did["older cycles refused"]++
}

// collect applies the retention, which is sometimes killed.
func (c *randomHistory) collect() {
	var f durable.FS = c.f
	if c.random.IntN(2) == 0 {
		f = durabletest.Wrap(c.f, durabletest.KillAt(1+c.random.IntN(40)))
	}
	_, err := retention.Collect(retention.Options{Root: f, Now: cycle{number: c.hour}.at().Add(time.Hour), Policy: c.keep}, headOf(c.t, c.f))
	if f == c.f {
		must(c.t, err)
	}
	c.did["collections"]++
}

// restore restores the backup and begins a new history, as docs/operators.md says.
func (c *randomHistory) restore() {
	if c.backup == nil {
		return
	}
	c.f, c.now = c.backup.f.PowerCut(1, 0), c.backup.now
	c.hour++
	s, err := newHistory(c.f, cycle{number: c.hour}.at(), fmt.Sprint("history-", c.hour))
	must(c.t, err)
	c.now = edition{version: c.now.version + 1, fixtures: c.now.fixtures, events: map[string]string{}, last: s.LastSeq}
	if c.log.Last() > s.LastSeq {
		c.t.Errorf("restored to seq %d, and %d was received", s.LastSeq, c.log.Last())
	}
	for _, k := range c.consumers {
		k.lost = true
	}
	c.did["restores"]++
}

// view is one publication as a reader sees it.
type view struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	fixtures map[int]int
	first    uint64 // of this publication's own events
}

// read opens the newest publication as serve does, and checks that it is one dataset with
// exactly its own events.
func (c *randomHistory) read() *view {
	head, found, err := snapshot.Head(c.f)
	if err == nil && !found {
		if c.now.version > 0 {
			c.t.Error("nothing is published any more")
		}
		return nil
	}
	if err == nil {
		err = snapshot.EnsureDurable(c.f, head)
	}
	if err != nil {
		c.t.Error(err)
		return nil
	}
	if v := c.seen[head.SHA256]; v != nil {
		return v
	}
	want := &c.now
	if c.next != nil && head.Version == c.next.version {
		want = c.next
	}
	v, err := c.open(head, want)
	if err != nil {
		c.t.Errorf("version %d, expecting %d: %v", head.Version, want.version, err)
		return nil
	}
	c.seen[head.SHA256] = v
	return v
}

func (c *randomHistory) open(head snapshot.Commit, want *edition) (*view, error) {
	m, err := snapshot.Open(c.f, head)
	if err != nil {
		return nil, err
	}
	d := dataset{commit: head, manifest: m, fixtures: map[int]int{}, fetched: map[int]time.Time{}}
	if err := errors.Join(snapshot.Verify(c.f, head.Dir(), m), d.readRows(c.f)); err != nil {
		return nil, err
	}
	v := &view{commit: head, manifest: m, fixtures: d.fixtures, first: want.last - uint64(len(want.events)) + 1}
	events := map[string]string{}
	for e, err := range c.log.Events(c.f, head, m, v.first-1) {
		if err != nil {
			return nil, err
		}
		if layout.CycleID(e.CycleID) != head.CycleID {
			return nil, fmt.Errorf("event %d is of cycle %s", e.Seq, e.CycleID)
		}
		events[e.FixtureID] = e.Type
	}
	if diff := cmp.Diff(want.fixtures, v.fixtures) + cmp.Diff(want.events, events); diff != "" || head.LastSeq != want.last || head.Version != want.version {
		return nil, fmt.Errorf("last seq %d, want %d: %s", head.LastSeq, want.last, diff)
	}
	return v, nil
}
