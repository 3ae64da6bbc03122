package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

func newOriginAllow(a *app) *cobra.Command {
	return a.newOrigin("allow", "Let pages of a browser origin read, such as https://app.example.com", "Origin %s allowed.",
		audit.OriginAllow, (*tenants.Editor).AllowOrigin)
}

func newOriginDeny(a *app) *cobra.Command {
	return a.newOrigin("deny", "Take a browser origin away", "Origin %s no longer allowed.", audit.OriginDeny, (*tenants.Editor).DenyOrigin)
}

func (a *app) newOrigin(verb, short, said string, action audit.Action, change func(e *tenants.Editor, id, origin string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID ORIGIN", Short: short, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, origin := args[0], args[1]
			if reason := tenants.CheckOrigin(origin); reason != "" {
				return usagef("origin %q: %s", origin, reason)
			}
			return a.editAccount(cmd, id, action, fmt.Sprintf(said, origin), func(e *tenants.Editor) error { return change(e, id, origin) })
		},
	}
}

// Bounds of a rate limit, as tenants.yaml has them.
const (
	mostRequests = 1_000_000_000
	leastPer     = time.Second
	mostPer      = 24 * time.Hour
)

func newLimitSet(a *app) *cobra.Command {
	var want account.Limit // zero: as it is
	cmd := &cobra.Command{
		Use:   "set ID",
		Short: "Set a tenant's rate limit; what is not given stays",
		Long: `Set a tenant's rate limit, a token bucket: it holds --burst requests, and
--requests come back every --per. What is not given stays as it is.`,
		Example: "  mkt tenant limit set acme --requests 1200 --per 1m --burst 240",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, want); err != nil {
				return err
			}
			return a.editAccount(cmd, args[0], audit.LimitSet, "Rate limit set.", func(e *tenants.Editor) error {
				now, err := tenantByID(e.File(), args[0])
				if err != nil {
					return err
				}
				return e.SetLimit(args[0], account.Limit{Requests: cmp.Or(want.Requests, now.Limit.Requests),
					Per: cmp.Or(want.Per, now.Limit.Per), Burst: cmp.Or(want.Burst, now.Limit.Burst)})
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&want.Requests, "requests", 0, "requests that come back every --per")
	flags.DurationVar(&want.Per, "per", 0, "from 1s to 24h, such as 1m")
	flags.IntVar(&want.Burst, "burst", 0, "requests at once at most")
	return cmd
}

func checkLimit(cmd *cobra.Command, l account.Limit) error {
	given := cmd.Flags().Changed
	switch {
	case !given("requests") && !given("per") && !given("burst"):
		return usagef("want one or more of --requests, --per and --burst")
	case given("requests") && (l.Requests < 1 || l.Requests > mostRequests):
		return usagef("--requests %d: want a whole number from 1 to %d; mkt tenant suspend lets nothing through", l.Requests, mostRequests)
	case given("burst") && (l.Burst < 1 || l.Burst > mostRequests):
		return usagef("--burst %d: want a whole number from 1 to %d", l.Burst, mostRequests)
	case given("per") && (l.Per < leastPer || l.Per > mostPer):
		return usagef("--per %s: want a duration from 1s to 24h, such as 1m", l.Per)
	}
	return nil
}
