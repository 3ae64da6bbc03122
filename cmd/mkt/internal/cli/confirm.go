package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// errDeclined: the person said no.
var errDeclined = errors.New("not confirmed: nothing was changed")

func YesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "do not ask: needed where there is no terminal")
}

// NeedlessYes lets a script say --yes to a command that does not ask, because
// what it does can be undone.
func NeedlessYes(cmd *cobra.Command) {
	cmd.Flags().Bool("yes", false, "taken, and not needed: this can be undone")
}

// ConfirmFor asks before what cannot be undone is done to a tenant. It does not
// ask about one that is not there.
func (env *Env) ConfirmFor(ctx context.Context, id, question string, yes bool) error {
	f, err := env.LoadTenants()
	if err != nil {
		return err
	}
	if _, err := TenantByID(f, id); err != nil {
		return err
	}
	return env.Confirm(ctx, question, yes)
}

// Confirm asks on the terminal. Without one nobody can answer, and --yes must
// have been said.
func (env *Env) Confirm(ctx context.Context, question string, yes bool) error {
	switch {
	case yes:
		return nil
	case !OnTerminal(env.In):
		return Usagef("this cannot be undone, and there is no terminal to confirm it on: say --yes")
	}
	fmt.Fprintf(env.Errs, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // reading a terminal does not end with ctx
		line, _ := bufio.NewReader(env.In).ReadString('\n') // the end of the input is a no
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(env.Errs)
		return errDeclined
	case line := <-answer:
		if word := strings.ToLower(strings.TrimSpace(line)); word != "y" && word != "yes" {
			return errDeclined
		}
		return nil
	}
}
