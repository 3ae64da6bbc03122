package accounts

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
)

// saying returns what is printed about an edit, for the account after it.
type saying func(*tenants.Tenant) string

func says(format string, args ...any) saying {
	return func(*tenants.Tenant) string { return fmt.Sprintf(format, args...) }
}

// editAccount changes one account, then prints what was done and the account as it is now.
// It may be called twice: the second time nothing changes.
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
		return errors.Join(err, g.Encode(v))
	}
	fmt.Fprintf(g.Out, "%s\n\n", said(t))
	return errors.Join(err, v.print(g.Out))
}

func parseProduct(s string) (football.Product, error) {
	return football.Product(s), cli.CheckWord("product", s, cli.ProductNames()...)
}

func newTenantName(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "name ID NAME",
		Short:   "Change a tenant's display name; an empty one removes it",
		Example: `  mkt tenant name acme 'Acme Sports'`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			said := says("Named %q.", args[1])
			return g.editAccount(cmd, args[0], audit.TenantName, said, func(e *tenants.Editor) error { return e.SetName(args[0], args[1]) })
		},
	}
}
