package coverage

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// WriteMarkdown writes the coverage as tables: the payloads, each counted once for each
// bookmaker, the names of the RAW markets, and the selections of mapped markets that are not
// publishable. It leaves out an empty table.
func (c *Report) WriteMarkdown(w io.Writer) {
	c.writePayloads(w)
	all := c.Totals()
	fmt.Fprintf(w, "\n%s of the markets are mapped, and %s of the selections are publishable or suspended.\n", Percent(all.Mapped, all.Markets), Percent(all.Publishable+all.Suspended, all.Selections))
	if names := c.RawNames(); len(names) > 0 {
		fmt.Fprint(w, "\nMarkets that stay RAW:\n\n| key | name | reason | markets | selections | for example |\n|---|---|---|---|---|---|\n")
		for _, n := range names {
			fmt.Fprintf(w, "| `%s` | %s | `%s` | %d | %d | %s |\n", n.Key, cell(n.Name), n.Reason, n.Markets, n.Selections, cell(n.Example.Words))
		}
	}
	if list := c.Unpublished(); len(list) > 0 {
		fmt.Fprint(w, "\nSelections of mapped markets that are not publishable:\n\n| reason | key | market | selections | for example |\n|---|---|---|---|---|\n")
		for _, u := range list {
			fmt.Fprintf(w, "| `%s` | `%s` | `%s` | %d | %s |\n", u.Reason, u.Key, strings.TrimSpace(u.Canonical+" "+u.Period+" "+u.Subject), u.Selections, cell(u.Example.Words))
		}
	}
}

// writePayloads writes one line for each payload with the sum over its bookmakers.
func (c *Report) writePayloads(w io.Writer) {
	fmt.Fprint(w, "| payload | bookmakers | markets | mapped | RAW | listed without prices | selections | publishable | suspended |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := 0; i < len(c.Payloads); {
		same := Report{}
		for first := i; i < len(c.Payloads) && c.Payloads[i].Name == c.Payloads[first].Name; i++ {
			same.Payloads = append(same.Payloads, c.Payloads[i])
		}
		name := path.Base(same.Payloads[0].Name)
		if same.Payloads[0].Err != nil {
			fmt.Fprintf(w, "| `%s` | not readable | | | | | | | |\n", name)
			continue
		}
		t := same.Totals()
		fmt.Fprintf(w, "| `%s` | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, len(same.Payloads), t.Markets, t.Mapped, t.Raw, t.WithoutPrices, t.Selections, t.Publishable, t.Suspended)
	}
}

// Percent writes a share, rounded down: only all of it is 100 %.
func Percent(part, whole int) string {
	if whole == 0 {
		return "none"
	}
	tenths := 1000 * part / whole
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// cell escapes the end of a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
