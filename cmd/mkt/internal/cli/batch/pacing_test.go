package batch

import (
	"context"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// A cycle whose answers report a small quota slows the next ones down, also after a restart;
// a test of the connection that reports a larger one ends that at once. Readers are told.
func TestScheduleKeepsThePace(t *testing.T) {
	table, _, log := newTestTimetable(t, 0, 0)
	tenant, _ := table.share.File().Tenant("live")
	fingerprint, name := tenant.Provider.Fingerprint(), "live/live_intelligence"
	report := func(root durable.FS, step string, left int64) {
		t.Helper()
		now := time.Now()
		until := now.Add(time.Hour)
		err := health.Record(root, health.Run{Step: step, FinishedAt: now, OK: true, CredentialFingerprint: fingerprint, Costs: []int64{1},
			Quota: &health.Quota{At: now, Left: &left, ResetsAt: &until}})
		check.Must(t, err)
	}
	table.steps[0] = func(_ context.Context, j Task) (Report, error) {
		report(j.Root, health.StepFetch, 179)
		return Report{Step: "fetch"}, nil
	}
	root, err := durable.OpenRoot(table.group.Data + "/../")
	check.Must(t, err)
	defer root.Close()
	recorded := func() time.Duration {
		t.Helper()
		data, err := durable.OpenWithin(table.group.Data, layout.TenantProduct("live", string(football.LiveIntelligence)))
		check.Must(t, err)
		defer data.Close()
		p, err := health.ReadPace(data)
		check.Must(t, err)
		return p.In(time.Now(), fingerprint)
	}
	check.Must(t, table.Run(t.Context(), name))
	if got := table.paceOf(name); got != 24*time.Second || recorded() != got {
		t.Errorf("every %s, recorded %s: 179 requests are left of an hour", got, recorded())
	}
	if n, slowest := table.slowed(football.LiveIntelligence); n != 1 || slowest != 24*time.Second {
		t.Errorf("%d accounts are slowed down, the slowest to %s", n, slowest)
	}
	if !strings.Contains(log.String(), "slowed down for the quota: live_intelligence runs every 24s instead of every 8s: 179 were left at ") {
		t.Errorf("logged %s", log)
	}

	again := NewTimetable(table.group, ScheduleOptions{Parallel: 1}, table.steps)
	check.Must(t, again.SetTenants(table.share.File()))
	if again.paceAll(); again.paceOf(name) != 24*time.Second {
		t.Errorf("after a restart every %s", again.paceOf(name))
	}

	account, err := root.MakeWithin("data/" + layout.Tenant("live"))
	check.Must(t, err)
	defer account.Close()
	report(account, health.StepProbe, 3000)
	if table.paceSlowed(); table.paceOf(name) != 0 || recorded() != 0 || !strings.Contains(log.String(), "the quota allows more: live_intelligence runs every 8s") {
		t.Errorf("with a larger quota every %s, recorded %s; logged %s", table.paceOf(name), recorded(), log)
	}
}

// The first cycle of an account that was slowed down uses up the quota. It is postponed, and nothing says
// that the quota allows more.
func TestUsedUpQuotaAllowsNoMore(t *testing.T) {
	table, _, log := newTestTimetable(t, 0, 0)
	tenant, _ := table.share.File().Tenant("live")
	fingerprint, name := tenant.Provider.Fingerprint(), "live/live_intelligence"
	found := func(root durable.FS, step string, q health.Quota) {
		t.Helper()
		q.At = time.Now()
		check.Must(t, health.Record(root, health.Run{Step: step, FinishedAt: q.At, OK: true, CredentialFingerprint: fingerprint, Costs: []int64{1}, Quota: &q}))
	}
	left, renewed := int64(179), time.Now().Add(time.Hour)
	account, err := durable.OpenRoot(table.group.TenantDir("live"))
	check.Must(t, err)
	defer account.Close()
	found(account, health.StepProbe, health.Quota{Left: &left, ResetsAt: &renewed})
	if table.paceAll(); table.paceOf(name) == 0 {
		t.Fatalf("not slowed down; logged %s", log)
	}
	table.steps[0] = func(_ context.Context, j Task) (Report, error) {
		found(j.Root, health.StepFetch, health.Quota{UsedUpUntil: &renewed})
		return Report{Step: "fetch"}, nil
	}
	check.Must(t, table.Run(t.Context(), name))
	if got := log.String(); !strings.Contains(got, "postponed: the provider's quota is used up") || strings.Contains(got, "the quota allows more") {
		t.Errorf("logged %s", got)
	}
}
