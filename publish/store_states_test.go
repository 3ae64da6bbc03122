package publish_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// The state files of a run are stored, but not those of a run that has lost its lease.
func TestStatesAfterALostLease(t *testing.T) {
	lost := errors.New("the lease is lost")
	for _, cause := range []error{nil, context.Canceled, lost} {
		bucket, data := storetest.NewMemory(), durabletest.NewMem()
		runs := &store.Runs{Open: func(context.Context) (*store.Store, error) { return store.New(bucket, store.Options{}), nil },
			Now: time.Now, Log: slog.New(slog.DiscardHandler), Lost: lost}
		root := durabletest.NewMem()
		a, err := runs.Begin(t.Context(), data, root, "acme", football.MarketEngine)
		must(t, err)
		must(t, durable.MkdirAllSync(root, layout.StateDir))
		must(t, health.Record(root, health.Run{Step: health.StepFetch, OK: true}))
		ctx, cancel := context.WithCancelCause(t.Context())
		if cause != nil {
			cancel(cause)
		}
		if runs.End(ctx, a, root, store.Ended{Stopping: true}) {
			t.Error("a run without damage copies files again")
		}
		cancel(nil)
		page, err := bucket.List(t.Context(), object.Listing{})
		must(t, err)
		if stored := len(page.Objects) > 0; stored != (cause != lost) {
			t.Errorf("the context ended with %v, and the states were stored: %t", cause, stored)
		}
	}
}
