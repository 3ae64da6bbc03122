package deletion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"mkt/internal/cluster"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// lease takes the leases of the account's products, so that no worker runs a cycle of it.
func lease(ctx context.Context, conn *cluster.Conn, id string) (release func(), err error) {
	var leases []*cluster.Lease
	release = func() {
		for _, one := range leases {
			one.Release()
		}
	}
	for _, p := range football.Products() {
		_, one, err := conn.Take(ctx, id, string(p), "mkt tenant delete")
		if err != nil {
			release()
			var taken *cluster.TakenError
			var away *cluster.AwayError
			switch {
			case errors.As(err, &taken):
				err = errors.Join(durable.ErrLocked, err)
			case errors.As(err, &away):
				err = fmt.Errorf("%w; if no other machine runs cycles, --redis= deletes without a lease", err)
			}
			return nil, fmt.Errorf("tenant %s, %s: %w: nothing was deleted", id, p, err)
		}
		leases = append(leases, one)
	}
	return release, nil
}

// folderLocks are the locks of an account's folders, by name. Two locks of one process exclude each
// other, too.
type folderLocks map[string][]io.Closer

func (l folderLocks) Close() {
	for _, held := range l {
		for _, c := range held {
			c.Close()
		}
	}
}

var errBusy = fmt.Errorf("%w: a step or a test of it runs; try again later", durable.ErrLocked)

// lock locks the account's folder and those of its products that exist and are not locked yet.
func (l folderLocks) lock(data, id string) error {
	names := []string{layout.Tenant(id)}
	for _, p := range football.Products() {
		names = append(names, layout.TenantProduct(id, string(p)))
	}
	for _, name := range names {
		if l[name] != nil {
			continue
		}
		root, err := durable.OpenWithin(data, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("data root: %w", err)
		}
		lock, err := root.Lock(layout.Lock)
		if err != nil {
			root.Close()
			if errors.Is(err, durable.ErrLocked) {
				err = errBusy
			}
			return err
		}
		l[name] = []io.Closer{lock, root}
	}
	return nil
}
