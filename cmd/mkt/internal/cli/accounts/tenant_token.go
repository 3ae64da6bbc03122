package accounts

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
)

func newTokenIssue(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "issue ID",
		Short:   "Print a further API token, once; the others stay valid",
		Example: `  mkt tenant token issue acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.mintToken(cmd, args[0], audit.TokenIssue, (*tenants.Editor).AddToken)
		},
	}
}

func newTokenRotate(g *Group) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Print a new API token, once, and end all the others",
		Long: `Issue a new API token and print it, once. All other tokens of the tenant are
refused from then on, for good. To change a token without an interruption, run
mkt tenant token issue, let the client change over, then run mkt tenant token
end.

On a terminal it asks first; a script does not need --yes.`,
		Example: `  mkt tenant token rotate acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := fmt.Sprintf("End all tokens of tenant %s and issue a new one? This cannot be undone.", args[0])
			if err := g.ConfirmFor(cmd.Context(), args[0], question, yes || !cli.OnTerminal(g.In)); err != nil {
				return err
			}
			return g.mintToken(cmd, args[0], audit.TokenRotate, (*tenants.Editor).ReplaceTokens)
		},
	}
	cli.YesFlag(cmd, &yes)
	return cmd
}

func (g *Group) mintToken(cmd *cobra.Command, id string, action audit.Action, keep func(*tenants.Editor, string, tenants.Token) error) error {
	token, entry, err := tenants.NewToken(g.Now())
	if err != nil {
		return err
	}
	done, err := g.editTenants(cmd.Context(), action, func(e *tenants.Editor) error { return keep(e, id, entry) })
	if done == nil {
		return err
	}
	return errors.Join(err, g.printToken(id, token, ""))
}

// printToken prints a token. This is the only time: it is not stored anywhere.
func (g *Group) printToken(id, token, next string) error {
	var err error
	if g.JSON() {
		err = g.Encode(map[string]string{"client_id": id, "token": token})
	} else {
		_, err = fmt.Fprintf(g.Out, "tenant  %s\ntoken   %s\n\nKeep the token now: it is not shown again.\n", id, token)
	}
	if err != nil {
		return fmt.Errorf("tenant %s has a new token, which could not be printed and is kept nowhere: mkt tenant token rotate %s gives another: %w", id, id, err)
	}
	if next != "" && !g.JSON() {
		fmt.Fprintln(g.Out, next)
	}
	return nil
}

func newTokenEnd(g *Group) *cobra.Command {
	var yes bool
	var issued string
	cmd := &cobra.Command{
		Use:   "end ID HINT",
		Short: "End the API token with these last four characters",
		Long: `End one of a tenant's API tokens: it is refused from then on, for good. The
other tokens stay valid. HINT is the last four characters of the token, as mkt
tenant show lists them; if two tokens have the same, --issued says which one
is meant.

On a terminal it asks first; a script does not need --yes.`,
		Example: `  mkt tenant token end acme 7f1a`,
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
