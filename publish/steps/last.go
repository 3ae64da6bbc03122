package steps

import (
	"context"
	"slices"
	"time"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Last reads the newest points of a selection up to a time, at most n, oldest first. It reads segments backward until it
// has so many, or the first publication that had the fixture, so that its cost does not depend on how long steps are
// kept.
func Last(ctx context.Context, f durable.ReadFS, m *snapshot.Manifest, fixture, market, selection string, until time.Time, n int) (last []*Point, err error) {
	var rows []table.StepRow
	for i, s := range slices.Backward(m.Steps) {
		if s.Begins().After(until) {
			continue
		}
		older, err := Rows(ctx, f, m.Steps[i:i+1], fixture, market)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(append(older, rows...), func(r table.StepRow) bool { return r.PublishedAt.After(until) })
		whole, paths := Paths(rows, time.Time{})
		p := paths[market]
		if p == nil {
			continue
		}
		if k := slices.IndexFunc(p.Selections, func(s Selection) bool { return s.ID == selection }); k >= 0 {
			last = p.Selections[k].Points
			if first := whole.KickOffs; len(last) >= n || len(first) > 0 && first[0].Present && first[0].Seq == last[0].Seq {
				break
			}
		}
	}
	return last[max(0, len(last)-n):], nil
}
