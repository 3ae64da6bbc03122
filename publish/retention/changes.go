package retention

import (
	"context"
	"io"
	"path"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Window returns the change log of a publication made at now: the segments of the
// previous manifest and the added one, without the oldest ones whose events are neither
// young nor among the newest.
func (p Policy) Window(segments []snapshot.Segment, added *snapshot.Segment, now time.Time) []snapshot.Segment {
	kept := slices.Clone(segments)
	if added != nil {
		kept = append(kept, *added)
	}
	times := make([]time.Time, 0, len(kept)+1)
	for _, s := range kept {
		times = append(times, s.At)
	}
	ages := agesOf(append(times, now))
	for i, s := range kept {
		if behind := kept[len(kept)-1].Last - s.Last; behind < p.changeEvents() || ages[i] < p.changeAge() {
			return kept[i:]
		}
	}
	return nil
}

// An account that publishes every few seconds would list thousands of segments in every
// manifest. When compactFrom segments of single cycles are listed, the oldest
// compactCount of them are compacted into one file with the same events.
const (
	compactFrom  = 256
	compactCount = 64
)

// compactable returns the range of segments to compact, empty if i == j.
func compactable(segments []snapshot.Segment) (i, j int) {
	i = len(segments)
	for i > 0 && segments[i-1].Cycles == 0 {
		i--
	}
	if len(segments)-i < compactFrom {
		return 0, 0
	}
	return i, i + compactCount
}

// Compact compacts the oldest segments into one file, if there are too many, and returns
// the change log with it. It writes the file to staged; name is the segment's final name,
// "" if nothing was compacted. If a segment is damaged (snapshot.IsDamage), the
// uncompacted change log may be published.
func Compact(ctx context.Context, f durable.FS, staged string, header table.Header, segments []snapshot.Segment) (all []snapshot.Segment, name string, err error) {
	i, j := compactable(segments)
	if i == j {
		return segments, "", nil
	}
	for _, s := range segments[i:j] {
		if err := snapshot.VerifySegment(f, s); err != nil {
			return nil, "", err
		}
	}
	file, err := snapshot.CreateFile(f, path.Dir(staged), path.Base(staged), func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](durable.Until(ctx, out), header)
		for row, err := range snapshot.Events(f, snapshot.Manifest{Changes: segments[i:j]}, 0) {
			if err != nil {
				return err
			}
			if err := w.Write(*row); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	})
	one := snapshot.Segment{First: segments[i].First, Last: segments[j-1].Last, At: segments[j-1].At, Cycles: j - i, Bytes: file.Bytes, SHA256: file.SHA256}
	one.File = layout.ChangeSegment(one.First, one.Last, layout.CycleID(header.CycleID))
	return slices.Concat(segments[:i], []snapshot.Segment{one}, segments[j:]), one.File, err
}
