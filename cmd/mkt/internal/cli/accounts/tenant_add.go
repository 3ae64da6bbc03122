package accounts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

type tenantFlags struct {
	name     string
	products []string
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
			token, entry, err := accounts.NewToken(g.Now())
			if err != nil {
				return err
			}
			t.Tokens = []accounts.Token{entry}
			done, err := g.editTenants(cmd.Context(), audit.TenantAdd, func(e *accounts.Editor) error { return e.Add(t) })
			if done == nil {
				return err
			}
			return errors.Join(err, g.printToken(t.ID, token, nextStep(t)))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "set the name that people see")
	flags.StringArrayVar(&f.products, "product", nil, "subscribe the account to this product: market_engine, live_intelligence (may be repeated)")
	return cmd
}

func (f *tenantFlags) tenant(id string) (accounts.Tenant, error) {
	t := accounts.Tenant{ID: id, Name: f.name, Status: account.Active, Limit: account.DefaultLimit,
		Products: map[football.Product]account.Subscription{}, Features: map[string]bool{}}
	if !layout.ValidTenantID(id) {
		return t, terminal.Usagef(`tenant id %q: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`, id)
	}
	for _, name := range f.products {
		if err := terminal.CheckWord("--product", name, dataset.ProductNames()...); err != nil {
			return t, err
		}
		t.Products[football.Product(name)] = account.Subscription{}
	}
	return t, nil
}

// nextStep says what must be done before the account can be used.
func nextStep(t accounts.Tenant) string {
	if len(t.Products) == 0 {
		return fmt.Sprintf("Next:\n  %s tenant product set %s %s", terminal.Self(), t.ID, football.MarketEngine)
	}
	names := accounts.ConnectionNames()
	return fmt.Sprintf("Next:\n  %s provider set %s --provider %s\nor with another provider: %s", terminal.Self(), t.ID, names[0], strings.Join(names[1:], ", "))
}
