package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/snapshot"
	"mkt/transform/prematch"
)

// Document returns the cycle for people: its steps, the chain of hashes, and its counts. columns
// adds the counts of every column.
func (c *Cycle) Document(columns bool) *doc.Document {
	d := &doc.Document{Title: "Cycle " + string(c.CycleID), Sections: []doc.Section{{Facts: c.steps()}}}
	if c.Commit != nil {
		d.Title = fmt.Sprintf("Version %d", c.Commit.Version)
		d.Sections = append(d.Sections, doc.Section{Title: "Chain of hashes", Facts: c.hashes(),
			Notes: []doc.Note{{Only: doc.Page, Line: doc.Words("The commit record names the manifest's hash, and the manifest those of the files. Each record names the one before it, so that one hash proves everything before it.")}}})
	}
	if m := cmp.Or(c.Snapshot, c.Canonical); m != nil {
		d.Sections = append(d.Sections, countsOf(m)...)
		if columns {
			d.Sections = append(d.Sections, columnsOf(m))
		}
	}
	return d
}

func fact(name, format string, args ...any) doc.Fact {
	return doc.Fact{Name: name, Value: doc.Format(format, args...)}
}

// steps are the results of the steps, in their order.
func (c *Cycle) steps() []doc.Fact {
	list := []doc.Fact{fact("cycle", "%s of %s", doc.Code(string(c.CycleID)), c.ClientID)}
	for _, d := range c.Damage {
		list = append(list, doc.Fact{Name: "DAMAGED", Value: doc.Styled(terminal.Bad, d)})
	}
	raw := fact("raw", "not there")
	if r := c.Raw; r != nil {
		raw = fact("raw", "%s: %s, %s, %s", r.File, r.Outcome, terminal.Plural(r.Requests, "request"), terminal.Size(r.Bytes))
		raw.Below = []doc.Fact{fact("retrieved", "%s to %s", doc.AtOrOpen(r.FirstAt), doc.AtOrOpen(r.LastAt)), fact("answers", "%s", listed(r.Endpoints))}
		if r.Code != "" {
			raw.Below = append(raw.Below, doc.Fact{Name: "code", Value: doc.Styled(terminal.Bad, string(r.Code))})
		}
		if len(r.Rejected) > 0 {
			raw.Below = append(raw.Below, fact("rejected", "%s", listed(r.Rejected)))
		}
		raw.Below = append(raw.Below, fact("listing", "complete: %v; failed: %d, not offered: %d", r.ListingComplete, len(r.Failed), len(r.NotOffered)))
	}
	canonical := fact("canonical", "not there")
	if m := c.Canonical; m != nil {
		canonical = fact("canonical", "%s", rowsIn(m))
		canonical.Below = []doc.Fact{fact("processed", "%s by %s, rules %s", doc.AtOrOpen(m.ProcessedAt), m.BinaryVersion, m.DerivationVersion)}
	}
	list = append(list, raw, canonical)
	if c.Commit == nil {
		return append(list, fact("snapshot", "not published"))
	}
	published := fact("published", "version %d, %s", c.Commit.Version, doc.AtOrOpen(&c.Commit.PublishedAt))
	if s := c.Commit.Segment; s != nil {
		published.Below = append(published.Below, fact("events", "%d to %d, %s", s.First, s.Last, doc.Code(s.File)))
	}
	published.Below = append(published.Below, fact("window", "seq %d to %d", c.Commit.FirstSeq, c.Commit.LastSeq))
	return append(list, published)
}

// hashes are those of the publication and of its files.
func (c *Cycle) hashes() []doc.Fact {
	before := doc.Words("(first)")
	if c.Commit.PreviousSHA256 != "" {
		link := doc.Code(c.Commit.PreviousSHA256)
		link.Link = fmt.Sprintf("/cycles/%s/%s/v%d", c.ClientID, c.Product, c.Commit.Version-1)
		before = doc.Line{link}
	}
	list := []doc.Fact{fact("record", "%s", doc.Code(c.Commit.SHA256)), {Name: "before", Value: before}, fact("manifest", "%s", doc.Code(c.Commit.ManifestSHA256))}
	for _, sealed := range []struct{ name, hash string }{{"canonical cycle", c.Commit.CanonicalSHA256}, {"payloads", c.Commit.RawSHA256}} {
		if sealed.hash != "" {
			list = append(list, doc.Fact{Name: sealed.name, Value: doc.Line{doc.Code(sealed.hash)}, Only: doc.Page})
		}
	}
	m := c.Snapshot
	if m == nil {
		return append(list, fact("snapshot", "not kept"))
	}
	of := fact("snapshot", "%s", rowsIn(m))
	of.Below = []doc.Fact{fact("freshness", "retrieved %s, processed %s, published %s", doc.AtOrOpen(m.ProviderFetchedAt), doc.AtOrOpen(m.ProcessedAt), doc.AtOrOpen(m.PublishedAt))}
	for _, f := range m.Files {
		of.Below = append(of.Below, fact("file", "%s  %s  %s", f.Name, terminal.Size(f.Bytes), doc.Code(f.SHA256)))
	}
	return append(list, of)
}

