package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

// chain checks every commit record against the one before it, newest first, and keeps those
// whose data may still exist.
func (v *verifier) chain(ctx context.Context) error {
	newest, err := v.newestNumber()
	if err != nil {
		return err
	}
	v.newest = newest
	if v.first, err = snapshot.First(v.Root); err != nil && !isFileFault(err) {
		return err
	}
	if v.copies, err = snapshot.Copies(v.Root); err != nil {
		return err
	}
	if err := v.readWatermarks(); err != nil {
		return err
	}
	if newest == 0 {
		return v.noCommits()
	}
	expected := v.Expect == ""
	var after snapshot.Commit // the record after the current one
	for c, err := range v.records() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !isFileFault(err) {
			return err
		}
		if err != nil {
			v.badRecord(c.Version, err)
			after = snapshot.Commit{}
			continue
		}
		v.report.Checked.Commits++
		if v.report.Head == nil {
			v.head = c
			v.report.Head = &Head{Version: c.Version, Cycle: string(c.CycleID), SHA256: c.SHA256}
		}
		if after.Version > 0 {
			v.checkLink(c, after)
		}
		if c.SHA256 == v.Expect {
			expected = true
			v.note("version %d has the expected hash: it and all versions before it are unchanged", c.Version)
		}
		v.keep(c)
		after = c
	}
	if after.Version == 1 && after.PreviousSHA256 != "" {
		v.addFinding("CHAIN_BROKEN", layout.Commit(1), fixBackup, "the first record names one before it")
	}
	slices.Reverse(v.order)
	if !expected {
		v.addFinding("HEAD_UNKNOWN", layout.CommitsDir, "restore the commit records from a backup that has it",
			"no record has the expected hash %s: the history was cut or rewritten", v.Expect)
	}
	return v.pointers()
}

// records iterates over the records, newest first. A copy from an object store that was interrupted just
// before its record leaves a FIRST that is not there yet: readers then find the newest record before it.
func (v *verifier) records() iter.Seq2[snapshot.Commit, error] {
	isFirst := func(c snapshot.Commit) bool { return c.Version == v.first }
	if v.first <= v.newest || !slices.ContainsFunc(v.copies, isFirst) {
		return snapshot.Backward(v.Root, snapshot.Commit{Version: v.newest})
	}
	return func(yield func(snapshot.Commit, error) bool) {
		v.note("the copy of version %d from an object store is under way or was interrupted; readers and the next run find version %d", v.first, v.newest)
		c, err := snapshot.ReadCommit(v.Root, v.newest)
		if err != nil {
			c.Version = v.newest
		}
		yield(c, err)
	}
}

// newestNumber returns the highest number of a record in the folder. The binary search of readers
// would stop at a missing one.
func (v *verifier) newestNumber() (newest uint64, err error) {
	entries, err := v.names(layout.CommitsDir)
	for _, e := range entries {
		n, ok := layout.ParseCommit(e.Name())
		if !ok {
			n, ok = layout.ParseCommitPack(e.Name())
		}
		if ok {
			newest = max(newest, n)
		}
	}
	return newest, err
}

// noCommits handles a folder without records. Signs of a publication are findings, unless
// it was made just now.
func (v *verifier) noCommits() error {
	there, err := durable.Exists(v.Root, layout.Current)
	if err != nil {
		return err
	}
	later, err := v.since()
	if err != nil {
		return err
	}
	if there && len(later) == 0 {
		v.addFinding("HEAD_BEHIND", layout.Current, "restore the commit records from a backup", "CURRENT is there, but no commit record is")
	}
	if v.Expect != "" {
		v.addFinding("HEAD_UNKNOWN", layout.CommitsDir, "restore the commit records from a backup", "there is no commit record")
	}
	v.note("nothing was published yet")
	return nil
}

func (v *verifier) badRecord(n uint64, err error) {
	name := layout.Commit(n)
	if errors.Is(err, fs.ErrNotExist) {
		v.addFinding("COMMIT_MISSING", name, "restore it from a backup: its hash is in the record after it", "it is missing, and there is a later one")
		return
	}
	v.addFault("COMMIT_DAMAGED", name, "restore it from a backup: its hash is in the record after it", err)
}

