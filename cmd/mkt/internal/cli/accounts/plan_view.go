package accounts

import (
	"io"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/printable"
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

// print writes one row for each thing that is known.
func (v planView) print(w io.Writer) {
	if v.Plan != nil {
		printable.Fprintf(w, "plan\t%s\n", *v.Plan)
	}
	if v.PlanEndsAt != nil {
		printable.Fprintf(w, "plan ends\t%s\n", v.PlanEndsAt.UTC().Format(time.RFC3339))
	}
	if len(v.Capabilities) > 0 {
		printable.Fprintf(w, "included\t%s\n", words(v.Capabilities))
	}
	if len(v.Refused) > 0 {
		printable.Fprintf(w, "not included\t%s\n", words(v.Refused))
	}
}

func words(list []football.Capability) string {
	var words []string
	for _, c := range list {
		words = append(words, string(c))
	}
	return strings.Join(words, ", ")
}
