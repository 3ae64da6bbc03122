package accounts

import (
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/internal/cadence"
	"mkt/publish/football"
	"mkt/serve/account"
)

// Only this file splits a tenant: fetch gets the sealed credential and no rights, serve gets the
// rights and no credential.

// FetchTenant returns what fetch may know. For a tenant without a provider, or with a disabled one, it
// returns an error that says what to do.
func (t *Tenant) FetchTenant() (provider.Tenant, error) {
	switch {
	case t.Provider == nil:
		return provider.Tenant{}, t.noProvider()
	case t.Provider.Disabled:
		return provider.Tenant{}, fmt.Errorf("tenant %s: provider %s is disabled: mkt provider enable %s", t.ID, t.Provider.Name, t.ID)
	}
	return provider.Tenant{
		ID:                  t.ID,
		Provider:            t.Provider.Name,
		BaseURL:             t.Provider.BaseURL,
		Bookmaker:           t.Provider.Bookmaker,
		Mapping:             t.Provider.Mapping,
		AllowPrivateAddress: t.Provider.AllowPrivateAddress,
		SealedCredential:    t.Provider.Credential,
		Fingerprint:         t.Provider.Fingerprint(),
	}, nil
}

// Accounts returns what serve may know, in the file's order. now is for the cadences of the schedules.
func (f *File) Accounts(now time.Time) []account.Account {
	list := make([]account.Account, 0, len(f.Tenants))
	for i := range f.Tenants {
		list = append(list, f.Tenants[i].account(now))
	}
	return list
}

func (t *Tenant) account(now time.Time) account.Account {
	a := account.Account{
		ClientID:      t.ID,
		Name:          t.Name,
		Status:        t.Status,
		Subscriptions: t.Products,
		Features:      t.resolvedFeatures(),
		Origins:       t.Origins,
		Limit:         t.Limit,
		Cadence:       map[football.Product]time.Duration{},
	}
	for _, token := range t.Tokens {
		a.TokenDigests = append(a.TokenDigests, token.Digest)
	}
	if p := t.Provider; p != nil {
		adapter, _ := all.Lookup(p.Name)
		a.Provider = account.Provider{Name: p.Name, Configured: true, Disabled: p.Disabled, Hint: p.Hint,
			Fingerprint: p.Fingerprint(), Capabilities: adapter.Capabilities}
	}
	for _, p := range football.Products() {
		if s, err := cadence.Parse(t.Expression(p)); err == nil {
			a.Cadence[p] = cadence.Of(s, now)
		}
	}
	return a
}

// defaultSchedule is for subscribed products without a schedule in the file.
var defaultSchedule = map[football.Product]string{
	football.MarketEngine:     "@hourly",
	football.LiveIntelligence: "@every 8s",
}

// Expression returns the cron expression of a product, "" if it is not subscribed or has none.
func (t *Tenant) Expression(p football.Product) string {
	if _, ok := t.Products[p]; !ok {
		return ""
	}
	if expr, ok := t.Schedule[p]; ok {
		return expr
	}
	return defaultSchedule[p]
}
