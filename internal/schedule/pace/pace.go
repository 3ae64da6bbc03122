package pace

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/internal/accounts"
	"mkt/internal/cadence"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// Plan is how often the products of an account run.
type Plan struct {
	Products []Product // scheduled ones with a subscription in force
	Fits     bool      // the quota carries the cycles at these paces
	Over     bool      // a whole quota does not carry the schedule of tenants.yaml
	UsedUp   bool      // the quota is used up: every product keeps its pace
	quota    *health.Quota
	until    time.Time
}

// Product is one product of a [Plan].
type Product struct {
	Product  football.Product
	Schedule cadence.Schedule // with the pace
	Cadence  time.Duration    // of tenants.yaml
	Pace     time.Duration    // the least time between two cycles; 0: as tenants.yaml says
	Now      time.Duration    // the pace in force, as recorded by a schedule
	Cost     float64          // of a cycle
	Measured bool             // Cost is measured on the account's own cycles
}

// Of returns the plan of an account by the records below a data root: the provider's
// newest report of the quota, and the cost of the newest cycles. If the quota is unknown
// or used up, every product keeps its pace.
func Of(data string, t *accounts.Tenant, now time.Time) (Plan, error) {
	p := Plan{Fits: true}
	if t.Provider == nil || t.Provider.Disabled || t.Status != account.Active {
		return p, nil
	}
	adapter, known := all.Lookup(t.Provider.Name)
	if !known {
		return p, nil
	}
	fingerprint := t.Provider.Fingerprint()
	test, err := health.ReadIn(data, layout.Tenant(t.ID), health.StepProbe)
	if err != nil {
		return p, fmt.Errorf("state of tenant %s: %w", t.ID, err)
	}
	findings := []*health.Run{test}
	var jobs []Job
	for _, product := range football.Products() {
		run, before, err := read(data, t.ID, product)
		if err != nil {
			return p, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
		when, err := cadence.Parse(t.Expression(product))
		if err != nil || t.Subscription(product, now) != account.InForce {
			continue
		}
		one := Product{Product: product, Cadence: cadence.Of(when, now), Now: before.In(now, fingerprint)}
		one.Cost, one.Measured = costOf(run, fingerprint, estimate(adapter, product))
		p.Products = append(p.Products, one)
		jobs = append(jobs, Job{product, when, one.Cost, one.Now})
	}
	p.quota = health.NewestQuota(fingerprint, findings...)
	paces := p.decide(now, adapter.Budget.QuotaWindow(), jobs)
	for i := range jobs {
		p.Products[i].Pace = paces[i]
		p.Products[i].Schedule = cadence.Slower(jobs[i].Schedule, paces[i])
	}
	return p, nil
}

func (p *Plan) decide(now time.Time, window time.Duration, jobs []Job) (paces []time.Duration) {
	for _, j := range jobs {
		paces = append(paces, j.Before)
	}
	whole := p.whole(now, window)
	if whole.Left > 0 {
		own := append([]Job{}, jobs...)
		for i := range own {
			own[i].Before = 0
		}
		slower, fits := decide(now, whole, own)
		p.Over = !fits
		for _, pace := range slower {
			p.Over = p.Over || pace > 0
		}
	}
	if _, p.UsedUp = p.quota.UsedUp(now); p.UsedUp || p.quota == nil {
		return paces
	}
	q := whole // if it was renewed since the report
	if left := p.quota.Remaining(now); left != nil {
		q = Quota{*left, p.quota.At.Add(window), window}
		if p.quota.ResetsAt != nil {
			q.Until = *p.quota.ResetsAt
		}
	}
	if q.Until.IsZero() || !q.Until.After(now) {
		return paces
	}
	p.until = q.Until
	paces, p.Fits = decide(now, q, jobs)
	return paces
}

// whole is the quota renewed at now; the zero value if the provider does not report its size.
func (p *Plan) whole(now time.Time, window time.Duration) Quota {
	if p.quota == nil || p.quota.Limit == nil || window <= 0 {
		return Quota{}
	}
	return Quota{*p.quota.Limit, now.Add(window), window}
}

// read returns the newest fetch and the pace of a product, either nil if there is none.
func read(data, id string, product football.Product) (*health.Run, *health.Pace, error) {
	root, err := durable.OpenWithin(data, layout.TenantProduct(id, string(product)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	run, err := health.Read(root, health.StepFetch)
	if err != nil {
		return nil, nil, err
	}
	before, err := health.ReadPace(root)
	return run, before, err
}

func estimate(p provider.Provider, product football.Product) int {
	if product == football.LiveIntelligence {
		return p.Cycle.Live
	}
	return p.Cycle.Markets
}

// costOf returns the mean cost of the newest cycles of a product with a credential, or the
// estimate if there was none.
func costOf(run *health.Run, fingerprint string, estimated int) (cost float64, measured bool) {
	if run == nil || run.CredentialFingerprint != fingerprint || len(run.Costs) == 0 {
		return float64(estimated), false
	}
	sum := 0.0
	for _, c := range run.Costs {
		sum += float64(max(c, 0))
	}
	return sum / float64(len(run.Costs)), true
}

// Slowed reports whether a product must run less often than tenants.yaml says.
func (p Product) Slowed() bool { return p.Pace > 0 }

// Describe says why a product runs as often as it does: "live_intelligence runs every 20s
// instead of every 8s: 75 of 180 were left at 2026-11-20T09:20:00Z, and the quota is renewed at …".
func (p Plan) Describe(one Product) string {
	if !one.Slowed() {
		return fmt.Sprintf("%s runs every %s", one.Product, terminal.Span(one.Cadence.String()))
	}
	text := fmt.Sprintf("%s runs every %s instead of every %s", one.Product, terminal.Span(one.Pace.String()), terminal.Span(one.Cadence.String()))
	if p.quota == nil || p.quota.Left == nil || p.until.IsZero() {
		return text + ": that is what the provider's quota allowed when it was last reported"
	}
	text += fmt.Sprintf(": %s were left at %s, and the quota is renewed at %s", ofLimit(p.quota), terminal.ClockTime(p.quota.At), terminal.ClockTime(p.until))
	text += fmt.Sprintf("; a cycle needs %s", amount(one.Cost))
	for _, other := range p.Products {
		if other.Product != one.Product {
			text += fmt.Sprintf(", one of %s %s", other.Product, amount(other.Cost))
		}
	}
	if !p.Fits {
		text += "; even so the quota is used up before that, and nothing is then requested until it is renewed"
	}
	return text
}

// Needs describes the need of the schedule in tenants.yaml: "market_engine every 1h needs 90 a
// cycle".
func (p Plan) Needs() string {
	var list []string
	for _, one := range p.Products {
		list = append(list, fmt.Sprintf("%s every %s needs %s a cycle", one.Product, terminal.Span(one.Cadence.String()), amount(one.Cost)))
	}
	if p.quota != nil && p.quota.Limit != nil {
		list = append(list, fmt.Sprintf("the quota is %d", *p.quota.Limit))
	}
	return strings.Join(list, ", ")
}

func ofLimit(q *health.Quota) string {
	if q.Limit == nil {
		return fmt.Sprint(*q.Left)
	}
	return fmt.Sprintf("%d of %d", *q.Left, *q.Limit)
}

// amount writes a cost with at most one decimal.
func amount(cost float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Ceil(cost*10)/10), ".0")
}
