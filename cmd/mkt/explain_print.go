package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/explain"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/layout"
)

// drawExplained prints a derivation for a person: what was served, from which
// answers, and each value with its rule and its places.
func (a *app) drawExplained(r *explain.Report) {
	plain.Fprintf(a.out, "%s  %s  %s\n", r.ID, r.Kind, r.Title)
	plain.Fprintf(a.out, "  served  %s %s, version %d, cycle %s, published %s\n", r.Tenant, r.Product, r.Publication.Version, r.Publication.CycleID, stamp(r.Publication.PublishedAt))
	if r.CarriedOver {
		plain.Fprintf(a.out, "  refreshed in cycle %s\n", r.Cycle)
	}
	if r.Rules.Then != r.Rules.Now {
		plain.Fprintf(a.out, "  rules   %s then, %s in this build\n", r.Rules.Then, r.Rules.Now)
	}
	for _, n := range r.Notes {
		plain.Fprintf(a.out, "  note    %s\n", n)
	}
	for i, v := range r.Values {
		plain.Fprintf(a.out, "  %-22s %s\n", v.Field, shown(v))
		if next := i + 1; next < len(r.Values) && r.Values[next].Rule == v.Rule && slices.Equal(r.Values[next].From, v.From) {
			continue // the next has the same origin
		}
		plain.Fprintf(a.out, "    rule    %s\n", v.Rule)
		a.drawPieces(r, v.From)
	}
	for _, s := range r.Steps {
		plain.Fprintf(a.out, "  %s  %-9s %s\n", stamp(s.FetchedAt), s.Clock, s.Gave)
		for _, m := range s.Moved {
			plain.Fprintf(a.out, "    moved   %s\n", m)
		}
		a.drawPieces(r, s.From)
	}
	a.drawSources(r)
}

// drawSources lists the answers that the pieces are of, and how to see the last
// of them whole.
func (a *app) drawSources(r *explain.Report) {
	for i, s := range r.Sources {
		plain.Fprintf(a.out, "  answer  %s #%d, %s, fetched %s, sha256 %s\n", s.Cycle, s.Response, s.Endpoint, stamp(s.FetchedAt), s.SHA256)
		if i == len(r.Sources)-1 {
			plain.Fprintf(a.out, "          %s\n", a.unpackCommand(r, s))
		}
	}
}

// shortCycle is the cycle of a piece, where there are several: without the
// product, which the top line says.
func shortCycle(r *explain.Report, p explain.Piece) string {
	for _, s := range r.Sources {
		if s.Cycle != p.Cycle {
			id, _, _ := strings.Cut(p.Cycle, "-")
			return id + " "
		}
	}
	return ""
}

func (a *app) drawPieces(r *explain.Report, from []explain.Piece) {
	const most = 160
	for _, p := range from {
		text := strings.Join(strings.Fields(p.Text), " ")
		if len(text) > most {
			text = strings.ToValidUTF8(text[:most], "") + "…"
		}
		plain.Fprintf(a.out, "    from    %s#%d %s  %s\n", shortCycle(r, p), p.Response, p.Path, text)
	}
}

// shown is a value for people; its three states are told apart.
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

// unpackCommand shows the whole answer.
func (a *app) unpackCommand(r *explain.Report, s explain.Source) string {
	file := filepath.Join(a.data, filepath.FromSlash(layout.TenantProduct(r.Tenant, string(r.Product))), filepath.FromSlash(s.File))
	if s.Member != "" {
		return fmt.Sprintf("tar --zstd -xOf %q %q | jq .", file, s.Member)
	}
	return fmt.Sprintf("zstd -dc %q | jq .", file)
}
