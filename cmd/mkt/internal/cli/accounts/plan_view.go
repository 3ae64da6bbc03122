package accounts

import (
	"io"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/cli"
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

// facts is a table of keys and values. A key without a value is left out.
type facts struct{ *cli.Table }

func newFacts(out io.Writer) facts { return facts{cli.NewTableWriter(out)} }

func (f facts) row(key, value string) {
	if value != "" {
		printable.Fprintf(f, "%s\t%s\n", key, value)
	}
}

// of writes what is known of a quota, nil if nothing is, and of a plan.
func (f facts) of(q *health.Quota, v planView, now time.Time) {
	if q != nil {
		f.row("quota", q.Describe(now))
	}
	if v.Plan != nil {
		f.row("plan", *v.Plan)
	}
	if v.PlanEndsAt != nil {
		f.row("plan ends", cli.Instant(v.PlanEndsAt))
	}
	f.row("included", words(v.Capabilities))
	f.row("not included", words(v.Refused))
}

func words(list []football.Capability) string {
	var words []string
	for _, c := range list {
		words = append(words, string(c))
	}
	return strings.Join(words, ", ")
}
