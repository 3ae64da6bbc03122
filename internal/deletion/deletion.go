// Package deletion deletes an account with all its data: its entry in tenants.yaml first, then its
// objects in the object store, its folder in the data root, and its usage counters with its newest
// requests. A deletion that was interrupted is finished by the next one.
package deletion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"mkt/internal/cluster"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// ErrInterrupted is the error of a deletion whose context ended before any data was deleted.
var ErrInterrupted = errors.New("the account is gone, its data is not; the same command deletes it")

// Options are how a deletion keeps other processes away from the account.
type Options struct {
	// RemoveEntry removes the account from tenants.yaml.
	RemoveEntry func(context.Context) error
	// Refresh is how often other machines read the accounts in the object store; 0 if the accounts
	// are in tenants.yaml alone.
	Refresh time.Duration
	// Leases takes leases; nil if no other machine runs cycles.
	Leases *cluster.Conn
}

// Delete deletes what remains of the account. While a cycle or a test of it runs, nothing is deleted
// and the error is [durable.ErrLocked].
func (a Account) Delete(ctx context.Context, found Remains, o Options) error {
	if o.Leases != nil {
		release, err := lease(ctx, o.Leases, a.ID)
		if err != nil {
			return err
		}
		defer release()
	}
	locks := folderLocks{}
	defer locks.Close()
	if err := locks.lock(a.Data, a.ID); err != nil {
		return fmt.Errorf("tenant %s: nothing was deleted: %w", a.ID, err)
	}
	if found.Entry {
		if err := o.RemoveEntry(ctx); err != nil {
			return err
		}
	}
	select {
	case <-time.After(inForceAfter(o.Refresh)):
	case <-ctx.Done():
		return ErrInterrupted
	}
	err := locks.lock(a.Data, a.ID)
	if err == nil { // a cycle may have made a folder before the account was gone
		err = a.deleteData(ctx)
	}
	if err != nil {
		return fmt.Errorf("tenant %s: not all of its data is deleted: %w; the same command deletes the rest", a.ID, err)
	}
	return nil
}

// inForceAfter is how long a deletion waits after the account has left tenants.yaml. Every serve and
// schedule has applied the change then (two seconds), so no answer has half of the data. A run that
// begins later all the same leaves by itself, see [accounts.Latest.OpenFolder]. Other machines learn of the
// change from the object store, if the accounts are there.
func inForceAfter(refresh time.Duration) time.Duration {
	const here = 3 * time.Second
	if refresh > 0 {
		return here + refresh + 2*time.Second // to read them
	}
	return here
}

// deleteData deletes in the order in which the data could come back: the store first, from which
// other machines copy, and what only this machine has last.
func (a Account) deleteData(ctx context.Context) error {
	if a.WritableStore != nil {
		s, err := a.WritableStore(ctx)
		if err != nil {
			return err
		}
		if err := s.DeleteAccount(ctx, a.ID); err != nil {
			return err
		}
	}
	if err := removeIn(a.Data, layout.Tenant(a.ID)); err != nil {
		return err
	}
	counters, err := a.usageFiles() // serve may have written the first ones while the deletion waited
	if err != nil {
		return err
	}
	return removeIn(a.Usage, counters...)
}

// removeIn removes names from a folder, and makes that durable.
func removeIn(dir string, names ...string) error {
	root, err := durable.OpenExisting(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		if err := root.RemoveAll(name); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				err = fmt.Errorf("%w: run it as the user who owns the files, or as root", err)
			}
			return err
		}
		if err := root.SyncDir(path.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}
