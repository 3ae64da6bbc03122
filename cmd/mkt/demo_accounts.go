package main

import (
	"context"
	"fmt"
	"time"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/serve/account"
)

// demoAccount is one account of the demo: what it shows, its entry in
// tenants.yaml, and the secrets that are only ever in memory.
type demoAccount struct {
	about      string
	tenant     tenants.Tenant
	token      string
	credential string // at the simulator; "" when its provider is not connected
	world      simulator.Account
}

// demoAccounts are the accounts that DESIGN, section 3, asks for.
func demoAccounts(f demoFlags, now time.Time) []demoAccount {
	both := []football.Product{football.MarketEngine, football.LiveIntelligence}
	stats := map[string]bool{account.AdvancedStats: true}
	small := min(f.fixtures, 40)
	yesterday := now.UTC().AddDate(0, 0, -1).Truncate(time.Second)
	list := []demoAccount{
		{about: "everything", tenant: demoTenant("main", both, stats), world: simulator.Account{Seed: f.seed, Fixtures: f.fixtures}},
		{about: "everything, other fixtures", tenant: demoTenant("second", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "without live_intelligence", tenant: demoTenant("no-live", both[:1], nil), world: simulator.Account{Fixtures: small}},
		{about: "without advanced_stats", tenant: demoTenant("no-stats", both, nil), world: simulator.Account{Fixtures: small}},
		{about: "suspended", tenant: demoTenant("suspended", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "revoked", tenant: demoTenant("revoked", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "products expired yesterday", tenant: demoTenant("expired", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "provider not connected", tenant: demoTenant("unconnected", both, stats)},
	}
	list[0].tenant.Limit = account.Limit{Requests: 60_000, Per: time.Minute, Burst: 60_000}
	list[4].tenant.Status = account.Suspended
	list[5].tenant.Status = account.Revoked
	for p := range list[6].tenant.Products {
		list[6].tenant.Products[p] = account.Subscription{Expires: &yesterday}
	}
	for i := range list[:7] {
		list[i].credential = simulator.Token(f.seed*1000 + uint64(i))
		list[i].tenant.Schedule = map[football.Product]string{
			football.MarketEngine: "@every " + f.every.String(), football.LiveIntelligence: "@every " + f.liveEvery.String()}
	}
	return list
}

func demoTenant(id string, products []football.Product, features map[string]bool) tenants.Tenant {
	t := tenants.Tenant{ID: id, Name: "Demo " + id, Status: account.Active, Limit: tenants.DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: features}
	for _, p := range products {
		t.Products[p] = account.Subscription{}
	}
	return t
}

// runs tells whether the account's cycles of a product run.
func (d *demoAccount) runs(p football.Product, now time.Time) bool {
	return d.tenant.Status == account.Active && d.credential != "" && d.tenant.Subscription(p, now) == account.InForce
}

// worlds are the credentials that the simulator accepts.
func worlds(list []demoAccount) map[string]simulator.Account {
	m := map[string]simulator.Account{}
	for _, d := range list {
		if d.credential != "" {
			m[d.credential] = d.world
		}
	}
	return m
}

// enrol writes the accounts into tenants.yaml as the commands would: tokens
// hashed, credentials sealed. Accounts of an earlier demo in the folder get new
// tokens and connections.
func (a *app) enrol(ctx context.Context, list []demoAccount, provider string) (*tenants.File, error) {
	key, err := credential.LoadIdentity(a.keys.seal)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].secure(key.Recipient(), provider, a.now()); err != nil {
			return nil, err
		}
	}
	return tenants.Edit(ctx, a.tenants, func(e *tenants.Editor) error {
		for _, d := range list {
			if err := e.Replace(d.tenant); err != nil {
				return err
			}
		}
		return nil
	})
}

// secure mints the account's token and seals its credential.
func (d *demoAccount) secure(to credential.Recipient, provider string, now time.Time) error {
	token, entry, err := tenants.NewToken(now)
	if err != nil {
		return err
	}
	d.token, d.tenant.Tokens = token, []tenants.Token{entry}
	if d.credential == "" {
		return nil
	}
	sealed, err := credential.Seal(to, d.tenant.ID, emulators.Default(), []byte(d.credential))
	if err != nil {
		return fmt.Errorf("tenant %s: %w", d.tenant.ID, err)
	}
	d.tenant.Provider = &tenants.Provider{Name: emulators.Default(), BaseURL: provider, AllowPrivateAddress: true,
		Hint: credential.Hint(d.credential), Credential: sealed}
	return nil
}
