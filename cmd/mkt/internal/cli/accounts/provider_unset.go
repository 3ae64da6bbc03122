package accounts

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
)

func newProviderUnset(g *Group) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "unset ID",
		Short: "Take a tenant's provider connection away, with its sealed credential",
		Long: `Take a tenant's provider connection away, with its sealed credential: nothing is
asked of the provider any more, and data routes answer 409 PROVIDER_NOT_CONNECTED.
The credential must be entered anew to come back; copies of tenants.yaml, such as
in git, still have it sealed. mkt provider disable keeps it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := args[0]
			question := fmt.Sprintf("Take the provider of tenant %s away, and forget its credential? This cannot be undone.", id)
			if err := g.ConfirmFor(cmd.Context(), id, question, yes); err != nil {
				return err
			}
			done, err := g.editTenants(cmd.Context(), audit.ProviderUnset, func(e *tenants.Editor) error { return e.UnsetProvider(id) })
			if done == nil {
				return err
			}
			if g.JSON() {
				return errors.Join(err, json.NewEncoder(g.Out).Encode(map[string]any{"client_id": id, "provider": nil}))
			}
			plain.Fprintf(g.Out, "tenant %s: no provider, and no credential, is kept\n", id)
			return err
		},
	}
	cli.YesFlag(cmd, &yes)
	return cmd
}
