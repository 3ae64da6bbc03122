package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mkt/internal/cluster/store/pack"
	"path"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Sync brings a root to the newest publication of the store, with everything the next cycle
// continues from: the snapshot, the change log, the canonical and raw cycle, the state files. It
// returns the publication; Version is 0 if nothing was ever published. If the root is up to date,
// nothing is copied. The error is [snapshot.ErrStoreLacks] if the store lacks publications that
// it had, or which the root has, and [ErrDiverged] if it has others. The caller holds the lock of
// the root.
func (d *Dataset) Sync(ctx context.Context, f durable.FS) (snapshot.Commit, error) {
	here, _, err := snapshot.Last(f)
	if err != nil {
		return here, err
	}
	return d.follow(ctx, f, here, pack.Archived)
}

// Follow is [Dataset.Sync] for a root that is only read: without the canonical and raw cycle.
func (d *Dataset) Follow(ctx context.Context, f durable.FS) (snapshot.Commit, error) {
	here, _, err := snapshot.Last(f)
	if err != nil {
		return here, err
	}
	return d.follow(ctx, f, here, pack.Served)
}

// follow brings a root from here, its newest commit, to the newest publication of the store.
func (d *Dataset) follow(ctx context.Context, f durable.FS, here snapshot.Commit, upTo int) (snapshot.Commit, error) {
	if err := d.compare(ctx, here); err != nil {
		return here, err
	}
	head, record, err := d.Head(ctx, here.Version)
	if err != nil {
		return here, err
	}
	if head.Version == 0 {
		return here, d.neverPublished(ctx)
	}
	if head.Version == here.Version {
		if upTo > pack.Served {
			err = d.complete(ctx, f, here)
		}
		return here, err
	}
	var states map[string][]byte
	if upTo > pack.Served { // a replica copies them at intervals
		if states, err = d.store.states(ctx, d.dir); err == nil {
			err = writeStatesUpTo(f, states, here.CycleID)
		}
		if err != nil {
			return here, err
		}
	}
	if err := d.copy(ctx, f, here, head, record, upTo); err != nil {
		return here, fmt.Errorf("copy publication %d of %s from the object store: %w", head.Version, d, err)
	}
	if err := writeStatesUpTo(f, states, head.CycleID); err != nil { // the one of this publication
		return head, err
	}
	d.know(head.SHA256)
	return head, nil
}

// complete copies the canonical and raw cycle of the newest publication to a root that was only
// read so far. Without them the next live cycle would begin from older states, and report events
// again.
func (d *Dataset) complete(ctx context.Context, f durable.FS, here snapshot.Commit) error {
	if here.Version == 0 || here.CanonicalSHA256 == "" {
		return nil
	}
	there, err := durable.Exists(f, pack.Folders(here.CycleID)[pack.Canonical])
	if err != nil || there {
		return err
	}
	err = d.copyPack(ctx, f, here, pack.Archived)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(pack.Name(here))
	}
	if err == nil {
		err = forgetRawProgress(f)
	}
	if err != nil {
		return fmt.Errorf("copy the canonical cycle of publication %d of %s from the object store: %w", here.Version, d, err)
	}
	return nil
}

