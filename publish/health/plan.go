package health

import (
	"maps"
	"time"

	"mkt/publish/football"
)

// Plan is the evidence about an account's plan in a provider's answers. A capability is absent if
// no answer included it and no refusal denied it.
type Plan struct {
	// Name is the plan's name in the provider's own words, "" if unknown. EndsAt is the end of
	// the plan, nil if unknown. At is the time of the newest answer about them.
	Name   string     `json:"name,omitempty"`
	EndsAt *time.Time `json:"ends_at,omitempty"`
	At     time.Time  `json:"at,omitzero"`

	Capabilities map[football.Capability]Evidence `json:"capabilities,omitempty"`
}

// Evidence is the provider's newest answer about a capability: data of this kind, or a refusal
// because the plan does not include it.
type Evidence struct {
	Included bool      `json:"included"`
	At       time.Time `json:"at"`
}

// Included returns the plan's capabilities, in the order of the specification. p may be nil.
func (p *Plan) Included() []football.Capability { return p.having(true) }

// Refused returns the capabilities missing in the plan, in the order of the specification. p may
// be nil.
func (p *Plan) Refused() []football.Capability { return p.having(false) }

func (p *Plan) having(included bool) []football.Capability {
	list := []football.Capability{}
	for _, c := range football.Capabilities() {
		if e, known := p.evidence(c); known && e.Included == included {
			list = append(list, c)
		}
	}
	return list
}

// Includes reports whether the plan includes a capability. p may be nil.
func (p *Plan) Includes(c football.Capability) bool {
	e, known := p.evidence(c)
	return known && e.Included
}

// Refuses reports whether the provider refused requests for a capability because the plan does
// not include it. p may be nil.
func (p *Plan) Refuses(c football.Capability) bool {
	e, known := p.evidence(c)
	return known && !e.Included
}

func (p *Plan) evidence(c football.Capability) (e Evidence, known bool) {
	if p != nil {
		e, known = p.Capabilities[c]
	}
	return e, known
}

// over returns p, completed from before. Either may be nil.
func (p *Plan) over(before *Plan) *Plan {
	switch {
	case before == nil:
		return p
	case p == nil:
		return before
	}
	joined := *p
	if joined.Name == "" && joined.EndsAt == nil {
		joined.Name, joined.EndsAt, joined.At = before.Name, before.EndsAt, before.At
	}
	joined.Capabilities = maps.Clone(before.Capabilities)
	if joined.Capabilities == nil {
		joined.Capabilities = map[football.Capability]Evidence{}
	}
	maps.Copy(joined.Capabilities, p.Capabilities)
	return &joined
}

// AsOf returns p without findings after a time. p may be nil.
func (p *Plan) AsOf(t time.Time) *Plan {
	if p == nil {
		return nil
	}
	was := *p
	if was.At.After(t) {
		was.Name, was.EndsAt, was.At = "", nil, time.Time{}
	}
	was.Capabilities = maps.Clone(p.Capabilities)
	maps.DeleteFunc(was.Capabilities, func(_ football.Capability, e Evidence) bool { return e.At.After(t) })
	return &was
}

// NewestPlan joins the findings about a credential: the newest evidence for each part of its
// account's plan. It returns nil if there is none.
func NewestPlan(fingerprint string, findings ...*Run) (joined *Plan) {
	for _, f := range findings {
		if f == nil || f.CredentialFingerprint != fingerprint || f.Plan == nil {
			continue
		}
		if joined == nil {
			joined = &Plan{Capabilities: map[football.Capability]Evidence{}}
		}
		if f.Plan.At.After(joined.At) {
			joined.Name, joined.EndsAt, joined.At = f.Plan.Name, f.Plan.EndsAt, f.Plan.At
		}
		for c, e := range f.Plan.Capabilities {
			if known, ok := joined.Capabilities[c]; !ok || e.At.After(known.At) || e.At.Equal(known.At) && !e.Included {
				joined.Capabilities[c] = e
			}
		}
	}
	return joined
}
