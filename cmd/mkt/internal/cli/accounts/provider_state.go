package accounts

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
)

func newProviderStatus(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "status ID",
		Short: "Show a tenant's provider connection and its status",
		Long: `Show a tenant's provider connection: what is set, and what the newest test and
the newest fetches found.`,
		Example: `  mkt provider status acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := g.LoadTenant(args[0])
			if err != nil {
				return err
			}
			v, err := g.connection(t)
			if err != nil {
				return err
			}
			if g.JSON() {
				return g.Encode(v)
			}
			return v.print(g.Out, g.Now())
		},
	}
}

func newProviderDisable(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "disable ID",
		Short: "Switch a provider connection off: data routes answer 409",
		Long: `Switch a tenant's provider connection off. The provider is not asked any more,
and data routes answer 409 PROVIDER_NOT_CONNECTED. The credential stays in the
file, sealed; mkt provider enable undoes it.`,
		Example: `  mkt provider disable acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.switchProvider(cmd, args[0], audit.ProviderDisable, true)
		},
	}
}

func newProviderEnable(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "enable ID",
		Short:   "Switch a tenant's provider connection on",
		Example: `  mkt provider enable acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.switchProvider(cmd, args[0], audit.ProviderEnable, false)
		},
	}
}

// switchProvider switches a connection on or off. It may be called twice.
func (g *Group) switchProvider(cmd *cobra.Command, id string, action audit.Action, off bool) error {
	done, err := g.editTenants(cmd.Context(), action, func(e *tenants.Editor) error { return e.SetProviderDisabled(id, off) })
	if done == nil {
		return err
	}
	t, unknown := cli.TenantByID(done, id)
	if unknown != nil {
		return errors.Join(err, unknown)
	}
	v, unread := g.connection(t)
	if unread != nil {
		return errors.Join(err, unread)
	}
	if g.JSON() {
		return errors.Join(err, g.Encode(v))
	}
	word := "enabled"
	if off {
		word = "disabled"
	}
	plain.Fprintf(g.Out, "tenant %s: provider %s %s, the connection is %s\n", id, v.Provider, word, v.Status)
	return err
}

func newProviderUnset(g *Group) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "unset ID",
		Short: "Remove a provider connection with its credential",
		Long: `Remove a tenant's provider connection, with its sealed credential: the
provider is not asked any more, and data routes answer 409
PROVIDER_NOT_CONNECTED. To connect it later the credential must be entered
again. Copies of tenants.yaml, such as those in git, still hold it, sealed.
mkt provider disable keeps it.`,
		Example: `  mkt provider unset acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := args[0]
			question := fmt.Sprintf("Remove the provider connection of tenant %s with its credential? This cannot be undone.", id)
			if err := g.ConfirmFor(cmd.Context(), id, question, yes); err != nil {
				return err
			}
			done, err := g.editTenants(cmd.Context(), audit.ProviderUnset, func(e *tenants.Editor) error { return e.UnsetProvider(id) })
			if done == nil {
				return err
			}
			if g.JSON() {
				return errors.Join(err, g.Encode(map[string]any{"client_id": id, "provider": nil}))
			}
			plain.Fprintf(g.Out, "tenant %s: no provider, and no credential, is kept\n", id)
			return err
		},
	}
	cli.YesFlag(cmd, &yes)
	return cmd
}
