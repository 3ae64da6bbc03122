package simulation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mkt/fetch/simulator"
	"mkt/internal/cluster/store"
	"mkt/internal/evidence/verify"
	"mkt/internal/replay"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// lastingFaults are the faults of a provider that last.
var lastingFaults = []simulator.FaultKind{
	simulator.ServerError, simulator.LimitedBare, simulator.LimitedOK, simulator.QuotaEnds, simulator.BadCredential, simulator.BadPermission,
	simulator.Shrink, simulator.WithoutIDs, simulator.Wrong, simulator.HTML, simulator.Truncated, simulator.Timeout,
}

// commands are those of a world, with what they have to undo.
type commands struct {
	*system
	ctx  context.Context
	undo []func() // when the faults end
}

// lasts does something, and undoes it after a while.
func (c *commands) lasts(id string, most time.Duration, do, undo func()) {
	do()
	c.undo = append(c.undo, undo)
	if c.depot != nil {
		most /= 6
	}
	most *= c.slowness
	c.later(c.span("lasts", id, most/12, most), undo)
}

func (c *commands) anyAccount(id string) *account {
	return c.accounts[c.pick("account", id, len(c.accounts))]
}

func (c *commands) anyWorker(id string) *machine {
	return c.workers[c.pick("worker", id, len(c.workers))]
}

func (c *commands) anyJob(id string) job { return c.jobs[c.pick("job", id, len(c.jobs))] }

func (c *commands) providerFails(id string) {
	a, kind := c.anyAccount(id), lastingFaults[c.pick("kind", id, len(lastingFaults))]
	c.note("%s: %s", a.id, kind)
	c.lasts(id, 4*time.Hour, func() { a.last(kind) }, func() { a.last("") })
}

func (c *commands) rotate(id string) {
	a := c.anyAccount(id)
	c.lasts(id, 2*time.Hour, a.rotate, func() { c.office.know(c.ctx, a) })
}

// added returns an account that is not there from the beginning.
func (c *commands) added(id string) *account {
	return c.accounts[len(c.accounts)-1-c.pick("added", id, 2)]
}

func (c *commands) add(id string) { c.office.add(c.ctx, c.added(id)) }

func (c *commands) disable(id string) {
	a := c.anyAccount(id)
	c.lasts(id, 2*time.Hour, func() { c.office.switched(c.ctx, a, true) }, func() { c.office.switched(c.ctx, a, false) })
}

func (c *commands) fill(id string) {
	m := c.anyWorker(id)
	c.lasts(id, time.Hour, func() { m.full = true }, func() { m.full = false })
}

func (c *commands) powerOff(id string) { c.off(c.anyWorker(id), id) }

func (c *commands) replicaOff(id string) {
	c.off(c.mirrors[c.pick("mirror", id, len(c.mirrors))].machine, id)
}

func (c *commands) off(m *machine, id string) {
	m.mu.Lock()
	m.down = c.span("down", id, time.Second, 40*time.Minute*c.slowness)
	m.mu.Unlock()
	if l := m.alive(); l != nil {
		l.kill(id)
	}
}

func (c *commands) leap(id string) {
	m := c.anyWorker(id)
	by := c.span("leap", id, -2*time.Hour, 2*time.Hour) * c.slowness
	c.note("%s: clock %s", m.name, by)
	c.lasts(id, 3*time.Hour, func() { m.leap(by, c.roll("drift", id)*1e-3) }, m.set)
}

// locked runs a command of an operator on a job of a machine that is on.
func (c *commands) locked(id string, do func(l *life, j job, root durable.FS) error) {
	l, j := c.anyWorker(id).alive(), c.anyJob(id)
	if l != nil {
		c.lockedOn(l, j, do)
	}
}

func (c *commands) lockedOn(l *life, j job, do func(l *life, j job, root durable.FS) error) bool {
	root := l.root(j.dir())
	lock, err := root.Lock(layout.Lock)
	if err == nil {
		err = do(l, j, root)
		_ = lock.Close()
	}
	if err != nil && !l.dead.Load() {
		c.note("%s: %s: command: %s", l.machine.name, j, shorten(err))
	}
	return err == nil
}

