package connection

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
)

// Terms are what the provider's answers showed of the account's plan.
type Terms struct {
	Plan         *string               `json:"plan"`         // nil: the provider did not name it
	PlanEndsAt   *time.Time            `json:"plan_ends_at"` // nil: the provider did not say
	Capabilities []football.Capability `json:"capabilities"` // that the plan includes
	Refused      []football.Capability `json:"refused"`      // that the plan does not include; of all others nothing is known
}

// TermsOf returns the terms of a plan; nil is one of which nothing is known.
func TermsOf(p *health.Plan) Terms {
	v := Terms{Capabilities: p.Included(), Refused: p.Refused()}
	if p != nil && p.Name != "" {
		v.Plan = &p.Name
	}
	if p != nil {
		v.PlanEndsAt = p.EndsAt
	}
	return v
}
