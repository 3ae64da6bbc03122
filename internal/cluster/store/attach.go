package store

import (
	"context"
	"errors"
	"mkt/internal/cluster/store/pack"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Attached is a root whose publications are shipped to a dataset of the store.
type Attached struct {
	// Dataset is nil if the store was unreachable before the root could be compared with it.
	Dataset *Dataset
	// Damage is the damage in the root, if the root was copied again because of it. The damaged
	// files are in the quarantine.
	Damage error
	// Away is the error of an unreachable store, if the root has publications. The run continues:
	// answers are archived, and nothing is published before the store is back.
	Away error

	data   durable.FS
	failed error // why a run could not begin: see [Runs.Begin]
}

// Attach prepares a root for a run, so that it has everything which the store has of an account's
// product. open opens the store. A root with damaged publications is copied again, if the store
// has all of them.
func Attach(ctx context.Context, open func(context.Context) (*Store, error), data, root durable.FS, clientID string, p football.Product) (*Attached, error) {
	a := &Attached{data: data}
	here, found, local := snapshot.Last(root)
	err := a.attach(ctx, open, root, clientID, p, here, local)
	if !errors.Is(err, object.ErrAway) {
		return a, err
	}
	if local != nil { // an older publication may be readable
		_, found, local = snapshot.Head(root)
	}
	if local != nil || !found {
		return a, errors.Join(err, local)
	}
	a.Away = err
	return a, nil
}

// attach is Attach of a root whose newest commit is here, unless it cannot be read because of local.
func (a *Attached) attach(ctx context.Context, open func(context.Context) (*Store, error), root durable.FS, clientID string, p football.Product, here snapshot.Commit, local error) error {
	s, err := open(ctx)
	if err == nil {
		err = s.SyncIDKey(ctx, a.data)
	}
	if err != nil {
		return err
	}
	a.Dataset = s.Dataset(clientID, p)
	if snapshot.IsDamage(local) {
		if err := a.CopyAgain(ctx, root, here.Version, local); err != nil {
			return err
		}
		a.Damage, local, here = local, nil, snapshot.Commit{} // the root is empty
	}
	if local != nil {
		return local
	}
	_, err = a.Dataset.follow(ctx, root, here, pack.Archived)
	return err
}

// CopyAgain prepares a damaged root, whose newest record is number here, for being copied from the
// store by the next [Attach]. It returns the damage if the store does not have all of it.
func (a *Attached) CopyAgain(ctx context.Context, root durable.FS, here uint64, damage error) error {
	if a.Dataset == nil {
		return damage
	}
	if done, err := a.Dataset.Reset(ctx, root, here); err != nil || !done {
		return errors.Join(damage, err)
	}
	return nil
}

// Ship ships a publication, see [Dataset.Ship], after the data root and the store agree on the id
// key: the very first cycle makes its fingerprint only after the root was attached. If the store
// was unreachable even then, Ship returns its error.
func (a *Attached) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	if a.Dataset == nil {
		return a.Away
	}
	if err := a.Dataset.store.SyncIDKey(ctx, a.data); err != nil {
		return err
	}
	return a.Dataset.Ship(ctx, root, c, record, segments)
}

// AttachedTo returns the dataset with a root that was not compared with it.
func (d *Dataset) AttachedTo(data durable.FS) *Attached { return &Attached{Dataset: d, data: data} }