func (c *commands) gc(id string) {
	c.locked(id, func(l *life, j job, root durable.FS) error {
		keep, of := c.keeps(l), within(l.disk, j.dir())
		o := retention.Options{Root: root, Now: l.machine.now(), Policy: keep.For(j.product)}
		before := j.inventory(of)
		head, _, unknown := snapshot.Last(root)
		err := unknown
		if unknown == nil {
			_, err = retention.Collect(o, head)
		}
		if !l.dead.Load() {
			j.retained(of, l.machine, keep, before, err == nil)
		}
		if err != nil && !isStorage(err) && !errors.Is(err, retention.ErrClockJump) && !l.machine.isRotten() && !l.machine.suspect && !l.dead.Load() {
			c.fail(retentionKeeps, "%s: %v", j, err)
		}
		if unknown != nil {
			return unknown
		}
		_, err2 := retention.CollectUnpublished(o, head)
		return errors.Join(err, err2)
	})
}

// again publishes a kept cycle that was published already, or is older than the published one: nothing happens.
func (c *commands) again(id string) {
	c.locked(id, func(l *life, j job, root durable.FS) error {
		of := within(l.disk, j.dir())
		head, found, err := snapshot.Head(of)
		entries, _ := of.ReadDir(layout.CanonicalDir) // it may be missing
		if err != nil || !found || len(entries) == 0 || l.machine.isRotten() {
			return err
		}
		cycle, ok := layout.ParseCycleDir(entries[c.pick("cycle", id, len(entries))].Name())
		if !ok || cycle > head.CycleID {
			return nil
		}
		_, published, err := snapshot.OfCycle(of, head, cycle)
		if err != nil {
			return err
		}
		o := c.options(l, j, root, "again")
		o.Cycle = cycle
		s, err := publish.Run(l.ctx, o)
		if err == nil && !s.Already || published == errors.Is(err, publish.ErrOlderCycle) && !isStorage(err) && !l.dead.Load() {
			c.fail(oneHistory, "%s: cycle %s, published before: %t, was published again: %+v, %v", j, cycle, published, s, err)
		}
		return err
	})
}

// verify checks a data root as mkt verify does. It takes no lock: a run may be under way.
func (c *commands) verify(id string) {
	m, j := c.anyWorker(id), c.anyJob(id)
	if m.alive() != nil {
		c.verifyClean(m, j)
	}
}

// verifyClean judges a root. A verification reads for a while: what runs meanwhile is stopped here, so it
// only judges between two operations.
func (s *system) verifyClean(m *machine, j job) {
	root := within(m.disk, j.dir())
	if m.isRotten() || m.suspect || s.isBusy(m, j) {
		return
	}
	r, err := verify.Run(context.Background(), verify.Options{ClientID: j.id, Product: j.product, Root: root, Command: "mkt"})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.fail(verifyIsClean, "%s on %s: %v", j, m.name, err)
	}
	for _, f := range r.Findings {
		if m.isLost(j.dir()+"/"+f.File) || s.depot != nil && f.File == layout.Current && !m.isRecovered(j.String()) {
			continue // a worker that was killed while it copied writes CURRENT with its next run of the job
		}
		s.fail(verifyIsClean, "%s on %s: %s %s: %s", j, m.name, f.Code, f.File, f.What)
	}
}

// isBusy reports whether the lock of a root is held.
func (s *system) isBusy(m *machine, j job) bool {
	lock, err := within(m.disk, j.dir()).Lock(layout.Lock)
	if err != nil {
		return true
	}
	_ = lock.Close()
	return false
}

