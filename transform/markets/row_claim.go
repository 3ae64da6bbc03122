package markets

import "mkt/fetch/input"

// claimed is an entry of a mapping table with its plan. Fixtures share them, because the same few
// words occur in their rows.
type claimed struct {
	plan  plan
	ok    bool // the engine can read such a market
	known map[string]*known
}

// known is the meaning of a row's labels, whatever the fixture.
type known struct {
	reading     reading
	contradicts bool
}

// newClaim returns an entry of a mapping table with its plan.
func newClaim(entry *input.Reading) *claimed {
	c := &claimed{known: make(map[string]*known)}
	c.plan, c.ok = planOf(entry)
	return c
}
