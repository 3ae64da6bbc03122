package commitlog

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/dataset"
	"mkt/internal/receipts/transparency"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// storedAtOnce is the number of datasets whose newest commits are looked up in the object store at the same time.
const storedAtOnce = 16

// newerStored is newer with the commits of an object store.
func (r *Result) newerStored(ctx context.Context, s *store.Store, logged []transparency.Logged) ([]transparency.Record, error) {
	list, err := s.Datasets(ctx)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(d *store.Dataset) bool { return !slices.Contains(football.Products(), d.Product()) })
	r.Datasets = len(list)
	known := ByDataset("", logged)
	type newest struct {
		commit snapshot.Commit
		isNew  bool
		err    error
	}
	found := make([]newest, len(list))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(storedAtOnce)
	for i, d := range list {
		g.Go(func() error {
			c, isNew, err := NewestStored(ctx, d, known[datasetOf(d)])
			if errors.Is(err, object.ErrAway) || ctx.Err() != nil {
				return err
			}
			found[i] = newest{c, isNew, err}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var records []transparency.Record
	for i, d := range list {
		records = r.add(records, datasetOf(d), found[i].commit, found[i].isNew, found[i].err)
	}
	return records, nil
}

func datasetOf(d *store.Dataset) dataset.Dataset {
	return dataset.Dataset{Tenant: d.ClientID(), Product: d.Product()}
}

// NewestStored is [Newest] of a dataset in an object store, whose commits are durable.
func NewestStored(ctx context.Context, d *store.Dataset, last transparency.Logged) (c snapshot.Commit, isNew bool, err error) {
	records := d.Records(ctx)
	from := uint64(0)
	if last.Version > 0 {
		// After an error the store may still show what became of the leaf's commit.
		if logged, err := snapshot.ReadCommit(records, last.Version); err == nil && logged.SHA256 == last.CommitSHA256 {
			from = last.Version
		}
	}
	c, _, err = d.Head(ctx, from)
	if err != nil || from > 0 && c.Version == from {
		return c, false, err
	}
	isNew, err = continues(records, c, last)
	return c, isNew, err
}
