package fetch

import (
	"context"
	"fmt"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// asking is what a product asks of a provider.
type asking struct {
	ask func(context.Context, provider.Exchange) (provider.Asked, error)
	// detail tells whether an endpoint's answers are what the product lives
	// on: a cycle without any has nothing to transform.
	detail func(endpoint string) bool
}

// products is the one place where a product is told from another. A provider
// that does not have it gives false.
var products = map[football.Product]func(provider.Provider) (asking, bool){
	football.MarketEngine: func(p provider.Provider) (asking, bool) {
		if p.Markets == nil {
			return asking{}, false
		}
		return asking{p.Markets.Ask, p.Markets.IsMarkets}, true
	},
}

// askingFor looks up a product that is in the table.
func askingFor(p provider.Provider, product football.Product) (asking, error) {
	a, ok := products[product](p)
	if !ok {
		return asking{}, fmt.Errorf("product %q: the provider %s does not have it", product, p.Name)
	}
	return a, nil
}
