package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
)

func newTokenIssue(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "issue ID",
		Short: "Issue a further API token and print it, once; the others stay valid",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mintToken(cmd, args[0], audit.TokenIssue, (*tenants.Editor).AddToken)
		},
	}
}

func newTokenRotate(a *app) *cobra.Command {
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
			if err := a.confirmFor(cmd.Context(), args[0], question, yes || !onTerminal(a.in)); err != nil {
				return err
			}
			return a.mintToken(cmd, args[0], audit.TokenRotate, (*tenants.Editor).ReplaceTokens)
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}

func (a *app) mintToken(cmd *cobra.Command, id string, action audit.Action, keep func(*tenants.Editor, string, tenants.Token) error) error {
	token, entry, err := tenants.NewToken(a.now())
	if err != nil {
		return err
	}
	done, err := a.editTenants(cmd.Context(), action, func(e *tenants.Editor) error { return keep(e, id, entry) })
	if done == nil {
		return err
	}
	return errors.Join(err, a.printToken(id, token, ""))
}

// printToken prints a token for the only time: it is not kept anywhere.
func (a *app) printToken(id, token, next string) error {
	var err error
	if a.json() {
		err = json.NewEncoder(a.out).Encode(map[string]string{"client_id": id, "token": token})
	} else {
		_, err = fmt.Fprintf(a.out, "tenant  %s\ntoken   %s\n\nKeep the token now: it is not shown again.\n", id, token)
	}
	if err != nil {
		return fmt.Errorf("tenant %s has a new token, which could not be printed and is kept nowhere: mkt tenant token rotate %s gives another: %w", id, id, err)
	}
	if next != "" && !a.json() {
		fmt.Fprintln(a.out, next)
	}
	return nil
}
