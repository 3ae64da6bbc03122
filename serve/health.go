package serve

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

// stale reports whether the served snapshot is stale: it is older than two cadences, the
// last cycle failed, a newer snapshot cannot be served, or a time of it is to come.
func (c *call) stale() bool {
	return c.view != nil && (c.dataset.Trouble() != reader.NoTrouble || c.view.Freshness().ToCome(c.now) || lastFailure(c.dataset.State()) != "" || c.overdue(c.view, c.cadence(c.who, c.route.need.Product, c.now)))
}

// cadence returns the longest time between two cycles, or 0 if they are not scheduled: that
// of the account's schedule, or that of the pace if the provider's quota carries less.
func (s *server) cadence(a *account.Account, p football.Product, now time.Time) time.Duration {
	scheduled := a.Cadence[p]
	d := s.library.Tenant(a.ClientID).Dataset(p)
	if scheduled == 0 || d == nil {
		return scheduled
	}
	return max(scheduled, d.State().Pace.Expected(now, a.Provider.Fingerprint))
}

func (c *call) overdue(v *reader.View, cadence time.Duration) bool {
	return isOverdue(v.Freshness(), cadence, c.now)
}

// isOverdue reports whether a publication is older than two cadences, or its data than four: the
// times of publications may have followed a clock that was ahead.
func isOverdue(f api.Freshness, cadence time.Duration, now time.Time) bool {
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

func (s *server) connection(a *account.Account) health.Connection {
	return s.connectionBy(a, s.findings(a))
}

func (s *server) connectionBy(a *account.Account, findings []*health.Run) health.Connection {
	status := health.ConnectionStatus(a.Provider.Configured, a.Provider.Disabled, a.Provider.Fingerprint, findings...)
	if status == health.Verifying && s.fetchLost(a) {
		return health.Degraded
	}
	return status
}

// fetchLost reports whether something was published for an account but the state file,
// which says whether the provider accepted the credential, cannot be read. The data is
// intact, so requests are still answered.
func (s *server) fetchLost(a *account.Account) bool {
	for _, p := range football.Products() {
		d := s.library.Tenant(a.ClientID).Dataset(p)
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

func (s *server) credentialStatus(a *account.Account) health.CredentialStatus {
	return health.CredentialStatusOf(a.Provider.Fingerprint, s.findings(a)...)
}

// connected reports whether data routes of a product may answer: the connection is usable,
// and the provider sells everything the product needs. If the account's plan refuses it,
// only earlier publications are served. Until all datasets of an account were looked at, a
// credential without a known acceptance may have been accepted: then its data is not ready.
func (s *server) connected(a *account.Account, p football.Product) bool {
	findings := s.findings(a)
	status := s.connectionBy(a, findings)
	usable := status.Usable() || status == health.Verifying && !s.looked(a)
	return usable && a.Provider.CanServe(p) && (s.hasPublished(a, p) || !health.NewestPlan(a.Provider.Fingerprint, findings...).Refuses(p.Needs()))
}

func (s *server) looked(a *account.Account) bool {
	tenant := s.library.Tenant(a.ClientID)
	return !slices.ContainsFunc(football.Products(), func(p football.Product) bool {
		d := tenant.Dataset(p)
		return d != nil && !d.Looked()
	})
}

func (s *server) hasPublished(a *account.Account, p football.Product) bool {
	d := s.library.Tenant(a.ClientID).Dataset(p)
	if d == nil {
		return false
	}
	v := d.Acquire() // even if the state file, which says so, is lost
	if v != nil {
		v.Release()
	}
	return v != nil || d.Published()
}

// plan returns the known parts of the account's plan, nil for nothing.
func (s *server) plan(a *account.Account) *health.Plan {
	return health.NewestPlan(a.Provider.Fingerprint, s.findings(a)...)
}

func (s *server) findings(a *account.Account) []*health.Run {
	tenant := s.library.Tenant(a.ClientID)
	list := append(make([]*health.Run, 0, 4), tenant.Connection().Probe())
	for _, p := range football.Products() {
		if d := tenant.Dataset(p); d != nil {
			list = append(list, d.State().Fetch)
		}
	}
	return list
}

// health returns the state of an account's pipeline (specification, section 2.5). The
// status is that of the worst configured component, or UNCONFIGURED without a provider.
func (c *call) health(a *account.Account) api.Health {
	connection := c.connectionHealth(a)
	h := api.Health{Status: connection.Status, CheckedAt: api.Time(c.now)}
	for _, p := range football.Products() {
		part := c.productHealth(a, p)
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
func (c *call) productHealth(a *account.Account, p football.Product) api.Component {
	part := api.Component{Component: string(p), Status: api.Unconfigured}
	if term := a.TermAt(p, c.now); term != account.InForce {
		part.Code = ptr(api.SubscriptionCode(term))
		return part
	}
	d := c.library.Tenant(a.ClientID).Dataset(p)
	state := d.State()
	failure := lastFailure(state)
	v := d.Acquire()
	if v == nil && a.Cadence[p] == 0 && state.Fetch == nil && state.Transform == nil && state.Publish == nil {
		part.Code = ptr(api.HealthNotScheduled)
		return part
	}
	trouble := troubleCodes[d.Trouble()]
	if v == nil {
		part.Status, part.Code = api.Down, ptr(cmp.Or(trouble, failure, c.limited(a), api.HealthNoData))
		return part
	}
	defer v.Release()
	last(&part, v.Commit().PublishedAt, c.now)
	part.AgeMS = ptr(api.AgeMS(v.Freshness().Oldest(), c.now))
	switch {
	case trouble != "":
		part.Status, part.Code = api.Degraded, ptr(trouble)
	case failure != "":
		part.Status, part.Code = api.Degraded, ptr(failure)
	case v.Freshness().ToCome(c.now):
		part.Status, part.Code = api.Degraded, ptr(api.HealthClock)
	case c.overdue(v, c.cadence(a, p, c.now)):
		part.Status, part.Code = api.Degraded, ptr(cmp.Or(c.limited(a), api.HealthStale))
	case p == football.LiveIntelligence && v.Staleness(c.now) != feed.Fresh:
		part.Status, part.Code = api.Degraded, ptr(api.HealthFeedStale)
	case v.Held() > 0:
		part.Status, part.Code = api.Degraded, ptr(string(health.CodeListingHeld))
	default:
		part.Status = api.Healthy
	}
	return part
}

// limited returns the code of a quota that is used up, as the newest finding about the account's
// credential reports it, "" if it is not: the cycles are postponed then, and none of them fails.
func (c *call) limited(a *account.Account) string {
	if _, usedUp := health.NewestQuota(a.Provider.Fingerprint, c.findings(a)...).UsedUp(c.now); usedUp {
		return string(health.CodeRateLimited)
	}
	return ""
}

var troubleCodes = map[reader.Trouble]string{reader.Quarantined: api.HealthQuarantined, reader.NoAccess: string(health.CodeStorage)}

// connectionHealth returns the state of the provider connection. It is DOWN if data
// routes answer 409.
func (c *call) connectionHealth(a *account.Account) api.Component {
	part := api.Component{Component: api.ProviderComponent}
	if at := c.credentialStatus(a).LastOKAt; at != nil {
		last(&part, *at, c.now)
	}
	status := c.connection(a)
	if status != health.Connected {
		part.Code = ptr(string(status))
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

func ptr[T any](v T) *T { return &v }
