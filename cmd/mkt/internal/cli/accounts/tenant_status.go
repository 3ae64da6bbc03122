package accounts

import (
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

func newTenantSuspend(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "suspend ID",
		Short: "Suspend a tenant: it gets 403, and no cycle of it runs",
		Long: `Suspend a tenant: every answer is 403 CLIENT_SUSPENDED, and no cycle of it
runs. mkt tenant reactivate undoes it.`,
		Example: `  mkt tenant suspend acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			said := says("Suspended. Its tokens get 403 CLIENT_SUSPENDED; mkt tenant reactivate %s undoes it.", args[0])
			return g.setStatus(cmd, args[0], audit.TenantSuspend, account.Suspended, said)
		},
	}
	cli.NeedlessYes(cmd)
	return cmd
}

func newTenantReactivate(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "reactivate ID",
		Short:   "Let a suspended tenant read; a revoked one stays revoked",
		Example: `  mkt tenant reactivate acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.setStatus(cmd, args[0], audit.TenantReactivate, account.Active, says("Reactivated. Its tokens are valid again."))
		},
	}
	cli.NeedlessYes(cmd)
	return cmd
}

func newTenantRevoke(g *Group) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a tenant for good: every answer is 403",
		Long: `Revoke a tenant for good: every answer is 403 CLIENT_REVOKED, and no command
undoes it. What was published stays on the disk. mkt tenant suspend can be
undone.`,
		Example: `  mkt tenant revoke acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := fmt.Sprintf("Revoke tenant %s for good? This cannot be undone.", args[0])
			if err := g.ConfirmFor(cmd.Context(), args[0], question, yes); err != nil {
				return err
			}
			return g.setStatus(cmd, args[0], audit.TenantRevoke, account.Revoked, says("Revoked, for good. Its tokens get 403 CLIENT_REVOKED."))
		},
	}
	cli.YesFlag(cmd, &yes)
	return cmd
}

func (g *Group) setStatus(cmd *cobra.Command, id string, action audit.Action, s account.Status, said saying) error {
	return g.editAccount(cmd, id, action, said, func(e *tenants.Editor) error { return e.SetStatus(id, s) })
}
