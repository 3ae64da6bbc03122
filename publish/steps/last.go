package steps

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Last reads the newest changes of a selection up to a time, newest first: its own rows, and those with
// which its fixture went away. It reads segments backward until it has at least n changes, or the
// publication that first had the fixture, so that its cost does not depend on how long steps are kept.
// verify is called with a segment before it is read.
func Last(f durable.ReadFS, m *snapshot.Manifest, fixture, market, selection string, until time.Time, n int, verify func(snapshot.Segment) error) (last []table.StepRow, err error) {
	for _, s := range slices.Backward(m.Steps) {
		if s.Begins().After(until) {
			continue
		}
		if err := verify(s); err != nil {
			return nil, err
		}
		rows, err := appendRows(nil, f, s.File, fixture, market)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		begins := map[int64]bool{} // the publications in which the fixture may be new
		for _, r := range rows {
			if r.MarketID == "" {
				begins[r.Seq] = r.Present
			}
		}
		rows = slices.DeleteFunc(rows, func(r table.StepRow) bool {
			isGone := r.MarketID == "" && !r.Present
			return r.PublishedAt.After(until) || r.SelectionID != selection && !isGone
		})
		slices.SortFunc(rows, func(a, b table.StepRow) int { return cmp.Compare(b.Seq, a.Seq) })
		last = append(last, rows...)
		if k := len(last); k >= n || k > 0 && begins[last[k-1].Seq] {
			break
		}
	}
	return last[:min(n, len(last))], nil
}
