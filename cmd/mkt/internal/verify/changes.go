package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mkt/publish"
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
			v.strange(name)
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

// strange is a segment that nothing names. One of a cycle that is still to come
// is of a run under way, or of one that was broken off.
func (v *verifier) strange(name string) {
	cycle, ok := layout.CycleOfSegment(name)
	if ok && cycle > v.head.CycleID {
		v.note("%s is of a run under way, or that was broken off", name)
		return
	}
	v.find("UNKNOWN_FILE", name, fixUnknown, "no manifest that is kept and no commit record names it")
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
		code := "CHANGES_DAMAGED"
		if _, gone := v.Root.Stat(s.File); gone != nil {
			code = "CHANGES_MISSING"
		}
		v.find(code, s.File, v.fixMend(), "%s", reason(err, s.File))
		return nil
	}
	if err != nil {
		return err
	}
	v.report.Checked.Bytes += s.Bytes
	for row, err := range snapshot.Events(v.Root, snapshot.Manifest{Changes: []snapshot.Segment{s}}, 0) {
		if err != nil {
			v.find("SEQ_GAP", s.File, v.fixMend(), "%s", reason(err, s.File))
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
