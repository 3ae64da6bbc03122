package accounts

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
	"mkt/serve/account"
)

func newProductSet(g *Group) *cobra.Command {
	var starts, expires string
	cmd := &cobra.Command{
		Use:   "set ID PRODUCT",
		Short: "Subscribe a tenant to a product, or change its term",
		Long: `Subscribe a tenant to a product: market_engine or live_intelligence. The flags
state the whole term: without --starts the product has started, and without
--expires it does not expire, whatever the term was before.`,
		Example: `  mkt tenant product set acme market_engine --expires 2027-01-01`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := parseProduct(args[1])
			if err != nil {
				return err
			}
			term, err := parseTerm(starts, expires)
			if err != nil {
				return err
			}
			if err := g.checkProduct(args[0], p); err != nil {
				return err
			}
			said := func(t *tenants.Tenant) string { return termWords(t, p, g.Now()) }
			return g.editAccount(cmd, args[0], audit.ProductSet, said, func(e *tenants.Editor) error { return e.SetProduct(args[0], p, term) })
		},
	}
	cmd.Flags().StringVar(&starts, "starts", "", "when the product starts, a time or a day in UTC (default: at once)")
	cmd.Flags().StringVar(&expires, "expires", "", "when it expires (default: never)")
	return cmd
}

// checkProduct refuses a product that the tenant's provider cannot give.
func (g *Group) checkProduct(id string, p football.Product) error {
	t, err := g.LoadTenant(id)
	if err != nil || t.Provider == nil {
		return err
	}
	if reason := tenants.CheckProduct(t.Provider.Name, p); reason != "" {
		return fmt.Errorf("tenant %s: %s: connect another provider first, with mkt provider set %s --provider NAME", id, reason, id)
	}
	return nil
}

// termWords describes a term as of now, so that a mistyped year is noticed.
func termWords(t *tenants.Tenant, p football.Product, now time.Time) string {
	term := t.Products[p]
	switch t.Subscription(p, now) {
	case account.Expired:
		return fmt.Sprintf("Subscribed to %s, which is over already: it expired at %s.", p, cli.Moment(term.Expires))
	case account.NotStarted:
		return fmt.Sprintf("Subscribed to %s, which has not started: it starts at %s.", p, cli.Moment(term.Starts))
	}
	return fmt.Sprintf("Subscribed to %s, from %s to %s.", p, cli.Moment(term.Starts), cli.Moment(term.Expires))
}

func featureWords(t *tenants.Tenant, feature, verb string, now time.Time) string {
	for _, p := range account.Products() {
		if slices.Contains(account.ProductFeatures(p), feature) && t.Subscription(p, now) != account.InForce {
			return fmt.Sprintf("Feature %s %sd. It takes effect when %s is in force, which it is not now.", feature, verb, p)
		}
	}
	return fmt.Sprintf("Feature %s %sd.", feature, verb)
}

func parseTerm(starts, expires string) (s account.Subscription, err error) {
	if s.Starts, err = parseMoment("starts", starts); err != nil {
		return s, err
	}
	if s.Expires, err = parseMoment("expires", expires); err != nil {
		return s, err
	}
	if s.Starts != nil && s.Expires != nil && !s.Starts.Before(*s.Expires) {
		return s, cli.Usagef("--expires %s: is not after --starts %s", expires, starts)
	}
	return s, nil
}

func newProductUnset(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "unset ID PRODUCT",
		Short: "Remove a subscription",
		Long: `Remove a subscription: the routes of the product answer 403
SUBSCRIPTION_REQUIRED, and its cycles do not run. To let the client see that
the subscription expired, and when, use mkt tenant product set with --expires
instead.`,
		Example: `  mkt tenant product unset acme live_intelligence`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := parseProduct(args[1])
			if err != nil {
				return err
			}
			said := says("Not subscribed to %s.", p)
			return g.editAccount(cmd, args[0], audit.ProductUnset, said, func(e *tenants.Editor) error { return e.UnsetProduct(args[0], p) })
		},
	}
}

func newFeatureEnable(g *Group) *cobra.Command {
	return g.newFeature("enable", "Switch a feature on, such as the add-on advanced_stats", audit.FeatureEnable, true)
}

func newFeatureDisable(g *Group) *cobra.Command {
	return g.newFeature("disable", "Switch a feature off: its routes answer 403", audit.FeatureDisable, false)
}

func (g *Group) newFeature(verb, short string, action audit.Action, on bool) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID FEATURE", Short: short, Args: cobra.ExactArgs(2),
		Example: "  mkt tenant feature " + verb + " acme advanced_stats",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, feature := args[0], args[1]
			if err := cli.CheckWord("feature", feature, tenants.Features()...); err != nil {
				return err
			}
			said := func(t *tenants.Tenant) string { return featureWords(t, feature, verb, g.Now()) }
			return g.editAccount(cmd, id, action, said, func(e *tenants.Editor) error { return e.SetFeature(id, feature, on) })
		},
	}
}
