package transform

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"syscall"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/reading"
)

// report logs a line at debug level and writes state/transform.json; the caller of [Run] reports
// its result. A run that was interrupted, or had nothing to do, leaves the state as it is.
func (r *run) report(ctx context.Context, err error) {
	s := &r.summary
	s.Took = r.Now().Sub(r.started)
	log := r.log()
	switch {
	case err != nil:
		log.Debug("nothing transformed", "error", err)
	case s.Already:
		log.Debug("transformed before")
	default:
		log.Debug("transformed", append(r.logged(), "bytes", s.Bytes, "took_ms", s.Took.Milliseconds())...)
	}
	if s.Already || err != nil && ctx.Err() != nil {
		return
	}
	state := health.Run{
		Step: "transform", Cycle: string(s.Cycle), StartedAt: r.started.UTC(), FinishedAt: r.Now().UTC(), OK: err == nil, Code: codeOf(err),
		Counters: map[string]int64{},
	}
	for _, c := range r.engine.counts(s) {
		state.Counters[c.name] = int64(c.n)
	}
	if err := health.Record(r.Root, state); err != nil {
		log.Warn("state file not written", "error", err)
	}
}

// log returns the log of the run's cycle.
func (r *run) log() *slog.Logger {
	return r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", r.cycle, "step", "transform")
}

// logged returns the run's counts for the log.
func (r *run) logged() (pairs []any) {
	for _, c := range r.engine.counts(&r.summary) {
		pairs = append(pairs, c.name, c.n)
	}
	return pairs
}

func marketCounts(s *Summary) []count {
	return []count{{"fixtures", s.Fixtures}, {"not_offered", s.NotOffered}, {"markets", s.Markets}, {"markets_mapped", s.Mapped},
		{"selections", s.Selections}, {"selections_publishable", s.Publishable}, {"no_offer", s.NoOffer}, {"markets_without_prices", s.WithoutPrices},
		{"broken", s.Broken}, {"partial", s.Partial}, {"damaged", s.Damaged}, {"suspicions", s.Suspicions.Total()}}
}

// codeOf returns the pipeline code of a run's result.
func codeOf(err error) health.Code {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.Is(err, layout.ErrNewer):
		return health.CodeFormatNewer
	case errors.Is(err, reading.ErrQuarantined):
		return health.CodeQuarantined
	case errors.Is(err, durable.ErrNoSpace), errors.Is(err, raw.ErrCorrupt), snapshot.IsFault(err),
		errors.As(err, &path), errors.As(err, &errno):
		return health.CodeStorage
	}
	return health.CodeInternal
}
