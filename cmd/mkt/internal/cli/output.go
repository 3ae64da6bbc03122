package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/terminal"
)

// DataOut returns the writer for data that another program reads: its bytes are unchanged,
// unless they go to a terminal.
func (env *Env) DataOut() io.Writer { return terminal.DataOut(env.Out) }

// ForScripts reports whether the ready line is JSON: if JSON is asked for, or if no form is and the
// output is not a terminal, and so is read by a program.
func (env *Env) ForScripts() bool {
	return env.JSON() || !env.output.chosen && !terminal.OnTerminal(env.Out)
}

// Columns returns the width of the output's terminal, 0 if it is none.
func (env *Env) Columns() int { return terminal.ColumnsOf(env.Out) }

// NewBar returns the bar of a run, nil if nobody watches one. See [terminal.NewBar].
func (env *Env) NewBar(name, units string) *terminal.Bar {
	if env.JSON() {
		return nil
	}
	return terminal.NewBar(env.Errs, name, units)
}

// SameCommand returns the beginning of a command line with the same settings and folders.
func SameCommand(cmd *cobra.Command) string {
	words := []string{terminal.Self()}
	for _, name := range []string{"config", "data", "tenants"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			words = append(words, "--"+name, terminal.Quote(f.Value.String()))
		}
	}
	return strings.Join(words, " ")
}
