package transform

import (
	"context"
	"errors"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/tracking"
)

// Rebuild transforms a cycle again. It reads the raw cycle, and the canonical one before it, from
// o.Root, and writes to o.Root; to leave a data root unchanged, use a [durable.Over]. was is the
// header written by the first run, nil if lost. Its time is used, so that the same rules make the
// same bytes. If o.Details is 0, it publishes the details of as many fixtures as the first run
// did, if known.
//
// Errors to branch on are those of [Run]; see also [IsUnavailable].
func Rebuild(ctx context.Context, o Options, was *snapshot.Manifest) (Summary, error) {
	var at time.Time
	if was != nil && was.ProcessedAt != nil {
		at = *was.ProcessedAt
	} else if a, err := raw.Open(o.Root, o.Cycle); err == nil {
		at = a.Cycle().FinishedAt
	}
	o.Now = func() time.Time { return at }
	o.rebuilds = true
	if o.Details == 0 {
		o.Details = detailsOf(o)
	}
	return Run(ctx, o)
}

// IsUnavailable reports whether a cycle cannot be rebuilt because its inputs are missing
// or damaged.
func IsUnavailable(err error) bool {
	return errors.Is(err, tracking.ErrNoPrevious) || errors.Is(err, raw.ErrNotSealed) || errors.Is(err, raw.ErrCorrupt)
}

// detailsOf returns the number of fixtures with details in a canonical cycle; 0 if unknown.
func detailsOf(o Options) (most int) {
	for row, err := range snapshot.Rows[table.LiveRow](o.Root, layout.Cycle(layout.CanonicalDir, o.Cycle)+"/"+layout.LiveFile) {
		if err != nil {
			return 0
		}
		if row.DetailRank != nil {
			most = max(most, int(*row.DetailRank))
		}
	}
	return most
}
