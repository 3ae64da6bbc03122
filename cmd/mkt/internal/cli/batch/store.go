package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/coordination"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/store"
)

// attachJob copies missing files of a job's folder from the store, see [store.Attach].
func (g *Group) attachJob(ctx context.Context, j Job, o *openedJob) (err error) {
	o.attached, err = store.Attach(ctx, g.WritableStore, o.data, o.root, j.Tenant.ID, j.Product)
	if o.attached.Damage != nil {
		g.logCopyAgain(j, o.attached.Damage)
	}
	if err == nil && o.attached.Away != nil {
		g.Log.Warn("the object store is away: answers are archived on this machine, and nothing is published until it is back", "tenant", j.Tenant.ID, "product", j.Product, "error", o.attached.Away)
	}
	return err
}

func (g *Group) logCopyAgain(j Job, damage error) {
	g.Log.Warn("published files are damaged on this machine: they are in staging/aside, and are copied from the object store again",
		"tenant", j.Tenant.ID, "product", j.Product, "error", damage)
}

// afterDamage prepares the next run after damage was found, and returns the error of this one.
func (g *Group) afterDamage(ctx context.Context, j Job, o *openedJob, err error) error {
	var damage *publish.DamageError
	if o.dataset() == nil || !errors.As(err, &damage) || o.attached.CopyAgain(ctx, o.root, damage) != nil {
		return err
	}
	g.logCopyAgain(j, damage)
	return fmt.Errorf("%w (the next run copies it from the object store)", err)
}

// lateStore is the store of a command that may have nothing to publish: the first publication
// opens it.
type lateStore struct {
	g *Group
	p cli.Dataset
}

// Ship implements [publish.Store].
func (l *lateStore) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	s, err := l.g.WritableStore(ctx)
	if err != nil {
		return err
	}
	return l.g.withData(func(data *durable.Disk) error {
		return s.Dataset(l.p.Tenant, l.p.Product).AttachedTo(data).Ship(ctx, root, c, record, segments)
	})
}

// copyStates copies other machines' findings about a job's provider, at most once in statesEvery.
// A person may test a connection on any machine, and a postponed job, which does not run, would
// never hear of the result.
func (g *Group) copyStates(ctx context.Context, j Job) {
	s, err := g.Store(ctx)
	last, _ := g.statesCopied.Load(j.String())
	if err != nil || last != nil && g.Now().Sub(last.(time.Time)) < statesEvery {
		return
	}
	g.statesCopied.Store(j.String(), g.Now())
	err = g.withData(func(data *durable.Disk) error {
		account, err := data.MakeWithin(layout.Tenant(j.Tenant.ID))
		if err != nil {
			return err
		}
		defer account.Close()
		return s.CopyAccountStates(ctx, j.Tenant.ID, account)
	})
	if err != nil {
		g.Log.Warn("the newest test of the connection could not be copied from the object store", "tenant", j.Tenant.ID, "error", err)
	}
}

// shipStates stores the state files after a run, even a failed one: replicas answer from
// them, and the next worker goes on from them. A run that has lost its lease begins no upload: another
// worker may have stored newer ones, or deleted the account. failed reports whether the run
// failed, and stopping whether the process ends.
func (g *Group) shipStates(ctx context.Context, j Job, o *openedJob, failed, stopping bool) {
	if errors.Is(context.Cause(ctx), coordination.ErrLost) {
		return
	}
	name := j.Tenant.ID + " " + string(j.Product)
	last, _ := g.statesShipped.Load(name)
	if now := (shippedStates{g.Now(), failed}); o.dataset() == nil || last != nil && !last.(shippedStates).isOld(now) && !stopping {
		return
	}
	account, err := o.data.MakeWithin(layout.Tenant(j.Tenant.ID))
	if err == nil {
		defer account.Close()
		err = o.dataset().ShipStates(context.WithoutCancel(ctx), o.root, account)
	}
	if err == nil {
		g.statesShipped.Store(name, shippedStates{g.Now(), failed})
	} else {
		g.Log.Warn("the state files could not be stored; the next run tries again", "tenant", j.Tenant.ID, "product", j.Product, "error", err)
	}
}

// shippedStates is when state files were stored, and whether their run failed.
type shippedStates struct {
	at     time.Time
	failed bool
}

// statesEvery is how often unchanged states are stored: those of live intelligence have
// another time every few seconds.
const statesEvery = 30 * time.Second

func (s shippedStates) isOld(now shippedStates) bool {
	return s.failed != now.failed || now.at.Sub(s.at) >= statesEvery
}

// storeCollectEvery is how often retention is applied in the store, by each process.
const storeCollectEvery = time.Hour

// collectStore applies the retention in the store after a publication, at times. Its
// failures are only logged: the publication is done.
func (g *Group) collectStore(ctx context.Context, t Task, keep retention.Policy) {
	if t.store == nil {
		return
	}
	if last, ok := g.storeCollected.Load(t.store.String()); ok && g.Now().Sub(last.(time.Time)) < storeCollectEvery {
		return
	}
	g.storeCollected.Store(t.store.String(), g.Now())
	if _, err := t.store.Collect(ctx, store.CollectOptions{Policy: keep.For(t.Product)}); err != nil {
		g.Log.Warn("retention in the object store stopped early; a later run continues", "tenant", t.Tenant.ID, "product", t.Product, "error", err)
	}
}
