package accounts

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/internal/accounts"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/pace"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/health"
)

// connectionView is a provider connection as people and scripts may see it.
type connectionView struct {
	ID            string            `json:"client_id"`
	Provider      string            `json:"provider"` // "" when there is none
	BaseURL       string            `json:"base_url,omitempty"`
	Bookmaker     string            `json:"bookmaker,omitempty"` // whose prices are taken; "" if there is none to choose
	Hint          string            `json:"hint"`
	Status        health.Connection `json:"status"`
	NotTried      string            `json:"not_tried,omitempty"` // why nothing tries the credential; "" if it was tried, or will be
	LastSuccessAt *time.Time        `json:"last_success_at"`
	LastAttemptAt *time.Time        `json:"last_attempt_at"`
	Code          health.Code       `json:"code,omitempty"` // why the last attempt failed
	Quota         *health.Quota     `json:"quota"`          // nil: the provider never reported one
	planView
	Pace  []paceView                  `json:"pace"` // of the products that run
	Found []findingView               `json:"found"`
	Calls map[string]map[string]int64 `json:"calls"` // by UTC day and endpoint
}

// paceView is how often a product runs by what is left of the quota.
type paceView struct {
	Product   football.Product `json:"product"`
	Scheduled float64          `json:"scheduled_seconds"` // by tenants.yaml
	Allowed   float64          `json:"allowed_seconds"`   // by the quota: what mkt schedule keeps to
	InForce   bool             `json:"in_force"`          // a running mkt schedule has slowed the product down
	Cost      float64          `json:"cost"`              // of a cycle
	Measured  bool             `json:"measured"`          // false: the cost is an estimate
	text      string
}

// findingView is the newest test or fetch.
type findingView struct {
	Of     string      `json:"of"` // test, or a product
	Cycle  string      `json:"cycle,omitempty"`
	At     time.Time   `json:"at"`
	OK     bool        `json:"ok"`
	Code   health.Code `json:"code,omitempty"`
	LastOK *time.Time  `json:"last_ok_at"`
	InARow int         `json:"failures_in_a_row"`
}

// connection returns what tests and fetches found. Findings about another credential than
// the one that is set are ignored.
func (g *Group) connection(t *accounts.Tenant) (connectionView, error) {
	v := connectionView{ID: t.ID, Status: health.Unconfigured, planView: viewPlan(nil), Pace: []paceView{}, Found: []findingView{}, Calls: map[string]map[string]int64{}}
	var findings []*health.Run
	for _, s := range cyclestate.Sources(t.ID) {
		run, err := s.Newest(g.Data)
		if err == nil {
			err = s.AddCalls(g.Data, v.Calls)
		}
		if err != nil {
			return v, fmt.Errorf("state of tenant %s: %w", t.ID, err)
		}
		findings = append(findings, run)
		if run != nil && t.Provider != nil && run.CredentialFingerprint == t.Provider.Fingerprint() {
			v.Found = append(v.Found, findingView{s.Of, run.Cycle, run.FinishedAt, run.OK, run.Code, run.LastOKAt, run.FailuresInARow})
		}
	}
	if p := t.Provider; p != nil {
		fingerprint := p.Fingerprint()
		known := health.CredentialStatusOf(fingerprint, findings...)
		v.Provider, v.BaseURL, v.Bookmaker, v.Hint = p.Name, p.BaseURL, p.BookmakerInUse(), p.Hint
		v.Status = health.ConnectionStatus(true, p.Disabled, fingerprint, findings...)
		v.LastSuccessAt, v.LastAttemptAt, v.Code = known.LastOKAt, known.LastAttemptAt, known.Code
		v.Quota, v.planView = health.NewestQuota(fingerprint, findings...), viewPlan(health.NewestPlan(fingerprint, findings...))
	}
	if v.Status == health.Verifying && v.LastAttemptAt == nil {
		v.NotTried = cyclestate.Untried(t, g.Now())
	}
	plan, err := pace.Of(g.Data, t, g.Now())
	for _, one := range plan.Products {
		v.Pace = append(v.Pace, paceView{one.Product, one.Cadence.Seconds(), max(one.Cadence, one.Pace).Seconds(), one.Now > 0, one.Cost, one.Measured, plan.Describe(one)})
	}
	return v, err
}

