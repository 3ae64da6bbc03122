// Package inspect lists the content of a data root: publications, cycles under way, files, rows,
// freshness and sizes. It reads headers and folders, never a table, and reports damage.
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

// Place is one product of an account.
type Place struct {
	ClientID string           `json:"client_id"`
	Product  football.Product `json:"product"`
	Root     durable.ReadFS   `json:"-"`
}

// Overview summarizes a place.
type Overview struct {
	Place
	Newest  *Publication `json:"newest"`   // nil if nothing was published
	AgeMS   *int64       `json:"age_ms"`   // of the newest data, since it was retrieved
	LastSeq uint64       `json:"last_seq"` // of the newest event
	Commits uint64       `json:"commits"`

	Snapshots int              `json:"snapshots"` // number of folders, including those of interrupted runs
	Canonical int              `json:"canonical_cycles"`
	Raw       int              `json:"raw_cycles"` // folders; those in packs are not counted
	RawPacks  int              `json:"raw_packs"`
	Bytes     map[string]int64 `json:"bytes"` // by folder; "total" counts a file with several names once
	// Underway is the newest raw cycle, if it is newer than the newest publication.
	Underway layout.CycleID `json:"underway,omitempty"`
	Damage   string         `json:"damage,omitempty"` // of the newest publication
}

// Folders are the folders of [Overview].Bytes, in the order of the data's way through them.
var Folders = []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir, layout.CommitsDir, layout.StateDir, layout.StagingDir}

// Of returns the overview of one place.
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
			o.Damage = err.Error() // readers use an older publication
		}
	}
	if err := o.folders(); err != nil {
		return o, err
	}
	return o, o.underway(head.CycleID)
}

func (o *Overview) folders() error {
	var links durable.Links
	for _, dir := range Folders {
		n, again, err := size(o.Root, dir, &links)
		if err != nil {
			return err
		}
		o.Bytes[dir] = n
		o.Bytes["total"] += n - again
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

func readDir(root durable.ReadFS, dir string) ([]fs.DirEntry, error) {
	entries, err := root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// size returns the number of bytes below a folder, and how many of them were counted before under
// another name of the same file. Files deleted meanwhile, as by mkt gc, do not count.
func size(root durable.ReadFS, dir string, links *durable.Links) (total, again int64, err error) {
	entries, err := readDir(root, dir)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", dir, err)
	}
	for _, e := range entries {
		if e.IsDir() {
			n, seen, err := size(root, dir+"/"+e.Name(), links)
			if err != nil {
				return 0, 0, err
			}
			total, again = total+n, again+seen
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", dir, err)
		}
		total += info.Size()
		if times, _ := links.Seen(info); times > 1 {
			again += info.Size()
		}
	}
	return total, again, nil
}
