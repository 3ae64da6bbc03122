package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mkt/internal/cluster/store/pack"
	"path"

	"mkt/internal/cluster/store/object"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// Repaired counts the objects stored again by a repair, or by its dry run.
type Repaired struct {
	Records, Packs, Segments int
	// Left are the damaged or missing packs and segments that could not be stored, because the
	// root does not have them whole either.
	Left []string
}

// Repair reads the store's objects of all publications of a root. It stores again whatever is
// damaged, or missing without having been deleted by retention. The caller holds the lock of the
// root. If the two have different publications, nothing is stored.
func (d *Dataset) Repair(ctx context.Context, f durable.FS, o PushOptions) (done Repaired, err error) {
	here, found, err := snapshot.Last(f)
	if err != nil || !found {
		return done, err
	}
	defer d.forget()
	last, err := d.repairUpTo(ctx, here.Version)
	if err != nil {
		return done, err
	}
	first, err := d.repairFrom(ctx, f, last, o.DryRun)
	if err != nil {
		return done, err
	}
	r := &repair{d: d, ctx: ctx, f: f, o: o, read: map[string]bool{}}
	if r.marks, err = d.watermarks(ctx); err != nil {
		return done, err
	}
	if r.marks == (retention.Watermarks{}) { // they are lost as well: the root has its own
		if r.marks, err = retention.ReadWatermarks(f); err == nil {
			err = d.raise(ctx, r.marks, o.DryRun)
		}
		if err != nil {
			return done, err
		}
	}
	for n := first; n <= last; n++ {
		if o.Progress != nil {
			o.Progress(int(n-first), int(last-first+1))
		}
		if err := r.publication(n); err != nil {
			return r.done, fmt.Errorf("repair publication %d of %s: %w", n, d, err)
		}
	}
	return r.done, nil
}

// repairUpTo returns the newest version of the root of which the store has a record or a pack, 0
// if there is none.
func (d *Dataset) repairUpTo(ctx context.Context, here uint64) (last uint64, err error) {
	note := func(version uint64, ok bool) {
		if ok && version <= here {
			last = max(last, version)
		}
	}
	err = d.store.objects.List(ctx, d.key(layout.CommitsDir+"/"), "", func(o object.Object) (bool, error) {
		note(layout.ParseCommit(path.Base(o.Key)))
		return true, nil
	})
	if err != nil {
		return 0, err
	}
	return last, d.store.objects.List(ctx, d.key("packs/"), "", func(o object.Object) (bool, error) {
		note(pack.Parse(path.Base(o.Key)))
		return true, nil
	})
}

// repairFrom returns the first version in both. If the oldest record of the store is lost, the
// store begins at the first version of this root.
func (d *Dataset) repairFrom(ctx context.Context, f durable.ReadFS, last uint64, dryRun bool) (uint64, error) {
	mine, err := snapshot.First(f)
	if err != nil {
		return 0, err
	}
	theirs, err := snapshot.First(d.Records(ctx))
	if err != nil || last == 0 || theirs >= mine {
		return max(mine, theirs), err
	}
	_, err = snapshot.ReadCommit(d.Records(ctx), theirs)
	if !errors.Is(err, fs.ErrNotExist) || dryRun {
		return mine, nil // a damaged record is repaired where it is
	}
	data, err := snapshot.EncodeFirst(mine)
	if err == nil {
		err = d.store.objects.Put(ctx, d.key(layout.First), durable.Bytes(data))
	}
	return mine, err
}

type repair struct {
	d     *Dataset
	ctx   context.Context
	f     durable.FS
	o     PushOptions
	marks retention.Watermarks // of the store
	read  map[string]bool      // segments, by their names in the store
	done  Repaired
}

func (r *repair) publication(n uint64) error {
	c, record, err := snapshot.ReadRecord(r.f, n)
	if err != nil {
		return err
	}
	there, _, err := snapshot.ReadRecord(r.d.Records(r.ctx), n)
	if err == nil && there.SHA256 != c.SHA256 {
		err = r.d.differs(there, c)
	}
	if err != nil && !snapshot.IsDamage(err) {
		return err
	}
	lost := err != nil
	if err := r.pack(c); err != nil {
		return err
	}
	if err := r.segments(c); err != nil || !lost {
		return err
	}
	r.done.Records++
	return r.put(commitName(n), durable.Bytes(record)) // last, as in a commit
}

