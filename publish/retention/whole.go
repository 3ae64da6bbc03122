package retention

import (
	"fmt"
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

// UnusedSegments returns a function that reports whether no publication from oldest to head names
// a file of the change log or of the steps. A publication names files that the one before it
// names, and new ones of its own cycle. Only the first one of a history may name others. So each
// used file of a cycle up to the oldest is named by oldest, or by the first publication of a
// later history. open opens their manifests. If one of them is missing or damaged, only events
// before the oldest window are unused.
func UnusedSegments(f durable.ReadFS, oldest, head snapshot.Commit, open func(snapshot.Commit) (snapshot.Manifest, error)) (func(name string) bool, error) {
	commits, err := firstOfHistories(f, oldest, head)
	if err != nil {
		return nil, err
	}
	used, complete := map[string]bool{}, true
	for _, c := range append(commits, oldest) {
		m, err := open(c)
		if snapshot.IsDamage(err) { // or deleted under an earlier policy, or never in this store
			complete = false
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("publication %d: %w", c.Version, err)
		}
		for _, s := range m.Segments() {
			used[s.File] = true
		}
	}
	return func(name string) bool {
		cycle, ok := layout.CycleOfSegment(name)
		if !ok || used[name] || cycle > oldest.CycleID {
			return false
		}
		_, last, _ := layout.ParseSegment(path.Base(name))
		return complete || path.Dir(name) == layout.ChangesDir && last < oldest.FirstSeq
	}, nil
}

// firstOfHistories returns the first publications of the histories that begin after oldest. It is a
// binary search. A publication whose record before it is damaged may be such a first one.
func firstOfHistories(f durable.ReadFS, oldest, head snapshot.Commit) ([]snapshot.Commit, error) {
	if head.Version <= oldest.Version || head.HistoryID == oldest.HistoryID {
		return nil, nil
	}
	between := head.Version - oldest.Version - 1
	for i := range between {
		middle, err := snapshot.ReadCommit(f, oldest.Version+1+(between/2+i)%between)
		if snapshot.IsDamage(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		before, err := firstOfHistories(f, oldest, middle)
		if err != nil {
			return nil, err
		}
		after, err := firstOfHistories(f, middle, head)
		return append(before, after...), err
	}
	return []snapshot.Commit{head}, nil
}
