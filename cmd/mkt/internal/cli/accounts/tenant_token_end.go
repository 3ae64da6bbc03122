package accounts

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
)

func newTokenEnd(g *Group) *cobra.Command {
	var yes bool
	var issued string
	cmd := &cobra.Command{
		Use:   "end ID HINT",
		Short: "End one API token, known by its last four characters; the others stay valid",
		Long: `End one of a tenant's API tokens: it is refused from then on, and does not come
back. HINT is its last four characters, as mkt tenant show lists them; where two
tokens end alike, --issued says which. On a terminal it asks first; a script need
not say --yes.`,
		Example: "  mkt tenant token end acme 7f1a",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, hint := args[0], strings.TrimLeft(args[1], "….*")
			if len(hint) != tenants.HintLength {
				return cli.Usagef("HINT: want the last %d characters of the token, as mkt tenant show %s lists them, never the token", tenants.HintLength, id)
			}
			at, err := parseMoment("issued", issued)
			if err != nil {
				return err
			}
			if at == nil {
				at = new(time.Time)
			}
			question := fmt.Sprintf("End the token …%s of tenant %s? This cannot be undone.", hint, id)
			if err := g.ConfirmFor(cmd.Context(), id, question, yes || !cli.OnTerminal(g.In)); err != nil {
				return err
			}
			said := says("The token …%s is refused from now on.", hint)
			return g.editAccount(cmd, id, audit.TokenEnd, said, func(e *tenants.Editor) error { return e.EndToken(id, hint, *at) })
		},
	}
	cmd.Flags().StringVar(&issued, "issued", "", "when it was issued, as mkt tenant show lists it: where two end alike")
	cli.YesFlag(cmd, &yes)
	return cmd
}