// replay runs the kept cycles of a job again, elsewhere: the same payloads make the same rows.
func (c *commands) replay(id string) {
	m, j := c.anyWorker(id), c.anyJob(id)
	l := m.alive()
	if l == nil || m.isRotten() || m.suspect || m.hasLost() || c.isBusy(m, j) || j.product != football.MarketEngine || !hasBefore(within(m.disk, j.dir())) {
		return
	}
	target := durabletest.NewMem()
	_ = target.MkdirAll(j.dir())
	r, err := replay.Run(context.Background(), replay.Options{ClientID: j.id, Product: j.product, Source: within(m.disk, j.dir()), Target: within(target, j.dir()), Data: target,
		To: snapshot.Newest, Key: key, Version: "test", Fingerprint: key.Fingerprint(), Workers: 1, Retention: c.keeps(l)})
	if errors.Is(err, replay.ErrNothing) || errors.Is(err, snapshot.ErrUnknown) || errors.Is(err, snapshot.ErrNothing) {
		return
	}
	if err != nil {
		c.fail(sameRows, "%s on %s: %v", j, m.name, err)
		return
	}
	if !r.Same() {
		c.fail(sameRows, "%s on %s: %+v", j, m.name, r.Outcomes)
	}
}

// hasBefore reports whether a root has the publication before the newest one, or the newest is the first. The rows that
// a cycle carries over are in it. A worker's root may begin with the newest, which it copied from the store.
func hasBefore(root durable.ReadFS) bool {
	head, found, err := snapshot.Head(root)
	if err != nil || !found || head.Version == 1 {
		return true
	}
	first, err := snapshot.First(root)
	if err == nil && first == head.Version {
		return false
	}
	before, err := snapshot.ReadCommit(root, head.Version-1)
	if err != nil {
		return true
	}
	kept, err := snapshot.IsKept(root, before)
	return kept || err != nil
}

// rot flips a bit of a published file of the machine. An operator repairs it later.
func (c *commands) rot(id string) {
	m, j := c.anyWorker(id), c.anyJob(id)
	if m.losesWrites {
		return // what it loses is enough
	}
	names := c.flip(m, j, id)
	if len(names) == 0 {
		return
	}
	m.setRotten(true)
	c.later(c.span("noticed", id, time.Minute, time.Hour*c.slowness), func() { c.recover(m, names) })
}

// flip flips a bit of a file of the newest publication, and returns the paths that publications have for it. A new history
// shares the files of the publication that it repeats.
func (c *commands) flip(m *machine, j job, id string) (rotten []string) {
	root := within(m.disk, j.dir())
	head, found, err := snapshot.Head(root)
	if err != nil || !found || head.Version < 3 || m.isRotten() {
		return nil // a new history needs an older publication
	}
	manifest, err := snapshot.Open(root, head)
	if err != nil {
		return nil
	}
	names := []string{head.Dir() + "/" + layout.ManifestFile}
	for _, f := range manifest.Files {
		names = append(names, head.Dir()+"/"+f.Name)
	}
	for _, s := range manifest.Segments() {
		names = append(names, s.File)
	}
	name := names[c.pick("file", id, len(names))]
	info, err := root.Stat(name)
	if err != nil || !m.disk.Flip(j.dir()+"/"+name, c.pick("byte", id, int(info.Size()))) {
		return nil
	}
	c.note("%s: %s: a bit of %s rots", m.name, j, name)
	rotten = []string{j.dir() + "/" + name}
	for _, dir := range []string{layout.SnapshotsDir, layout.CanonicalDir} {
		cycles, _ := root.ReadDir(dir) // it may be missing
		for _, cycle := range cycles {
			other := dir + "/" + cycle.Name() + "/" + path.Base(name)
			if same, err := durable.SameFile(root, name, other); err != nil || !same || other == name {
				continue
			}
			if dir == layout.CanonicalDir { // mkt recover derives it again from the payloads, which package repair does not
				m.lose(j.dir() + "/" + other)
			} else {
				rotten = append(rotten, j.dir()+"/"+other)
			}
		}
	}
	return rotten
}

