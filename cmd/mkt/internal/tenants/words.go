package tenants

import (
	"slices"

	"mkt/publish/football"
)

// Products are the two that an account can subscribe to.
var Products = []football.Product{football.MarketEngine, football.LiveIntelligence}

// baseFeatures come with a product and can be switched off; addOns are sold
// apart and must be switched on (DESIGN, section 4).
var baseFeatures = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets", "changes"},
	football.LiveIntelligence: {"live_match", "momentum"},
}

var addOns = []string{"advanced_stats"}

// Features lists every feature's name.
func Features() []string {
	var all []string
	for _, p := range Products {
		all = append(all, baseFeatures[p]...)
	}
	return append(all, addOns...)
}

// ProviderNames lists the adapters there are.
func ProviderNames() []string { return []string{"betsapi"} }

// KnownProvider tells whether there is an adapter of that name.
func KnownProvider(name string) bool { return slices.Contains(ProviderNames(), name) }

// Capabilities lists what the adapter of that name can give.
func Capabilities(name string) []string { return nil }

// FeatureApplies tells whether the feature belongs to a product the tenant is
// subscribed to.
func FeatureApplies(t *Tenant, feature string) bool {
	for p := range t.Products {
		if slices.Contains(baseFeatures[p], feature) {
			return true
		}
	}
	_, live := t.Products[football.LiveIntelligence]
	return live && slices.Contains(addOns, feature)
}
