package accounts

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/internal/timetext"
)

// tokenVerbs issue, rotate and end.
func (g *Group) tokenVerbs() []verb {
	var issued string
	return []verb{
		{use: "issue ID", short: "Print a further API token, once; the others stay valid",
			example: "mkt tenant token issue acme", action: audit.TokenIssue,
			prepare: func(args []string) (step, error) { return g.mint(args[0], func(*accounts.Tenant) {}) }},
		{use: "rotate ID", short: "Print a new API token, once, and end all the others",
			long: `Issue a new API token and print it, once. All other tokens of the tenant are
refused from then on, for good. To change a token without an interruption, run
mkt tenant token issue, let the client change over, then run mkt tenant token
end.

On a terminal it asks first; a script does not need --yes.`,
			example: "mkt tenant token rotate acme", action: audit.TokenRotate, asks: onTerminal,
			prepare: func(args []string) (step, error) {
				s, err := g.mint(args[0], func(t *accounts.Tenant) { t.Tokens = nil })
				s.question = fmt.Sprintf("End all tokens of tenant %s and issue a new one? This cannot be undone.", args[0])
				return s, err
			}},
		{use: "end ID HINT", short: "End the API token with these last four characters",
			long: `End one of a tenant's API tokens: it is refused from then on, for good. The
other tokens stay valid. HINT is the last four characters of the token, as mkt
tenant show lists them; if two tokens have the same, --issued says which one
is meant.

On a terminal it asks first; a script does not need --yes.`,
			example: "mkt tenant token end acme 7f1a", action: audit.TokenEnd, asks: onTerminal,
			flags: func(cmd *cobra.Command) {
				cmd.Flags().StringVar(&issued, "issued", "", "select the token issued at this time, as mkt tenant show lists it; needed where two tokens end alike")
			},
			prepare: func(args []string) (step, error) {
				id, hint := args[0], strings.TrimLeft(args[1], "….*")
				if len(hint) != accounts.HintLength {
					return step{}, terminal.Usagef("HINT: want the last %d characters of the token, as mkt tenant show %s lists them, never the token", accounts.HintLength, id)
				}
				at, err := g.TimeArg("--issued", issued, timetext.Past)
				if err != nil {
					return step{}, err
				}
				return step{question: fmt.Sprintf("End the token …%s of tenant %s? This cannot be undone.", hint, id),
					said: fmt.Sprintf("The token …%s is refused from now on.", hint),
					edit: func(t *accounts.Tenant) error { return t.EndToken(hint, at) }}, nil
			}},
	}
}

// mint returns the step that stores a new token after something else is done, and prints it.
func (g *Group) mint(id string, before func(*accounts.Tenant)) (step, error) {
	token, entry, err := accounts.NewToken(g.Now())
	return step{edit: func(t *accounts.Tenant) error { before(t); return t.AddToken(entry) },
		print: func(*accounts.Tenant) error { return g.printToken(id, token, "") }}, err
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
