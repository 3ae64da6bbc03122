package accounts

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/cadence"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/timetext"
	"mkt/publish/football"
	"mkt/serve/account"
)

func (g *Group) nameVerb() verb {
	return verb{use: "name ID NAME", short: "Change a tenant's display name; an empty one removes it",
		example: "mkt tenant name acme 'Acme Sports'", action: audit.TenantName,
		prepare: func(args []string) (step, error) {
			return step{said: fmt.Sprintf("Named %q.", args[1]),
				edit: func(t *accounts.Tenant) error { t.Name = args[1]; return nil }}, nil
		}}
}

// statusVerbs suspend, reactivate and revoke.
func (g *Group) statusVerbs() []verb {
	set := func(s account.Status, said string) func([]string) (step, error) {
		return func(args []string) (step, error) {
			return step{question: fmt.Sprintf("Revoke tenant %s for good? This cannot be undone.", args[0]), said: said,
				edit: func(t *accounts.Tenant) error { return t.SetStatus(s) }}, nil
		}
	}
	return []verb{
		{use: "suspend ID", short: "Suspend a tenant: it gets 403, and no cycle of it runs",
			long: `Suspend a tenant: every answer is 403 CLIENT_SUSPENDED, and no cycle of it
runs. mkt tenant reactivate undoes it.`,
			example: "mkt tenant suspend acme", action: audit.TenantSuspend,
			prepare: func(args []string) (step, error) {
				return set(account.Suspended, "Suspended. Its tokens get 403 CLIENT_SUSPENDED; mkt tenant reactivate "+args[0]+" undoes it.")(args)
			}},
		{use: "reactivate ID", short: "Let a suspended tenant read; a revoked one stays revoked",
			example: "mkt tenant reactivate acme", action: audit.TenantReactivate,
			prepare: set(account.Active, "Reactivated. Its tokens are valid again.")},
		{use: "revoke ID", short: "Revoke a tenant for good: every answer is 403",
			long: `Revoke a tenant for good: every answer is 403 CLIENT_REVOKED, and no command
undoes it. What was published stays on the disk. mkt tenant suspend can be
undone.`,
			example: "mkt tenant revoke acme", action: audit.TenantRevoke, asks: always,
			prepare: set(account.Revoked, "Revoked, for good. Its tokens get 403 CLIENT_REVOKED.")},
	}
}

// originVerbs allow and deny.
func (g *Group) originVerbs() []verb {
	one := func(word, short, said string, action audit.Action, change func(t *accounts.Tenant, origin string) error) verb {
		return verb{use: word + " ID ORIGIN", short: short, example: "mkt tenant origin " + word + " acme https://app.example.com", action: action,
			prepare: func(args []string) (step, error) {
				if reason := accounts.CheckOrigin(args[1]); reason != "" {
					return step{}, terminal.Usagef("origin %q: %s", args[1], reason)
				}
				return step{said: fmt.Sprintf(said, args[1]), edit: func(t *accounts.Tenant) error { return change(t, args[1]) }}, nil
			}}
	}
	return []verb{
		one("allow", "Let pages of a browser origin read", "Origin %s allowed.", audit.OriginAllow, (*accounts.Tenant).AllowOrigin),
		one("deny", "Remove a browser origin", "Origin %s no longer allowed.", audit.OriginDeny, (*accounts.Tenant).DenyOrigin),
	}
}

func (g *Group) limitVerb() verb {
	var want account.Limit // zero: unchanged
	return verb{use: "set ID", short: "Set a tenant's rate limit; what is not given stays",
		long: `Set a tenant's rate limit, a token bucket: it holds --burst requests, and
--requests are added every --per. What is not given stays as it is.`,
		example: "mkt tenant limit set acme --requests 1200 --per 1m --burst 240", action: audit.LimitSet,
		flags: func(cmd *cobra.Command) {
			flags := cmd.Flags()
			flags.IntVar(&want.Requests, "requests", 0, "add this many requests every --per")
			flags.DurationVar(&want.Per, "per", 0, "set the time in which --requests are added, from 1s to 24h, such as 1m")
			flags.IntVar(&want.Burst, "burst", 0, "allow at most this many requests at once")
			cli.Bound(flags, "requests", fmt.Sprintf("a whole number from 1 to %d; mkt tenant suspend lets nothing through", accounts.MaxRequests), cli.Between(&want.Requests, 1, accounts.MaxRequests))
			cli.Bound(flags, "burst", fmt.Sprintf("a whole number from 1 to %d", accounts.MaxRequests), cli.Between(&want.Burst, 1, accounts.MaxRequests))
			cli.Bound(flags, "per", "a duration from 1s to 24h, such as 1m", cli.Between(&want.Per, accounts.MinPer, accounts.MaxPer))
		},
		prepare: func(args []string) (step, error) {
			if want == (account.Limit{}) {
				return step{}, terminal.Usagef("want one or more of --requests, --per and --burst")
			}
			return step{said: "Rate limit set.", edit: func(t *accounts.Tenant) error {
				t.Limit = account.Limit{Requests: cmp.Or(want.Requests, t.Limit.Requests),
					Per: cmp.Or(want.Per, t.Limit.Per), Burst: cmp.Or(want.Burst, t.Limit.Burst)}
				return nil
			}}, nil
		}}
}