func rowsIn(m *snapshot.Manifest) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		list = append(list, fmt.Sprintf("%s %d", name, m.Tables[name].Rows))
	}
	return strings.Join(list, ", ")
}

func listed[N int | int64](counts map[string]N) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return terminal.OrDash(list)
}

// countsOf are the counts of a manifest: a line each in a terminal, and a table each on a page.
func countsOf(m *snapshot.Manifest) (list []doc.Section) {
	var lines []doc.Fact
	for _, part := range []struct {
		name, title, about string
		counts             map[string]int
	}{
		{"filtered", "Fixtures left out", "By the rule.", m.Filtered},
		{"broken", "Records that could not be read", "By the reason.", m.Broken},
		{"damaged", "Damaged parts", "Parts of records that were marked or left out.", m.Damaged},
		{"RAW markets", "Markets that stay RAW", "By the reason.", m.RawMarkets},
		{"not publishable", "Selections that are not publishable", "By the reason.", m.NotPublishable},
		{"suspicious", "Suspicious markets", "Prices or lines that contradict each other. A provider that changes its format shows here first.", narrowed(Suspicions(m.Counters))},
		{"unknown fields", "Unknown fields", "Fields of the provider that no reader knows.", m.UnknownFields},
		{"", "Counters", "Everything that the run counted.", narrowed(m.Counters)},
	} {
		if part.name != "" && len(part.counts) > 0 {
			lines = append(lines, fact(part.name, "%s", listed(part.counts)))
		}
		if t := largestFirst(part.counts); len(t.Rows) > 0 {
			list = append(list, doc.Section{Title: part.title, Only: doc.Page, Table: t, Notes: []doc.Note{{Line: doc.Line{doc.Soft(part.about)}}}})
		}
	}
	return append(list, doc.Section{Only: doc.Terminal, Facts: lines})
}

func largestFirst(counts map[string]int) *doc.Table {
	t := &doc.Table{Columns: doc.Columns("What", "#How many")}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for _, name := range names {
		if counts[name] != 0 {
			t.Add(doc.Code(name), counts[name])
		}
	}
	return t
}

// narrowed returns the counts other than zero, without those of suspicions.
func narrowed(counts map[string]int64) map[string]int {
	list := map[string]int{}
	for name, n := range counts {
		if n != 0 && name != prematch.SuspicionsCounter && !strings.HasPrefix(name, prematch.SuspicionsCounter+":") {
			list[name] = int(n)
		}
	}
	return list
}

// Suspicions returns the suspicious markets in the counters of a manifest by kind; nil if they were
// not counted.
func Suspicions(counters map[string]int64) map[string]int64 {
	if _, counted := counters[prematch.SuspicionsCounter]; !counted {
		return nil
	}
	kinds := map[string]int64{}
	for name, n := range counters {
		if kind, is := strings.CutPrefix(name, prematch.SuspicionsCounter+":"); is {
			kinds[kind] = n
		}
	}
	return kinds
}

func columnsOf(m *snapshot.Manifest) doc.Section {
	t := &doc.Table{Columns: doc.Columns("Table", "Column", "#Absent", "#Null", "#Zero", "#Value")}
	for _, table := range slices.Sorted(maps.Keys(m.Tables)) {
		for _, column := range slices.Sorted(maps.Keys(m.Tables[table].Columns)) {
			n := m.Tables[table].Columns[column]
			t.Add(table, column, n.Absent, n.Null, n.Zero, n.Value)
		}
	}
	return doc.Section{Title: "Columns", Table: t}
}