func forgetRawProgress(f durable.FS) error {
	err := f.Remove(layout.StateDir + "/" + rawProgress + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// compare checks whether the store has the newest commit of a root. Version is 0 if there is none.
func (d *Dataset) compare(ctx context.Context, here snapshot.Commit) error {
	if here.Version == 0 || d.knows(here.SHA256) {
		return nil
	}
	data, err := d.store.objects.Get(ctx, d.key(commitName(here.Version)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		there, _, err := snapshot.ReadRecord(d.Records(ctx), here.Version) // compacted before a push
		if errors.Is(err, fs.ErrNotExist) {
			return d.lacks(here.Version)
		}
		if err != nil {
			return err
		}
		if there.SHA256 != here.SHA256 {
			return d.differs(there, here)
		}
	case err != nil:
		return err
	case durable.Hash(data) != here.SHA256:
		there, err := snapshot.ParseCommit(data)
		if err != nil {
			return damagedRecord(here.Version, err)
		}
		return d.differs(there, here)
	}
	if err := d.beginning(ctx); err != nil {
		return err
	}
	d.know(here.SHA256)
	return nil
}

// knownFor is the time for which a run believes without a request: the store still has the newest
// commit of the root, and its oldest record. Publishing does not rely on it: see follows.
const knownFor = 5 * time.Minute

// known is a dataset of the store as this process saw it last.
type known struct {
	sha256 string    // of a commit in the store
	looked time.Time // when its oldest record was looked up
}

func (d *Dataset) known() (k known, recently bool) {
	last, ok := d.store.newest.Load(d.dir)
	if !ok {
		return k, false
	}
	k = last.(known)
	return k, d.store.now().Sub(k.looked).Abs() < knownFor
}

// know notes a commit in the store.
func (d *Dataset) know(sha256 string) {
	k, _ := d.known()
	d.store.newest.Store(d.dir, known{sha256, k.looked})
}

// knows reports whether this process saw a commit in the store not long ago.
func (d *Dataset) knows(sha256 string) bool {
	k, recently := d.known()
	return recently && k.sha256 == sha256
}

// forget makes this process look up everything again.
func (d *Dataset) forget() { d.store.newest.Delete(d.dir) }

// beginning checks from time to time whether the store has the oldest record of a dataset with
// publications. Without it a machine with an empty disk cannot find the newest one. The check
// also notices a store that was emptied between two requests of one publication.
func (d *Dataset) beginning(ctx context.Context) error {
	k, recently := d.known()
	if recently {
		return nil
	}
	records := d.Records(ctx)
	first, err := snapshot.First(records)
	if err == nil {
		_, err = snapshot.ReadCommit(records, first)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return d.lacks(first)
	}
	if err == nil {
		d.store.newest.Store(d.dir, known{k.sha256, d.store.now()})
	}
	return err
}

// neverPublished checks the state files of a dataset without a record. If they say that something
// was published, the store lost it.
func (d *Dataset) neverPublished(ctx context.Context) error {
	data, err := d.store.objects.Get(ctx, d.key(stateArchive))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	states, _ := readStates(data) // damaged states say nothing
	var run health.Run
	if json.Unmarshal(states[layout.StateDir+"/publish.json"], &run) == nil && run.LastOKAt != nil {
		return fmt.Errorf("%s: all publications: %w", d, snapshot.ErrStoreLacks)
	}
	return nil
}

// copy makes a publication the newest one of a root, whose newest one is here. Every file is compared with the manifest
// before it gets its name. The commit record comes last.
func (d *Dataset) copy(ctx context.Context, f durable.FS, here, c snapshot.Commit, record []byte, upTo int) error {
	err := snapshot.MakeFolders(f)
	if err == nil {
		err = snapshot.BeginCopy(f, c, record)
	}
	if err == nil {
		err = d.copyPack(ctx, f, c, upTo)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(pack.Name(c))
	}
	if err != nil {
		return err
	}
	m, err := snapshot.Open(f, c)
	if err != nil {
		return err
	}
	if err := d.copySegments(ctx, f, m.Segments()); err != nil {
		return err
	}
	if err := forgetRawProgress(f); err != nil {
		return err
	}
	if here.Version+1 != c.Version {
		if err := begin(f, c.Version); err != nil {
			return err
		}
	}
	if err := appendRecord(f, c, record); err != nil {
		return err
	}
	return snapshot.EndCopy(f)
}

// begin makes a root begin at a version, because it lacks the version before.
func begin(f durable.FS, version uint64) error {
	if err := snapshot.WriteFirst(f, version); err != nil {
		return err
	}
	// The watermarks of earlier deletions name versions whose records are not here.
	err := f.Remove(layout.Collected)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func appendRecord(f durable.FS, c snapshot.Commit, record []byte) error {
	if err := durable.CreateAgain(f, layout.Commit(c.Version), durable.Bytes(record)); err != nil {
		return err
	}
	return snapshot.WriteCurrent(f, c)
}

// copyPack copies the folders of a publication, up to a part. If retention had deleted a folder
// before the pack was made, the root lacks it as well.
func (d *Dataset) copyPack(ctx context.Context, f durable.FS, c snapshot.Commit, upTo int) error {
	staged := layout.StagingDir + "/copy-" + c.SHA256[:16]
	if err := f.RemoveAll(staged); err != nil {
		return err
	}
	defer f.RemoveAll(staged)
	return d.fetchPack(ctx, f, c, upTo, staged, func(dir string) error { return install(f, staged+"/"+dir, dir) })
}

// fetchPack unpacks a pack, up to a part, below the folder staged. It calls use with every folder
// whose files agree with the commit.
func (d *Dataset) fetchPack(ctx context.Context, f durable.FS, c snapshot.Commit, upTo int, staged string, use func(dir string) error) error {
	stored, err := d.store.objects.Open(ctx, d.key(pack.Name(c)))
	if err != nil {
		return err
	}
	defer stored.Close()
	if err := pack.Unpack(ctx, stored, c, upTo, f, staged); err != nil {
		return repairable(err)
	}
	for part, dir := range pack.Folders(c.CycleID) {
		there, err := durable.Exists(f, staged+"/"+dir)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := pack.Verify(f, staged+"/"+dir, part, c); err != nil {
			return repairable(fmt.Errorf("%s: %w", pack.Name(c), err))
		}
		if err := use(dir); err != nil {
			return err
		}
	}
	return nil
}

// install gives a folder its name. A different folder of this name was never committed: it is
// quarantined.
func install(f durable.FS, staged, final string) error {
	if err := durable.MkdirAllSync(f, path.Dir(final)); err != nil {
		return err
	}
	err := durable.Install(f, staged, final)
	if !errors.Is(err, durable.ErrDiffers) {
		return err
	}
	if _, err := durable.MoveInto(f, final, layout.QuarantineDir); err != nil {
		return err
	}
	return durable.Install(f, staged, final)
}

// copiesAtOnce is the number of objects of one publication copied at the same time.
const copiesAtOnce = 8

func (d *Dataset) copySegments(ctx context.Context, f durable.FS, segments []snapshot.Segment) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(copiesAtOnce)
	for _, s := range segments {
		same, err := hasSegment(f, s)
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		if same {
			continue
		}
		g.Go(func() error {
			data, err := d.store.objects.Get(ctx, d.key(segmentName(s.File, s.SHA256)))
			if errors.Is(err, fs.ErrNotExist) {
				err = missing(segmentName(s.File, s.SHA256))
			}
			if err != nil {
				return err
			}
			if int64(len(data)) != s.Bytes || durable.Hash(data) != s.SHA256 {
				return fmt.Errorf("%s: %w: it differs from the manifest: %w", segmentName(s.File, s.SHA256), snapshot.ErrDamaged, object.ErrRepair)
			}
			return durable.CreateAgain(f, s.File, durable.Bytes(data))
		})
	}
	return g.Wait()
}

// hasSegment reports whether a root has a segment. A different file of its name belongs to a
// publication that was never committed: it is quarantined.
func hasSegment(f durable.FS, s snapshot.Segment) (bool, error) {
	there, err := durable.Exists(f, s.File)
	if err != nil || !there {
		return false, err
	}
	size, sum, err := durable.HashFile(f, s.File)
	if err != nil || size == s.Bytes && sum == s.SHA256 {
		return err == nil, err
	}
	_, err = durable.MoveInto(f, s.File, layout.QuarantineDir)
	return false, err
}

// Manifest reads the manifest of a publication: the first file of its pack.
func (d *Dataset) Manifest(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	stored, err := d.store.objects.Open(ctx, d.key(pack.Name(c)))
	if err != nil {
		return snapshot.Manifest{}, err
	}
	defer stored.Close()
	data, err := pack.Manifest(stored, c)
	if err != nil {
		return snapshot.Manifest{}, err
	}
	if durable.Hash(data) != c.ManifestSHA256 {
		return snapshot.Manifest{}, fmt.Errorf("%s: %w: its manifest differs from the commit", pack.Name(c), snapshot.ErrDamaged)
	}
	return snapshot.ParseManifest(data)
}

// sameHistory reports whether the store has the newest readable record of a root, if there is
// one.
func (d *Dataset) sameHistory(ctx context.Context, f durable.ReadFS, newest uint64) (bool, error) {
	for c, err := range snapshot.Backward(f, snapshot.Commit{Version: newest}) {
		if err != nil {
			continue // it is damaged
		}
		there, err := snapshot.ReadCommit(d.Records(ctx), c.Version)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil && there.SHA256 == c.SHA256, err
	}
	return true, nil
}

// Reset moves everything published in a damaged root to the quarantine, so that the next
// [Dataset.Sync] copies it again. here is the number of its newest record, 0 if it is not known. If
// the root has a record that the store lacks, it changes nothing and returns false.
func (d *Dataset) Reset(ctx context.Context, f durable.FS, here uint64) (bool, error) {
	there, _, err := d.Head(ctx, 0)
	if err != nil || there.Version == 0 || there.Version < here {
		return false, err
	}
	if same, err := d.sameHistory(ctx, f, here); err != nil || !same {
		return false, err
	}
	for _, name := range []string{layout.Current, layout.CommitsDir, layout.SnapshotsDir, layout.CanonicalDir, layout.ChangesDir, layout.StepsDir, layout.First, layout.Collected} {
		found, err := durable.Exists(f, name)
		if err == nil && found {
			_, err = durable.MoveInto(f, name, layout.QuarantineDir)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
