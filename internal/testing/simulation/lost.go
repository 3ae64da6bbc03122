package simulation

import (
	"errors"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
)

// loseWrites gives a machine a disk that reports some writes as durable that are not. After a power cut nobody knows
// what it has lost, so that an operator begins new histories, as after the restore of an older copy.
func (s *system) loseWrites(m *machine) {
	m.losesWrites = true
	m.lost = func() {
		s.note("%s: the disk has lost writes", m.name)
		s.translog.restored, m.suspect = true, true
		s.translog.end()
		s.book.restored(m, s.jobs)
		m.first = func(l *life) {
			c := &commands{system: s, ctx: l.ctx}
			for _, j := range s.jobs {
				for n := 0; !c.beginAnew(l, j, n) && sleep(l.ctx, c.every[j.product]/100); n++ {
				}
			}
			if !l.dead.Load() {
				m.first = nil
				m.setRotten(false)
			}
		}
	}
}

// beginAnew begins a new history of a job. If it has no publication that is intact, its data is deleted.
func (c *commands) beginAnew(l *life, j job, attempt int) bool {
	if _, found, err := snapshot.Head(within(l.disk, j.dir())); err == nil && !found {
		c.book.emptied(j)
		return true
	}
	damaged := false
	done := c.lockedOn(l, j, func(l *life, j job, root durable.FS) error {
		if err := removeDamaged(root); err != nil {
			return err
		}
		_, err := repair.NewHistory(l.ctx, c.options(l, j, root, "history"))
		damaged = snapshot.IsDamage(err)
		return err
	})
	if done || !damaged || attempt < 3 {
		return done
	}
	c.note("%s: %s: its data is deleted", l.machine.name, j)
	data := l.root(".")
	if data.RemoveAll(j.dir()) != nil || data.SyncDir(".") != nil {
		return false
	}
	c.book.emptied(j)
	return true
}

// removeDamaged removes the damaged canonical cycles, which the next cycle derives again: mkt recover does that at
// once.
func removeDamaged(root durable.FS) error {
	cycles, err := snapshot.CyclesIn(root, layout.CanonicalDir)
	for _, id := range cycles {
		dir := layout.Cycle(layout.CanonicalDir, id)
		m, _, e := snapshot.OpenCanonical(root, id)
		if e == nil {
			e = snapshot.Verify(root, dir, m)
		}
		if snapshot.IsDamage(e) {
			e = root.RemoveAll(dir)
		}
		err = errors.Join(err, e)
	}
	return err
}
