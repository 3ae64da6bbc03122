package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// runs returns what the runs of this process do with the object store.
func (g *Group) runs() *store.Runs {
	g.storeOnce.Do(func() {
		g.storeRuns = &store.Runs{Open: g.WritableStore, Now: g.Now, Log: g.Log, Lost: cluster.ErrLost}
	})
	return g.storeRuns
}

// endJob stores the states of a run, and prepares the next one after damage was found. It returns the
// error of this one.
func (g *Group) endJob(ctx context.Context, o *openedJob, stopping bool, err error) error {
	if o.attached == nil {
		return err
	}
	e := store.Ended{Err: err, Stopping: stopping}
	if damage := (*publish.DamageError)(nil); errors.As(err, &damage) {
		e.Damage = damage
	}
	if g.runs().End(ctx, o.attached, o.root, e) {
		return fmt.Errorf("%w (the next run copies it from the object store)", err)
	}
	return err
}

// lateStore is the store of a command that may have nothing to publish: the first publication
// opens it.
type lateStore struct {
	g *Group
	p dataset.Dataset
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

// copyStates copies other machines' findings about a job's provider, at most once in [store.StatesEvery].
// A person may test a connection on any machine, and a postponed job, which does not run, would
// never hear of the result.
func (g *Group) copyStates(ctx context.Context, j Job) {
	s, err := g.Store(ctx)
	last, _ := g.statesCopied.Load(j.String())
	if err != nil || last != nil && g.Now().Sub(last.(time.Time)) < store.StatesEvery {
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

// collectStore applies the retention in the store after a publication, at times. Its
// failures are only logged: the publication is done.
func (g *Group) collectStore(ctx context.Context, t Task, keep retention.Policy) {
	if t.store == nil {
		return
	}
	if _, err := g.runs().Collect(ctx, t.store, keep.For(t.Product)); err != nil {
		g.Log.Warn("retention in the object store stopped early; a later run continues", "tenant", t.Tenant.ID, "product", t.Product, "error", err)
	}
}
