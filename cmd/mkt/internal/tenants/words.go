package tenants

import (
	"slices"

	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/serve/account"
)

// Features lists every feature's name, product by product, and the extensions.
func Features() []string {
	var list []string
	for _, p := range account.Products() {
		list = append(list, account.ProductFeatures(p)...)
	}
	return append(list, account.Extensions()...)
}

// EnabledFeatures lists the enabled features of the subscribed products, in the contract's order, and
// the enabled extensions.
func (t *Tenant) EnabledFeatures() []string {
	on := t.resolvedFeatures()
	list := []string{}
	for _, p := range account.Products() {
		if _, subscribed := t.Products[p]; !subscribed {
			continue
		}
		for _, f := range account.ProductFeatures(p) {
			if on[f] {
				list = append(list, f)
			}
		}
	}
	for _, f := range account.Extensions() {
		if on[f] {
			list = append(list, f)
		}
	}
	return list
}

// resolvedFeatures says for every feature whether it is enabled: base features unless disabled, add-ons
// if enabled. Subscriptions do not matter here.
func (t *Tenant) resolvedFeatures() map[string]bool {
	on := map[string]bool{}
	for _, p := range account.Products() {
		for _, f := range account.BaseFeatures(p) {
			on[f] = true
		}
	}
	for f, v := range t.Features {
		on[f] = v
	}
	return on
}

// KnownProduct reports whether p is one of the two products.
func KnownProduct(p football.Product) bool { return slices.Contains(account.Products(), p) }

func ProviderNames() []string {
	var names []string
	for _, p := range all.All() {
		names = append(names, p.Name)
	}
	return names
}

// KnownProvider reports whether there is an adapter of that name.
func KnownProvider(name string) bool {
	_, ok := all.Lookup(name)
	return ok
}

// BookmakerInUse returns whose prices the connection takes: the bookmaker that the
// account has chosen, or the adapter's default; "" if there is none to choose.
func (p *Provider) BookmakerInUse() string {
	adapter, _ := all.Lookup(p.Name)
	return adapter.Bookmaker(p.Bookmaker)
}

// capabilities lists what the provider of that name sells.
func capabilities(name string) []football.Capability {
	p, _ := all.Lookup(name)
	return p.Capabilities
}
