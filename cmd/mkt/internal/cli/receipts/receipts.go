// Package receipts has the commands of the transparency log, of its witnesses, and of receipts.
package receipts

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/receipts/commitlog"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	files commitlog.Files
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newLog(g), newWitness(g), newProve(g), newCheck(g)}
}
