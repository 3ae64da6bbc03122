package accounts

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

type tenantFlags struct {
	name                        string
	products, features, origins []string
	starts, expires             string
}

func newTenantAdd(g *Group) *cobra.Command {
	var f tenantFlags
	cmd := &cobra.Command{
		Use:     "add ID",
		Short:   "Add a tenant and print its API token, once",
		Example: `  mkt tenant add acme --name "Acme Sports" --product market_engine`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := f.tenant(args[0])
			if err != nil {
				return err
			}
			token, entry, err := tenants.NewToken(g.Now())
			if err != nil {
				return err
			}
			t.Tokens = []tenants.Token{entry}
			done, err := g.editTenants(cmd.Context(), audit.TenantAdd, func(e *tenants.Editor) error { return e.Add(t) })
			if done == nil {
				return err
			}
			return errors.Join(err, g.printToken(t.ID, token, f.next(t, g.Now())))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "display name")
	flags.StringArrayVar(&f.products, "product", nil, "product subscribed to: market_engine, live_intelligence (repeat for both)")
	flags.StringArrayVar(&f.features, "feature", nil, "add-on to enable: advanced_stats (base features are on by default)")
	flags.StringArrayVar(&f.origins, "origin", nil, "browser origin allowed, https://app.example.com")
	flags.StringVar(&f.starts, "starts", "", "when the products start (default: at once)")
	flags.StringVar(&f.expires, "expires", "", "when the products expire (default: never)")
	return cmd
}

func (f *tenantFlags) tenant(id string) (tenants.Tenant, error) {
	t := tenants.Tenant{ID: id, Name: f.name, Status: account.Active, Origins: f.origins, Limit: account.DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: map[string]bool{}}
	if !layout.ValidTenantID(id) {
		return t, cli.Usagef(`tenant id %q: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`, id)
	}
	term, err := parseTerm(f.starts, f.expires)
	if err != nil {
		return t, err
	}
	if len(f.products) == 0 && f.starts+f.expires != "" {
		return t, cli.Usagef("--starts and --expires are the term of a product: say which with --product")
	}
	for _, name := range f.products {
		if err := cli.CheckWord("--product", name, cli.ProductNames()...); err != nil {
			return t, err
		}
		t.Products[football.Product(name)] = term
	}
	for _, name := range f.features {
		if err := cli.CheckWord("--feature", name, tenants.Features()...); err != nil {
			return t, err
		}
		t.Features[name] = true
	}
	for _, origin := range f.origins {
		if reason := tenants.CheckOrigin(origin); reason != "" {
			return t, cli.Usagef("--origin %q: %s", origin, reason)
		}
	}
	return t, nil
}

// next says what must be done before the account can be used.
func (f *tenantFlags) next(t tenants.Tenant, now time.Time) string {
	var lines []string
	for _, p := range account.Products() {
		if _, subscribed := t.Products[p]; subscribed && t.Subscription(p, now) != account.InForce {
			lines = append(lines, termWords(&t, p, now))
		}
	}
	if len(t.Products) == 0 {
		lines = append(lines, fmt.Sprintf("Next:\n  %s tenant product set %s %s", cli.Self(), t.ID, football.MarketEngine))
	} else {
		names := tenants.ProviderNames()
		lines = append(lines, fmt.Sprintf("Next:\n  %s provider set %s --provider %s\nor with another provider: %s",
			cli.Self(), t.ID, names[0], strings.Join(names[1:], ", ")))
	}
	return strings.Join(lines, "\n")
}
