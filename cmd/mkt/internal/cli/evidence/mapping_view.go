package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/transform/coverage"
)

// maxShown bounds the lines of a list for people. JSON has all.
const maxShown = 20

// coverageDocument returns the coverage for people.
func coverageDocument(v *coverage.Summary, hint string) *document.Document {
	d := &document.Document{Sections: payloads(v)}
	add := func(t *document.Table) {
		if len(t.Rows) > 0 {
			d.Sections = append(d.Sections, document.Section{Table: t})
		}
	}
	raw := &document.Table{Columns: document.Columns("RAW", "Name", "Reason", "#Markets", "#Selections", "Example")}
	for _, r := range v.Raw {
		raw.Add(document.Styled(terminal.Warn, r.Key), r.Name, string(r.Reason), r.Markets, r.Selections, sample(r.Example))
	}
	add(raw)
	unread := &document.Table{Columns: document.Columns("Mapped, not read", "Reason", "#Selections", "Example")}
	for _, u := range v.Unpublished {
		unread.Add(joined(u.Key+":", u.Market, u.Period, u.Subject), string(u.Reason), u.Selections, sample(u.Example))
	}
	add(unread)
	for _, part := range []struct {
		name, unit string
		counts     map[string]int
	}{{"Not publishable", "#Selections", v.Reasons}, {"Damaged", "#Parts", v.Damaged}, {"Unknown field", "#Times", v.Unknown}} {
		t := &document.Table{Columns: document.Columns(part.name, part.unit)}
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			t.Add(name, part.counts[name])
		}
		add(t)
	}
	suspicions := &document.Table{Columns: document.Columns("Suspicion", "#Markets", "Example", "Seen")}
	for _, of := range v.Suspicions {
		for i, e := range of.Examples {
			kind, n := "", ""
			if i == 0 {
				kind, n = of.Kind, fmt.Sprint(of.Markets)
			}
			suspicions.Add(document.Styled(terminal.Warn, kind), n, joined(e.Payload, by(e.Bookmaker), e.Fixture, e.Key+":", e.Market, e.Period, e.Subject), e.Seen)
		}
	}
	add(suspicions)
	add(others(v))
	if v.Nameless > 0 {
		d.Sections = append(d.Sections, document.Section{Head: document.Words(terminal.Plural(v.Nameless, "fixture") + " without the names of both teams: markets that are recognized by a name stay RAW." + hint)})
	}
	return d
}

func payloads(v *coverage.Summary) []document.Section {
	several := slices.ContainsFunc(v.Payloads, func(p coverage.Counted) bool { return p.Bookmaker != "" })
	t := &document.Table{Columns: document.Columns("Payload", "Bookmaker", "#Fixtures", "#Markets", "#Mapped", "#RAW", "#No prices", "#Selections", "#Publishable", "#Suspended")}
	if !several {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	add := func(name, bookmaker string, rest ...any) {
		if several {
			rest = append([]any{bookmaker}, rest...)
		}
		t.Add(append([]any{name}, rest...)...)
	}
	counted := func(fixtures int, of coverage.Totals) []any {
		return []any{fixtures, of.Markets, of.Mapped, of.Raw, of.WithoutPrices, of.Selections, of.Publishable, of.Suspended}
	}
	fixtures := 0
	for _, p := range v.Payloads {
		fixtures += p.Fixtures
		switch {
		case p.Error != "":
			add(p.Payload, p.Bookmaker, "cannot be read: "+p.Error)
		case len(p.Bookmakers) > 0:
			add(p.Payload, p.Bookmaker, "has no prices of this bookmaker, but of "+terminal.Several(p.Bookmakers))
		default:
			add(p.Payload, p.Bookmaker, counted(p.Fixtures, p.Totals)...)
		}
	}
	if len(v.Payloads) > 1 {
		add("TOTAL", "", counted(fixtures, v.Total)...)
	}
	list := []document.Section{{Table: t}}
	if v.Total.Markets > 0 {
		list = append(list, document.Section{Head: document.Format("%s of the markets are mapped; %s of the selections are publishable or suspended.",
			coverage.Percent(v.Total.Mapped, v.Total.Markets), coverage.Percent(v.Total.Publishable+v.Total.Suspended, v.Total.Selections))})
	}
	return list
}

// others lists the payloads with neither prices nor lists of fixtures.
func others(v *coverage.Summary) *document.Table {
	t := &document.Table{Columns: document.Columns("Neither prices nor a list of fixtures of "+v.Provider, "What it is")}
	for i, o := range v.Others {
		if i == maxShown {
			t.Add(fmt.Sprintf("and %d more (--output json lists all)", len(v.Others)-i))
			break
		}
		what := "something else"
		switch {
		case len(o.Providers) > 0:
			what = "perhaps an answer of " + strings.Join(o.Providers, " or ")
		case o.Code != "":
			what = "rejected as " + o.Code
		}
		t.Add(o.Name, what)
	}
	return t
}

// sample is an example in a line of a table.
func sample(e coverage.Example) string {
	return joined(e.Payload, by(e.Bookmaker), e.Fixture+":", e.Words)
}

// by returns "by" with a bookmaker, "" without one.
func by(bookmaker string) string {
	if bookmaker == "" {
		return ""
	}
	return "by " + bookmaker
}

// joined joins the non-empty words.
func joined(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" || w == ":" }), " ")
}