// pack compares the pack in the store with the one that this root would make. If retention
// deleted a part of it in the root, pack can only check the stored one against the commit.
func (r *repair) pack(c snapshot.Commit) error {
	parts, archive, err := r.has(c)
	if err != nil {
		return err
	}
	var same bool
	if all := parts[pack.Served] && parts[pack.Canonical] && parts[pack.Archived]; all {
		same, err = r.equal(c)
	} else {
		same, err = r.intact(c)
	}
	if err != nil || same {
		return err
	}
	if !parts[pack.Served] || !parts[pack.Canonical] || !parts[pack.Archived] && archive == "" && c.RawSHA256 != "" {
		r.done.Left = append(r.done.Left, pack.Name(c))
		return nil
	}
	r.done.Packs++
	if r.o.DryRun {
		return nil
	}
	if !parts[pack.Archived] && archive != "" {
		if err := r.d.putFile(r.ctx, r.f, archive, archive); err != nil {
			return err
		}
	}
	return r.d.shipPack(r.ctx, r.f, c)
}

// has reports which parts of a pack the root has. archive is the file of the root into which its
// raw cycle may have been compacted, or "".
func (r *repair) has(c snapshot.Commit) (parts [3]bool, archive string, err error) {
	for i, dir := range pack.Folders(c.CycleID) {
		if parts[i], err = durable.Exists(r.f, dir); err != nil {
			return parts, "", err
		}
	}
	archive = layout.RawPack(c.CycleID)
	there, err := durable.Exists(r.f, archive)
	if !there {
		archive = ""
	}
	return parts, archive, err
}

// intact reports whether the files of a pack agree with the commit, or retention has deleted it.
func (r *repair) intact(c snapshot.Commit) (bool, error) {
	err := r.unpacked(c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.collected(c), nil
	case snapshot.IsDamage(err):
		return false, nil
	}
	return err == nil, err
}

// equal reports whether a pack has the bytes that this root would store, or retention has
// deleted it.
func (r *repair) equal(c snapshot.Commit) (bool, error) {
	want, got := sha256.New(), sha256.New()
	if _, err := pack.Write(r.ctx, r.f, c, want); err != nil {
		return false, err
	}
	stored, err := r.d.store.objects.Open(r.ctx, r.d.key(pack.Name(c)))
	if errors.Is(err, fs.ErrNotExist) {
		return r.collected(c), nil
	}
	if err != nil {
		return false, err
	}
	defer stored.Close()
	if _, err := io.Copy(got, stored); snapshot.IsDamage(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return bytes.Equal(got.Sum(nil), want.Sum(nil)), nil
}

// collected reports whether retention may have deleted a pack in the store.
func (r *repair) collected(c snapshot.Commit) bool { return r.marks.Snapshots.Covers(c.CycleID) }

// unpacked unpacks a pack and compares its files.
func (r *repair) unpacked(c snapshot.Commit) error {
	staged := layout.StagingDir + "/repair-" + c.SHA256[:16]
	if err := r.f.RemoveAll(staged); err != nil {
		return err
	}
	defer r.f.RemoveAll(staged)
	return r.d.fetchPack(r.ctx, r.f, c, pack.Archived, staged, func(string) error { return nil })
}

// segments stores the damaged or missing segments that a manifest names, unless retention may have
// deleted them in the store.
func (r *repair) segments(c snapshot.Commit) error {
	m, err := snapshot.Open(r.f, c)
	if errors.Is(err, fs.ErrNotExist) || r.collected(c) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range m.Segments() {
		name := segmentName(s.File, s.SHA256)
		if r.read[name] {
			continue
		}
		r.read[name] = true
		data, err := r.d.store.objects.Get(r.ctx, r.d.key(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !snapshot.IsDamage(err) {
			return err
		}
		if err == nil && durable.Hash(data) == s.SHA256 {
			continue
		}
		err = snapshot.VerifySegment(r.f, s)
		if snapshot.IsDamage(err) {
			r.done.Left = append(r.done.Left, name)
			continue
		}
		if err != nil {
			return err
		}
		r.done.Segments++
		if r.o.DryRun {
			continue
		}
		if err := r.d.putFile(r.ctx, r.f, s.File, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) put(name string, write func(io.Writer) error) error {
	if r.o.DryRun {
		return nil
	}
	return r.d.store.objects.Put(r.ctx, r.d.key(name), write)
}
