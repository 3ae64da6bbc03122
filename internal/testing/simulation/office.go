package simulation

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/publish/durable"
	"mkt/publish/football"
	rights "mkt/serve/account"
)

const accountsFile = "tenants.yaml"

// office is where an operator edits the accounts: a machine whose disk has the accounts file. The other
// machines read it there, as from a share of files.
type office struct {
	*world
	machine *machine
	every   map[football.Product]time.Duration // of the cycles
	key     credential.Identity

	turn chan struct{} // one command edits at a time, so that its outcome can be judged

	mu      sync.Mutex
	data    []byte // as parsed last
	file    *accounts.File
	settled []byte // the file after the newest edit, whether that worked or not
}

// newOffice makes the accounts file, with the accounts that are there from the beginning.
func newOffice(w *world, all []*account, every map[football.Product]time.Duration) *office {
	o := &office{world: w, every: every, turn: make(chan struct{}, 1)}
	o.machine = w.machine("office", func(l *life) { <-l.ctx.Done() })
	var err error
	if o.key, err = credential.NewIdentity(); err != nil {
		panic(err)
	}
	root := within(o.machine.disk, ".")
	err = durable.Create(root, accountsFile, durable.Bytes([]byte("version: 1\ntenants: []\n")))
	if err == nil {
		_, err = accounts.EditIn(context.Background(), root, accountsFile, accountsFile, func(e *accounts.Editor) error {
			for _, a := range all {
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
func (o *office) entry(a *account) accounts.Tenant {
	t := accounts.Tenant{ID: a.id, Name: a.id, Status: rights.Active, Limit: rights.DefaultLimit, Products: map[football.Product]rights.Subscription{}, Schedule: map[football.Product]string{}}
	for _, p := range a.products {
		t.Products[p] = rights.Subscription{}
		t.Schedule[p] = "@every " + o.every[p].String()
	}
	connection := o.connection(a)
	t.Provider = &connection
	return t
}

// connection has the credential that the account's provider accepts.
func (o *office) connection(a *account) accounts.Provider {
	secret := a.accepted()
	sealed, err := credential.Seal(o.key.Recipient(), a.id, a.provider, []byte(secret))
	if err != nil {
		panic(err) // of a token
	}
	return accounts.Provider{Name: a.provider, BaseURL: "http://" + a.id + ".example", AllowPrivateAddress: true, Hint: credential.Hint(secret), Credential: sealed}
}

func (o *office) read() []byte {
	o.machine.mu.Lock()
	disk := o.machine.disk
	o.machine.mu.Unlock()
	data, err := durable.ReadFile(within(disk, "."), accountsFile, 1<<20)
	if err != nil {
		o.fail(accountsWhole, "%v", err)
	}
	return data
}

// newest returns the accounts as the file has them now.
func (o *office) newest() *accounts.File {
	data := o.read()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !bytes.Equal(data, o.data) || o.file == nil {
		f, err := accounts.Parse(accountsFile, data)
		if err != nil {
			o.fail(accountsWhole, "%v", err)
			return &accounts.File{}
		}
		o.data, o.file = data, f
	}
	return o.file
}

// active returns the account of a job, and whether mkt schedule runs the job.
func (o *office) active(j job) (t *accounts.Tenant, runs bool) {
	t, there := o.newest().Tenant(j.id)
	return t, there && t.Status == rights.Active && t.Provider != nil && !t.Provider.Disabled
}

// alone does something while nobody else edits the accounts.
func (o *office) alone(do func()) {
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	do()
}

// edit edits the accounts until it worked. done reports whether a file is as the edit leaves it. It returns
// false if the world ends before.
func (o *office) edit(ctx context.Context, change func(*accounts.Editor) error, done func(*accounts.File) bool) bool {
	for !done(o.newest()) {
		if l := o.machine.alive(); l != nil {
			_, err := accounts.EditIn(l.ctx, l.root("."), accountsFile, accountsFile, change)
			o.judge(err, done)
		}
		if !done(o.newest()) && !sleep(ctx, time.Minute) || o.isStopped() {
			return false
		}
	}
	return true
}

// judge compares the file with the one before an edit, and with the one that the edit leaves.
func (o *office) judge(err error, done func(*accounts.File) bool) {
	data, is := o.read(), done(o.newest())
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.isStopped():
	case err == nil && !is:
		o.fail(acknowledged, "the accounts: an edit that worked is not in the file")
	case !is && !bytes.Equal(data, o.settled):
		o.fail(accountsWhole, "an edit ended with %v, and the file is neither as before nor as after it", err)
	}
	o.settled = data
}

// survived checks the file after the end of a life: unless an edit was under way, it is as before.
func (o *office) survived() {
	o.mu.Lock()
	settled := o.settled
	o.mu.Unlock()
	if isEditing := len(o.turn) > 0; !isEditing && !bytes.Equal(o.read(), settled) {
		o.fail(acknowledged, "the accounts changed when the machine ended")
	}
}

// switched enables or disables the provider of an account.
func (o *office) switched(ctx context.Context, a *account, off bool) {
	isDone := func(f *accounts.File) bool {
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
		if o.edit(ctx, func(e *accounts.Editor) error {
			return e.Change(a.id, func(t *accounts.Tenant) error { return t.DisableProvider(off) })
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
			o.fail(accountsWhole, "%s: %v", a.id, err)
		} else if known.Reveal() == a.accepted() {
			return
		}
		p := o.connection(a)
		p.Disabled = t.Provider.Disabled
		o.edit(ctx, func(e *accounts.Editor) error {
			return e.Change(a.id, func(t *accounts.Tenant) error { t.Provider = &p; return nil })
		}, func(f *accounts.File) bool {
			t, there := f.Tenant(a.id)
			return there && strings.TrimSpace(t.Provider.Credential) == strings.TrimSpace(p.Credential)
		})
	})
}

// add adds an account.
func (o *office) add(ctx context.Context, a *account) {
	isDone := func(f *accounts.File) bool {
		_, there := f.Tenant(a.id)
		return there
	}
	o.alone(func() {
		if isDone(o.newest()) || a.isLeaving() {
			return
		}
		a.isOff(false)
		t := o.entry(a)
		o.edit(ctx, func(e *accounts.Editor) error { return e.Add(t) }, isDone)
	})
}
