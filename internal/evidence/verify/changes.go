package verify

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// changeLog checks every segment of the change log and of the steps that is named by a kept
// manifest or a commit record, and reports other files in their folders. A range does not bound
// it: a publication outside of the range may name a segment that no other one does.
func (v *verifier) changeLog(ctx context.Context) error {
	if err := v.window(ctx); err != nil {
		return err
	}
	var names []string
	for _, dir := range []string{layout.ChangesDir, layout.StepsDir} {
		entries, err := v.names(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			names = append(names, dir+"/"+e.Name())
		}
	}
	for _, name := range names {
		s, known := v.segments[name]
		if !known {
			if err := v.unnamedSegment(name); err != nil {
				return err
			}
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := v.segment(s); err != nil {
			return err
		}
	}
	return nil
}

// unnamedSegment checks a segment in no manifest. It may belong to a cycle under way or
// interrupted, or be left over from an interrupted collection.
func (v *verifier) unnamedSegment(name string) error {
	if v.isHalfWritten(name) {
		return nil
	}
	cycle, ok := layout.CycleOfSegment(name)
	if ok && cycle > v.head.CycleID {
		v.note("%s belongs to a run that is under way or was interrupted", name)
		return nil
	}
	if ok && v.isBeforeFirst(cycle) {
		v.note("%s is older than the oldest commit record of this data root; the object store has its record", name)
		return nil
	}
	if ok && v.covers(snapshotKind, cycle) {
		left, err := v.wasPublished(name, cycle)
		if err != nil {
			return err
		}
		if left {
			v.note("%s belongs to publications that retention deleted; the next collection deletes it", name)
			return nil
		}
	}
	if c, published := v.commits[cycle]; published && !v.covers(snapshotKind, cycle) {
		if _, err := snapshot.Open(v.Root, c); isFileFault(err) {
			v.note("%s: the manifest of its cycle cannot be read, so nothing says whether it belongs to it", name)
			return nil
		}
	}
	v.addFinding("UNKNOWN_FILE", name, fixUnknown, "no manifest that is kept and no commit record names it")
	return nil
}

// wasPublished reports whether a segment in no manifest once belonged to a publication: its events
// are in the window of its commit record and have the numbers in its name. It returns true if the
// segment is deleted meanwhile.
func (v *verifier) wasPublished(name string, cycle layout.CycleID) (bool, error) {
	first, last, ok := layout.ParseSegment(path.Base(name))
	c, err := snapshot.Resolve(v.Root, string(cycle))
	switch {
	case errors.Is(err, snapshot.ErrUnknown) || isFileFault(err):
		return false, nil
	case err != nil:
		return false, err
	case !ok || last > c.LastSeq || first < c.FirstSeq && path.Dir(name) == layout.ChangesDir:
		return false, nil
	case path.Dir(name) == layout.StepsDir:
		return true, nil
	}
	for _, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{{File: name, First: first, Last: last}}}, 0) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, unlessFileFault(err)
		}
	}
	return true, nil
}

