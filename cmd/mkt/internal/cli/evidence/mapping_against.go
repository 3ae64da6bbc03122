package evidence

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/transform/coverage"
)

// againstView is a comparison of two reports.
type againstView struct {
	Provider string `json:"provider"`
	Against  string `json:"against"`
	coverage.Comparison
}

// showAgainst compares a report with a saved one.
func (g *Group) showAgainst(file string, now coverage.Summary) error {
	saved, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--against: want a report of mkt mapping report --output json: %w", err)
	}
	var before coverage.Summary
	if err := json.Unmarshal(saved, &before); err != nil {
		return fmt.Errorf("--against %s: it is no report of mkt mapping report: %w", file, err)
	}
	switch {
	case before.Outcomes == nil:
		return fmt.Errorf("--against %s: its report has no list of outcomes", file)
	case before.Provider != now.Provider:
		return fmt.Errorf("--against %s: it is about %s, and this about %s", file, before.Provider, now.Provider)
	}
	v := againstView{now.Provider, file, coverage.Compare(&before, &now)}
	return g.show(v, v.document)
}

// document returns the comparison for people.
func (v againstView) document() *document.Document {
	d := &document.Document{Head: document.Words("No market moved.")}
	if len(v.Changed) > 0 {
		t := &document.Table{Columns: document.Columns("Key", "Name", "Becomes", "#Markets before", "#Now", "#Publishable before", "#Now", "Not publishable")}
		for _, c := range v.Changed {
			becomes := joined(c.Market, c.Period, c.Subject)
			if c.Reason != "" {
				becomes = "RAW " + string(c.Reason)
			}
			t.Add(c.Key, c.Name, becomes, c.Before.Markets, c.Now.Markets, c.Before.Publishable, c.Now.Publishable, reasons(c))
		}
		d = &document.Document{Sections: []document.Section{{Table: t}}}
	}
	d.Sections = append(d.Sections, document.Section{Head: document.Format("%s before, %d now; %d mapped before, %d now; %s publishable before, %d now.", terminal.Plural(v.Markets[0], "market"), v.Markets[1],
		v.Mapped[0], v.Mapped[1], terminal.Plural(v.Publishable[0], "selection"), v.Publishable[1])})
	return d
}

// reasons lists the reasons of selections whose number differs.
func reasons(c coverage.Change) string {
	var changed []string
	either := map[football.Reason]bool{}
	for _, counts := range []coverage.Counts{c.Before, c.Now} {
		for reason := range counts.Reasons {
			either[reason] = true
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(either)) {
		if b, n := c.Before.Reasons[reason], c.Now.Reasons[reason]; b != n {
			changed = append(changed, fmt.Sprintf("%s %d, now %d", reason, b, n))
		}
	}
	return strings.Join(changed, "; ")
}
