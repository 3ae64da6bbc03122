// Package accounts has the commands that keep tenants.yaml, the keys, and the
// connections to providers.
package accounts

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
)

// Group is what these commands share.
type Group struct {
	*cli.Env
	Keys cli.Keys
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newInit(g), newTenant(g), newProvider(g)}
}
