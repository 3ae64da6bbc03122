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
		log.LogAttrs(ctx, slog.LevelDebug, "transformed", append(r.engine.counts(s), slog.Int64("bytes", s.Bytes), slog.Int64("took_ms", s.Took.Milliseconds()))...)
	}
	if s.Already || err != nil && ctx.Err() != nil {
		return
	}
	state := health.Run{
		Step: "transform", Cycle: string(s.Cycle), StartedAt: r.started.UTC(), FinishedAt: r.Now().UTC(), OK: err == nil, Code: codeOf(err),
		Counters: map[string]int64{},
	}
	for _, c := range r.engine.counts(s) {
		state.Counters[c.Key] = c.Value.Int64()
	}
	if err := health.Record(r.Root, state); err != nil {
		log.Warn("state file not written", "error", err)
	}
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
