package simulation

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	accounts "mkt/serve/account"
)

const accountsFile = "tenants.yaml"

// office is where an operator edits the accounts: a machine whose disk has the accounts file. The other
// machines read it there, as from a share of files.
type office struct {
	s       *system
	machine *machine
	key     credential.Identity

	turn chan struct{} // one command edits at a time, so that its outcome can be judged

	mu      sync.Mutex
	data    []byte // as parsed last
	file    *tenants.File
	settled []byte // the file after the newest edit, whether that worked or not
}

// newOffice makes the accounts file, with the accounts that are there from the beginning.
func (s *system) newOffice() *office {
	o := &office{s: s, turn: make(chan struct{}, 1)}
	o.machine = s.machine("office", func(l *life) { <-l.ctx.Done() })
	var err error
	if o.key, err = credential.NewIdentity(); err != nil {
		panic(err)
	}
	root := within(o.machine.disk, ".")
	err = durable.Create(root, accountsFile, durable.Bytes([]byte("version: 1\ntenants: []\n")))
	if err == nil {
		_, err = tenants.EditIn(context.Background(), root, accountsFile, accountsFile, func(e *tenants.Editor) error {
			for _, a := range s.accounts {
				if a.added {
					err = errors.Join(err, e.Add(o.entry(a)))
				}
			}
			return err
		})
	}
	if err != nil {
		panic(err) // of the table of accounts
	}
	o.settled = o.read()
	return o
}

// entry is an account as an operator adds it.
func (o *office) entry(a *account) tenants.Tenant {
	t := tenants.Tenant{ID: a.id, Name: a.id, Status: accounts.Active, Limit: accounts.DefaultLimit, Products: map[football.Product]accounts.Subscription{}}
	for _, p := range a.products {
		t.Products[p] = accounts.Subscription{}
	}
	connection := o.connection(a)
	t.Provider = &connection
	return t
}

// connection has the credential that the account's provider accepts.
func (o *office) connection(a *account) tenants.Provider {
	secret := a.accepted()
	sealed, err := credential.Seal(o.key.Recipient(), a.id, a.provider, []byte(secret))
	if err != nil {
		panic(err) // of a token
	}
	return tenants.Provider{Name: a.provider, BaseURL: "http://" + a.id + ".example", AllowPrivateAddress: true, Hint: credential.Hint(secret), Credential: sealed}
}

func (o *office) read() []byte {
	o.machine.mu.Lock()
	disk := o.machine.disk
	o.machine.mu.Unlock()
	data, err := durable.ReadFile(within(disk, "."), accountsFile, 1<<20)
	if err != nil {
		o.s.fail(accountsWhole, "%v", err)
	}
	return data
}

// newest returns the accounts as the file has them now.
func (o *office) newest() *tenants.File {
	data := o.read()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !bytes.Equal(data, o.data) || o.file == nil {
		f, err := tenants.Parse(accountsFile, data)
		if err != nil {
			o.s.fail(accountsWhole, "%v", err)
			return &tenants.File{}
		}
		o.data, o.file = data, f
	}
	return o.file
}

// active returns the account of a job, and whether mkt schedule runs the job.
func (o *office) active(j job) (t *tenants.Tenant, runs bool) {
	t, there := o.newest().Tenant(j.id)
	return t, there && t.Status == accounts.Active && t.Provider != nil && !t.Provider.Disabled
}

// alone does something while nobody else edits the accounts.
func (o *office) alone(do func()) {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	do()
}

// edit edits the accounts until it worked. done reports whether a file is as the edit leaves it. It returns
// false if the world ends before.
func (o *office) edit(ctx context.Context, change func(*tenants.Editor) error, done func(*tenants.File) bool) bool {
	for !done(o.newest()) {
		if l := o.machine.alive(); l != nil {
			_, err := tenants.EditIn(l.ctx, l.root("."), accountsFile, accountsFile, change)
			o.judge(err, done)
		}
		if !done(o.newest()) && !sleep(ctx, time.Minute) || o.s.isStopped() {
			return false
		}
	}
	return true
}

// judge compares the file with the one before an edit, and with the one that the edit leaves.
func (o *office) judge(err error, done func(*tenants.File) bool) {
	data, is := o.read(), done(o.newest())
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.s.isStopped():
	case err == nil && !is:
		o.s.fail(acknowledged, "the accounts: an edit that worked is not in the file")
	case !is && !bytes.Equal(data, o.settled):
		o.s.fail(accountsWhole, "an edit ended with %v, and the file is neither as before nor as after it", err)
	}
	o.settled = data
}

// survived checks the file after the end of a life: unless an edit was under way, it is as before.
func (o *office) survived() {
	o.mu.Lock()
	settled := o.settled
	o.mu.Unlock()
	if isEditing := len(o.turn) > 0; !isEditing && !bytes.Equal(o.read(), settled) {
		o.s.fail(acknowledged, "the accounts changed when the machine ended")
	}
}