func (v *verifier) checkLink(c, after snapshot.Commit) {
	name := layout.Commit(after.Version)
	if after.PreviousSHA256 != c.SHA256 {
		v.addFinding("CHAIN_BROKEN", name, fixBackup, "it carries %.12s… as the hash of version %d, which has %.12s…: one of the two was changed", after.PreviousSHA256, c.Version, c.SHA256)
	}
	if !c.PublishedAt.Before(after.PublishedAt) || c.CycleID >= after.CycleID {
		v.addFinding("COMMIT_ORDER", name, fixBackup, "it is not later than version %d", c.Version)
	}
	first := after.LastSeq + 1
	if after.Segment != nil {
		first = after.Segment.First
	}
	restarted := c.HistoryID != after.HistoryID
	if restarted {
		v.note("version %d begins a new history, with seq %d", after.Version, after.LastSeq+1)
	}
	if restarted && first <= c.LastSeq+1 || !restarted && (first != c.LastSeq+1 || after.FirstSeq < c.FirstSeq) {
		v.addFinding("SEQ_GAP", name, fixBackup, "its events begin with seq %d, version %d ends with %d", first, c.Version, c.LastSeq)
	}
}

// keep keeps a record if its snapshot, canonical or raw cycle may exist.
func (v *verifier) keep(c snapshot.Commit) {
	if v.watermarks.Snapshots.Covers(c.CycleID) && v.watermarks.Canonical.Covers(c.CycleID) && v.watermarks.Raw.Covers(c.CycleID) && !v.isThere(c.CycleID) {
		return
	}
	v.commits[c.CycleID] = c
	v.order = append(v.order, c)
	if c.Segment != nil {
		v.segments[c.Segment.File] = *c.Segment
	}
}

func (v *verifier) isThere(id layout.CycleID) bool {
	for _, dir := range []string{layout.SnapshotsDir, layout.CanonicalDir, layout.RawDir} {
		if there, err := durable.Exists(v.Root, layout.Cycle(dir, id)); err == nil && there {
			return true
		}
	}
	return false
}

func (v *verifier) readWatermarks() error {
	watermarks, err := retention.ReadWatermarks(v.Root)
	if err == nil {
		v.watermarks = watermarks
		err = watermarks.Check(v.Root)
	}
	if isFileFault(err) {
		v.watermarks = retention.Watermarks{}
		v.addFault("FLOORS_WRONG", layout.Collected, fixBackup+"; until then cycles that retention deleted are reported as missing", err)
		return nil
	}
	return err
}

// pointers checks CURRENT and the state of the newest publication against the chain. Either may
// be newer than the chain as it was read, if it has grown since.
func (v *verifier) pointers() error {
	data, err := durable.ReadFile(v.Root, layout.Current, 4<<10)
	if err := v.current(data, err); err != nil {
		return err
	}
	state, err := health.Read(v.Root, "publish")
	if err != nil || state == nil || !state.OK || layout.CycleID(state.Cycle) <= v.head.CycleID {
		return nil // no data depends on it
	}
	later, err := v.since()
	if err != nil {
		return err
	}
	for id := range later {
		if id >= layout.CycleID(state.Cycle) {
			return nil
		}
	}
	v.addFinding("HEAD_BEHIND", layout.StateDir+"/publish.json", "restore the newest commit records from a backup",
		"cycle %s was published, the newest record is of %s", state.Cycle, v.head.CycleID)
	return nil
}

func (v *verifier) current(data []byte, err error) error {
	fix := fmt.Sprintf("%s recover --tenant %s --product %s rewrites it", v.Command, v.ClientID, v.Product)
	if errors.Is(err, fs.ErrNotExist) && v.newest == 1 {
		v.note("there is no CURRENT, as after a first publication that was killed after its commit; readers and the next run find version 1")
		return nil
	}
	var p snapshot.Pointer
	if err = snapshot.Fault(layout.Current, err); err == nil {
		p, err = snapshot.ParsePointer(data)
	}
	if err != nil && !isFileFault(err) {
		return err
	}
	if err != nil {
		v.addFault("CURRENT_WRONG", layout.Current, fix, err)
		return nil
	}
	named, err := snapshot.ReadCommit(v.Root, p.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.addFinding("HEAD_BEHIND", layout.Current, "restore the newest commit records from a backup", "it names version %d, but the newest commit record is version %d", p.Version, v.newest)
	case err != nil && !isFileFault(err):
		return err
	case err != nil: // a bad record is already a finding
	case !snapshot.Names(data, named):
		v.addFinding("CURRENT_WRONG", layout.Current, fix, "it was not written by the publication of version %d", p.Version)
	case p.Version < v.head.Version:
		v.note("CURRENT names version %d, as after a run that was killed after its commit; readers and the next run find version %d", p.Version, v.head.Version)
	}
	return nil
}
