package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mkt/fetch/credential"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

var errDeclined = errors.New("not confirmed: nothing was changed")

func YesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "skip the question; needed where there is no terminal")
}

// ConfirmFor asks before an irreversible change of a tenant. It does not ask if the tenant does
// not exist.
func (env *Env) ConfirmFor(ctx context.Context, id, question string, yes bool) error {
	if _, err := env.LoadTenant(id); err != nil {
		return err
	}
	return env.Confirm(ctx, question, yes)
}

// Confirm asks on the terminal. Without a terminal nobody can answer, and --yes must
// be given.
func (env *Env) Confirm(ctx context.Context, question string, yes bool) error {
	switch {
	case yes:
		return nil
	case !terminal.OnTerminal(env.In):
		return terminal.Usagef("this must be confirmed, and there is no terminal to confirm it on: add --yes")
	}
	fmt.Fprintf(env.Errs, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // reading a terminal does not end with ctx
		line, _ := bufio.NewReader(env.In).ReadString('\n') // the end of the input means no
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

// ReadCredential reads a credential from the terminal without echo, or from stdin.
func (env *Env) ReadCredential(of string) ([]byte, error) {
	if !terminal.OnTerminal(env.In) {
		pasted, err := io.ReadAll(io.LimitReader(env.In, 2*credential.MaxLength))
		if err != nil {
			return nil, fmt.Errorf("credential from stdin: %w", err)
		}
		return pasted, nil
	}
	printable.Fprintf(env.Errs, "Credential of %s (not shown): ", of)
	pasted, err := term.ReadPassword(int(env.In.(*os.File).Fd()))
	fmt.Fprintln(env.Errs)
	return pasted, err
}
