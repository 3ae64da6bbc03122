package publish

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

func (d *Draft) summary() Summary {
	m, n := &d.Manifest, d.plan.counts()
	selections := m.Tables["markets"].Columns["selections.selection_id"]
	s := Summary{
		Cycle: d.Cycle, Version: d.base.Commit.Version + 1, PublishedAt: *m.PublishedAt,
		Fixtures: m.Tables["fixtures"].Rows + m.Tables["live"].Rows, // a product has one of the two
		InPlay:   m.Counters["in_play"], Markets: m.Tables["markets"].Rows, Selections: selections.Value + selections.Zero,
		Refreshed: n.refreshed, WithoutMarkets: n.notOffered, Carried: n.carried, Removed: n.removed, Held: d.plan.held, LastSeq: d.base.Commit.LastSeq,
	}
	if d.segment != nil {
		s.LastSeq = d.segment.Last
		s.Events = int(d.segment.Last - d.segment.First + 1)
	}
	return s
}

// Record logs a run at debug level and writes state/publish.json; the caller reports the result.
// The run began at started. A run that was stopped, or had nothing to do, leaves the
// state as it is.
func Record(ctx context.Context, o Options, started time.Time, s Summary, err error) {
	log := o.Log.With("tenant", o.ClientID, "product", o.Product, "cycle", s.Cycle, "step", "publish")
	switch {
	case err != nil:
		log.Debug("nothing published", "error", err)
	case s.Already:
		log.Debug("already published", "version", s.Version)
	default:
		log.Debug("published", "version", s.Version, "fixtures", s.Fixtures, "in_play", s.InPlay, "markets", s.Markets, "selections", s.Selections,
			"refreshed", s.Refreshed, "without_markets", s.WithoutMarkets, "carried", s.Carried, "removed", s.Removed, "held", s.Held, "last_seq", s.LastSeq)
	}
	if s.Held > 0 {
		log.Warn("with this listing too many fixtures would be removed within a day, so they were kept; if they are really gone, run mkt cycle --accept-removals", "held", s.Held)
	}
	if s.Already || err != nil && ctx.Err() != nil {
		return
	}
	state := health.Run{
		Step: "publish", Cycle: string(s.Cycle), StartedAt: started.UTC(), FinishedAt: o.Now().UTC(), OK: err == nil, Code: code(&s, err),
		Counters: map[string]int64{"fixtures": s.Fixtures, "in_play": s.InPlay, "markets": s.Markets, "selections": s.Selections, "refreshed": int64(s.Refreshed),
			"without_markets": int64(s.WithoutMarkets), "carried": int64(s.Carried), "removed": int64(s.Removed), "held": int64(s.Held), "events": int64(s.Events)},
	}
	if err := health.Record(o.Root, state); err != nil {
		log.Warn("state file not written", "error", err)
	}
}

// code is the pipeline code of a run's result. A held listing has one although the run succeeded.
func code(s *Summary, err error) health.Code {
	var damage *snapshot.DamageError
	var store *StoreError
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case err == nil && s.Held > 0:
		return health.CodeListingHeld
	case err == nil:
		return ""
	case errors.Is(err, layout.ErrNewer):
		return health.CodeFormatNewer
	case errors.As(err, &damage):
		return health.CodeSnapshotDamaged
	case errors.Is(err, ErrNoMarkets):
		return health.CodePayloadRejected
	case errors.Is(err, ErrNotLoadable):
		return health.CodeSnapshotUnfit
	case errors.Is(err, snapshot.ErrStoreLacks):
		return health.CodeStoreLacks
	case errors.Is(err, durable.ErrNoSpace), errors.As(err, &store), snapshot.IsFault(err), errors.As(err, &path), errors.As(err, &errno):
		return health.CodeStorage
	}
	return health.CodeInternal
}
