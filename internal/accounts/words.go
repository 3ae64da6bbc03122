package accounts

import (
	"slices"

	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/serve/account"
)

// Features lists every feature's name, product by product, and the extensions.
func Features() []string {
	var list []string
	for _, p := range football.Products() {
		list = append(list, account.ProductFeatures(p)...)
	}
	return append(list, account.Extensions()...)
}

// EnabledFeatures lists the enabled features of the subscribed products, in the contract's order, and
// the enabled extensions.
func (t *Tenant) EnabledFeatures() []string {
	on := t.resolvedFeatures()
	for _, p := range football.Products() {
		if _, subscribed := t.Products[p]; !subscribed {
			for _, f := range account.ProductFeatures(p) {
				delete(on, f)
			}
		}
	}
	return slices.DeleteFunc(Features(), func(f string) bool { return !on[f] })
}

// resolvedFeatures says for every feature whether it is enabled: base features unless disabled, add-ons
// if enabled. Subscriptions do not matter here.
func (t *Tenant) resolvedFeatures() map[string]bool {
	on := map[string]bool{}
	for _, p := range football.Products() {
		for _, f := range account.BaseFeatures(p) {
			on[f] = true
		}
	}
	for f, v := range t.Features {
		on[f] = v
	}
	return on
}

// ProviderNames lists the providers with an adapter of their own.
func ProviderNames() []string {
	var names []string
	for _, p := range all.All() {
		names = append(names, p.Name)
	}
	return names
}

// Feed stands for all other providers, each of which is called "feed:" and its source.
const Feed = "feed"

// ConnectionNames lists the providers that an account can have.
func ConnectionNames() []string { return append(ProviderNames(), Feed) }

// BookmakerInUse returns whose prices the connection takes: the bookmaker that the
// account has chosen, or the adapter's default; "" if there is none to choose.
func (p *Provider) BookmakerInUse() string {
	adapter, _ := all.Lookup(p.Name)
	return adapter.Bookmaker(p.Bookmaker)
}
