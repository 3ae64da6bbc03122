package batch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/cluster"
	"mkt/internal/schedule/sharing"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

const scheduled = `version: 1
tenants:
  - id: acme
    products: {market_engine: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: suspended
    status: SUSPENDED
    products: {market_engine: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: expired
    products: {market_engine: {expires: 2020-01-01T00:00:00Z}}
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
  - id: bare
    products: {market_engine: }
  - id: live
    products: {live_intelligence: }
    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}
`

func newTestTimetable(t *testing.T, grace, takes time.Duration) (*timetable, *[]string, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tenants.yaml")
	check.Must(t, os.WriteFile(path, []byte(scheduled), 0o600))
	f, err := accounts.Load(path)
	check.Must(t, err)
	log := new(bytes.Buffer)
	g := NewGroup(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, "test"))
	g.Data, g.Log = filepath.Join(dir, "data"), slog.New(slog.NewTextHandler(log, nil))
	done := new([]string)
	named := func(name string) Step {
		return func(ctx context.Context, _ Task) (Report, error) {
			select {
			case <-time.After(takes):
			case <-ctx.Done():
				return Report{Step: name}, ctx.Err()
			}
			*done = append(*done, name)
			return Report{Step: name}, nil
		}
	}
	table := NewTimetable(g, ScheduleOptions{Grace: grace, Parallel: 1, catchUp: true}, []Step{named("one"), named("two"), named("three")})
	check.Must(t, table.SetTenants(f))
	return table, done, log
}

func TestTickRunsOnlyWhoMayRun(t *testing.T) {
	table, done, _ := newTestTimetable(t, 0, 0)
	if got := len(sharing.Entries(table.share.File())); got != 5 {
		t.Errorf("%d entries, want those of every tenant and product", got)
	}
	for _, id := range []string{"suspended", "expired", "bare", "live", "nobody"} {
		if err := table.Run(t.Context(), id+"/market_engine"); err != nil || len(*done) > 0 {
			t.Errorf("%s: ran %v, %v", id, *done, err)
		}
	}
	if err := table.Run(t.Context(), "acme/market_engine"); err != nil || !slices.Equal(*done, []string{"one", "two", "three"}) {
		t.Errorf("acme: ran %v, %v", *done, err)
	}
}

// An account that was revoked stays revoked when someone edits tenants.yaml.
func TestRevokedDoesNotRunAgain(t *testing.T) {
	table, done, log := newTestTimetable(t, 0, 0)
	path := table.share.File().Name
	for _, text := range []string{strings.Replace(scheduled, "- id: acme", "- id: acme\n    status: REVOKED", 1), scheduled} {
		f, err := accounts.Parse(path, []byte(text))
		check.Must(t, err)
		check.Must(t, table.SetTenants(f))
		if err := table.Run(t.Context(), "acme/market_engine"); err != nil || len(*done) > 0 {
			t.Errorf("ran %v, %v", *done, err)
		}
	}
	if !strings.Contains(log.String(), "account stays revoked") {
		t.Errorf("logged %s", log)
	}
}

// stopInFirst calls stop when the first step has begun.
func stopInFirst(t *timetable, stop func()) {
	first := t.steps[0]
	t.steps[0] = func(ctx context.Context, task Task) (Report, error) {
		stop()
		return first(ctx, task)
	}
}