func parseProduct(s string) (football.Product, error) {
	return football.Product(s), terminal.CheckWord("product", s, dataset.ProductNames()...)
}

// scheduleVerbs set and unset.
func (g *Group) scheduleVerbs() []verb {
	return []verb{
		{use: "set ID PRODUCT EXPR", short: "Run a tenant's product on a cron expression",
			long: `Run a tenant's product on a cron expression in UTC: five fields, six with
seconds first, @hourly, or @every 30m, which is due at the multiples of 30
minutes on the clock. mkt schedule runs the cycles on it, and freshness is
judged by it, whoever runs the cycles.`,
			example: `mkt tenant schedule set acme market_engine "0 5 * * * *"`, action: audit.ScheduleSet,
			prepare: func(args []string) (step, error) {
				p, err := parseProduct(args[1])
				if err != nil {
					return step{}, err
				}
				if _, err := cadence.Parse(args[2]); err != nil {
					return step{}, terminal.Usagef("schedule %q: %w; want such as \"5 * * * *\", @hourly or \"@every 30m\"", args[2], err)
				}
				return step{said: fmt.Sprintf("Schedule set: it is used while the tenant is subscribed to %s.", p), edit: func(t *accounts.Tenant) error { t.Schedule[p] = args[2]; return nil }}, nil
			}},
		{use: "unset ID PRODUCT", short: "Run a tenant's product on its default schedule",
			example: "mkt tenant schedule unset acme market_engine", action: audit.ScheduleUnset,
			prepare: func(args []string) (step, error) {
				p, err := parseProduct(args[1])
				return step{said: fmt.Sprintf("%s runs on its default schedule.", p), edit: func(t *accounts.Tenant) error { delete(t.Schedule, p); return nil }}, err
			}},
	}
}

// productVerbs set and unset.
func (g *Group) productVerbs() []verb {
	var starts, expires string
	return []verb{
		{use: "set ID PRODUCT", short: "Subscribe a tenant to a product, or change its term",
			long: `Subscribe a tenant to a product: market_engine or live_intelligence. The flags
state the whole term: without --starts the product has started, and without
--expires it does not expire, whatever the term was before.`,
			example: "mkt tenant product set acme market_engine --expires 2027-01-01", action: audit.ProductSet,
			flags: func(cmd *cobra.Command) {
				cmd.Flags().StringVar(&starts, "starts", "", "start the product at this time or day in UTC: "+timetext.Term.Forms+" (default: at once)")
				cmd.Flags().StringVar(&expires, "expires", "", "let the product expire at this time or day in UTC, in the same forms (default: it does not)")
			},
			prepare: func(args []string) (step, error) {
				p, err := parseProduct(args[1])
				if err != nil {
					return step{}, err
				}
				term, err := g.term(starts, expires)
				if err != nil {
					return step{}, err
				}
				said := fmt.Sprintf("Subscribed to %s.", p)
				if term.Expires != nil && !term.Expires.After(g.Now()) {
					said = fmt.Sprintf("The subscription to %s has expired.", p)
				}
				return step{said: said,
					edit: func(t *accounts.Tenant) error { t.Products[p] = term; return nil }}, nil
			}},
		{use: "unset ID PRODUCT", short: "Remove a subscription",
			long: `Remove a subscription: the routes of the product answer 403
SUBSCRIPTION_REQUIRED, and its cycles do not run. To let the client see that
the subscription expired, and when, use mkt tenant product set with --expires
instead.`,
			example: "mkt tenant product unset acme live_intelligence", action: audit.ProductUnset,
			prepare: func(args []string) (step, error) {
				p, err := parseProduct(args[1])
				return step{said: fmt.Sprintf("Not subscribed to %s.", p), edit: func(t *accounts.Tenant) error { delete(t.Products, p); return nil }}, err
			}},
	}
}

// term reads the term of a subscription. The file gets the exact times.
func (g *Group) term(starts, expires string) (s account.Subscription, err error) {
	for _, end := range []struct {
		flag, text string
		at         **time.Time
	}{{"--starts", starts, &s.Starts}, {"--expires", expires, &s.Expires}} {
		at, err := g.TimeArg(end.flag, end.text, timetext.Term)
		if err != nil {
			return s, err
		}
		if end.text != "" {
			*end.at = &at
		}
	}
	return s, nil
}

// featureVerbs enable and disable.
func (g *Group) featureVerbs() []verb {
	one := func(word, short string, action audit.Action, on bool) verb {
		return verb{use: word + " ID FEATURE", short: short, example: "mkt tenant feature " + word + " acme advanced_stats", action: action,
			prepare: func(args []string) (step, error) {
				if err := terminal.CheckWord("feature", args[1], accounts.Features()...); err != nil {
					return step{}, err
				}
				return step{said: fmt.Sprintf("Feature %s %sd.", args[1], word),
					edit: func(t *accounts.Tenant) error { t.Features[args[1]] = on; return nil }}, nil
			}}
	}
	return []verb{
		one("enable", "Switch a feature on, such as the add-on advanced_stats", audit.FeatureEnable, true),
		one("disable", "Switch a feature off: its routes answer 403", audit.FeatureDisable, false),
	}
}
