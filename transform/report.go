package transform

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// report logs one line and writes state/transform.json. A run that was told to
// stop, or had nothing to do, leaves the state as it is.
func (r *run) report(ctx context.Context, err error) {
	s := &r.summary
	s.Took = r.Now().Sub(r.started)
	log := r.Log.With("tenant", r.ClientID, "product", r.Product, "cycle", s.Cycle, "step", "transform")
	switch {
	case err != nil:
		log.Error("nothing transformed", "error", err)
	case s.Already:
		log.Info("transformed before")
	default:
		log.Info("transformed", "fixtures", s.Fixtures, "not_offered", s.NotOffered, "markets", s.Markets, "mapped", s.Mapped, "selections", s.Selections,
			"publishable", s.Publishable, "without_prices", s.WithoutPrices, "broken", s.Broken, "bytes", s.Bytes, "took_ms", s.Took.Milliseconds())
	}
	if s.Already || err != nil && ctx.Err() != nil {
		return
	}
	state := health.Run{
		Step: "transform", Cycle: string(s.Cycle), StartedAt: r.started.UTC(), FinishedAt: r.Now().UTC(), OK: err == nil, Code: codeOf(err),
		Counters: map[string]int64{"fixtures": int64(s.Fixtures), "not_offered": int64(s.NotOffered), "markets": int64(s.Markets), "markets_mapped": int64(s.Mapped),
			"selections": int64(s.Selections), "selections_publishable": int64(s.Publishable),
			"markets_without_prices": int64(s.WithoutPrices), "broken": int64(s.Broken)},
	}
	if err := health.Record(r.Root, state); err != nil {
		log.Warn("state file not written", "error", err)
	}
}

// codeOf is the state file's word for how the run ended.
func codeOf(err error) string {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrQuarantined):
		return "QUARANTINED"
	case errors.Is(err, durable.ErrNoSpace), errors.Is(err, raw.ErrCorrupt), errors.Is(err, snapshot.ErrDamaged),
		errors.As(err, &path), errors.As(err, &errno):
		return "STORAGE"
	}
	return "INTERNAL"
}