// recover repairs all data roots of a machine, as mkt recover does, until it worked. If something cannot
// be repaired, it begins a new history.
func (c *commands) recover(m *machine, rotten []string) {
	done := map[string]bool{}
	for len(done) < len(c.jobs) && !c.isStopped() {
		l := m.alive()
		for _, j := range c.jobs {
			if l == nil || done[j.String()] || l.dead.Load() {
				continue
			}
			if there, err := durable.Exists(within(l.disk, j.dir()), layout.CommitsDir); err == nil && !there {
				done[j.String()] = true
				continue
			}
			if c.lockedOn(l, j, func(l *life, j job, root durable.FS) error {
				r, err := repair.Run(l.ctx, c.options(l, j, root, "recover"))
				if err == nil && len(r.Unrepairable) > 0 {
					c.note("%s: %s: a new history: %s", m.name, j, shorten(r.Unrepairable[0]))
					for _, name := range rotten {
						m.lose(name)
					}
					_, err = repair.NewHistory(l.ctx, c.options(l, j, root, "recover"))
				}
				return err
			}) {
				done[j.String()] = true
			}
		}
		if !sleep(c.ctx, time.Minute) {
			return
		}
	}
	m.setRotten(false)
	for _, j := range c.jobs {
		c.book.judge(within(m.disk, j.dir()), j, m)
	}
}

// rotWorker flips a bit of a worker's disk in a cluster: the next run copies the publication again.
func (c *commands) rotWorker(id string) {
	m, j := c.anyWorker(id), c.anyJob(id)
	if len(c.flip(m, j, id)) > 0 {
		m.setRotten(true) // for ever: only a run that builds on the file finds it
	}
}

// restore replaces the disk of a machine by yesterday's copy, and begins new histories.
func (c *commands) restore(id string) {
	m := c.anyWorker(id)
	if m.alive() == nil || m.isRotten() {
		return
	}
	copied := m.disk.PowerCut(1, 0)
	c.later(c.span("lost", id, time.Hour*c.slowness, 8*time.Hour*c.slowness), func() {
		l := m.alive()
		if l == nil || m.isRotten() || c.isCalm() {
			return
		}
		c.note("%s: an older copy is restored", m.name)
		c.translog.restored = true
		m.setRotten(true)
		for _, a := range c.accounts { // the operator deletes those again that were deleted since
			if _, there := c.office.newest().Tenant(a.id); !there {
				_ = copied.RemoveAll(layout.Tenant(a.id))
			}
		}
		_ = copied.SyncDir(".")
		m.mu.Lock()
		m.restored = copied
		m.down = 10 * time.Minute
		m.mu.Unlock()
		c.book.restored(m, c.jobs)
		l.kill(id + " restored")
		// The machine must not run a cycle before its histories start again.
		m.first = func(l *life) {
			for _, j := range c.jobs {
				for !c.begin(l, j) && !l.dead.Load() && sleep(l.ctx, time.Minute) {
				}
			}
			if !l.dead.Load() {
				m.first = nil
				m.setRotten(false)
			}
		}
	})
}

// begin begins a new history of a job.
func (c *commands) begin(l *life, j job) bool {
	if _, found, err := snapshot.Head(within(l.disk, j.dir())); err == nil && !found {
		c.book.emptied(j)
		return true
	}
	return c.lockedOn(l, j, func(l *life, j job, root durable.FS) error {
		_, err := repair.NewHistory(l.ctx, c.options(l, j, root, "history"))
		return err
	})
}

// options are those of a command that may begin a new history.
func (c *commands) options(l *life, j job, root durable.FS, purpose string) publish.Options {
	id := purpose + "-" + l.runID()
	return publish.Options{ClientID: j.id, Product: j.product, Root: root, Now: c.book.begins(id, l.machine.now), Version: "test", RunID: id, Retention: c.keeps(l)}
}

func (c *commands) storeAway(id string) {
	c.lasts(id, 2*time.Hour, func() { c.depot.away = true }, func() { c.depot.away = false })
}

