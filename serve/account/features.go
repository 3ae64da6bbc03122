package account

import (
	"slices"

	"mkt/publish/football"
)

// Features of the two products (frozen names). A base feature comes with its
// product and can be switched off; an add-on is sold apart.
const (
	Fixtures      = "fixtures"
	Markets       = "markets"
	Changes       = "changes"
	LiveMatch     = "live_match"
	Momentum      = "momentum"
	AdvancedStats = "advanced_stats"
)

// Products lists the products, in the contract's order.
func Products() []football.Product {
	return []football.Product{football.MarketEngine, football.LiveIntelligence}
}

// BaseFeatures lists the features that come with a product.
func BaseFeatures(p football.Product) []string {
	switch p {
	case football.MarketEngine:
		return []string{Fixtures, Markets, Changes}
	case football.LiveIntelligence:
		return []string{LiveMatch, Momentum}
	}
	return nil
}

// AddOns lists the features of a product that are sold apart. May be empty.
func AddOns(p football.Product) []string {
	if p == football.LiveIntelligence {
		return []string{AdvancedStats}
	}
	return []string{}
}

// ProductFeatures lists every feature of a product, base features first.
func ProductFeatures(p football.Product) []string {
	return slices.Concat(BaseFeatures(p), AddOns(p))
}
