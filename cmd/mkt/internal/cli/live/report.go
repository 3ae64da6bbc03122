package live

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/inplay"
	"mkt/cmd/mkt/internal/page"
	"mkt/cmd/mkt/internal/plain"
)

func newLiveReport(g *Group) *cobra.Command {
	var tenant, file string
	cmd := &cobra.Command{
		Use:   "report FIXTURE --html FILE",
		Short: "Write a live match as one HTML page",
		Long: `Write clock, score, momentum over the whole match, pressure and counters by
minute, timeline, and what is not known, as one HTML page that needs no other
file to be opened, mailed or printed. FIXTURE is its id, or a part of its
teams' names, accents or not, in the newest live snapshot. Momentum over time
is computed from the raw cycles that are still kept, with the code that
computed what was published; no key is needed.

A FILE that exists is replaced, completely or not at all; - is the standard
output.`,
		Example: `  mkt live report Arsenal --html match.html`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := (cli.Filter{Tenant: tenant}).Check(); err != nil {
				return err
			}
			if file == "" {
				return cli.Usagef("--html is needed: the file to write, or - for the standard output")
			}
			return g.liveReport(cmd.Context(), tenant, strings.Join(args, " "), file)
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "only this account's data (default: all accounts)")
	cmd.Flags().StringVar(&file, "html", "", "file to write, - for the standard output")
	return cmd
}

func (g *Group) liveReport(ctx context.Context, tenant, name, file string) error {
	f, err := g.findLive(tenant, name)
	if err != nil {
		return err
	}
	m := f.published
	bar := g.NewBar("tracing "+f.named(), "cycles")
	trace, err := inplay.Trace{}.Extend(ctx, f.place, m, bar.Set)
	bar.Done()
	if err != nil {
		return fmt.Errorf("live data of %s: %w", f.Tenant, err)
	}
	m.Past, m.Damaged = trace.Past, trace.Damaged
	m.Now, m.MadeBy, m.Command = g.Now(), "mkt "+g.Version, "mkt live report "+f.FixtureID
	size, err := page.WriteFile(file, g.Out, m.Write)
	if err != nil || file == "-" {
		return err
	}
	if g.JSON() {
		return g.Encode(map[string]any{"file": file, "bytes": size, "fixture_id": f.FixtureID, "client_id": f.Tenant, "cycle_id": f.Cycle, "cycles_followed": len(m.Past)})
	}
	_, err = plain.Fprintf(g.Out, "%s: %s, %s followed\n", file, f.named(), cli.Plural(len(m.Past), "cycle"))
	return err
}
