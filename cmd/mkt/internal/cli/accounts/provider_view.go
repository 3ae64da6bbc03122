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
	"mkt/internal/connection"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/health"
)

// connectionView is a provider connection as people and scripts may see it.
type connectionView struct{ connection.State }

func (g *Group) connection(t *accounts.Tenant) (connectionView, error) {
	s, err := connection.Of(g.Data, t, g.Now())
	if err == nil {
		err = s.Measure(g.Data, t, g.Now())
	}
	return connectionView{s}, err
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
			row("pace", p.Text)
		}
	}
	for _, one := range v.Found {
		row(one.Of, fmt.Sprintf("%s at %s%s", result(one.OK, one.Code), terminal.ClockTime(one.At), history(one)))
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

func history(f connection.Finding) string {
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

func words(list []football.Capability) string {
	var words []string
	for _, c := range list {
		words = append(words, string(c))
	}
	return strings.Join(words, ", ")
}
