package fetch

import (
	"context"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// asking is the requests of a product.
type asking struct {
	// ask performs the requests; resume is where the last cycle says that this one
	// continues.
	ask func(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error)
	// detail reports whether an endpoint's answers are those that the product needs: a
	// cycle without any has nothing to transform.
	detail func(endpoint string) bool
}

// product holds the differences between products.
type product struct {
	limits Limits // where the run's own are zero
	// compacts means there are so many cycles that those of an hour are compacted.
	compacts bool
	// of returns the requests of the product at a provider, false if the provider does
	// not offer it.
	of func(provider.Provider) (asking, bool)
}

// products is the one place that distinguishes the products.
var products = map[football.Product]product{
	football.MarketEngine: {of: func(p provider.Provider) (asking, bool) {
		if p.Markets == nil {
			return asking{}, false
		}
		ask := func(ctx context.Context, x provider.Exchange, _ string) (provider.Asked, error) {
			asked, err := p.Markets.Ask(ctx, x)
			// At every provider some football is to come. A list without any proves
			// nothing, whatever it says of itself.
			asked.ListingComplete = asked.ListingComplete && asked.Listed > 0
			return asked, err
		}
		return asking{ask, p.Markets.IsMarkets}, true
	}},
	football.LiveIntelligence: {limits: liveLimits, compacts: true, of: func(p provider.Provider) (asking, bool) {
		if p.Live == nil {
			return asking{}, false
		}
		return asking{p.Live.Ask, p.Live.IsList}, true
	}},
}

// liveLimits are for a cycle every eight seconds. A slow provider makes a cycle
// late: the next tick is skipped, and an answer counts from its retrieval.
var liveLimits = Limits{
	Run: 24 * time.Second, Bytes: 256 << 20, Values: 2 << 20, Tries: 3, Wait: 200 * time.Millisecond, MaxWait: time.Second,
	QuotaWait: 3 * time.Second, Confirm: 2 * time.Second, Break: time.Second, Connect: 4 * time.Second, TLS: 4 * time.Second, Header: 16 * time.Second, Body: 16 * time.Second,
}

// askingFor looks up a product that is in the table.
func askingFor(p provider.Provider, name football.Product) (asking, error) {
	a, ok := products[name].of(p)
	if !ok {
		return asking{}, fmt.Errorf("product %q: the provider %s does not have it", name, p.Name)
	}
	return a, nil
}
