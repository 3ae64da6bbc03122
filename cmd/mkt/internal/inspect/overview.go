// Package inspect gathers what lies on a data root: publications, cycles on their
// way, files, rows, freshness, sizes. It reads headers and folders, never a table,
// and says of what is damaged that it is.
package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Place is one account's product.
type Place struct {
	ClientID string           `json:"client_id"`
	Product  football.Product `json:"product"`
	Root     durable.ReadFS   `json:"-"`
}

// Overview is what there is of a place at a glance.
type Overview struct {
	Place
	Newest  *Publication `json:"newest"`   // nil when nothing was published
	AgeMS   *int64       `json:"age_ms"`   // of the newest data, since it was retrieved
	LastSeq uint64       `json:"last_seq"` // newest event ever given
	Commits uint64       `json:"commits"`

	Snapshots int              `json:"snapshots"` // folders, debris among them
	Canonical int              `json:"canonical_cycles"`
	Raw       int              `json:"raw_cycles"` // folders; those in packs are not counted
	RawPacks  int              `json:"raw_packs"`
	Bytes     map[string]int64 `json:"bytes"` // by folder, and "total"
	// Underway is the newest raw cycle, when it is newer than what is published.
	Underway layout.CycleID `json:"underway,omitempty"`
	Damage   string         `json:"damage,omitempty"` // of the newest publication
}

// Folders are what sizes are given of, in the order of the data's way.
var Folders = []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.ChangesDir, layout.CommitsDir, layout.StateDir, layout.StagingDir}

// Of looks at one place.
func Of(p Place, now time.Time) (Overview, error) {
	o := Overview{Place: p, Bytes: map[string]int64{}}
	head, found, err := snapshot.Head(p.Root)
	switch {
	case snapshot.IsFault(err):
		o.Damage = err.Error()
	case err != nil:
		return o, err
	case found:
		newest := PublicationOf(p.Root, head)
		o.Newest, o.LastSeq, o.Commits, o.Damage = &newest, head.LastSeq, head.Version, newest.Damage
		if at := newest.ProviderFetchedAt; at != nil {
			age := max(0, now.Sub(*at)).Milliseconds()
			o.AgeMS = &age
		}
		if _, _, err := snapshot.Last(p.Root); snapshot.IsFault(err) {
			o.Damage = err.Error() // readers go on with the one before it
		}
	}
	if err := o.folders(); err != nil {
		return o, err
	}
	return o, o.underway(head.CycleID)
}

// folders counts and weighs what lies there.
func (o *Overview) folders() error {
	for _, dir := range Folders {
		n, err := weigh(o.Root, dir)
		if err != nil {
			return err
		}
		o.Bytes[dir] = n
		o.Bytes["total"] += n
	}
	for dir, count := range map[string]*int{layout.RawDir: &o.Raw, layout.CanonicalDir: &o.Canonical, layout.SnapshotsDir: &o.Snapshots} {
		entries, err := readDir(o.Root, dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if _, ok := layout.ParseCycleDir(e.Name()); ok {
				*count++
			} else if _, ok := layout.ParseRawPack(e.Name()); ok {
				o.RawPacks++
			}
		}
	}
	return nil
}

func (o *Overview) underway(published layout.CycleID) error {
	ids, err := raw.Cycles(o.Root)
	if err == nil && len(ids) > 0 && ids[len(ids)-1] > published {
		o.Underway = ids[len(ids)-1]
	}
	return err
}

// readDir lists a folder that may be missing.
func readDir(root durable.ReadFS, dir string) ([]fs.DirEntry, error) {
	entries, err := root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// weigh is how many bytes lie below a folder. What vanishes meanwhile, as when old
// data is collected, weighs nothing.
func weigh(root durable.ReadFS, dir string) (total int64, err error) {
	entries, err := readDir(root, dir)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	for _, e := range entries {
		if e.IsDir() {
			n, err := weigh(root, dir+"/"+e.Name())
			if err != nil {
				return 0, err
			}
			total += n
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", dir, err)
		}
		total += info.Size()
	}
	return total, nil
}
