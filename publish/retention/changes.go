package retention

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

// Window returns the change log of a publication made at now: the segments of the previous
// manifest and the added one. It leaves out the oldest ones whose events are neither young nor
// among the newest.
func (p Policy) Window(segments []snapshot.Segment, added *snapshot.Segment, now time.Time) []snapshot.Segment {
	return window(segments, added, now, p.changeAge(), p.changeEvents())
}

// StepsWindow returns the steps of a publication in the same way: all young segments.
func (p Policy) StepsWindow(segments []snapshot.Segment, added *snapshot.Segment, now time.Time) []snapshot.Segment {
	return window(segments, added, now, p.stepsAge(), 0)
}

func window(segments []snapshot.Segment, added *snapshot.Segment, now time.Time, age time.Duration, events uint64) []snapshot.Segment {
	kept := slices.Clone(segments)
	if added != nil {
		kept = append(kept, *added)
	}
	ages := agesOfSegments(kept, now)
	for i, s := range kept {
		if behind := kept[len(kept)-1].Last - s.Last; behind < events || ages[i] < age {
			return kept[i:]
		}
	}
	return nil
}

// agesOfSegments returns the ages of segments by their newest rows. As for all ages, an interval
// counts as at most a day. The span of a compacted segment counts as at most a day for each of
// its cycles.
func agesOfSegments(segments []snapshot.Segment, now time.Time) []time.Duration {
	ages := make([]time.Duration, len(segments))
	var age time.Duration
	next := now
	for i, s := range slices.Backward(segments) {
		age += min(next.Sub(s.At), longestGap)
		ages[i], next = age, s.Begins()
		age += min(s.At.Sub(next), longestGap*time.Duration(s.Cycles))
	}
	return ages
}

// Compactor compacts the oldest of many segments, and returns all segments with the compacted
// ones. It writes them to the folder dir; made has their paths there, by their final names. If a
// segment is damaged, see [snapshot.IsDamage], the uncompacted ones may be published.
type Compactor func(ctx context.Context, f durable.FS, dir string, header table.Header, segments []snapshot.Segment) (all []snapshot.Segment, made map[string]string, err error)

// An account with a publication every few seconds would list thousands of segments in every
// manifest. If there are compactFrom segments of single cycles, the oldest compactCount of them
// are compacted into one file with the same events.
const (
	compactFrom  = 256
	compactCount = 64
)

// The path of a price is looked up in every segment, so there must be few. Of seventeen segments
// of single cycles sixteen are compacted, and those of sixteen cycles in the same way: a year of
// hourly cycles has at most 66. The newest one of either kind has no name yet.
const (
	stepsFrom  = 17
	stepsCount = 16
)

// CompactChanges compacts segments of the change log.
func CompactChanges(ctx context.Context, f durable.FS, dir string, header table.Header, segments []snapshot.Segment) (all []snapshot.Segment, made map[string]string, err error) {
	i, j := compactable(segments, 0, compactFrom, compactCount)
	return compact(ctx, f, dir, layout.ChangesDir, header, segments, i, j, func(f durable.FS, of []snapshot.Segment) iter.Seq2[*table.EventRow, error] {
		return snapshot.Events(f, snapshot.Manifest{Changes: of}, 0)
	})
}

// CompactSteps compacts segments of steps.
func CompactSteps(ctx context.Context, f durable.FS, dir string, header table.Header, segments []snapshot.Segment) (all []snapshot.Segment, made map[string]string, err error) {
	made, all = map[string]string{}, segments
	for _, cycles := range []int{0, stepsCount} {
		i, j := compactable(all, cycles, stepsFrom, stepsCount)
		var one map[string]string
		if all, one, err = compact(ctx, f, dir, layout.StepsDir, header, all, i, j, mergeSteps); err != nil {
			return nil, nil, err
		}
		for name, staged := range one {
			made[name] = staged
		}
	}
	return all, made, nil
}

// compactable returns the range of the oldest count segments of a number of cycles, if there are
// at least from of them; otherwise i == j.
func compactable(segments []snapshot.Segment, cycles, from, count int) (i, j int) {
	isOne := func(s snapshot.Segment) bool { return s.Cycles == cycles }
	i = slices.IndexFunc(segments, isOne)
	n := 0
	for _, s := range segments {
		if isOne(s) {
			n++
		}
	}
	if n < from {
		return 0, 0
	}
	return i, i + count
}

// compact writes the rows of segments i to j as one segment.
func compact[T table.Row](ctx context.Context, f durable.FS, dir, final string, header table.Header, segments []snapshot.Segment, i, j int,
	rows func(durable.FS, []snapshot.Segment) iter.Seq2[*T, error]) (all []snapshot.Segment, made map[string]string, err error) {
	if i == j {
		return segments, nil, nil
	}
	old := segments[i:j]
	one := snapshot.Segment{First: old[0].First, Last: old[len(old)-1].Last, At: old[len(old)-1].At}
	for _, s := range old {
		if err := snapshot.VerifySegment(f, s); err != nil {
			return nil, nil, err
		}
		one.Cycles += cmp.Or(s.Cycles, 1)
	}
	name := fmt.Sprintf("%s-%d.parquet", final, one.Cycles)
	file, err := snapshot.CreateFile(f, dir, name, func(out io.Writer) error {
		w := table.NewWriter[T](durable.Until(ctx, out), header)
		for row, err := range rows(f, old) {
			if err == nil {
				err = w.Write(*row)
			}
			if err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	})
	one.Bytes, one.SHA256 = file.Bytes, file.SHA256
	if final == layout.StepsDir {
		one.Since = old[0].Begins()
	}
	one.File = layout.Segment(final, one.First, one.Last, layout.CycleID(header.CycleID))
	return slices.Concat(segments[:i], []snapshot.Segment{one}, segments[j:]), map[string]string{one.File: dir + "/" + name}, err
}

// mergeSteps iterates over the rows of several segments in the order of their table.
func mergeSteps(f durable.FS, segments []snapshot.Segment) iter.Seq2[*table.StepRow, error] {
	if len(segments) == 1 {
		return snapshot.Rows[table.StepRow](f, segments[0].File)
	}
	older, newer := mergeSteps(f, segments[:len(segments)/2]), mergeSteps(f, segments[len(segments)/2:])
	return func(yield func(*table.StepRow, error) bool) {
		for pair, err := range diff.Pairs(older, newer, (*table.StepRow).Compare) {
			if row := cmp.Or(pair.Old, pair.New); !yield(row, err) {
				return
			}
		}
	}
}
