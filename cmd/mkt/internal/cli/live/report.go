package live

import (
	"context"
	"fmt"

	"mkt/internal/console/inplay"
	"mkt/internal/evidence/page"
	"mkt/internal/terminal"
)

// liveReport writes a match as one HTML page.
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
	m.Now, m.MadeBy, m.Command = g.Now(), "mkt "+g.Version, "mkt live show "+f.FixtureID+" --html FILE"
	size, err := page.WriteFile(file, g.Out, m.Write)
	if err != nil || file == "-" {
		return err
	}
	return g.AnswerLine(map[string]any{"file": file, "bytes": size, "fixture_id": f.FixtureID, "client_id": f.Tenant, "cycle_id": f.Cycle, "cycles_followed": len(m.Past)}, "%s: %s, %s followed\n", file, f.named(), terminal.Plural(len(m.Past), "cycle"))
}