// networkAway cuts a worker off in the middle of a run, while the others go on. Redis may lose everything at the
// same time.
func (c *commands) networkAway(id string) {
	m := c.anyWorker(id)
	c.note("%s: the network goes away", m.name)
	then := func() {
		if c.pick("forgets", id, 2) == 0 { // while the worker may still believe that it has its lease
			c.later(c.span("forgets", id, 0, 6*time.Second), func() { c.redisForgets(id) })
		}
	}
	c.lasts(id, time.Hour, func() { m.cutNext(then) }, m.connect)
}

func (c *commands) redisAway(id string) {
	c.lasts(id, time.Hour, func() { c.redis.stop(true) }, func() { c.redis.stop(false) })
}

func (c *commands) redisSlow(id string) {
	c.lasts(id, time.Hour, func() { c.redis.crawl(true) }, func() { c.redis.crawl(false) })
}

func (c *commands) redisRefuses(id string) {
	c.lasts(id, time.Hour, func() { c.redis.refuse(true) }, func() { c.redis.refuse(false) })
}

func (c *commands) redisForgets(string) { c.redis.forget() }

// redisApart cuts a worker off from Redis alone: others take its accounts while it may go on to run and to publish.
func (c *commands) redisApart(id string) {
	m := c.anyWorker(id)
	c.note("%s: Redis is out of reach", m.name)
	c.lasts(id, time.Hour, func() { c.redis.part(m, true) }, func() { c.redis.part(m, false) })
}

func (c *commands) newsAway(id string) {
	c.lasts(id, time.Hour, func() { c.redis.silence(true) }, func() { c.redis.silence(false) })
}

// push stores what the store lacks, and repairs it.
func (c *commands) push(id string) {
	c.locked(id, func(l *life, j job, root durable.FS) error {
		release, err := c.lease(l, "mkt push", j)
		if err != nil {
			return err
		}
		defer release()
		if _, there := c.office.newest().Tenant(j.id); !there {
			return nil // it stores nothing of a deleted account
		}
		d := c.depot.store(l).Dataset(j.id, j.product)
		_, err = d.Push(l.ctx, root, store.PushOptions{})
		if err == nil && c.pick("repair", id, 2) == 0 && !l.machine.isRotten() {
			_, err = d.Repair(l.ctx, root, store.PushOptions{})
		}
		return err
	})
}

// pull copies a dataset of the store to an empty root elsewhere, which must be clean.
func (c *commands) pull(id string) {
	l, j := c.anyWorker(id).alive(), c.anyJob(id)
	if l == nil {
		return
	}
	root := within(durabletest.NewMem(), ".")
	p, err := c.depot.store(l).Dataset(j.id, j.product).Pull(l.ctx, root, store.PullOptions{})
	if err != nil || p.First > p.Last {
		return
	}
	r, err := verify.Run(context.Background(), verify.Options{ClientID: j.id, Product: j.product, Root: root, Command: "mkt"})
	if err != nil {
		c.fail(verifyIsClean, "%s, pulled: %v", j, err)
	}
	for _, f := range r.Findings {
		c.fail(verifyIsClean, "%s, pulled: %s %s: %s", j, f.Code, f.File, f.What)
	}
}

// rotReplica flips a bit of a file that a replica has, while it is off.
func (c *commands) rotReplica(id string) {
	m := c.mirrors[c.pick("mirror", id, len(c.mirrors))]
	c.off(m.machine, id)
	c.later(100*time.Millisecond, func() {
		if m.alive() != nil {
			return
		}
		of := []string{"/snapshots/", "/changes/"}[c.pick("kind of file", id, 2)] // a segment stays longer
		var names []string
		_ = filepath.WalkDir(m.data, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(name, of) {
				names = append(names, name)
			}
			return nil
		})
		if len(names) == 0 {
			return
		}
		name := names[c.pick("file", id, len(names))]
		if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
			data[c.pick("byte", id, len(data))] ^= 1
			_ = os.WriteFile(name, data, 0o600)
			m.mu.Lock()
			for _, j := range c.jobs {
				if strings.HasPrefix(name, filepath.Join(m.data, j.dir())+"/") {
					m.rotten[j.dir()] = true
				}
			}
			m.mu.Unlock()
		}
	})
}
