// Package pipeline reports the state of the pipeline of an account, as publications and the records
// of cycles show it: whether its data is current, whether the provider is connected, and the
// components of health (specification, section 2.5).
package pipeline

import (
	"cmp"
	"slices"
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/feed"
)

// staleAfter is the number of cadences after which the newest publication is stale.
const staleAfter = 2

// Pipeline is the pipeline of one account.
type Pipeline struct {
	account *account.Account
	tenant  *reader.Tenant
}

// Of returns the pipeline of an account, from which a library has the data.
func Of(a *account.Account, l *reader.Library) Pipeline {
	return Pipeline{account: a, tenant: l.Tenant(a.ClientID)}
}

// Stale reports whether a view of a product is stale: it is older than two cadences, the
// last cycle failed, a newer snapshot cannot be served, or a time of it is to come.
func (p Pipeline) Stale(of football.Product, v *reader.View, now time.Time) bool {
	d := p.tenant.Dataset(of)
	return d.Trouble() != reader.NoTrouble || v.Freshness().ToCome(now) || lastFailure(d.State()) != "" || Overdue(v.Freshness(), p.Cadence(of, now), now)
}

// Cadence returns the longest time between two cycles of a product, or 0 if they are not scheduled:
// that of the account's schedule, or that of the pace if the provider's quota carries less.
func (p Pipeline) Cadence(of football.Product, now time.Time) time.Duration {
	scheduled := p.account.Cadence[of]
	d := p.tenant.Dataset(of)
	if scheduled == 0 || d == nil {
		return scheduled
	}
	return max(scheduled, d.State().Pace.Expected(now, p.account.Provider.Fingerprint))
}

// Overdue reports whether a publication is older than two cadences, or its data than four: the
// times of publications may have followed a clock that was ahead.
func Overdue(f api.Freshness, cadence time.Duration, now time.Time) bool {
	return cadence > 0 && (now.Sub(*f.PublishedAt) > staleAfter*cadence || now.Sub(f.Oldest()) > 2*staleAfter*cadence)
}

func lastFailure(s reader.State) string {
	for _, run := range []*health.Run{s.Fetch, s.Transform, s.Publish} {
		if run != nil && !run.OK {
			return string(run.Failure())
		}
	}
	return ""
}

// Connection returns the status of the connection to the provider.
func (p Pipeline) Connection() health.Connection { return p.connectionBy(p.findings()) }

func (p Pipeline) connectionBy(findings []*health.Run) health.Connection {
	by := p.account.Provider
	status := health.ConnectionStatus(by.Configured, by.Disabled, by.Fingerprint, findings...)
	if status == health.Verifying && p.fetchLost() {
		return health.Degraded
	}
	return status
}

// fetchLost reports whether something was published for the account but the state file,
// which says whether the provider accepted the credential, cannot be read. The data is
// intact, so requests are still answered.
func (p Pipeline) fetchLost() bool {
	for _, of := range football.Products() {
		d := p.tenant.Dataset(of)
		if d == nil || !d.State().FetchLost {
			continue
		}
		if v := d.Acquire(); v != nil {
			v.Release()
			return true
		}
	}
	return false
}

// CredentialStatus returns what the cycles found about the credential.
func (p Pipeline) CredentialStatus() health.CredentialStatus {
	return health.CredentialStatusOf(p.account.Provider.Fingerprint, p.findings()...)
}

// Connected reports whether data routes of a product may answer: the connection is usable,
// and the provider sells everything the product needs. If the account's plan refuses it,
// only earlier publications are served. Until all datasets of an account were looked at, a
// credential without a known acceptance may have been accepted: then its data is not ready.
func (p Pipeline) Connected(of football.Product) bool {
	findings := p.findings()
	status := p.connectionBy(findings)
	usable := status.Usable() || status == health.Verifying && !p.looked()
	provider := p.account.Provider
	return usable && provider.CanServe(of) && (p.hasPublished(of) || !health.NewestPlan(provider.Fingerprint, findings...).Refuses(of.Needs()))
}

func (p Pipeline) looked() bool {
	return !slices.ContainsFunc(football.Products(), func(of football.Product) bool {
		d := p.tenant.Dataset(of)
		return d != nil && !d.Looked()
	})
}

func (p Pipeline) hasPublished(of football.Product) bool {
	d := p.tenant.Dataset(of)
	if d == nil {
		return false
	}
	v := d.Acquire() // even if the state file, which says so, is lost
	if v != nil {
		v.Release()
	}
	return v != nil || d.Published()
}

// Plan returns the known parts of the account's plan, nil for nothing.
func (p Pipeline) Plan() *health.Plan {
	return health.NewestPlan(p.account.Provider.Fingerprint, p.findings()...)
}

