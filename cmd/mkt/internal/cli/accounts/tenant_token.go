package accounts

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
)

func newTokenIssue(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:   "issue ID",
		Short: "Issue a further API token and print it, once; the others stay valid",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.mintToken(cmd, args[0], audit.TokenIssue, (*tenants.Editor).AddToken)
		},
	}
}

func newTokenRotate(g *Group) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Issue a new API token and print it, once; all the others end",
		Long: `Issue a new API token and print it, once. All tokens that the tenant has had are
refused from then on, and they do not come back. To change a token without a
gap: mkt tenant token issue, let the client change over, then mkt tenant token
end. On a terminal it asks first; a script need not say --yes.`,
		Args: cobra.ExactArgs(1),
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

// printToken prints a token for the only time: it is not kept anywhere.
func (g *Group) printToken(id, token, next string) error {
	var err error
	if g.JSON() {
		err = json.NewEncoder(g.Out).Encode(map[string]string{"client_id": id, "token": token})
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
