// Package upkeep has the commands that delete, copy and repair publications.
package upkeep

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
)

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newRecover(g), newGC(g), newPush(g), newPull(g)}
}
