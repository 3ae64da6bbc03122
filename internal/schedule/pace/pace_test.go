package pace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/schedule/pace"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

var began = time.Date(2026, 11, 3, 9, 7, 30, 0, time.UTC)

const (
	live    = football.LiveIntelligence
	markets = football.MarketEngine
)

// world is one account at a provider whose quota is counted, with a clock of its own.
type world struct {
	t      *testing.T
	data   string
	tenant *accounts.Tenant
	now    time.Time

	limit, used int64
	says        bool // the provider says how large the quota is
	renewed     func(time.Time) time.Time
	window      time.Time // until when the quota counts

	cost   map[football.Product]func(time.Time) int64
	cycles map[football.Product]int
	short  int // cycles that the quota did not carry
	gap    map[football.Product]time.Duration
	last   map[football.Product]time.Time
}

func newWorld(t *testing.T, provider, products string, limit int64, renewed func(time.Time) time.Time) *world {
	t.Helper()
	w := &world{t: t, data: t.TempDir(), now: began, limit: limit, renewed: renewed, cost: map[football.Product]func(time.Time) int64{},
		cycles: map[football.Product]int{}, gap: map[football.Product]time.Duration{}, last: map[football.Product]time.Time{}}
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	text := fmt.Sprintf("version: 1\ntenants:\n  - id: acme\n    products: %s\n    provider: {name: %s, credential: \"-----BEGIN AGE ENCRYPTED FILE----- YQ== -----END AGE ENCRYPTED FILE-----\"}\n", products, provider)
	check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := accounts.Load(path)
	check.Must(t, err)
	w.tenant, _ = f.Tenant("acme")
	w.window = renewed(w.now)
	return w
}

func hourly(t time.Time) time.Time  { return t.Add(time.Hour) } // from the first request on
func daily(t time.Time) time.Time   { return t.Truncate(24 * time.Hour).Add(24 * time.Hour) }
func monthly(t time.Time) time.Time { return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC) }
func of(n int64) func(time.Time) int64 {
	return func(time.Time) int64 { return n }
}

func (w *world) root(p football.Product) durable.FS {
	data, err := durable.OpenUnsynced(w.data)
	check.Must(w.t, err)
	w.t.Cleanup(func() { data.Close() })
	root, err := data.MakeWithin(layout.TenantProduct("acme", string(p)))
	check.Must(w.t, err)
	return root
}

// cycle is one cycle of a product: as many requests as the quota carries.
func (w *world) cycle(p football.Product, root durable.FS) {
	w.t.Helper()
	if !w.now.Before(w.window) {
		w.used, w.window = 0, w.renewed(w.now)
	}
	cost := w.cost[p](w.now)
	run := health.Run{Step: health.StepFetch, StartedAt: w.now, FinishedAt: w.now, OK: true, CredentialFingerprint: w.tenant.Provider.Fingerprint(), Costs: []int64{cost}}
	if cost > w.limit-w.used {
		w.short++
		cost, run.Code, run.Costs = w.limit-w.used, health.CodeRateLimited, nil
	}
	w.used += cost
	left, until := w.limit-w.used, w.window
	run.Quota = &health.Quota{At: w.now, Left: &left, ResetsAt: &until}
	if w.says {
		run.Quota.Limit = &w.limit
	}
	check.Must(w.t, health.Record(root, run))
	w.cycles[p]++
	if last, ok := w.last[p]; ok {
		w.gap[p] = max(w.gap[p], w.now.Sub(last))
	}
	w.last[p] = w.now
}

func (w *world) plan() pace.Plan {
	w.t.Helper()
	p, err := pace.Of(w.data, w.tenant, w.now)
	check.Must(w.t, err)
	return p
}

