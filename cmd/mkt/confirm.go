package main

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

func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "do not ask: needed where there is no terminal")
}

// needlessYes lets a script say --yes to a command that does not ask, because
// what it does can be undone.
func needlessYes(cmd *cobra.Command) {
	cmd.Flags().Bool("yes", false, "taken, and not needed: this can be undone")
}

// confirmFor asks before what cannot be undone is done to a tenant. It does not
// ask about one that is not there.
func (a *app) confirmFor(ctx context.Context, id, question string, yes bool) error {
	f, err := a.loadTenants()
	if err != nil {
		return err
	}
	if _, err := tenantByID(f, id); err != nil {
		return err
	}
	return a.confirm(ctx, question, yes)
}

// confirm asks on the terminal. Without one nobody can answer, and --yes must
// have been said.
func (a *app) confirm(ctx context.Context, question string, yes bool) error {
	switch {
	case yes:
		return nil
	case !onTerminal(a.in):
		return usagef("this cannot be undone, and there is no terminal to confirm it on: say --yes")
	}
	fmt.Fprintf(a.errs, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // reading a terminal does not end with ctx
		line, _ := bufio.NewReader(a.in).ReadString('\n') // the end of the input is a no
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.errs)
		return errDeclined
	case line := <-answer:
		if word := strings.ToLower(strings.TrimSpace(line)); word != "y" && word != "yes" {
			return errDeclined
		}
		return nil
	}
}
