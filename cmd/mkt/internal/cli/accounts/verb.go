package accounts

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

// verb is a command about one account. The first word of its arguments is the account.
type verb struct {
	use, short, long, example string
	action                    audit.Action
	asks                      asking
	flags                     func(*cobra.Command)
	prepare                   func(args []string) (step, error) // checks the arguments
}

// asking says when a verb asks first.
type asking int

const (
	never      asking = iota
	onTerminal        // a script does not need --yes
	always            // where there is no terminal, --yes is needed
)

// step is one change of an account.
type step struct {
	question string                             // that is asked first, if the verb asks
	edit     func(t *accounts.Tenant) error     // may find that the account is as wanted
	said     string                             // above the account after the edit
	print    func(after *accounts.Tenant) error // instead of said
}

func (g *Group) newVerbs(verbs []verb) []*cobra.Command {
	var commands []*cobra.Command
	for _, v := range verbs {
		commands = append(commands, g.newVerb(v))
	}
	return commands
}

// newVerb returns the command of a verb.
func (g *Group) newVerb(v verb) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{Use: v.use, Short: v.short, Long: v.long, Example: "  " + v.example,
		Args: cobra.ExactArgs(len(strings.Fields(v.use)) - 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := v.prepare(args)
			if err != nil {
				return err
			}
			if v.asks != never {
				if err := g.ConfirmFor(cmd.Context(), args[0], s.question, yes || v.asks == onTerminal && !terminal.OnTerminal(g.In)); err != nil {
					return err
				}
			}
			done, err := g.editTenants(cmd.Context(), v.action, func(e *accounts.Editor) error { return e.Change(args[0], s.edit) })
			if done == nil {
				return err
			}
			t, unknown := cli.TenantByID(done, args[0])
			if unknown != nil {
				return errors.Join(err, unknown)
			}
			return errors.Join(err, g.printStep(s, t))
		},
	}
	if v.flags != nil {
		v.flags(cmd)
	}
	if v.asks != never {
		cli.YesFlag(cmd, &yes)
	}
	return cmd
}

// printStep prints what was done, and the account as it is now.
func (g *Group) printStep(s step, after *accounts.Tenant) error {
	if s.print != nil {
		return s.print(after)
	}
	v := viewOf(after, g.Now())
	return g.Answer(v, func(out io.Writer) error {
		printable.Fprintf(out, "%s\n\n", s.said)
		return v.print(out)
	})
}
