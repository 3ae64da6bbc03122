package retention

import (
	"path"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Whole applies a policy where a publication is kept or deleted as a whole: in an object store. A
// publication is kept as long as any part of it would be kept in a data root. It returns the
// oldest kept publication, and the watermarks for deleting those before it; Version is 0 if
// everything is kept. The error is [ErrClockJump] as for [Collect].
func (p Policy) Whole(f durable.ReadFS, head snapshot.Commit, afterJump bool) (marks Watermarks, oldest snapshot.Commit, err error) {
	if p.CycleAge == 0 || p.Snapshots == 0 && p.SnapshotAge == 0 {
		return Watermarks{}, snapshot.Commit{}, nil
	}
	if !afterJump {
		if err := checkClockJump(f, head); err != nil {
			return Watermarks{}, snapshot.Commit{}, err
		}
	}
	by := newRule(max(p.Snapshots, p.cycles()), max(p.SnapshotAge, p.CycleAge, leastAge))
	if marks.Snapshots, oldest, err = snapshotWatermark(f, head, by); err != nil {
		return Watermarks{}, snapshot.Commit{}, err
	}
	if marks.Raw, err = cycleWatermark(f, head, by); err != nil {
		return Watermarks{}, snapshot.Commit{}, err
	}
	if oldest.CycleID > marks.Raw.Before {
		_, oldest, err = snapshot.Search(f, head, func(c snapshot.Commit) bool { return c.CycleID >= marks.Raw.Before })
	}
	marks.Format, marks.Canonical = Format, marks.Raw
	return marks, oldest, err
}

// Since returns the watermarks of a copy of the newest publications. It has the snapshots from
// one version on, and the raw and canonical cycles from another.
func Since(f durable.ReadFS, head snapshot.Commit, snapshots, cycles uint64) (marks Watermarks, err error) {
	newest := func(version uint64) rule { return newRule(int(head.Version-version+1), 0) }
	marks.Format = Format
	if marks.Snapshots, _, err = snapshotWatermark(f, head, newest(snapshots)); err != nil {
		return marks, err
	}
	marks.Raw, err = cycleWatermark(f, head, newest(cycles))
	marks.Canonical = marks.Raw
	return marks, err
}

// Raise returns the content of COLLECTED with these watermarks, raised to the recorded ones; nil
// if they are recorded already.
func (w Watermarks) Raise(recorded Watermarks) ([]byte, error) {
	next := w.over(recorded)
	if next == (Watermarks{Format: Format}) || recorded == next {
		return nil, nil
	}
	return layout.EncodeHeader(next)
}

// Newest is the newest version from which a watermark was computed; 0 if there is none.
func (w Watermarks) Newest() (version uint64) {
	for _, mark := range []*Watermark{w.Snapshots, w.Raw, w.Canonical, w.Thinned} {
		if mark != nil {
			version = max(version, mark.Version)
		}
	}
	return version
}

// UnusedSegments returns a function that reports whether no publication from oldest to head has
// a file of the change log or of the steps. manifests are the manifests of the two. Without them,
// only events before the oldest window are unused. A file of a later cycle belongs to a
// publication not committed yet.
func UnusedSegments(oldest, head snapshot.Commit, manifests ...snapshot.Manifest) func(name string) bool {
	used := map[string]bool{}
	for _, m := range manifests {
		for _, s := range m.Segments() {
			used[s.File] = true
		}
	}
	return func(name string) bool {
		first, last, ok := layout.ParseSegment(path.Base(name))
		cycle, known := layout.CycleOfSegment(name)
		if !ok || used[name] || known && cycle > head.CycleID {
			return false
		}
		// If both the oldest and the newest manifest have the events in another file, so
		// does every manifest between them.
		if path.Dir(name) == layout.ChangesDir {
			return last < oldest.FirstSeq || len(manifests) > 0 && last <= oldest.LastSeq && first >= head.FirstSeq
		}
		return len(manifests) > 0 && (isBefore(manifests[0].Steps, last) || last <= oldest.LastSeq && isWithin(manifests[1].Steps, last))
	}
}

// isBefore reports whether a seq is before all segments.
func isBefore(segments []snapshot.Segment, seq uint64) bool {
	return len(segments) > 0 && seq < segments[0].First
}

// isWithin reports whether a seq is not before all segments. A history may begin without any.
func isWithin(segments []snapshot.Segment, seq uint64) bool {
	return len(segments) > 0 && seq >= segments[0].First
}
