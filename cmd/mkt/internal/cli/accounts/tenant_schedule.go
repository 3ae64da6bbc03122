package accounts

import (
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
)

func newScheduleSet(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "set ID PRODUCT EXPR",
		Short: "Run a tenant's product on a cron expression",
		Long: `Run a tenant's product on a cron expression in UTC: five fields, six with
seconds first, @hourly, or @every 30m, which is due at the multiples of 30
minutes on the clock. mkt schedule runs the cycles on it, and freshness is
judged by it, whoever runs the cycles.`,
		Example: `  mkt tenant schedule set acme market_engine "0 5 * * * *"`,
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, expr := args[0], args[2]
			p, err := parseProduct(args[1])
			if err != nil {
				return err
			}
			if _, err := schedule.Parse(expr); err != nil {
				return cli.Usagef("schedule %q: %w; want such as \"5 * * * *\", @hourly or \"@every 30m\"", expr, err)
			}
			said := scheduleWords(p)
			return g.editAccount(cmd, id, audit.ScheduleSet, said, func(e *tenants.Editor) error { return e.SetSchedule(id, p, expr) })
		},
	}
}

func scheduleWords(p football.Product) saying {
	return func(t *tenants.Tenant) string {
		expr := t.Expression(p)
		if expr == "" {
			return fmt.Sprintf("Kept for later: the tenant is not subscribed to %s, so it does not run.", p)
		}
		return fmt.Sprintf("%s runs on %s.", p, expr)
	}
}

func newScheduleUnset(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "unset ID PRODUCT",
		Short:   "Run a tenant's product on its default schedule",
		Example: `  mkt tenant schedule unset acme market_engine`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := parseProduct(args[1])
			if err != nil {
				return err
			}
			said := scheduleWords(p)
			return g.editAccount(cmd, args[0], audit.ScheduleUnset, said, func(e *tenants.Editor) error { return e.UnsetSchedule(args[0], p) })
		},
	}
}
