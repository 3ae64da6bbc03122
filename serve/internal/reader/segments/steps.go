package segments

import (
	"mkt/publish/steps"
	"mkt/publish/table/stepindex"
	"mkt/serve/internal/reader/lru"
)

// The memory for the indexes of steps of all tenants, and for whole paths of prices.
const (
	StepIndexSize = 60 << 20
	pathSize      = 4 << 20
)

// Steps are what the readers of all tenants have in memory of steps. Indexes are found by the
// hash of their segment.
type Steps struct {
	indexes *lru.Cache[string, *stepindex.Index]
	paths   *lru.Cache[pathKey, *steps.Market]
}

// pathKey is a market in a publication.
type pathKey struct{ manifest, fixture, market string }

// NewSteps returns empty caches.
func NewSteps() *Steps {
	return &Steps{lru.New[string, *stepindex.Index](StepIndexSize), lru.New[pathKey, *steps.Market](pathSize)}
}
