package account

import (
	"slices"

	"mkt/publish/football"
)

// Features of the two products (frozen names). A base feature is included in its product
// and can be disabled; an add-on is sold separately.
const (
	Fixtures      = "fixtures"
	Markets       = "markets"
	Changes       = "changes"
	LiveMatch     = "live_match"
	Momentum      = "momentum"
	AdvancedStats = "advanced_stats"
)

// BaseFeatures returns the features that are included in a product.
func BaseFeatures(p football.Product) []string {
	switch p {
	case football.MarketEngine:
		return []string{Fixtures, Markets, Changes}
	case football.LiveIntelligence:
		return []string{LiveMatch, Momentum}
	}
	return nil
}

// AddOns returns the features of a product that are sold separately. It may be empty.
func AddOns(p football.Product) []string {
	if p == football.LiveIntelligence {
		return []string{AdvancedStats}
	}
	return []string{}
}

// ProductFeatures returns all features of a product, base features first.
func ProductFeatures(p football.Product) []string {
	return slices.Concat(BaseFeatures(p), AddOns(p))
}

// History is the extension that answers the paths of prices.
const History = "history"

// Extensions returns the names of the extensions: what the service answers besides version 1 of the
// API. An account has one if it is enabled like an add-on and the server offers it; no answer of
// version 1 names it.
func Extensions() []string { return []string{History} }
