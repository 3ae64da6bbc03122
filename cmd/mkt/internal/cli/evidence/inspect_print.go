package evidence

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/inspect"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/football"
)

// rowsShown are the tables whose rows the line of a dataset counts.
var rowsShown = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets", "selections"},
	football.LiveIntelligence: {"live", "live_counters", "live_buckets"},
}

func printOverviews(out io.Writer, list []inspect.Overview) error {
	w := cli.NewTableWriter(out)
	w.Header("TENANT", "PRODUCT", "VERSION", "CYCLE", "PUBLISHED", "DATA AGE", "ROWS", "SNAPSHOTS", "RAW", "SIZE")
	for _, o := range list {
		version, cycle, published, rows := "-", "-", "-", "-"
		if p := o.Newest; p != nil {
			version, cycle, published, rows = fmt.Sprint(p.Version), string(p.CycleID), cli.Moment(&p.PublishedAt), rowsOfTables(o.Product, p.Rows)
		}
		age := "-"
		if o.AgeMS != nil {
			age = ageOf(*o.AgeMS)
		}
		note := ""
		if o.Damage != "" {
			note = "DAMAGED: " + o.Damage
			w.Styles(noted(10, cli.Bad)...)
		}
		plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", o.ClientID, o.Product, version, cycle, published, age, rows, o.Snapshots, rawOf(o), cli.Size(o.Bytes["total"]), note)
	}
	return w.Flush()
}

// noted returns the styles of a line in which one cell has a style.
func noted(cell int, s cli.Style) []cli.Style {
	styles := make([]cli.Style, cell+1)
	styles[cell] = s
	return styles
}

func rawOf(o inspect.Overview) string {
	text := fmt.Sprint(o.Raw)
	if o.RawPacks > 0 {
		text += fmt.Sprintf(" + %s", cli.Plural(o.RawPacks, "pack"))
	}
	return text
}

func rowsOfTables(p football.Product, rows map[string]int64) string {
	var list []string
	for _, name := range rowsShown[p] {
		if n, ok := rows[name]; ok {
			noun := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(name, "live_"), "live", "fixtures"), "s")
			list = append(list, cli.Plural(int(n), noun))
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

func printHistory(out io.Writer, o inspect.Overview, list []inspect.Publication) error {
	plain.Fprintf(out, "%s %s: %d publications, newest seq %d\n", o.ClientID, o.Product, o.Commits, o.LastSeq)
	var sizes []string
	var sum int64
	for _, dir := range inspect.Folders {
		if n := o.Bytes[dir]; n > 0 {
			sizes = append(sizes, dir+" "+cli.Size(n))
			sum += n
		}
	}
	note := ""
	if sum > o.Bytes["total"] {
		note = "; files that two folders share count once"
	}
	plain.Fprintf(out, "on the disk: %s (%s%s)\n", cli.Size(o.Bytes["total"]), strings.Join(sizes, ", "), note)
	plain.Fprintf(out, "cycles: raw %s, canonical %d, snapshots %d\n", rawOf(o), o.Canonical, o.Snapshots)
	if o.AgeMS != nil {
		plain.Fprintf(out, "freshness: retrieved %s, %s ago\n", cli.Moment(o.Newest.ProviderFetchedAt), ageOf(*o.AgeMS))
	}
	if o.Underway != "" {
		plain.Fprintf(out, "not published: cycle %s\n", o.Underway)
	}
	if o.Damage != "" {
		cli.Print(out, cli.Bad, "DAMAGED: "+o.Damage)
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	w := cli.NewTableWriter(out)
	w.Header("VERSION", "CYCLE", "PUBLISHED", "RETRIEVED", "ROWS", "EVENTS", "LAST SEQ", "SIZE")
	for _, p := range list {
		if p.CycleID == "" {
			w.Styles(noted(1, cli.Bad)...)
			plain.Fprintf(w, "%d\tDAMAGED: %s\n", p.Version, p.Damage)
			continue
		}
		rows, weight, note := rowsOfTables(o.Product, p.Rows), cli.Size(p.Bytes), ""
		switch {
		case p.Damage != "":
			note = "DAMAGED: " + p.Damage
			w.Styles(noted(8, cli.Bad)...)
		case !p.Kept:
			rows, weight, note = "-", "-", "not kept"
		}
		retrieved := "-"
		if p.ProviderFetchedAt != nil {
			retrieved = cli.Moment(p.ProviderFetchedAt)
		}
		plain.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", p.Version, p.CycleID, cli.Moment(&p.PublishedAt), retrieved, rows, p.Events, p.LastSeq, weight, note)
	}
	return w.Flush()
}