// run runs the account's cycles at the paces that are decided, and returns the last plan.
func (w *world) run(d time.Duration) pace.Plan {
	w.t.Helper()
	roots := map[football.Product]durable.FS{}
	plan := w.plan()
	for _, one := range plan.Products {
		roots[one.Product] = w.root(one.Product)
	}
	for end := w.now.Add(d); ; {
		next, at := football.Product(""), end
		for _, one := range plan.Products {
			due := one.Schedule.Next(w.now.Add(-time.Second))
			if !due.After(w.last[one.Product]) {
				due = one.Schedule.Next(w.now)
			}
			if due.Before(at) {
				next, at = one.Product, due
			}
		}
		if next == "" {
			w.now = end
			return plan
		}
		w.now = at
		w.cycle(next, roots[next])
		plan = w.plan()
		for _, one := range plan.Products {
			err := health.WritePace(roots[one.Product], health.Pace{At: w.now, Every: one.Pace, Until: w.now.Add(3*one.Pace + time.Minute),
				CredentialFingerprint: w.tenant.Provider.Fingerprint()})
			check.Must(w.t, err)
		}
	}
}

func (w *world) paceOf(plan pace.Plan, p football.Product) pace.Product {
	w.t.Helper()
	for _, one := range plan.Products {
		if one.Product == p {
			return one
		}
	}
	w.t.Fatalf("%s is not in the plan", p)
	return pace.Product{}
}

const both = "{market_engine: , live_intelligence: }"

// A trial of Sportmonks: 180 requests an hour, 56 of them for the markets. Live intelligence has
// the rest of each hour, and no cycle is left out.
func TestHourlyQuota(t *testing.T) {
	w := newWorld(t, "sportmonks", both, 180, hourly)
	w.cost = map[football.Product]func(time.Time) int64{live: of(1), markets: of(56)}
	plan := w.run(4 * time.Hour)
	if w.short > 0 || w.cycles[markets] != 4 || w.gap[markets] != time.Hour {
		t.Errorf("%d cycles were short of quota, %d market cycles, at most %s apart", w.short, w.cycles[markets], w.gap[markets])
	}
	if one := w.paceOf(plan, live); !one.Slowed() || one.Pace > 30*time.Second || w.gap[live] > 30*time.Second {
		t.Errorf("live every %s, at most %s apart", one.Pace, w.gap[live])
	}
	if w.cycles[live] < 4*110 {
		t.Errorf("%d live cycles of 4 hours: most of the quota was left over", w.cycles[live])
	}
	text := plan.Describe(w.paceOf(plan, live))
	if !strings.HasPrefix(text, "live_intelligence runs every 24s instead of every 8s: 2 were left at ") || !strings.Contains(text, "a cycle needs 1, one of market_engine 56") {
		t.Error(text)
	}

	w.limit = 2000 // the account has bought more
	plan = w.run(time.Minute)
	if one := w.paceOf(plan, live); one.Slowed() {
		t.Errorf("with a larger quota: %s", plan.Describe(one))
	}
	before := w.cycles[live]
	if w.run(10 * time.Minute); w.short > 0 || w.cycles[live]-before != 75 {
		t.Errorf("ten minutes with a larger quota: %d live cycles", w.cycles[live]-before)
	}
}

// The smallest paid plan of API-Football: 7,500 requests a day, with details once a minute.
func TestDailyQuota(t *testing.T) {
	w := newWorld(t, "apifootball", both, 7500, daily)
	w.says = true
	w.now, w.used = time.Date(2026, 11, 3, 22, 0, 0, 0, time.UTC), 7500*22/24
	minute := time.Time{}
	w.cost = map[football.Product]func(time.Time) int64{markets: of(49), live: func(now time.Time) int64 {
		if now.Sub(minute) >= 52*time.Second {
			minute = now
			return 2
		}
		return 1
	}}
	w.run(4 * time.Hour)
	if w.short > 0 || w.cycles[markets] != 4 || w.gap[live] > 30*time.Second || w.cycles[live] < 4*150 {
		t.Errorf("%d cycles were short of quota; %d market cycles; %d live ones, at most %s apart", w.short, w.cycles[markets], w.cycles[live], w.gap[live])
	}
}

