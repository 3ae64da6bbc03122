package batch

import (
	"context"
	"fmt"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/publish/durable"
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