func (p Pipeline) findings() []*health.Run {
	list := append(make([]*health.Run, 0, 4), p.tenant.Connection().Probe())
	for _, of := range football.Products() {
		if d := p.tenant.Dataset(of); d != nil {
			list = append(list, d.State().Fetch)
		}
	}
	return list
}

// Health returns the state of the pipeline (specification, section 2.5). The status is that
// of the worst configured component, or UNCONFIGURED without a provider.
func (p Pipeline) Health(now time.Time) api.Health {
	connection := p.connectionHealth(now)
	h := api.Health{Status: connection.Status, CheckedAt: api.Time(now)}
	for _, of := range football.Products() {
		part := p.productHealth(of, now)
		h.Components = append(h.Components, part)
		if severity[part.Status] > severity[h.Status] && h.Status != api.Unconfigured {
			h.Status = part.Status
		}
	}
	h.Components = append(h.Components, connection)
	return h
}

var severity = map[api.HealthStatus]int{api.Unconfigured: 0, api.Healthy: 1, api.Degraded: 2, api.Down: 3}

// productHealth returns the state of a product: HEALTHY with current data; DEGRADED with
// late data, a time in the future, a stopped feed, a failed cycle, fixtures kept although a
// listing lacks them, or an older publication because the newest one cannot be served; DOWN
// without data; UNCONFIGURED without a subscription, or if it is not scheduled and has
// never run.
func (p Pipeline) productHealth(of football.Product, now time.Time) api.Component {
	part := api.Component{Component: string(of), Status: api.Unconfigured}
	if term := p.account.TermAt(of, now); term != account.InForce {
		part.Code = new(api.SubscriptionCode(term))
		return part
	}
	d := p.tenant.Dataset(of)
	state := d.State()
	failure := lastFailure(state)
	v := d.Acquire()
	if v == nil && p.account.Cadence[of] == 0 && state.Fetch == nil && state.Transform == nil && state.Publish == nil {
		part.Code = new(api.HealthNotScheduled)
		return part
	}
	trouble := troubleCodes[d.Trouble()]
	if v == nil {
		part.Status, part.Code = api.Down, new(cmp.Or(trouble, failure, p.limited(now), api.HealthNoData))
		return part
	}
	defer v.Release()
	last(&part, v.Commit().PublishedAt, now)
	part.AgeMS = new(api.AgeMS(v.Freshness().Oldest(), now))
	switch {
	case trouble != "":
		part.Status, part.Code = api.Degraded, new(trouble)
	case failure != "":
		part.Status, part.Code = api.Degraded, new(failure)
	case v.Freshness().ToCome(now):
		part.Status, part.Code = api.Degraded, new(api.HealthClock)
	case Overdue(v.Freshness(), p.Cadence(of, now), now):
		part.Status, part.Code = api.Degraded, new(cmp.Or(p.limited(now), api.HealthStale))
	case of == football.LiveIntelligence && v.Staleness(now) != feed.Fresh:
		part.Status, part.Code = api.Degraded, new(api.HealthFeedStale)
	case v.Held() > 0:
		part.Status, part.Code = api.Degraded, new(string(health.CodeListingHeld))
	default:
		part.Status = api.Healthy
	}
	return part
}

// limited returns the code of a quota that is used up, as the newest finding about the account's
// credential reports it, "" if it is not: the cycles are postponed then, and none of them fails.
func (p Pipeline) limited(now time.Time) string {
	if _, usedUp := health.NewestQuota(p.account.Provider.Fingerprint, p.findings()...).UsedUp(now); usedUp {
		return string(health.CodeRateLimited)
	}
	return ""
}

var troubleCodes = map[reader.Trouble]string{reader.Quarantined: api.HealthQuarantined, reader.NoAccess: string(health.CodeStorage)}

// connectionHealth returns the state of the provider connection. It is DOWN if data
// routes answer 409.
func (p Pipeline) connectionHealth(now time.Time) api.Component {
	part := api.Component{Component: api.ProviderComponent}
	if at := p.CredentialStatus().LastOKAt; at != nil {
		last(&part, *at, now)
	}
	status := p.Connection()
	if status != health.Connected {
		part.Code = new(string(status))
	}
	switch status {
	case health.Connected:
		part.Status = api.Healthy
	case health.Degraded:
		part.Status = api.Degraded
	case health.Unconfigured:
		part.Status = api.Unconfigured
	default:
		part.Status = api.Down
	}
	return part
}

func last(part *api.Component, at, now time.Time) {
	age := api.AgeMS(at, now)
	part.LastSuccessAt, part.AgeMS = api.TimeOf(&at), &age
}
