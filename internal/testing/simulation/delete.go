package simulation

import (
	"slices"
	"time"

	"mkt/internal/accounts"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// remove deletes an account. No copy of the disk is restored meanwhile, nor a bit repaired.
func (c *commands) remove(id string) {
	m, a := c.anyWorker(id), c.added(id)
	_, there := c.office.newest().Tenant(a.id)
	switch {
	case !there || a.isLeaving():
	case c.depot != nil:
		first := c.pick("first", id, len(c.workers))
		c.deleteOn(append(slices.Clone(c.workers[first:]), c.workers[:first]...), a)
	case !m.isRotten():
		c.deleteOn([]*machine{m}, a)
	}
}

// deleteOn deletes an account with its data, as mkt tenant delete does on each of the machines, until nothing is left.
func (c *commands) deleteOn(machines []*machine, a *account) {
	a.leaves(true)
	isDone := func(f *accounts.File) bool {
		_, there := f.Tenant(a.id)
		return !there
	}
	repeat := func(do func(l *life) bool, m *machine) bool {
		for !c.isStopped() {
			if l := m.alive(); l != nil && do(l) {
				return true
			}
			if !sleep(c.ctx, time.Minute) {
				break
			}
		}
		return false
	}
	for _, m := range machines {
		if !repeat(func(l *life) bool { return c.removeAt(l, a, isDone) }, m) {
			return
		}
	}
	if d := c.depot; d != nil { // what a client had sent before may have arrived since
		if !sleep(c.ctx, latest) || !repeat(func(l *life) bool { return d.store(l).DeleteAccount(l.ctx, a.id) == nil }, machines[0]) {
			return
		}
		d.settled(a.id)
	}
	c.book.deleted(a)
	c.gone(a)
	a.leaves(false)
	c.note("%s is deleted", a.id)
}

// gone checks that nothing of a deleted account is left, and that nothing has come back.
func (s *system) gone(a *account) {
	for _, m := range s.workers {
		if left := fileIn(within(m.disk, "."), layout.Tenant(a.id)); left != "" && !m.isRotten() {
			s.fail(deletedGone, "%s on %s: %s", a.id, m.name, left)
		}
	}
	if d := s.depot; d != nil {
		d.gone(a.id)
	}
}

func (c *commands) removeAt(l *life, a *account, isDone func(*accounts.File) bool) bool {
	release, err := c.lease(l, "mkt tenant delete", job{a, football.MarketEngine}, job{a, football.LiveIntelligence})
	if err != nil {
		return false
	}
	defer release()
	data, locked := l.root("."), map[football.Product]bool{}
	lock := func() (unlock func(), is bool) {
		unlock = func() {}
		for _, p := range a.products {
			there, err := durable.Exists(data, layout.TenantProduct(a.id, string(p)))
			if err != nil {
				return unlock, false
			}
			if !there || locked[p] {
				continue
			}
			held, err := l.root(layout.TenantProduct(a.id, string(p))).Lock(layout.Lock)
			if err != nil {
				return unlock, false
			}
			locked[p] = true
			before := unlock
			unlock = func() { _ = held.Close(); before() }
		}
		return unlock, true
	}
	unlock, is := lock()
	defer unlock()
	if !is {
		return false
	}
	edited := false
	c.office.alone(func() {
		if edited = c.office.edit(c.ctx, func(e *accounts.Editor) error { return e.Delete(a.id) }, isDone); edited {
			a.isOff(true)
			c.book.deleted(a)
		}
	})
	if !edited {
		return false
	}
	if !sleep(c.ctx, 3*time.Second) { // as the command does
		return false
	}
	again, is := lock()
	defer again()
	if !is {
		return false
	}
	if d := c.depot; d != nil {
		if d.store(l).DeleteAccount(l.ctx, a.id) != nil {
			return false
		}
		d.gone(a.id)
	}
	if data.RemoveAll(layout.Tenant(a.id)) != nil || data.SyncDir(".") != nil {
		return false
	}
	if there, _ := durable.Exists(within(l.disk, "."), layout.Tenant(a.id)); there && !l.dead.Load() {
		c.fail(deletedGone, "%s on %s", a.id, l.machine.name)
	}
	if l.machine.losesWrites && c.depot != nil { // nobody knows whether its disk has forgotten them: it gets another one
		l.replaceDisk()
	}
	return true
}