// switched enables or disables the provider of an account.
func (o *office) switched(ctx context.Context, a *account, off bool) {
	isDone := func(f *tenants.File) bool {
		t, there := f.Tenant(a.id)
		return !there || t.Provider.Disabled == off
	}
	o.alone(func() {
		t, there := o.newest().Tenant(a.id)
		if !there || t.Provider.Disabled == off {
			return
		}
		if !off {
			a.isOff(false)
		}
		if o.edit(ctx, func(e *tenants.Editor) error {
			return e.Change(a.id, func(t *tenants.Tenant) error { return t.DisableProvider(off) })
		}, isDone) && off {
			a.isOff(true)
		}
	})
}

// know stores the credential that the account's provider accepts.
func (o *office) know(ctx context.Context, a *account) {
	o.alone(func() {
		t, there := o.newest().Tenant(a.id)
		if !there {
			return
		}
		if known, err := credential.Open(o.key, t.Provider.Credential, a.id, a.provider); err != nil {
			o.s.fail(accountsWhole, "%s: %v", a.id, err)
		} else if known.Reveal() == a.accepted() {
			return
		}
		p := o.connection(a)
		p.Disabled = t.Provider.Disabled
		o.edit(ctx, func(e *tenants.Editor) error {
			return e.Change(a.id, func(t *tenants.Tenant) error { t.Provider = &p; return nil })
		}, func(f *tenants.File) bool {
			t, there := f.Tenant(a.id)
			return there && strings.TrimSpace(t.Provider.Credential) == strings.TrimSpace(p.Credential)
		})
	})
}

// add adds an account.
func (o *office) add(ctx context.Context, a *account) {
	isDone := func(f *tenants.File) bool {
		_, there := f.Tenant(a.id)
		return there
	}
	o.alone(func() {
		if isDone(o.newest()) || o.s.book.isLeaving(a) {
			return
		}
		a.isOff(false)
		t := o.entry(a)
		o.edit(ctx, func(e *tenants.Editor) error { return e.Add(t) }, isDone)
	})
}

// remove deletes an account with its data, as mkt tenant delete does on each of the machines, until nothing is left.
func (o *office) remove(ctx context.Context, machines []*machine, a *account) {
	o.s.book.leaves(a, true)
	isDone := func(f *tenants.File) bool {
		_, there := f.Tenant(a.id)
		return !there
	}
	repeat := func(do func(l *life) bool, m *machine) bool {
		for !o.s.isStopped() {
			if l := m.alive(); l != nil && do(l) {
				return true
			}
			if !sleep(ctx, time.Minute) {
				break
			}
		}
		return false
	}
	for _, m := range machines {
		if !repeat(func(l *life) bool { return o.removeAt(ctx, l, a, isDone) }, m) {
			return
		}
	}
	if d := o.s.depot; d != nil { // what a client had sent before may have arrived since
		if !sleep(ctx, latest) || !repeat(func(l *life) bool { return d.store(l).DeleteAccount(l.ctx, a.id) == nil }, machines[0]) {
			return
		}
		d.settled(a.id)
	}
	o.s.book.deleted(a)
	o.gone(a)
	o.s.book.leaves(a, false)
	o.s.note("%s is deleted", a.id)
}

// gone checks that nothing of a deleted account is left, and that nothing has come back.
func (o *office) gone(a *account) {
	for _, m := range o.s.workers {
		if left := fileIn(within(m.disk, "."), layout.Tenant(a.id)); left != "" && !o.s.isRotten(m) {
			o.s.fail(deletedGone, "%s on %s: %s", a.id, m.name, left)
		}
	}
	if d := o.s.depot; d != nil {
		d.gone(a.id)
	}
}

// fileIn names a file below a folder, other than a lock; "" if there is none.
func fileIn(root durable.ReadFS, dir string) string {
	entries, _ := root.ReadDir(dir) // it may be missing
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			name = fileIn(root, name)
		}
		if name != "" && e.Name() != layout.Lock {
			return name
		}
	}
	return ""
}

func (o *office) removeAt(ctx context.Context, l *life, a *account, isDone func(*tenants.File) bool) bool {
	release, err := o.s.lease(l, "mkt tenant delete", job{a, football.MarketEngine}, job{a, football.LiveIntelligence})
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
	o.alone(func() {
		if edited = o.edit(ctx, func(e *tenants.Editor) error { return e.Delete(a.id) }, isDone); edited {
			a.isOff(true)
			o.s.book.deleted(a)
		}
	})
	if !edited {
		return false
	}
	if !sleep(ctx, 3*time.Second) { // as the command does
		return false
	}
	again, is := lock()
	defer again()
	if !is {
		return false
	}
	if d := o.s.depot; d != nil {
		if d.store(l).DeleteAccount(l.ctx, a.id) != nil {
			return false
		}
		d.gone(a.id)
	}
	if data.RemoveAll(layout.Tenant(a.id)) != nil || data.SyncDir(".") != nil {
		return false
	}
	if there, _ := durable.Exists(within(l.disk, "."), layout.Tenant(a.id)); there && !l.dead.Load() {
		o.s.fail(deletedGone, "%s on %s", a.id, l.machine.name)
	}
	if l.machine.losesWrites && o.s.depot != nil { // nobody knows whether its disk has forgotten them: it gets another one
		o.s.replaceDisk(l)
	}
	return true
}
