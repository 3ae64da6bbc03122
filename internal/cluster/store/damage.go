package store

import (
	"errors"
	"fmt"

	"mkt/internal/cluster/store/object"
	"mkt/publish/snapshot"
)

// ErrDiverged: the root and the store have different commits of one number.
var ErrDiverged = errors.New("this data root and the object store have different publications of one number: two installations use one prefix, or one of the two was restored from a backup; " +
	"give each installation its own prefix, or move this account's folder away, so that it is copied from the store again")

// lacks is the error of a publication that the store should have.
func (d *Dataset) lacks(n uint64) error {
	return fmt.Errorf("%s: publication %d: %w", d, n, snapshot.ErrStoreLacks)
}

// differs is the error of a record in the store that is not the root's. If the same run wrote
// both, one of them is damaged, and the root has verified its own.
func (d *Dataset) differs(there, here snapshot.Commit) error {
	if there.RunID == here.RunID && there.HistoryID == here.HistoryID {
		return damagedRecord(here.Version, fmt.Errorf("%w: it differs from the one of this data root", snapshot.ErrDamaged))
	}
	return fmt.Errorf("%s: publication %d: %w", d, here.Version, ErrDiverged)
}

// damagedRecord adds the remedy to the error of a record in the store.
func damagedRecord(n uint64, err error) error {
	return repairable(fmt.Errorf("object store: %s: %w", commitName(n), err))
}

// repairable adds the remedy to the error of a damaged object.
func repairable(err error) error {
	if snapshot.IsDamage(err) && !errors.Is(err, object.ErrRepair) {
		return fmt.Errorf("%w: %w", err, object.ErrRepair)
	}
	return err
}

// missing is the error of an object that a commit names and the store lacks.
func missing(name string) error {
	return fmt.Errorf("%s: %w: it is missing: %w", name, snapshot.ErrDamaged, object.ErrRepair)
}
