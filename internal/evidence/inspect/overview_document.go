package inspect

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/football"
)

// rowsShown are the tables whose rows the line of a dataset counts.
var rowsShown = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets", "selections"},
	football.LiveIntelligence: {"live", "live_counters", "live_buckets"},
}

// Table returns the overviews for people, each in a line.
func Table(list []Overview) *doc.Document {
	t := &doc.Table{Columns: doc.Columns("Tenant", "Product", "Version", "Cycle", "Published", "Data age", "Rows", "Snapshots", "Raw", "Size", "")}
	for _, o := range list {
		version, cycle, published, rows, age := "-", "-", "-", "-", "-"
		if p := o.Newest; p != nil {
			version, cycle, published, rows = fmt.Sprint(p.Version), string(p.CycleID), terminal.Moment(&p.PublishedAt), rowsOfTables(o.Product, p.Rows)
		}
		if o.AgeMS != nil {
			age = ageOf(*o.AgeMS)
		}
		t.Add(o.ClientID, o.Product, version, cycle, published, age, rows, o.Snapshots, rawOf(o), terminal.Size(o.Bytes["total"]), damaged(o.Damage))
	}
	return &doc.Document{Sections: []doc.Section{{Table: t}}}
}

func damaged(what string) doc.Line {
	if what == "" {
		return nil
	}
	return doc.Styled(terminal.Bad, "DAMAGED: "+what)
}

func rawOf(o Overview) string {
	text := fmt.Sprint(o.Raw)
	if o.RawPacks > 0 {
		text += fmt.Sprintf(" + %s", terminal.Plural(o.RawPacks, "pack"))
	}
	return text
}

func rowsOfTables(p football.Product, rows map[string]int64) string {
	var list []string
	for _, name := range rowsShown[p] {
		if n, ok := rows[name]; ok {
			noun := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(name, "live_"), "live", "fixtures"), "s")
			list = append(list, terminal.Plural(int(n), noun))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "-")
}

func ageOf(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= 48*time.Hour {
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	}
	return d.Round(time.Second).String()
}

// Document returns an overview for people, with its publications.
func (o Overview) Document(list []Publication) *doc.Document {
	var sizes []string
	var sum int64
	for _, dir := range Folders {
		if n := o.Bytes[dir]; n > 0 {
			sizes = append(sizes, dir+" "+terminal.Size(n))
			sum += n
		}
	}
	note := ""
	if sum > o.Bytes["total"] {
		note = "; files that two folders share count once"
	}
	notes := []doc.Note{
		{Line: doc.Format("%s %s: %d publications, newest seq %d", o.ClientID, o.Product, o.Commits, o.LastSeq)},
		{Line: doc.Format("on the disk: %s (%s%s)", terminal.Size(o.Bytes["total"]), strings.Join(sizes, ", "), note)},
		{Line: doc.Format("cycles: raw %s, canonical %d, snapshots %d", rawOf(o), o.Canonical, o.Snapshots)},
	}
	if o.AgeMS != nil {
		notes = append(notes, doc.Note{Line: doc.Format("freshness: retrieved %s, %s ago", doc.AtOrOpen(o.Newest.ProviderFetchedAt), ageOf(*o.AgeMS))})
	}
	if o.Underway != "" {
		notes = append(notes, doc.Note{Line: doc.Format("not published: cycle %s", o.Underway)})
	}
	if o.Damage != "" {
		notes = append(notes, doc.Note{Line: damaged(o.Damage)})
	}
	t := &doc.Table{Columns: doc.Columns("Version", "Cycle", "Published", "Retrieved", "Rows", "Events", "Last seq", "Size", "")}
	for _, p := range list {
		if p.CycleID == "" {
			t.Add(p.Version, damaged(p.Damage))
			continue
		}
		rows, weight, note, retrieved := rowsOfTables(o.Product, p.Rows), terminal.Size(p.Bytes), damaged(p.Damage), "-"
		if p.Damage == "" && !p.Kept {
			rows, weight, note = "-", "-", doc.Words("not kept")
		}
		if p.ProviderFetchedAt != nil {
			retrieved = terminal.Moment(p.ProviderFetchedAt)
		}
		t.Add(p.Version, p.CycleID, terminal.Moment(&p.PublishedAt), retrieved, rows, p.Events, p.LastSeq, weight, note)
	}
	return &doc.Document{Sections: []doc.Section{{Notes: notes, Table: t}}}
}
