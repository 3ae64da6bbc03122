package fetch

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// newCycle returns the id of a cycle that begins now. It is at least a second later than
// every cycle known below the root, even if the clock was set back.
func newCycle(fsys durable.FS, product football.Product, now time.Time) (layout.CycleID, error) {
	last, known, err := raw.LastBegun(fsys)
	if err != nil {
		return "", err
	}
	if !known {
		return newCycleByList(fsys, product, now)
	}
	if after := last.Add(time.Second); after.After(now) {
		now = after
	}
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir} {
		for {
			taken, err := durable.Exists(fsys, layout.Cycle(dir, layout.NewCycleID(now, string(product))))
			if err != nil {
				return "", err
			}
			if !taken {
				break
			}
			now = now.Add(time.Second)
		}
	}
	return layout.NewCycleID(now, string(product)), nil
}

// newCycleByList does the same as newCycle if the last begun cycle is not known.
func newCycleByList(fsys durable.FS, product football.Product, now time.Time) (layout.CycleID, error) {
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir} {
		newest, err := newestIn(fsys, dir)
		if err != nil {
			return "", err
		}
		if after := newest.Add(time.Second); after.After(now) {
			now = after
		}
	}
	return layout.NewCycleID(now, string(product)), nil
}

// aheadOfClock is how far ahead of the clock the id of a cycle may be, since the clocks
// of two machines differ.
const aheadOfClock = time.Minute

// checkNewName returns an error if a cycle that was never fetched must not have this name. A name
// ahead of the clock would force every cycle after it to be later still. A cycle whose name is not
// later than the newest publication could never be published.
func checkNewName(fsys durable.FS, id layout.CycleID, product football.Product, now time.Time) error {
	at, _, err := layout.ParseCycleID(string(id))
	if err != nil {
		return err
	}
	published, err := newestIn(fsys, layout.SnapshotsDir)
	if err != nil {
		return err
	}
	next, err := newCycle(fsys, product, now)
	if err != nil {
		return err
	}
	switch {
	case !at.After(published):
		return fmt.Errorf("cycle %s was never fetched, and is older than what is published: leave out --cycle for a new one", id)
	case at.After(now.Add(aheadOfClock)) && id > next:
		return fmt.Errorf("cycle %s was never fetched, and is in the future: leave out --cycle for a new one", id)
	}
	return nil
}

// newestIn returns the start of the newest cycle that has a folder in dir; zero if
// there is none.
func newestIn(fsys durable.FS, dir string) (newest time.Time, err error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return newest, nil
	}
	for _, e := range entries {
		id, ok := layout.ParseCycleDir(e.Name())
		if !ok {
			continue
		}
		if at, _, err := layout.ParseCycleID(string(id)); err == nil && at.After(newest) {
			newest = at
		}
	}
	return newest, err
}

// sealedBefore returns the cycle if it is sealed already, and makes it durable: the run
// that sealed it may have been killed before its last sync.
func sealedBefore(fsys durable.FS, id layout.CycleID) (*raw.Archive, error) {
	a, err := raw.Open(fsys, id)
	if errors.Is(err, raw.ErrNotSealed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dir := layout.Cycle(layout.RawDir, id)
	if folder, err := durable.Exists(fsys, dir); err != nil || !folder {
		return a, err // compacted
	}
	if err := durable.SyncFolder(fsys, dir); err != nil {
		return nil, err
	}
	return a, durable.MkdirAllSync(fsys, dir)
}

// checkCycle refuses a cycle id that names another product.
func checkCycle(id layout.CycleID, product football.Product) error {
	_, named, err := layout.ParseCycleID(string(id))
	if err != nil {
		return err
	}
	if named != string(product) {
		return fmt.Errorf("cycle %s is not of the product %s", id, product)
	}
	return nil
}
