package accounts

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
)

func newProviderStatus(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "status ID",
		Short: "Show a tenant's provider connection: what is set, and what tests and fetches found",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := g.LoadTenants()
			if err != nil {
				return err
			}
			t, err := cli.TenantByID(f, args[0])
			if err != nil {
				return err
			}
			v, err := g.connection(t)
			if err != nil {
				return err
			}
			if g.JSON() {
				return json.NewEncoder(g.Out).Encode(v)
			}
			return v.print(g.Out, g.Now())
		},
	}
}

func newProviderDisable(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "disable ID",
		Short: "Switch a tenant's provider connection off: nothing is asked, data routes answer 409",
		Long: `Switch a tenant's provider connection off. Nothing is asked of the provider any
more, and data routes answer 409 PROVIDER_NOT_CONNECTED. The credential stays
sealed in place; mkt provider enable undoes it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.switchProvider(cmd, args[0], audit.ProviderDisable, true)
		},
	}
}

func newProviderEnable(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "enable ID",
		Short: "Switch a tenant's provider connection on again",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.switchProvider(cmd, args[0], audit.ProviderEnable, false)
		},
	}
}

// switchProvider is the same done twice: the second time nothing changes.
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
		return errors.Join(err, json.NewEncoder(g.Out).Encode(v))
	}
	word := "enabled"
	if off {
		word = "disabled"
	}
	plain.Fprintf(g.Out, "tenant %s: provider %s %s, the connection is %s\n", id, v.Provider, word, v.Status)
	return err
}
