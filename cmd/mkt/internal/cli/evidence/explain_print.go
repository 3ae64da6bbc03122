package evidence

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/explain"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/layout"
)

func (g *Group) drawExplained(r *explain.Report) {
	g.line("", "%s  %s  %s", r.ID, r.Kind, r.Title)
	g.line("  served  ", "%s %s, version %d, cycle %s, published %s", r.Tenant, r.Product, r.Publication.Version, r.Publication.CycleID, cli.Stamp(r.Publication.PublishedAt))
	if r.CarriedOver {
		plain.Fprintf(g.Out, "  refreshed in cycle %s\n", r.Cycle)
	}
	if r.Rules.Then != r.Rules.Now {
		plain.Fprintf(g.Out, "  rules   %s then, %s in this build\n", r.Rules.Then, r.Rules.Now)
	}
	for _, n := range r.Notes {
		g.line("  note    ", "%s", n)
	}
	for i, v := range r.Values {
		g.line("  "+cli.Pad(plain.Text(v.Field), 22)+" ", "%s", shown(v))
		if next := i + 1; next < len(r.Values) && r.Values[next].Rule == v.Rule && slices.Equal(r.Values[next].From, v.From) {
			continue // the next has the same origin
		}
		g.line("    rule    ", "%s", v.Rule)
		g.drawPieces(r, v.From)
	}
	for _, s := range r.Steps {
		plain.Fprintf(g.Out, "  %s  %-9s %s\n", cli.Stamp(s.FetchedAt), s.Clock, s.Gave)
		for _, m := range s.Moved {
			g.line("    moved   ", "%s", m)
		}
		g.drawPieces(r, s.From)
	}
	g.drawSources(r)
}

// line prints a line that is wrapped behind its lead.
func (g *Group) line(lead, format string, args ...any) {
	cli.Paragraph(g.Out, lead, fmt.Sprintf(format, args...))
}

// drawSources lists the answers that the pieces come from, and the command that prints the
// last of them.
func (g *Group) drawSources(r *explain.Report) {
	for i, s := range r.Sources {
		g.line("  answer  ", "%s #%d, %s, fetched %s, sha256 %s", s.Cycle, s.Response, s.Endpoint, cli.Stamp(s.FetchedAt), s.SHA256)
		if i == len(r.Sources)-1 {
			plain.Fprintf(g.Out, "          %s\n", g.unpackCommand(r, s))
		}
	}
}

// shortCycle returns the cycle of a piece without its product, or "" if all pieces have the same.
func shortCycle(r *explain.Report, p explain.Piece) string {
	for _, s := range r.Sources {
		if s.Cycle != p.Cycle {
			id, _, _ := strings.Cut(p.Cycle, "-")
			return id + " "
		}
	}
	return ""
}

func (g *Group) drawPieces(r *explain.Report, from []explain.Piece) {
	const most = 160
	for _, p := range from {
		text := strings.Join(strings.Fields(p.Text), " ")
		if len(text) > most {
			text = strings.ToValidUTF8(text[:most], "") + "…"
		}
		g.line("    from    ", "%s#%d %s  %s", shortCycle(r, p), p.Response, p.Path, text)
	}
}

func shown(v explain.Value) string {
	switch v.State {
	case explain.IsAbsent:
		return "absent: not sent"
	case explain.IsNull:
		return "null: sent without a value, or does not apply"
	case explain.NotApply:
		return "none"
	}
	return v.Value
}

func (g *Group) unpackCommand(r *explain.Report, s explain.Source) string {
	file := filepath.Join(g.Data, filepath.FromSlash(layout.TenantProduct(r.Tenant, string(r.Product))), filepath.FromSlash(s.File))
	if s.Member != "" {
		return fmt.Sprintf("tar --zstd -xOf %q %q | jq .", file, s.Member)
	}
	return fmt.Sprintf("zstd -dc %q | jq .", file)
}
