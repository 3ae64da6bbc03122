package store

import (
	"context"

	"golang.org/x/sync/errgroup"

	"mkt/internal/cluster/store/object"
	"mkt/publish/layout"
)

// MeasureAccount counts the objects of an account and their bytes.
func (s *Store) MeasureAccount(ctx context.Context, clientID string) (objects int, bytes int64, err error) {
	err = s.objects.List(ctx, layout.Tenant(clientID)+"/", "", func(o object.Object) (bool, error) {
		objects++
		bytes += o.Size
		return true, nil
	})
	return objects, bytes, err
}

// DeleteAccount deletes all objects of an account. After an error it can be called again. Nothing may
// publish for the account meanwhile.
func (s *Store) DeleteAccount(ctx context.Context, clientID string) error {
	var keys []string
	err := s.objects.List(ctx, layout.Tenant(clientID)+"/", "", func(o object.Object) (bool, error) {
		keys = append(keys, o.Key)
		return true, nil
	})
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(copiesAtOnce)
	for _, key := range keys {
		g.Go(func() error { return s.objects.Delete(ctx, key) })
	}
	return g.Wait()
}
