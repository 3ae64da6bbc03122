package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/page"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/layout"
	"mkt/transform"
)

func newLiveReport(g *Group) *cobra.Command {
	var tenant, file string
	cmd := &cobra.Command{
		Use:   "report FIXTURE --html FILE",
		Short: "Write a live match as one HTML page",
		Long: `Write clock, score, momentum over the whole match, pressure and counters by
minute, timeline, and what is not known, as one HTML page that needs no other
file to be opened, mailed or printed. FIXTURE is its id, or a part of its
teams' names, in the newest live snapshot. Momentum over time is computed
from the raw cycles that are still kept, with the code that computed what was
published; no key is needed.

A FILE that exists is replaced, completely or not at all; - is the standard
output.`,
		Example: `  mkt live report Arsenal --html match.html`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := (cli.Filter{Tenant: tenant}).Check(); err != nil {
				return err
			}
			if file == "" {
				return cli.Usagef("--html is needed: the file to write, or - for the standard output")
			}
			return g.liveReport(cmd.Context(), tenant, args[0], file)
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
	m := &f.published
	if err := g.traceLive(ctx, f); err != nil {
		return fmt.Errorf("live data of %s: %w", f.Tenant, err)
	}
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

// longestMatch is how long ago a match in play may have begun, including breaks, extra time and
// an interruption.
const longestMatch = 6 * time.Hour

// traceLive traces a fixture from before its kick-off to the snapshot's cycle.
func (g *Group) traceLive(ctx context.Context, f *liveView) error {
	end, _, err := layout.ParseCycleID(f.Cycle)
	if err != nil {
		return err
	}
	root, err := f.place.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	m := &f.published
	bar := g.NewBar(strings.TrimSpace("tracing " + f.named()))
	defer bar.Done()
	o := transform.LiveTraceOptions{Root: root, Fixture: m.Row.ProviderFixtureID, Source: m.Row.SourceProvider, From: f.firstSeenAfter(end), To: end, Progress: bar.Set}
	if m.Row.ProviderEventID != nil {
		o.Event = *m.Row.ProviderEventID
	}
	m.Damaged, err = transform.TraceLive(ctx, o, func(s *transform.LiveStep) { m.Past = append(m.Past, s.After.Brief()) })
	return err
}

// firstSeenAfter returns a time before which the fixture was not seen: a minute before the
// first entry of its timeline, or an hour before its announced kick-off.
func (f *liveView) firstSeenAfter(end time.Time) time.Time {
	begin := end.Add(-longestMatch)
	var met time.Time
	switch starts := f.published.Row.StartsAt; {
	case len(f.Timeline) > 0:
		met = f.Timeline[0].At.Add(-time.Minute)
	case starts != nil:
		met = starts.Add(-time.Hour)
	}
	if met.After(begin) && met.Before(end) {
		return met
	}
	return begin
}
