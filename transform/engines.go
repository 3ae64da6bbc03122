package transform

import (
	"context"

	"mkt/publish/football"
)

// engine reads the chosen cycle and fills the run's result.
type engine func(context.Context, *run) error

// engines is the one place where a product is told from another.
var engines = map[football.Product]engine{
	football.MarketEngine: deriveMarkets,
}
