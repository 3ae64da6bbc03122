package wording

import "mkt/fetch/input"

// Claim is an entry of a mapping table with its plan. Fixtures share them, because the same few
// words occur in their rows.
type Claim struct {
	Plan  Plan
	Ok    bool // the engine can read such a market
	known map[string]*known

	Labelled *Claim // of the labels of rows that the provider says more of; nil if there are none
}

// known is the meaning of a row's labels, whatever the fixture.
type known struct {
	reading     Reading
	contradicts bool
}

// NewClaim returns an entry of a mapping table with its plan.
func NewClaim(entry *input.Reading) *Claim {
	c := &Claim{known: make(map[string]*known)}
	c.Plan, c.Ok = planOf(entry)
	if entry.Labelled != nil && c.Ok {
		c.Labelled = NewClaim(entry.Labelled)
	}
	return c
}
