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

// changeView is a result whose markets are others now.
type changeView struct {
	coverage.Result
	Before coverage.Counts `json:"before"`
	Now    coverage.Counts `json:"now"`
}

// againstView is a comparison of two reports.
type againstView struct {
	Provider    string       `json:"provider"`
	Against     string       `json:"against"`
	Markets     [2]int       `json:"markets"` // before, now
	Mapped      [2]int       `json:"mapped"`
	Publishable [2]int       `json:"publishable"`
	Changed     []changeView `json:"changed"`
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
	v := againstView{Provider: now.Provider, Against: file, Changed: []changeView{}}
	results := map[coverage.Result]*[2]coverage.Counts{}
	for i, outcomes := range [][]coverage.Outcome{before.Outcomes, now.Outcomes} {
		for _, o := range outcomes {
			if results[o.Result] == nil {
				none := coverage.Counts{Reasons: map[football.Reason]int{}}
				results[o.Result] = &[2]coverage.Counts{none, none}
			}
			results[o.Result][i] = o.Counts
			v.Markets[i] += o.Markets
			v.Publishable[i] += o.Publishable
			if o.Reason == "" {
				v.Mapped[i] += o.Markets
			}
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(results), coverage.Result.Compare) {
		if n := results[r]; !n[0].Equal(n[1]) {
			v.Changed = append(v.Changed, changeView{r, n[0], n[1]})
		}
	}
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
			t.Add(c.Key, c.Name, becomes, c.Before.Markets, c.Now.Markets, c.Before.Publishable, c.Now.Publishable, c.reasons())
		}
		d = &document.Document{Sections: []document.Section{{Table: t}}}
	}
	d.Sections = append(d.Sections, document.Section{Head: document.Format("%s before, %d now; %d mapped before, %d now; %s publishable before, %d now.", terminal.Plural(v.Markets[0], "market"), v.Markets[1],
		v.Mapped[0], v.Mapped[1], terminal.Plural(v.Publishable[0], "selection"), v.Publishable[1])})
	return d
}

// reasons lists the reasons of selections whose number differs.
func (c changeView) reasons() string {
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
