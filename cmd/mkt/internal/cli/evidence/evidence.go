// Package evidence has the commands that show what was published, and check it against
// itself and against what the provider sent.
package evidence

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/document"
	"mkt/serve"
)

// Group is what these commands share.
type Group struct {
	*cli.Env
	Keys    cli.Keys
	work    cli.Work
	service serve.Service
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	return []*cobra.Command{newInspect(g), newDiff(g), newExplain(g), newHistory(g), newVerify(g), newDoctor(g), newMapping(g)}
}

// show prints a result: as JSON, or else as the document that it makes.
func (g *Group) show(result any, made func() *document.Document) error {
	if g.JSON() {
		return g.Encode(result)
	}
	return made().Print(g.Out)
}