// window checks the segments named by kept manifests.
func (v *verifier) window(ctx context.Context) error {
	for _, c := range v.order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, err := snapshot.Open(v.Root, c)
		if isFileFault(err) {
			continue // already a finding, or deleted meanwhile
		}
		if err != nil {
			return err
		}
		for _, s := range m.Segments() {
			v.segments[s.File] = s
			if err := v.segment(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) segment(s snapshot.Segment) error {
	if v.read[s.File] {
		return nil
	}
	v.read[s.File] = true
	v.report.Checked.Files++
	missing, damaged := "CHANGES_MISSING", "CHANGES_DAMAGED"
	isStep := path.Dir(s.File) == layout.StepsDir
	if isStep {
		missing, damaged = "STEPS_MISSING", "STEPS_DAMAGED"
	}
	err := snapshot.VerifySegment(v.Root, s)
	if isFileFault(err) {
		there, e := durable.Exists(v.Root, s.File)
		switch {
		case e == nil && !there && !v.isRetained(s): // retention deleted it meanwhile
		case e == nil && !there:
			v.addFinding(missing, s.File, v.fixRepair(), "%s", reason(err, s.File))
		default:
			v.addFault(damaged, s.File, v.fixRepair(), err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	v.report.Checked.Bytes += s.Bytes
	if isStep {
		return v.steps(s)
	}
	for row, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{s}}, 0) {
		if errors.Is(err, fs.ErrNotExist) && !v.isRetained(s) {
			return nil
		}
		if err != nil {
			v.addFault("SEQ_GAP", s.File, v.fixRepair(), err)
			return nil
		}
		v.report.Checked.Events++
		v.event(s, row)
	}
	return nil
}

// steps checks that the rows of a segment of steps belong to its events and to publications whose
// records say the same. Whether they are what changed is checked by rebuilding the publication.
func (v *verifier) steps(s snapshot.Segment) error {
	for row, err := range snapshot.Rows[table.StepRow](v.Root, s.File) {
		if errors.Is(err, fs.ErrNotExist) && !v.isRetained(s) {
			return nil
		}
		if err != nil {
			v.addFault("STEPS_DAMAGED", s.File, v.fixRepair(), err)
			return nil
		}
		v.report.Checked.Steps++
		c, known := v.commits[layout.CycleID(row.CycleID)]
		seq := uint64(row.Seq)
		if seq < s.First || seq > s.Last || known && (!row.PublishedAt.Equal(c.PublishedAt) || seq > c.LastSeq) {
			v.addFinding("EVENTS_DIFFER", s.File, fixBackup, "a step of fixture %s has seq %d and cycle %s, which its commit record contradicts", row.FixtureID, row.Seq, row.CycleID)
			return nil
		}
	}
	return nil
}

func (v *verifier) event(s snapshot.Segment, row *table.EventRow) {
	c, known := v.commits[layout.CycleID(row.CycleID)]
	if !known {
		return // its data is deleted: only its hash is checked
	}
	seq := uint64(row.Seq)
	if c.Segment == nil || seq < c.Segment.First || seq > c.Segment.Last || !row.PublishedAt.Equal(c.PublishedAt) {
		v.addFinding("EVENTS_DIFFER", s.File, fixBackup, "seq %d names cycle %s, whose commit record contradicts it", row.Seq, row.CycleID)
	}
}

func (v *verifier) difference(before, here *dataset) error {
	events := map[string]*table.EventRow{}
	name := here.commit.Dir()
	if s := here.commit.Segment; s != nil {
		name = s.File
		if snapshot.VerifySegment(v.Root, *s) != nil {
			return nil // already a finding
		}
		for row, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{*s}}, 0) {
			if err != nil {
				return nil
			}
			if events[row.FixtureID] != nil {
				v.addFinding("EVENTS_DIFFER", name, fixBackup, "two events of one publication are of fixture %s", row.FixtureID)
			}
			kept := *row
			events[row.FixtureID] = &kept
		}
	}
	byID := func(a, b *fixture) int { return cmp.Compare(a.id, b.id) }
	for p := range diff.Pairs(diff.Each(before.fixtures), diff.Each(here.fixtures), byID) {
		id := cmp.Or(p.New, p.Old).id
		if wrong := contradiction(p, events[id]); wrong != "" {
			v.addFinding("EVENTS_DIFFER", name, fixBackup, "version %d: fixture %s %s", here.commit.Version, id, wrong)
		}
		delete(events, id)
	}
	for _, id := range slices.Sorted(maps.Keys(events)) {
		v.addFinding("EVENTS_DIFFER", name, fixBackup, "version %d: fixture %s has an event and is in neither snapshot", here.commit.Version, id)
	}
	return nil
}

// contradiction describes how the event of a fixture contradicts its two rows, "" if it does not.
func contradiction(p diff.Pair[fixture], event *table.EventRow) string {
	isRemoval := event != nil && event.Type == publish.Removed
	switch {
	case p.New == nil && !isRemoval:
		return "was removed, and no event says so"
	case p.New == nil:
	case isRemoval:
		return "is there, and an event says that it was removed"
	case event == nil && (p.Old == nil || p.Old.digest != p.New.digest):
		return "changed, and no event says so"
	case event != nil && (event.ContentDigest == nil || *event.ContentDigest != p.New.digest):
		return "has other content than its event says"
	}
	return ""
}
