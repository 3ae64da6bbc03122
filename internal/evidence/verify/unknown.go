package verify

import (
	"context"
	"slices"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// unknown reports names foreign to the data. It skips staging and state, because no
// data depends on them.
func (v *verifier) unknown(context.Context) error {
	known := map[string]bool{layout.RawDir: true, layout.CanonicalDir: true, layout.SnapshotsDir: true, layout.ChangesDir: true, layout.StepsDir: true, layout.CommitsDir: true,
		layout.StagingDir: true, layout.StateDir: true, layout.Current: true, layout.Collected: true, layout.First: true, layout.Lock: true}
	top, err := v.names(".")
	if err != nil {
		return err
	}
	for _, e := range top {
		switch {
		case !known[e.Name()]:
			v.unknownFile(e.Name())
		case !e.IsDir() && !e.Type().IsRegular():
			v.addFinding("UNKNOWN_FILE", e.Name(), fixUnknown, "it is neither a file nor a folder: %s", e.Type())
		}
	}
	for dir, isKnown := range map[string]func(string) bool{
		layout.CommitsDir: func(name string) bool {
			_, record := layout.ParseCommit(name)
			_, pack := layout.ParseCommitPack(name)
			return record || pack
		},
		layout.RawDir: func(name string) bool {
			_, cycle := layout.ParseCycleDir(name)
			_, pack := layout.ParseRawPack(name)
			return cycle || pack
		},
		layout.CanonicalDir: isCycle,
		layout.SnapshotsDir: isCycle,
	} {
		entries, err := v.names(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			switch name := dir + "/" + e.Name(); {
			case !isKnown(e.Name()):
				v.unknownFile(name)
			case !e.IsDir() && !e.Type().IsRegular():
				v.addFinding("UNKNOWN_FILE", name, fixUnknown, "it is neither a file nor a folder: %s", e.Type())
			}
		}
	}
	return nil
}

func isCycle(name string) bool {
	_, ok := layout.ParseCycleDir(name)
	return ok
}

func (v *verifier) unknownFile(name string) {
	if !v.isHalfWritten(name) {
		v.addFinding("UNKNOWN_FILE", name, fixUnknown, "mkt uses no such name")
	}
}

// isHalfWritten reports whether a file is half written, by its name, and adds a note.
func (v *verifier) isHalfWritten(name string) bool {
	at := strings.LastIndex(name, ".tmp")
	if at < 0 || strings.Trim(name[at+4:], "0123456789") != "" {
		return false
	}
	v.note("%s belongs to a run that is under way or was interrupted", name)
	return true
}

// isBeforeFirst reports whether a cycle is older than the oldest record of a data root copied from
// an object store: another machine published in between.
func (v *verifier) isBeforeFirst(id layout.CycleID) bool {
	return v.first > 1 && len(v.order) > 0 && id < v.order[0].CycleID
}

// isRecorded reports whether a commit record names a manifest. Retention deletes a publication before
// the remains of an interrupted run that followed it, if it is kept for less than a day.
func (v *verifier) isRecorded(manifest string) bool {
	for c, err := range snapshot.Backward(v.Root, v.head) {
		if err == nil && c.ManifestSHA256 == manifest {
			return true
		}
	}
	return v.isRecordedBefore(manifest)
}

// isRecordedBefore is [verifier.isRecorded] for the records before FIRST. They stay in a data root which
// was then copied from an object store, with gaps. The cycle of an interrupted run can be newer than
// the oldest record after them if the clock was ahead.
func (v *verifier) isRecordedBefore(manifest string) bool {
	entries, err := v.names(layout.CommitsDir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		n, ok := layout.ParseCommit(e.Name())
		if !ok || n >= v.first {
			continue
		}
		if c, err := snapshot.ReadCommit(v.Root, n); err == nil && c.ManifestSHA256 == manifest {
			return true
		}
	}
	return false
}

// uncommitted checks snapshots without a commit record. One that follows a publication and
// matches its manifest belongs, with its segments, to a run interrupted before its
// commit; one of a publication being copied, to an interrupted copy. Readers ignore both.
func (v *verifier) uncommitted() error {
	ids, err := v.cyclesIn(layout.SnapshotsDir)
	if err != nil {
		return err
	}
	later, err := v.since()
	if err != nil {
		return err
	}
	follows := map[string]bool{"": true}
	for _, c := range v.order {
		follows[c.ManifestSHA256] = true
	}
	for _, c := range later {
		follows[c.ManifestSHA256] = true
	}
	for _, id := range ids {
		_, known := v.commits[id]
		if _, published := later[id]; known || published {
			continue
		}
		dir := layout.Cycle(layout.SnapshotsDir, id)
		if v.isBeforeFirst(id) {
			v.note("%s is older than the oldest commit record of this data root; the object store has its record", dir)
			continue
		}
		m, sum, err := snapshot.ReadManifest(v.Root, dir+"/"+layout.ManifestFile)
		if err == nil {
			err = snapshot.Verify(v.Root, dir, m)
		}
		if err != nil && !isFileFault(err) {
			return err
		}
		if there, e := durable.Exists(v.Root, dir); e == nil && !there {
			continue // quarantined or deleted meanwhile
		}
		if slices.ContainsFunc(v.copies, func(c snapshot.Commit) bool { return err == nil && c.CycleID == id && c.ManifestSHA256 == sum }) {
			v.note("%s belongs to a copy from an object store that is under way or was interrupted", dir)
			v.belongs(m)
			continue
		}
		if err != nil || m.CycleID != id || m.ClientID != v.ClientID || m.Product != v.Product || !follows[m.PreviousManifestSHA256] && !v.isRecorded(m.PreviousManifestSHA256) {
			v.addFinding("UNKNOWN_FILE", dir, fixUnknown, "no commit record names it, and it follows no publication")
			continue
		}
		v.note("%s belongs to a run that is under way or was interrupted before its commit", dir)
		v.belongs(m)
	}
	return nil
}

// belongs notes the segments that a manifest names.
func (v *verifier) belongs(m snapshot.Manifest) {
	for _, s := range m.Segments() {
		v.segments[s.File] = s
	}
}
