package batch

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/internal/schedule/pace"
	"mkt/internal/schedule/sharing"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// lookAtPaces is how often the paces of slowed accounts are decided anew, besides after
// each of their cycles: a larger quota may be reported by mkt provider test.
const lookAtPaces = 5 * time.Second

// RunAll runs the overdue jobs and then all jobs on their schedules, until ctx ends.
func (t *timetable) RunAll(ctx context.Context, overdue ...string) {
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(lookAtPaces)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.paceSlowed()
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Scheduler.Run(ctx, overdue...)
	<-watched
}

// paceAll decides the paces of all accounts.
func (t *timetable) paceAll() {
	f := t.share.File()
	for i := range f.Tenants {
		if t.share.RunsHere(f.Tenants[i].ID) {
			t.pace(&f.Tenants[i])
		}
	}
}

// paceSlowed decides the paces of the slowed accounts again.
func (t *timetable) paceSlowed() {
	t.mu.Lock()
	var ids []string
	for name := range t.paces {
		id, _ := sharing.Parse(name)
		ids = append(ids, id)
	}
	t.mu.Unlock()
	f := t.share.File()
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if tenant, ok := f.Tenant(id); ok {
			t.pace(tenant)
			continue
		}
		for _, p := range football.Products() {
			t.setPace(sharing.Entry(id, p), 0)
		}
	}
}

// setPace puts the pace of an entry in force and returns the one before.
func (t *timetable) setPace(name string, every time.Duration) (before time.Duration) {
	t.mu.Lock()
	before = t.paces[name]
	if every > 0 {
		t.paces[name] = every
	} else {
		delete(t.paces, name)
	}
	t.mu.Unlock()
	t.Scheduler.SetPace(name, every)
	return before
}

// pace decides the paces of an account's cycles, and puts them in force.
func (t *timetable) pace(tenant *accounts.Tenant) {
	t.pacing.Lock()
	defer t.pacing.Unlock()
	now := t.group.Now()
	plan, err := pace.Of(t.group.Data, tenant, now)
	if err != nil {
		t.group.Log.Warn("the pace that the quota allows cannot be read, and stays as it is", "tenant", tenant.ID, "error", err)
		return
	}
	for _, p := range football.Products() {
		if !slices.ContainsFunc(plan.Products, func(one pace.Product) bool { return one.Product == p }) {
			t.setPace(sharing.Entry(tenant.ID, p), 0)
		}
	}
	for _, one := range plan.Products {
		if plan.UsedUp { // an account without a publication has no record of its pace
			one.Pace = max(one.Pace, t.paceOf(sharing.Entry(tenant.ID, one.Product)))
		}
		if before := t.setPace(sharing.Entry(tenant.ID, one.Product), one.Pace); before != one.Pace {
			log := t.group.Log.With("tenant", tenant.ID, "product", one.Product)
			if one.Pace > before {
				log.Warn("slowed down for the quota: " + plan.Describe(one))
			} else {
				log.Info("the quota allows more: " + plan.Describe(one))
			}
		}
		if err := t.recordPace(tenant, one, now); err != nil {
			t.group.Log.Warn("the pace cannot be recorded: readers may call the data stale", "tenant", tenant.ID, "product", one.Product, "error", err)
		}
	}
}

// recordPace writes the pace for the readers if it has changed, or must be renewed.
func (t *timetable) recordPace(tenant *accounts.Tenant, one pace.Product, now time.Time) error {
	root, err := durable.OpenWithin(t.group.Data, layout.TenantProduct(tenant.ID, string(one.Product)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was fetched yet
	}
	if err != nil {
		return err
	}
	defer root.Close()
	fingerprint := tenant.Provider.Fingerprint()
	old, err := health.ReadPace(root)
	if err != nil {
		return err
	}
	was := old.In(now, fingerprint)
	if was == one.Pace && (was == 0 || old.Until.Sub(now) > 2*old.Cadence) {
		return nil
	}
	cadence := cadence.Of(one.Schedule, now)
	next := health.Pace{At: now, Every: one.Pace, Cadence: cadence, Until: now.Add(3*cadence + time.Minute), CredentialFingerprint: fingerprint}
	if was > one.Pace {
		next.Slower, next.SlowerUntil = old.Cadence, now.Add(2*cadence)
	}
	return health.WritePace(root, next)
}

// paceOf returns the least time between two cycles of an entry; 0: as its expression says.
func (t *timetable) paceOf(name string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paces[name]
}

// slowed returns how many accounts run a product less often than tenants.yaml says, and the
// slowest pace among them.
func (t *timetable) slowed(p football.Product) (n int, slowest time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, pace := range t.paces {
		if strings.HasSuffix(name, "/"+string(p)) {
			n++
			slowest = max(slowest, pace)
		}
	}
	return n, slowest
}
