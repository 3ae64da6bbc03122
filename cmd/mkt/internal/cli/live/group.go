// Package live has the commands that show live matches, and measure the formulas of
// the live product.
package live

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
)

// Group is what these commands share.
type Group struct{ *cli.Env }

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{env}
	return []*cobra.Command{newLive(g), newBacktest(g)}
}
