package accounts

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

func newOriginAllow(g *Group) *cobra.Command {
	return g.newOrigin("allow", "Let pages of a browser origin read", "Origin %s allowed.",
		audit.OriginAllow, (*tenants.Editor).AllowOrigin)
}

func newOriginDeny(g *Group) *cobra.Command {
	return g.newOrigin("deny", "Remove a browser origin", "Origin %s no longer allowed.", audit.OriginDeny, (*tenants.Editor).DenyOrigin)
}

func (g *Group) newOrigin(verb, short, said string, action audit.Action, change func(e *tenants.Editor, id, origin string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID ORIGIN", Short: short, Args: cobra.ExactArgs(2),
		Example: "  mkt tenant origin " + verb + " acme https://app.example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, origin := args[0], args[1]
			if reason := tenants.CheckOrigin(origin); reason != "" {
				return cli.Usagef("origin %q: %s", origin, reason)
			}
			return g.editAccount(cmd, id, action, says(said, origin), func(e *tenants.Editor) error { return change(e, id, origin) })
		},
	}
}

func newLimitSet(g *Group) *cobra.Command {
	var want account.Limit // zero: unchanged
	cmd := &cobra.Command{
		Use:   "set ID",
		Short: "Set a tenant's rate limit; what is not given stays",
		Long: `Set a tenant's rate limit, a token bucket: it holds --burst requests, and
--requests are added every --per. What is not given stays as it is.`,
		Example: `  mkt tenant limit set acme --requests 1200 --per 1m --burst 240`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if want == (account.Limit{}) {
				return cli.Usagef("want one or more of --requests, --per and --burst")
			}
			return g.editAccount(cmd, args[0], audit.LimitSet, says("Rate limit set."), func(e *tenants.Editor) error {
				now, err := cli.TenantByID(e.File(), args[0])
				if err != nil {
					return err
				}
				return e.SetLimit(args[0], account.Limit{Requests: cmp.Or(want.Requests, now.Limit.Requests),
					Per: cmp.Or(want.Per, now.Limit.Per), Burst: cmp.Or(want.Burst, now.Limit.Burst)})
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&want.Requests, "requests", 0, "requests that are added every --per")
	flags.DurationVar(&want.Per, "per", 0, "from 1s to 24h, such as 1m")
	flags.IntVar(&want.Burst, "burst", 0, "requests that the bucket holds")
	limitBounds(flags, &want)
	return cmd
}

func limitBounds(flags *pflag.FlagSet, want *account.Limit) {
	cli.Bound(flags, "requests", fmt.Sprintf("a whole number from 1 to %d; mkt tenant suspend lets nothing through", tenants.MaxRequests), cli.Between(&want.Requests, 1, tenants.MaxRequests))
	cli.Bound(flags, "burst", fmt.Sprintf("a whole number from 1 to %d", tenants.MaxRequests), cli.Between(&want.Burst, 1, tenants.MaxRequests))
	cli.Bound(flags, "per", "a duration from 1s to 24h, such as 1m", cli.Between(&want.Per, tenants.MinPer, tenants.MaxPer))
}
