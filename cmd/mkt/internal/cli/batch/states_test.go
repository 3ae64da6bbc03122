package batch

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/internal/check"
	"mkt/internal/coordination"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/store"
	"mkt/publish/store/storetest"
)

// The state files of a run are stored, but not those of a run that has lost its lease.
func TestStatesAfterALostLease(t *testing.T) {
	for _, lost := range []bool{false, true} {
		data, err := durable.OpenRoot(t.TempDir())
		check.Must(t, err)
		defer data.Close()
		root, err := data.MakeWithin(layout.TenantProduct("acme", string(football.MarketEngine)))
		check.Must(t, err)
		defer root.Close()
		check.Must(t, health.Record(root, health.Run{Step: health.StepFetch, OK: true}))
		bucket := storetest.NewMemory()
		o := &openedJob{data: data, root: root, attached: &store.Attached{Dataset: store.New(bucket, store.Options{}).Dataset("acme", football.MarketEngine)}}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if lost {
			cancel(coordination.ErrLost)
		}
		g := NewGroup(&cli.Env{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		g.shipStates(ctx, Job{Tenant: &tenants.Tenant{ID: "acme"}, Product: football.MarketEngine}, o, false, false)
		page, err := bucket.List(t.Context(), store.Listing{})
		check.Must(t, err)
		if stored := len(page.Objects) > 0; stored == lost {
			t.Errorf("the lease was lost: %t, the states were stored: %t", lost, stored)
		}
	}
}
