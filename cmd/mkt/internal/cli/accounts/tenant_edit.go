package accounts

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
)

// saying is what is said of an edit, with the account as it is then.
type saying func(*tenants.Tenant) string

func says(format string, args ...any) saying {
	return func(*tenants.Tenant) string { return fmt.Sprintf(format, args...) }
}

// editAccount changes one account, then says what was done and prints the
// account as it is now. The same done twice is done: the second time nothing
// changes.
func (g *Group) editAccount(cmd *cobra.Command, id string, action audit.Action, said saying, change func(*tenants.Editor) error) error {
	done, err := g.editTenants(cmd.Context(), action, change)
	if done == nil {
		return err
	}
	t, unknown := cli.TenantByID(done, id)
	if unknown != nil {
		return errors.Join(err, unknown)
	}
	v := viewOf(t, g.Now())
	if g.JSON() {
		return errors.Join(err, json.NewEncoder(g.Out).Encode(v))
	}
	fmt.Fprintf(g.Out, "%s\n\n", said(t))
	return errors.Join(err, v.print(g.Out))
}

// parseProduct reads a product that is an argument.
func parseProduct(s string) (football.Product, error) {
	p := football.Product(s)
	if !tenants.KnownProduct(p) {
		return "", cli.Usagef("product %q: want market_engine or live_intelligence", s)
	}
	return p, nil
}
