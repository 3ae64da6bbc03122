package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/store"
)

// syncJob copies what the store has and the folder of a job lacks. If the store is away, a
// job that has publications goes on: its answers are archived here, and nothing is published
// before the store is back.
func (g *Group) syncJob(ctx context.Context, j Job, o *openedJob) error {
	s, err := g.WritableStore(ctx)
	if err == nil {
		err = s.SyncIDKey(ctx, o.data)
	}
	if err == nil {
		o.store = s.Dataset(j.Tenant.ID, j.Product)
		o.ship = &agreeing{s, o.data, o.store}
		if _, _, local := snapshot.Last(o.root); snapshot.IsDamage(local) {
			err = g.resetJob(ctx, j, o, local)
		}
	}
	if err == nil {
		_, err = o.store.Sync(ctx, o.root)
	}
	if !errors.Is(err, store.ErrAway) {
		return err
	}
	if _, found, local := snapshot.Head(o.root); local != nil || !found {
		return errors.Join(err, local)
	}
	if o.ship == nil {
		o.ship = away{err}
	}
	g.Log.Warn("the object store is away: answers are archived on this machine, and nothing is published until it is back", "tenant", j.Tenant.ID, "product", j.Product, "error", err)
	return nil
}

// resetJob makes the folder of a job ready to be copied from the store again, because what was
// published there is damaged. damage is returned if the store does not have all of it.
func (g *Group) resetJob(ctx context.Context, j Job, o *openedJob, damage error) error {
	done, err := o.store.Reset(ctx, o.root)
	if err != nil || !done {
		return errors.Join(damage, err)
	}
	g.Log.Warn("what was published is damaged on this machine: it is in staging/aside, and is copied from the object store again",
		"tenant", j.Tenant.ID, "product", j.Product, "error", damage)
	return nil
}

// afterDamage prepares the next run after one that found damage, and returns its error.
func (g *Group) afterDamage(ctx context.Context, j Job, o *openedJob, err error) error {
	var damage *publish.DamageError
	if o.store == nil || !errors.As(err, &damage) || g.resetJob(ctx, j, o, damage) != nil {
		return err
	}
	return fmt.Errorf("%w (the next run copies it from the object store)", err)
}

// agreeing ships a publication once the data root and the store have agreed on the id key:
// the first cycle of all makes its fingerprint after the root was synced.
type agreeing struct {
	store *store.Store
	data  durable.FS
	publish.Store
}

// Ship implements publish.Store.
func (a *agreeing) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	if err := a.store.SyncIDKey(ctx, a.data); err != nil {
		return err
	}
	return a.Store.Ship(ctx, root, c, record, segments)
}

// lateStore is the store of a command that may have nothing to publish: it is opened when
// something is.
type lateStore struct {
	g *Group
	p cli.Dataset
}

// Ship implements publish.Store.
func (l *lateStore) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	s, err := l.g.WritableStore(ctx)
	if err != nil {
		return err
	}
	return l.g.withData(func(data *durable.Disk) error {
		agreed := agreeing{s, data, s.Dataset(l.p.Tenant, l.p.Product)}
		return agreed.Ship(ctx, root, c, record, segments)
	})
}

// away is the store of a job while the real one could not be opened.
type away struct{ err error }

// Ship implements publish.Store.
func (a away) Ship(context.Context, durable.FS, snapshot.Commit, []byte, []string) error {
	return a.err
}

// copyStates copies what other machines found out about a job's provider, at most once in a
// while: a person tests a connection on any machine, and a postponed job does not run, so that
// it would never hear of it.
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

// shipStates stores the state files after a run, also one that failed: replicas answer from
// them, and the next worker goes on from them. failed reports whether the run failed, and
// stopping whether the process ends.
func (g *Group) shipStates(ctx context.Context, j Job, o *openedJob, failed, stopping bool) {
	name := j.Tenant.ID + " " + string(j.Product)
	last, _ := g.statesShipped.Load(name)
	if now := (shippedStates{g.Now(), failed}); o.store == nil || last != nil && !last.(shippedStates).isOld(now) && !stopping {
		return
	}
	account, err := o.data.MakeWithin(layout.Tenant(j.Tenant.ID))
	if err == nil {
		defer account.Close()
		err = o.store.ShipStates(context.WithoutCancel(ctx), o.root, account)
	}
	if err == nil {
		g.statesShipped.Store(name, shippedStates{g.Now(), failed})
	} else {
		g.Log.Warn("the state files could not be stored; the next run tries again", "tenant", j.Tenant.ID, "product", j.Product, "error", err)
	}
}

// shippedStates is when state files were stored, and of what kind of run.
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
