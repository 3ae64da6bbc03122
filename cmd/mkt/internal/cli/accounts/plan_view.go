package accounts

import (
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
)

// planView is what the provider's answers showed of the account's plan.
type planView struct {
	Plan         *string               `json:"plan"`         // nil: the provider did not name it
	PlanEndsAt   *time.Time            `json:"plan_ends_at"` // nil: the provider did not say
	Capabilities []football.Capability `json:"capabilities"` // that the plan includes
	Refused      []football.Capability `json:"refused"`      // that the plan does not include; of all others nothing is known
}

func viewPlan(p *health.Plan) planView {
	v := planView{Capabilities: p.Included(), Refused: p.Refused()}
	if p != nil && p.Name != "" {
		v.Plan = &p.Name
	}
	if p != nil {
		v.PlanEndsAt = p.EndsAt
	}
	return v
}

func words(list []football.Capability) string {
	var words []string
	for _, c := range list {
		words = append(words, string(c))
	}
	return strings.Join(words, ", ")
}
