package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/lease"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	keys   cli.Keys
	leases lease.Leases
}

// unlocked opens a dataset for a read-only operation, which needs no lock.
func (g *Group) unlocked(ctx context.Context, p dataset.Dataset, do func(context.Context, *durable.Disk) error) error {
	root, err := p.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	return do(ctx, root)
}

// locked opens a dataset and takes its lease and its lock.
func (g *Group) locked(ctx context.Context, p dataset.Dataset, do func(context.Context, *durable.Disk) error) error {
	ctx, release, err := g.leases.Claim(ctx, p.Tenant, p.Product)
	if err != nil {
		return err
	}
	defer release()
	root, err := p.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := root.Lock(layout.Lock)
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("%w: a fetch, transform, publish, cycle or schedule works on it; try again later", durable.ErrLocked)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	return do(ctx, root)
}

// inStore lists the selected datasets of the store. It is an error if there is none.
func (g *Group) inStore(ctx context.Context, s *store.Store, f dataset.Filter) ([]*store.Dataset, error) {
	all, err := s.Datasets(ctx)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(all, func(d *store.Dataset) bool {
		return f.Tenant != "" && d.ClientID() != f.Tenant || f.Product != "" && string(d.Product()) != f.Product || !slices.Contains(football.Products(), d.Product())
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("object store %s: %w", store.Redact(g.StoreURL), errNotInStore)
	}
	return list, nil
}

var errNotInStore = errors.New("it holds no publication of the selected accounts and products")
