// Package evidence has the commands that show publications, and check them against themselves and
// against the provider's answers.
package evidence

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/evidence/document"
	"mkt/serve"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	Keys    cli.Keys
	redis   cli.Redis
	service serve.Service
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newInspect(g), newDiff(g), newExplain(g), newHistory(g), newVerify(g), newDoctor(g), newMapping(g), newFeed(g), newQueryTables(g)}
}

// show prints a result as JSON, or else the document returned by made.
func (g *Group) show(result any, made func() *document.Document) error {
	if g.JSON() {
		return g.Encode(result)
	}
	return made().Print(g.Out)
}
