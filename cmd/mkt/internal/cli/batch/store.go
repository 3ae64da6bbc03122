package batch

import (
	"context"
	"fmt"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// runs returns what the runs of this process do with the object store.
func (g *Group) runs() *store.Runs {
	g.storeOnce.Do(func() {
		g.storeRuns = &store.Runs{Open: g.WritableStore, Now: g.Now, Log: g.Log, Lost: cluster.ErrLost}
	})
	return g.storeRuns
}

// endJob ends a run with the object store, and returns its error with what the next run does.
func (g *Group) endJob(ctx context.Context, o *openedJob, stopping bool, err error) error {
	if o.attached != nil && g.runs().End(ctx, o.attached, o.root, store.Ended{Err: err, Stopping: stopping}) {
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
	return l.g.WithData(func(data *durable.Disk) error {
		return s.Dataset(l.p.Tenant, l.p.Product).AttachedTo(data).Ship(ctx, root, c, record, segments)
	})
}

// copyStates copies other machines' findings about a job's provider, at times.
func (g *Group) copyStates(ctx context.Context, j Job) {
	s, err := g.Store(ctx)
	if err != nil {
		return
	}
	g.runs().CopyAccountStates(ctx, s.Dataset(j.Tenant.ID, j.Product), func(do func(account durable.FS) error) error {
		return g.WithData(func(data *durable.Disk) error { return cli.WithAccount(data, j.Tenant.ID, do) })
	})
}
