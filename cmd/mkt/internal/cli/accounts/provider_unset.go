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
			question := fmt.Sprintf("Take the provider of tenant %s away, and forget its credential? This cannot be undone.", id)
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
