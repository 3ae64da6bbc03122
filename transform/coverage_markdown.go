package transform

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"mkt/publish/football"
)

// WriteMarkdown writes the coverage as three tables: the payloads, every market that
// stayed RAW with the reason, and every mapped one with selections that are not
// publishable.
func (c *Coverage) WriteMarkdown(w io.Writer) {
	fmt.Fprintln(w, "| payload | markets | mapped | RAW | listed without prices | selections | publishable |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for i := range c.Payloads {
		p := &c.Payloads[i]
		if p.Err != nil {
			fmt.Fprintf(w, "| `%s` | not readable | | | | | |\n", path.Base(p.Name))
			continue
		}
		t := p.Totals()
		fmt.Fprintf(w, "| `%s` | %d | %d | %d | %d | %d | %d |\n", path.Base(p.Name), t.Markets, t.Mapped, t.Raw, t.WithoutPrices, t.Selections, t.Publishable)
	}
	fmt.Fprint(w, "\nMarkets that stay RAW:\n\n| payload | key | name | selections | reason |\n|---|---|---|---|---|\n")
	c.each(func(p *PayloadCoverage, m *MarketCoverage) {
		if m.RawReason != "" && !m.WithoutPrices {
			fmt.Fprintf(w, "| `%s` | `%s` | %s | %d | `%s` |\n", path.Base(p.Name), m.Key, m.Name, m.Selections, m.RawReason)
		}
	})
	fmt.Fprint(w, "\nMapped markets with selections that are not publishable:\n\n| payload | market | key | selections | publishable | reasons |\n|---|---|---|---|---|---|\n")
	c.each(func(p *PayloadCoverage, m *MarketCoverage) {
		if m.RawReason == "" && m.Publishable < m.Selections {
			fmt.Fprintf(w, "| `%s` | `%s` `%s` | `%s` | %d | %d | %s |\n", path.Base(p.Name), m.Canonical, m.Period, m.Key, m.Selections, m.Publishable, reasonsText(m.Reasons))
		}
	})
}

func (c *Coverage) each(do func(*PayloadCoverage, *MarketCoverage)) {
	for i := range c.Payloads {
		for k := range c.Payloads[i].Markets {
			do(&c.Payloads[i], &c.Payloads[i].Markets[k])
		}
	}
}

func reasonsText(reasons map[football.Reason]int) string {
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("`%s` × %d", r, reasons[r]))
	}
	return strings.Join(parts, ", ")
}