// The Odds API: credits of a month, and one product.
func TestMonthlyQuota(t *testing.T) {
	for _, c := range []struct {
		limit int64
		gap   time.Duration
		short bool
	}{{20_000, 4 * time.Hour, false}, {100_000, time.Hour, false}, {500, 24 * time.Hour, true}} {
		w := newWorld(t, "theoddsapi", "{market_engine: }", c.limit, monthly)
		w.says = true
		w.cost = map[football.Product]func(time.Time) int64{markets: of(90)}
		w.now, w.used = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), c.limit*2/3
		plan := w.run(12 * 24 * time.Hour)
		if (w.short > 0) != c.short || w.gap[markets] > c.gap {
			t.Errorf("%d credits: %d cycles were short, %d cycles at most %s apart", c.limit, w.short, w.cycles[markets], w.gap[markets])
		}
		if (c.limit < 100_000) != plan.Over {
			t.Errorf("%d credits: the plan does not carry the schedule: %v", c.limit, plan.Over)
		}
	}
}

// 3,600 requests an hour carry both products of BetsAPI: details, which are optional, are
// not among the costs.
func TestLargeQuota(t *testing.T) {
	w := newWorld(t, "betsapi", both, 3600, hourly)
	w.says = true
	w.cost = map[football.Product]func(time.Time) int64{live: of(1), markets: of(60)}
	if plan := w.run(time.Hour); w.short > 0 || plan.Over || w.cycles[live] != 450 || w.cycles[markets] != 1 {
		t.Errorf("%+v: %d live cycles, %d market cycles", plan, w.cycles[live], w.cycles[markets])
	}
}

// A quota that carries neither product at its slowest pace is used up early, and the plan
// says so. Nothing is slower than makes sense.
func TestQuotaThatCarriesNothing(t *testing.T) {
	w := newWorld(t, "apifootball", both, 100, daily)
	w.says = true
	w.cost = map[football.Product]func(time.Time) int64{live: of(1), markets: of(49)}
	plan := w.run(5 * time.Minute)
	if one := w.paceOf(plan, live); one.Pace != 30*time.Second || plan.Fits || !strings.Contains(plan.Describe(one), "used up before that") {
		t.Errorf("%s", plan.Describe(one))
	}
	if one := w.paceOf(plan, markets); one.Pace != 24*time.Hour {
		t.Errorf("%s", plan.Describe(one))
	}
}

// Nothing is slowed down while nothing is known of the quota, and a pace stays while the
// quota is used up or unknown.
func TestPaceOfAnUnknownQuota(t *testing.T) {
	w := newWorld(t, "sportmonks", both, 180, hourly)
	if plan := w.plan(); len(plan.Products) != 2 || plan.Products[0].Slowed() || plan.Products[1].Slowed() || plan.Products[0].Measured {
		t.Errorf("%+v", plan)
	}
	w.cost = map[football.Product]func(time.Time) int64{live: of(1), markets: of(56)}
	plan := w.run(3 * time.Minute)
	slow := w.paceOf(plan, live).Pace
	if slow == 0 {
		t.Fatalf("%+v", plan)
	}
	w.now = w.now.Add(time.Minute)
	root, until, none := w.root(live), w.now.Add(time.Hour), int64(0)
	check.Must(t, health.Record(root, health.Run{Step: health.StepFetch, FinishedAt: w.now, Code: health.CodeRateLimited,
		CredentialFingerprint: w.tenant.Provider.Fingerprint(), Quota: &health.Quota{At: w.now, Left: &none, UsedUpUntil: &until}}))
	if one := w.paceOf(w.plan(), live); one.Pace != slow {
		t.Errorf("while it is used up: every %s, was %s", one.Pace, slow)
	}
	w.now = w.now.Add(24 * time.Hour) // nothing ran for a day
	if one := w.paceOf(w.plan(), live); one.Slowed() || one.Now != 0 {
		t.Errorf("a day later: %+v", one)
	}
}

// The findings about another credential are those of another quota.
func TestPaceOfAnotherCredential(t *testing.T) {
	w := newWorld(t, "sportmonks", both, 180, hourly)
	w.cost = map[football.Product]func(time.Time) int64{live: of(1), markets: of(56)}
	w.run(time.Minute)
	other := *w.tenant.Provider
	other.Credential = strings.Replace(other.Credential, "YQ==", "Yg==", 1)
	w.tenant.Provider = &other
	if plan := w.plan(); plan.Products[0].Slowed() || plan.Products[1].Slowed() || plan.Products[0].Measured {
		t.Errorf("%+v", plan)
	}
}
