package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// changeLog reads every segment that a kept manifest names, and what else lies in
// the folder and a commit record vouches for.
func (v *verifier) changeLog(ctx context.Context) error {
	entries, err := v.names(layout.ChangesDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := layout.ChangesDir + "/" + e.Name()
		s, known := v.segments[name]
		if !known {
			if err := v.strange(name); err != nil {
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
	return v.window()
}

// strange judges a segment that no manifest names. One of a cycle that is still to
// come is of a run under way, or of one that was interrupted. One that retention let
// go of may be left behind by a collection that was interrupted.
func (v *verifier) strange(name string) error {
	cycle, ok := layout.CycleOfSegment(name)
	if ok && cycle > v.head.CycleID {
		v.note("%s is of a run under way, or that was broken off", name)
		return nil
	}
	if ok && v.covers(snapshotKind, cycle) {
		left, err := v.isLeft(name, cycle)
		if err != nil {
			return err
		}
		if left {
			v.note("%s is of publications that retention let go of; the next collection deletes it", name)
			return nil
		}
	}
	v.find("UNKNOWN_FILE", name, fixUnknown, "no manifest that is kept and no commit record names it")
	return nil
}

// isLeft reports whether a segment that no manifest names was once one of a
// publication: its events are in the window of its commit record and numbered as its
// name says. One that is deleted meanwhile was.
func (v *verifier) isLeft(name string, cycle layout.CycleID) (bool, error) {
	first, last, ok := layout.ParseChangeSegment(path.Base(name))
	c, err := snapshot.Resolve(v.Root, string(cycle))
	switch {
	case errors.Is(err, snapshot.ErrUnknown) || isBad(err):
		return false, nil
	case err != nil:
		return false, err
	case !ok || first < c.FirstSeq || last > c.LastSeq:
		return false, nil
	}
	for _, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{{File: name, First: first, Last: last}}}, 0) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, unlessBad(err)
		}
	}
	return true, nil
}

// window reads the segments that manifests name and the folder does not have: of
// what is kept, none may be missing.
func (v *verifier) window() error {
	for _, c := range v.order {
		m, err := snapshot.Open(v.Root, c)
		if isBad(err) {
			continue // told before, or let go
		}
		if err != nil {
			return err
		}
		for _, s := range m.Changes {
			if err := v.segment(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// segment reads one segment: its bytes, its numbers, and whose events they are.
func (v *verifier) segment(s snapshot.Segment) error {
	if v.read[s.File] {
		return nil
	}
	v.read[s.File] = true
	v.report.Checked.Files++
	err := snapshot.VerifySegment(v.Root, s)
	if isBad(err) {
		there, e := durable.Exists(v.Root, s.File)
		switch {
		case e == nil && !there && !v.isRetained(s): // retention let go of it meanwhile
		case e == nil && !there:
			v.find("CHANGES_MISSING", s.File, v.fixMend(), "%s", reason(err, s.File))
		default:
			v.fault("CHANGES_DAMAGED", s.File, v.fixMend(), err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	v.report.Checked.Bytes += s.Bytes
	for row, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{s}}, 0) {
		if errors.Is(err, fs.ErrNotExist) && !v.isRetained(s) {
			return nil
		}
		if err != nil {
			v.fault("SEQ_GAP", s.File, v.fixMend(), err)
			return nil
		}
		v.report.Checked.Events++
		v.event(s, row)
	}
	return nil
}

// event holds one event against the publication that it names.
func (v *verifier) event(s snapshot.Segment, row *table.EventRow) {
	c, known := v.commits[layout.CycleID(row.CycleID)]
	if !known {
		return // its record is there, and its data is not: only the hash speaks
	}
	seq := uint64(row.Seq)
	if c.Segment == nil || seq < c.Segment.First || seq > c.Segment.Last || !row.PublishedAt.Equal(c.PublishedAt) {
		v.find("EVENTS_DIFFER", s.File, fixBackup, "seq %d says that it is of cycle %s, whose record says otherwise", row.Seq, row.CycleID)
	}
}

// difference holds the events of a publication against what it changed.
func (v *verifier) difference(before, here *dataset) error {
	told := map[string]*table.EventRow{}
	name := here.commit.Dir()
	if s := here.commit.Segment; s != nil {
		name = s.File
		if snapshot.VerifySegment(v.Root, *s) != nil {
			return nil // told as damaged
		}
		for row, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{*s}}, 0) {
			if err != nil {
				return nil
			}
			if told[row.FixtureID] != nil {
				v.find("EVENTS_DIFFER", name, fixBackup, "two events of one publication are of fixture %s", row.FixtureID)
			}
			kept := *row
			told[row.FixtureID] = &kept
		}
	}
	for _, id := range slices.Sorted(maps.Keys(union(before.fixtures, here.fixtures))) {
		if wrong := differs(id, before.fixtures, here.fixtures, told[id]); wrong != "" {
			v.find("EVENTS_DIFFER", name, fixBackup, "version %d: %s", here.commit.Version, wrong)
		}
		delete(told, id)
	}
	for _, id := range slices.Sorted(maps.Keys(told)) {
		v.find("EVENTS_DIFFER", name, fixBackup, "version %d: fixture %s has an event and is in neither snapshot", here.commit.Version, id)
	}
	return nil
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// differs says what is wrong with what is told of one fixture, "" when nothing is.
func differs(id string, before, here map[string]string, event *table.EventRow) string {
	old, was := before[id]
	now, is := here[id]
	switch {
	case !is && (event == nil || event.Type != publish.Removed):
		return fmt.Sprintf("fixture %s went, and no event says so", id)
	case is && event != nil && event.Type == publish.Removed:
		return fmt.Sprintf("fixture %s is there, and an event says that it went", id)
	case is && event == nil && (!was || old != now):
		return fmt.Sprintf("fixture %s changed, and no event says so", id)
	case is && event != nil && (event.ContentDigest == nil || *event.ContentDigest != now):
		return fmt.Sprintf("fixture %s has another content than its event says", id)
	}
	return ""
}