func newProviderStatus(g *Group) *cobra.Command {
	return &cobra.Command{
		Use: "status [ID]", SuggestFor: []string{"list"},
		Short: "Show every provider connection, or all that is known of one",
		Long: `Show the connection of every tenant, or of one with all that is known of it:
what is set, and what the newest test and the newest fetches found.`,
		Example: `  mkt provider status acme`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return g.allConnections()
			}
			t, err := g.LoadTenant(args[0])
			if err != nil {
				return err
			}
			v, err := g.connection(t)
			if err != nil {
				return err
			}
			return g.Answer(v, func(out io.Writer) error { return v.print(out, g.Now()) })
		},
	}
}

func (g *Group) allConnections() error {
	f, err := g.LoadTenants()
	if err != nil {
		return err
	}
	all := []connectionView{}
	for i := range f.Tenants {
		v, err := g.connection(&f.Tenants[i])
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	return g.Answer(map[string]any{"connections": all}, func(out io.Writer) error {
		w := terminal.NewTableWriter(out)
		w.Header("TENANT", "PROVIDER", "BOOKMAKER", "CREDENTIAL", "STATUS", "LAST SUCCESS", "LAST ATTEMPT", "CODE")
		for _, c := range all {
			w.Styles(terminal.Normal, terminal.Normal, terminal.Normal, terminal.Normal, statusStyle(c.Status))
			printable.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, terminal.Dash(c.Provider), terminal.Dash(c.Bookmaker), terminal.Dash(c.Hint), c.state(),
				terminal.Instant(c.LastSuccessAt), terminal.Instant(c.LastAttemptAt), terminal.Dash(string(c.Code)))
		}
		return w.Flush()
	})
}

func (v connectionView) print(out io.Writer, now time.Time) error {
	w := terminal.NewTableWriter(out)
	row := func(key, value string) {
		if value != "" {
			printable.Fprintf(w, "%s\t%s\n", key, value)
		}
	}
	row("tenant", v.ID)
	w.Styles(terminal.Normal, statusStyle(v.Status))
	row("status", v.state())
	if v.Provider != "" {
		row("provider", strings.TrimSuffix(v.Provider+" at "+v.BaseURL, " at "))
	}
	row("bookmaker", v.Bookmaker)
	row("credential", v.Hint)
	if v.Quota != nil {
		row("quota", v.Quota.Describe(now))
	}
	if v.Plan != nil {
		row("plan", *v.Plan)
	}
	if v.PlanEndsAt != nil {
		row("plan ends", terminal.Instant(v.PlanEndsAt))
	}
	row("included", words(v.Capabilities))
	row("not included", words(v.Refused))
	for _, p := range v.Pace {
		if p.Allowed > p.Scheduled {
			row("pace", p.text)
		}
	}
	for _, one := range v.Found {
		row(one.Of, fmt.Sprintf("%s at %s%s", result(one.OK, one.Code), terminal.ClockTime(one.At), one.history()))
	}
	for _, day := range slices.Sorted(maps.Keys(v.Calls)) {
		for _, endpoint := range slices.Sorted(maps.Keys(v.Calls[day])) {
			row("calls "+day, fmt.Sprint(v.Calls[day][endpoint], " ", endpoint))
		}
	}
	return w.Flush()
}

func (v connectionView) state() string {
	if v.NotTried != "" {
		return "not tried: " + v.NotTried
	}
	return string(v.Status)
}

// statusStyle returns the style of the status of a connection.
func statusStyle(s health.Connection) terminal.Style {
	switch s {
	case health.Connected:
		return terminal.Good
	case health.InvalidCredential:
		return terminal.Bad
	case health.Degraded, health.Disabled:
		return terminal.Warn
	}
	return terminal.Normal
}

func (f findingView) history() string {
	switch {
	case f.OK:
		return ""
	case f.LastOK == nil:
		return fmt.Sprintf(", failed %s, never good", terminal.InARow(f.InARow))
	}
	return fmt.Sprintf(", failed %s, last good at %s", terminal.InARow(f.InARow), terminal.Instant(f.LastOK))
}

func result(ok bool, code health.Code) string {
	if ok {
		return "good"
	}
	return string(cmp.Or(code, health.CodeInternal))
}
