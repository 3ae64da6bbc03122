package publish

import (
	"context"
	"io"
	"slices"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// An account that publishes every few seconds would list thousands of segments
// in every manifest. When that many of single cycles are listed, the oldest of
// them are put together into one file; their events stay what they are.
const (
	rollFrom  = 256
	rollCount = 64
)

// toRoll finds the run of segments to put together: none when i == j.
func toRoll(segments []snapshot.Segment) (i, j int) {
	i = len(segments)
	for i > 0 && segments[i-1].Cycles == 0 {
		i--
	}
	if len(segments)-i < rollFrom {
		return 0, 0
	}
	return i, i + rollCount
}

// roll stages one segment in the place of many, when there are too many. It
// returns the list to be published.
func (r *run) roll(ctx context.Context, segments []snapshot.Segment) ([]snapshot.Segment, error) {
	i, j := toRoll(segments)
	if i == j {
		return segments, nil
	}
	for _, s := range segments[i:j] {
		err := snapshot.VerifySegment(r.Root, s)
		if isDamage(err) { // they are only put together to be fewer
			r.Log.Warn("segments of the change log are not put together", "tenant", r.ClientID, "product", r.Product, "error", err)
			return segments, nil
		}
		if err != nil {
			return nil, err
		}
	}
	rolled := snapshot.Segment{First: segments[i].First, Last: segments[j-1].Last, At: segments[j-1].At, Cycles: j - i}
	file, err := snapshot.CreateFile(r.Root, r.staging, "rolled.parquet", func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](cancellable{ctx, out}, r.header())
		events := snapshot.Events(r.Root, snapshot.Manifest{Changes: segments[i:j]}, 0)
		for row, err := range events {
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
	if err != nil {
		return nil, err
	}
	rolled.File, rolled.Bytes, rolled.SHA256 = layout.ChangeSegment(rolled.First, rolled.Last, r.cycle), file.Bytes, file.SHA256
	r.staged[rolled.File] = r.staging + "/rolled.parquet"
	return slices.Concat(segments[:i], []snapshot.Segment{rolled}, segments[j:]), nil
}
