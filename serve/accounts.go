package serve

import (
	"maps"
	"slices"

	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/pipeline"
)

// account answers GET /account, whatever the state of the subscriptions.
func (c *call) account() error {
	a, of := c.who, c.pipeline()
	return c.sendDocument(api.Account{
		ClientID: a.ClientID, Name: a.Name, Status: string(a.Status),
		Products: c.products(of), Features: c.features(a),
		Provider:  api.AccountProviderRef{Name: textOrNil(a.Provider.Name), Status: string(of.Connection())},
		RateLimit: api.RateLimit{Requests: a.Limit.Requests, PerSeconds: a.Limit.Per.Seconds(), Burst: a.Limit.Burst},
		Health:    of.Health(c.now),
	})
}

func (c *call) products(of pipeline.Pipeline) []api.AccountProduct {
	a := c.who
	var list []api.AccountProduct
	for _, p := range football.Products() {
		s := a.Subscriptions[p]
		product := api.AccountProduct{
			Product: string(p), Status: string(a.TermAt(p, c.now)),
			StartsAt: api.TimeOf(s.Starts), Expires: api.TimeOf(s.Expires), Features: []string{},
		}
		if cadence := of.Cadence(p, c.now); cadence > 0 && a.TermAt(p, c.now) == account.InForce {
			product.CadenceMS = new(cadence.Milliseconds())
		}
		for _, f := range account.ProductFeatures(p) {
			if a.Allows(f) {
				product.Features = append(product.Features, f)
			}
		}
		list = append(list, product)
	}
	return list
}

// features reports which features are enabled and have a current subscription.
func (c *call) features(a *account.Account) map[string]bool {
	on := map[string]bool{}
	for _, p := range football.Products() {
		inForce := a.TermAt(p, c.now) == account.InForce
		for _, f := range account.ProductFeatures(p) {
			on[f] = inForce && a.Allows(f)
		}
	}
	return on
}

// provider answers GET /account/provider. Serve has only a masked hint of the credential.
// The capabilities are those that the account's own plan showed.
func (c *call) provider() error {
	p, of := c.who.Provider, c.pipeline()
	out := api.AccountProvider{
		Name: textOrNil(p.Name), Status: string(of.Connection()), CredentialHint: textOrNil(p.Hint), Capabilities: []string{},
	}
	if p.Configured {
		for _, capability := range of.Plan().Included() {
			out.Capabilities = append(out.Capabilities, string(capability))
		}
	}
	s := of.CredentialStatus()
	out.LastSuccessAt, out.LastAttemptAt, out.LastError = api.TimeOf(s.LastOKAt), api.TimeOf(s.LastAttemptAt), textOrNil(string(s.Code))
	return c.sendDocument(out)
}

func (c *call) accountUsage() error {
	days, flushed := c.usage.Of(c.who.ClientID)
	u := mergeUsage(days, c.providerCalls())
	if !flushed.IsZero() {
		u.FlushedAt = api.TimeOf(&flushed)
	}
	return c.sendDocument(u)
}

// providerCalls returns the requests to the provider by day and endpoint.
func (c *call) providerCalls() map[string]map[string]int64 {
	tenant := c.library.Tenant(c.who.ClientID)
	sum := map[string]map[string]int64{}
	addCalls(sum, tenant.Connection().Calls())
	for _, p := range football.Products() {
		if d := tenant.Dataset(p); d != nil {
			addCalls(sum, d.State().Calls)
		}
	}
	return sum
}

func addCalls(sum, more map[string]map[string]int64) {
	for day, endpoints := range more {
		if sum[day] == nil {
			sum[day] = map[string]int64{}
		}
		for endpoint, n := range endpoints {
			sum[day][endpoint] += n
		}
	}
}

func mergeUsage(days []gate.Day, calls map[string]map[string]int64) api.Usage {
	byDate := map[string]*api.UsageDay{}
	at := func(date string) *api.UsageDay {
		if byDate[date] == nil {
			byDate[date] = &api.UsageDay{Date: date, Requests: []api.RouteUsage{}, ProviderCalls: []api.ProviderCall{}}
		}
		return byDate[date]
	}
	u := api.Usage{Days: []api.UsageDay{}}
	for _, d := range days {
		for _, r := range d.Requests {
			u.Requests += r.Count
			at(d.Date).Requests = append(at(d.Date).Requests, api.RouteUsage{Route: r.Route, Product: textOrNil(string(r.Product)), Count: r.Count})
		}
	}
	for date, endpoints := range calls {
		for _, endpoint := range sorted(endpoints) {
			u.ProviderCalls += endpoints[endpoint]
			at(date).ProviderCalls = append(at(date).ProviderCalls, api.ProviderCall{Endpoint: endpoint, Count: endpoints[endpoint]})
		}
	}
	for _, date := range sorted(byDate) {
		u.Days = append(u.Days, *byDate[date])
	}
	return u
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
