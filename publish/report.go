package publish

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// summarize fills the summary in from what is about to be sealed.
func (r *run) summarize(m *snapshot.Manifest, segment *snapshot.Segment) {
	s := &r.summary
	s.Version = r.base.Version + 1
	s.PublishedAt = *m.PublishedAt
	s.Fixtures = m.Tables["fixtures"].Rows + m.Tables["live"].Rows // one of the two
	s.InPlay = m.Counters["in_play"]
	s.Markets = m.Tables["markets"].Rows
	selections := m.Tables["markets"].Columns["selections.selection_id"]
	s.Selections = selections.Value + selections.Zero
	n := r.plan.counts()
	s.Refreshed, s.WithoutMarkets, s.Carried, s.Removed = n.refreshed, n.notOffered, n.carried, n.removed
	s.Held = r.plan.held
	s.LastSeq = r.base.LastSeq
	if segment != nil {
		s.LastSeq = segment.Last
		s.Events = int(segment.Last - segment.First + 1)
	}
}

// report logs a line for debugging and writes state/publish.json; whoever began the
// run says what came of it. A run that was told to stop, or had nothing to do, leaves
// the state as it is.
func (r *run) report(ctx context.Context, err error) {
	s := &r.summary
	log := r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", s.Cycle, "step", "publish")
	switch {
	case err != nil:
		log.Debug("nothing published", "error", err)
	case s.Already:
		log.Debug("published before", "version", s.Version)
	default:
		log.Debug("published", "version", s.Version, "fixtures", s.Fixtures, "in_play", s.InPlay, "markets", s.Markets, "selections", s.Selections,
			"refreshed", s.Refreshed, "without_markets", s.WithoutMarkets, "carried", s.Carried, "removed", s.Removed, "held", s.Held, "last_seq", s.LastSeq)
	}
	if s.Held > 0 {
		log.Warn("the listing lacks too many fixtures at once: they were kept; if they are really gone, accept the removals", "held", s.Held)
	}
	if s.Already || err != nil && ctx.Err() != nil {
		return
	}
	state := health.Run{
		Step: "publish", Cycle: string(s.Cycle), StartedAt: r.started.UTC(), FinishedAt: r.Now().UTC(), OK: err == nil, Code: r.code(err),
		Counters: map[string]int64{"fixtures": s.Fixtures, "in_play": s.InPlay, "markets": s.Markets, "selections": s.Selections, "refreshed": int64(s.Refreshed),
			"without_markets": int64(s.WithoutMarkets), "carried": int64(s.Carried), "removed": int64(s.Removed), "held": int64(s.Held), "events": int64(s.Events)},
	}
	if err := health.Record(r.Root, state); err != nil {
		log.Warn("state file not written", "error", err)
	}
}

// code is the state file's word for how the run ended. A held listing has one
// although the run is a success.
func (r *run) code(err error) string {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case err == nil && r.summary.Held > 0:
		return health.CodeListingHeld
	case err == nil:
		return ""
	case errors.Is(err, ErrBeyondMending):
		return health.CodeSnapshotDamaged
	case errors.Is(err, durable.ErrNoSpace), errors.Is(err, snapshot.ErrDamaged), errors.As(err, &path), errors.As(err, &errno):
		return health.CodeStorage
	}
	return health.CodeInternal
}