func TestStopAtAStepBoundary(t *testing.T) {
	table, done, log := newTestTimetable(t, time.Minute, 50*time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	stopInFirst(table, stop)
	check.Must(t, table.Run(ctx, "acme/market_engine"))
	if !slices.Equal(*done, []string{"one"}) || !strings.Contains(log.String(), "stopped between two steps") {
		t.Errorf("ran %v, logged %s", *done, log)
	}
}

func TestStopAfterTheGrace(t *testing.T) {
	table, done, log := newTestTimetable(t, 30*time.Millisecond, time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	stopInFirst(table, stop)
	began := time.Now()
	err := table.Run(ctx, "acme/market_engine")
	if err != nil || len(*done) > 0 || time.Since(began) > 10*time.Second || !strings.Contains(log.String(), "cycle interrupted") {
		t.Errorf("ran %v in %v, %v, logged %s; want it ended by the grace", *done, time.Since(began), err, log)
	}
}

func TestTickSkippedWhileLocked(t *testing.T) {
	table, done, log := newTestTimetable(t, 0, 0)
	root, err := durable.OpenRoot(filepath.Join(table.group.Data, layout.TenantProduct("acme", "market_engine")))
	check.Must(t, err)
	lock, err := root.Lock(layout.Lock)
	check.Must(t, err)
	if err := table.Run(t.Context(), "acme/market_engine"); err != nil || len(*done) > 0 {
		t.Errorf("ran %v, %v", *done, err)
	}
	if !strings.Contains(log.String(), "tick skipped") {
		t.Errorf("logged %s", log)
	}
	lock.Close()
	if err := table.Run(t.Context(), "acme/market_engine"); err != nil || len(*done) != 3 {
		t.Errorf("after the lock was freed: ran %v, %v", *done, err)
	}
}

// An overdue job runs at the start, unless its cadence is shorter than a minute.
func TestOverdueWaitsForAShortCadence(t *testing.T) {
	table, _, _ := newTestTimetable(t, 0, 0)
	got := table.share.Overdue()
	if slices.Contains(got, "live/live_intelligence") || !slices.Contains(got, "acme/market_engine") {
		t.Errorf("overdue %v: want the hourly jobs, and not the live ones of every 8 s", got)
	}
}

func TestOneLineACycle(t *testing.T) {
	table, _, log := newTestTimetable(t, 0, 0)
	counts := map[string]map[string]any{
		"fetch":     {"outcome": "COMPLETE", "already": false, "requests": 12, "failed": 0, "quota_left": int64(0)},
		"transform": {"fixtures": 3, "damaged": 2, "suspicions": 1},
		"publish":   {"version": int64(7), "fixtures": int64(3), "held": 0},
	}
	var failing error
	for i, name := range []string{"fetch", "transform", "publish"} {
		table.steps[i] = func(context.Context, Task) (Report, error) {
			if name == "publish" && failing != nil {
				return Report{Step: name, Cycle: "20261121T090000Z-market_engine", Code: "STORAGE"}, failing
			}
			return Report{Step: name, Cycle: "20261121T090000Z-market_engine", Counts: counts[name]}, nil
		}
	}
	for _, c := range []struct {
		failing error
		want    string
	}{
		{nil, `level=INFO msg="cycle published" tenant=acme product=market_engine cycle=20261121T090000Z-market_engine took_ms=N outcome=COMPLETE requests=12 quota_left=0 damaged=2 suspicions=1 version=7 fixtures=3`},
		{errors.New("no space"), `level=ERROR msg="cycle failed" tenant=acme product=market_engine cycle=20261121T090000Z-market_engine took_ms=N outcome=COMPLETE requests=12 quota_left=0 damaged=2 suspicions=1 step=publish code=STORAGE error="no space"`},
	} {
		log.Reset()
		failing = c.failing
		check.Must(t, table.Run(t.Context(), "acme/market_engine"))
		_, got, _ := strings.Cut(strings.TrimSpace(log.String()), " ")
		if got = regexp.MustCompile(`took_ms=\d+`).ReplaceAllString(got, "took_ms=N"); got != c.want {
			t.Errorf("logged\n%s\nwant\n%s", got, c.want)
		}
	}
}

// A postponed job is logged once, and again if the reason changes.
func TestPostponedIsLoggedOnce(t *testing.T) {
	table, done, log := newTestTimetable(t, 0, 0)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	table.group.Now = func() time.Time { return now }
	acme, _ := table.share.File().Tenant("acme")
	usedUp := func() {
		until := now.Add(10 * time.Minute)
		root, err := durable.OpenRoot(table.group.Dataset(acme.ID, "market_engine").Dir())
		check.Must(t, errors.Join(err, health.Record(root, health.Run{Step: health.StepFetch, FinishedAt: now, Code: health.CodeRateLimited,
			CredentialFingerprint: credential.Fingerprint(acme.Provider.Credential), Quota: &health.Quota{At: now, UsedUpUntil: &until}})))
	}
	for i := range 2 {
		usedUp()
		for range 3 {
			if err := table.Run(t.Context(), "acme/market_engine"); err != nil || len(*done) > 0 {
				t.Fatalf("ran %v, %v", *done, err)
			}
		}
		if n := strings.Count(log.String(), "postponed: the provider's quota is used up until"); n != i+1 {
			t.Errorf("logged %d times:\n%s", n, log)
		}
		now = now.Add(9 * time.Minute)
	}
	now = now.Add(2 * time.Minute)
	if err := table.Run(t.Context(), "acme/market_engine"); err != nil || len(*done) != 3 {
		t.Errorf("ran %v, %v", *done, err)
	}
}

// An account that comes from another worker is not run twice for one tick, also if the clock there
// is ahead. A live tick is not left out because of such a clock, nor one whose fetch failed or was
// not complete.
func TestRanElsewhere(t *testing.T) {
	table, _, _ := newTestTimetable(t, 0, 0)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	table.group.Now = func() time.Time { return noon.Add(5 * time.Second) }
	for name, c := range map[string]struct {
		id, product string
		fetched     time.Duration // since noon
		ok          bool
		code        health.Code
		want        bool
	}{
		"ran at noon by a clock that is ahead": {"acme", "market_engine", 20 * time.Second, true, "", true},
		"ran an hour ago":                      {"acme", "market_engine", -time.Hour, true, "", false},
		"ran too early, by its clock":          {"acme", "market_engine", -time.Second, true, "", false},
		"failed":                               {"acme", "market_engine", 2 * time.Second, false, health.CodeCredential, false},
		"not complete":                         {"acme", "market_engine", 2 * time.Second, true, health.CodeRateLimited, false},
		"live, ran at this tick":               {"live", "live_intelligence", 2 * time.Second, true, "", true},
		"live, ran at the tick before":         {"live", "live_intelligence", -time.Second, true, "", false},
		"live, by a clock that is ahead":       {"live", "live_intelligence", 20 * time.Second, true, "", false},
	} {
		tenant, _ := table.share.File().Tenant(c.id)
		root, err := durable.OpenRoot(table.group.Dataset(c.id, football.Product(c.product)).Dir())
		at := noon.Add(c.fetched)
		check.Must(t, errors.Join(err, health.Record(root, health.Run{Step: health.StepFetch, StartedAt: at, FinishedAt: at, OK: c.ok, Code: c.code})))
		p := football.Product(c.product)
		if err := table.share.Check(tenant, p); err != nil {
			t.Errorf("%s: in doubt without a reason: %v", name, err)
		}
		table.share.After(sharing.Entry(c.id, p), &cluster.TakenError{})
		if err := table.share.Check(tenant, p); (err != nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An account that may run for the first time, because it is new or has a provider now, need not wait for its
// next tick.
func TestNewAccountsRunAtOnce(t *testing.T) {
	table, _, _ := newTestTimetable(t, 0, 0)
	ran := make(chan string, 10)
	table.steps = []Step{func(_ context.Context, task Task) (Report, error) {
		if task.Product == football.MarketEngine {
			ran <- task.Tenant.ID
		}
		return Report{}, health.Record(task.Root, health.Run{Step: health.StepFetch, OK: true, StartedAt: time.Now(), FinishedAt: time.Now()})
	}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { table.RunAll(ctx, table.share.Overdue()...); close(ended) }()
	defer func() { stop(); <-ended }()
	next := func(want string) {
		t.Helper()
		select {
		case got := <-ran:
			if got != want {
				t.Errorf("%s ran, want %s", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s did not run", want)
		}
	}
	edit := func(text string) {
		t.Helper()
		f, err := accounts.Parse(table.share.File().Name, []byte(text))
		check.Must(t, err)
		check.Must(t, table.SetTenants(f))
	}
	next("acme")
	const provider = `    provider: {name: betsapi, credential: "-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----"}` + "\n"
	text := strings.Replace(scheduled, "  - id: bare\n    products: {market_engine: }\n", "  - id: bare\n    products: {market_engine: }\n"+provider, 1)
	edit(text)
	next("bare")
	edit(text + "  - id: new\n    products: {market_engine: }\n" + provider)
	next("new")
	edit(strings.Replace(text, "id: acme\n", "id: acme\n    name: Acme\n", 1) + "  - id: new\n    products: {market_engine: }\n" + provider)
	if len(ran) > 0 {
		t.Errorf("%s ran again", <-ran)
	}
}
