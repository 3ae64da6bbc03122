// Package serving has the command that answers the API, and the one that follows it as a
// client does.
package serving

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/serve"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	service serve.Service
	revoked daemon.Revocations
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newServe(g), newTail(g)}
}
