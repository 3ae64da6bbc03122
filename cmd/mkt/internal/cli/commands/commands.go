// Package commands is the tree of all commands: the program runs it, and its man pages describe it.
package commands

import (
	"slices"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/accounts"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/browser"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/cmd/mkt/internal/cli/evidence"
	"mkt/cmd/mkt/internal/cli/lake"
	"mkt/cmd/mkt/internal/cli/live"
	"mkt/cmd/mkt/internal/cli/receipts"
	"mkt/cmd/mkt/internal/cli/serving"
	"mkt/cmd/mkt/internal/cli/upkeep"
)

// New returns the command mkt with all below it.
func New(env *cli.Env) *cobra.Command {
	return cli.NewRoot(env, []cli.Section{
		{Title: "Begin", Names: "demo simulate init tenant provider feed doctor"},
		{Title: "Run", Names: "schedule cycle fetch transform publish serve gc log witness"},
		{Title: "Look and check", Names: "console inspect live tail explain mapping history diff verify prove check"},
		{Title: "Now and then", Names: "replay recover push pull lake"},
	}, slices.Concat(demo.New(env), browser.New(env), accounts.New(env), batch.New(env), upkeep.New(env), serving.New(env), receipts.New(env), live.New(env), evidence.New(env), lake.New(env)))
}
