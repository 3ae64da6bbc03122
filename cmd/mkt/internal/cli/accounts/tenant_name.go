package accounts

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
)

func newTenantName(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "name ID NAME",
		Short:   "Change a tenant's name for people; an empty one takes it away",
		Example: `  mkt tenant name acme 'Acme Sports'`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			said := says("Named %q.", args[1])
			return g.editAccount(cmd, args[0], audit.TenantName, said, func(e *tenants.Editor) error { return e.SetName(args[0], args[1]) })
		},
	}
}
