package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/internal/accounts"
	"mkt/publish/football"
	"mkt/serve/account"
)

// Account is one account of the demo: its purpose, its entry in tenants.yaml, and its
// secrets, which are only kept in memory.
type Account struct {
	about      string
	Tenant     accounts.Tenant
	Token      string
	Credential string // for the simulator; "" if no provider is connected
	world      simulator.Account

	provider string // its name; "" for the default one
	baseURL  string // of the provider; "" for the address given to Enrol
}

// demoAccounts returns the accounts of the demo: one for every state an account can be in, and one
// for every other provider.
func demoAccounts(f demoFlags, now time.Time) []Account {
	both := []football.Product{football.MarketEngine, football.LiveIntelligence}
	stats := map[string]bool{account.AdvancedStats: true}
	small := min(f.fixtures, 40)
	yesterday := now.UTC().AddDate(0, 0, -1).Truncate(time.Second)
	list := []Account{
		{about: "everything", Tenant: NewTenant("main", both, map[string]bool{account.AdvancedStats: true, account.History: true}), world: simulator.Account{Seed: f.seed, Fixtures: f.fixtures}},
		{about: "everything, other fixtures", Tenant: NewTenant("second", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "without live_intelligence", Tenant: NewTenant("no-live", both[:1], nil), world: simulator.Account{Fixtures: small}},
		{about: "without advanced_stats", Tenant: NewTenant("no-stats", both, nil), world: simulator.Account{Fixtures: small}},
		{about: "suspended", Tenant: NewTenant("suspended", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "revoked", Tenant: NewTenant("revoked", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "products expired yesterday", Tenant: NewTenant("expired", both, stats), world: simulator.Account{Fixtures: small}},
		{about: "provider not connected", Tenant: NewTenant(unconnected, both, stats)},
	}
	list[0].Tenant.Limit = account.Limit{Requests: 60_000, Per: time.Minute, Burst: 60_000}
	list[4].Tenant.Status = account.Suspended
	list[5].Tenant.Status = account.Revoked
	for p := range list[6].Tenant.Products {
		list[6].Tenant.Products[p] = account.Subscription{Expires: &yesterday}
	}
	list = append(list, otherProviders(small)...)
	for i := range list {
		if list[i].Tenant.ID == unconnected {
			continue
		}
		list[i].Credential = simulator.Token(f.seed*1000 + uint64(i))
		list[i].Tenant.Schedule = f.schedule(i == 0)
	}
	return list
}

// opening is how many fixtures of the main account are announced at first, because people wait for its first cycle.
const opening = 40

// unconnected is the account without a provider.
const unconnected = "unconnected"

// otherProviders returns an account on each provider with an emulator, except the default one. It
// has live intelligence if the provider has live statistics.
func otherProviders(fixtures int) (list []Account) {
	for _, name := range emulators.Names() {
		p, ok := all.Lookup(name)
		if name == emulators.Default() || !ok {
			continue
		}
		a := Account{about: "provider " + name, provider: name, world: simulator.Account{Fixtures: fixtures}}
		products, features := []football.Product{football.MarketEngine}, map[string]bool(nil)
		if slices.Contains(p.Capabilities, provider.LiveStats) {
			products, features = append(products, football.LiveIntelligence), map[string]bool{account.AdvancedStats: true}
		}
		a.Tenant = NewTenant(emulators.Short(name), products, features)
		list = append(list, a)
	}
	return list
}

func NewTenant(id string, products []football.Product, features map[string]bool) accounts.Tenant {
	t := accounts.Tenant{ID: id, Name: "Demo " + id, Status: account.Active, Limit: account.DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: features}
	for _, p := range products {
		t.Products[p] = account.Subscription{}
	}
	return t
}

func (d *Account) runs(p football.Product, now time.Time) bool {
	return d.Tenant.Status == account.Active && d.Credential != "" && d.Tenant.Subscription(p, now) == account.InForce
}

// providerName is the name of the account's provider.
func (d *Account) providerName() string { return cmp.Or(d.provider, emulators.Default()) }

// worlds returns the credentials accepted by the emulator of a provider.
func worlds(list []Account, provider string) map[string]simulator.Account {
	m := map[string]simulator.Account{}
	for _, d := range list {
		if d.Credential != "" && d.providerName() == provider {
			m[d.Credential] = d.world
		}
	}
	return m
}

// Enrol writes accounts into tenants.yaml as the commands would: tokens hashed, credentials
// sealed. Existing accounts get new tokens and connections. The provider is at baseURL, unless
// an account has another address.
func (g *Group) Enrol(ctx context.Context, list []Account, baseURL string) (*accounts.File, error) {
	key, err := credential.LoadIdentity(g.Batch.Keys.Seal)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].Secure(key.Recipient(), baseURL, g.Now()); err != nil {
			return nil, err
		}
	}
	return accounts.Edit(ctx, g.Tenants, func(e *accounts.Editor) error {
		for _, d := range list {
			if err := e.Replace(d.Tenant); err != nil {
				return err
			}
		}
		return nil
	})
}

// Secure creates the account's token and seals its credential. The provider is at baseURL if
// the account states no other.
func (d *Account) Secure(to credential.Recipient, baseURL string, now time.Time) error {
	token, entry, err := accounts.NewToken(now)
	if err != nil {
		return err
	}
	d.Token, d.Tenant.Tokens = token, []accounts.Token{entry}
	if d.Credential == "" {
		return nil
	}
	sealed, err := credential.Seal(to, d.Tenant.ID, d.providerName(), []byte(d.Credential))
	if err != nil {
		return fmt.Errorf("tenant %s: %w", d.Tenant.ID, err)
	}
	d.Tenant.Provider = &accounts.Provider{Name: d.providerName(), BaseURL: cmp.Or(d.baseURL, baseURL), AllowPrivateAddress: true,
		Hint: credential.Hint(d.Credential), Credential: sealed}
	return nil
}

// reschedule writes the schedule of an account into tenants.yaml.
func (g *Group) reschedule(ctx context.Context, id string, schedule map[football.Product]string) (*accounts.File, error) {
	return accounts.Edit(ctx, g.Tenants, func(e *accounts.Editor) error {
		return e.Change(id, func(t *accounts.Tenant) error { t.Schedule = schedule; return nil })
	})
}
