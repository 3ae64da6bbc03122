package evidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/document"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/coverage"
)

// outcomeView is an outcome of the mapping: a canonical market and period, or the reason for RAW,
// with the number of markets of one name that became it.
type outcomeView struct {
	Key         string         `json:"key"`
	Name        string         `json:"name"`
	Market      string         `json:"market,omitempty"`
	Period      string         `json:"period,omitempty"`
	Subject     string         `json:"subject,omitempty"`
	Reason      string         `json:"raw_reason,omitempty"`
	Markets     int            `json:"markets"`
	Selections  int            `json:"selections"`
	Publishable int            `json:"publishable"`
	Reasons     map[string]int `json:"not_publishable"`
}

func outcomesOf(all []coverage.Outcome) []outcomeView {
	views := []outcomeView{}
	for _, o := range all {
		v := outcomeView{o.Key, o.Name, o.Canonical, o.Period, o.Subject, string(o.RawReason), o.Markets, o.Selections, o.Publishable, map[string]int{}}
		for reason, n := range o.Reasons {
			v.Reasons[string(reason)] = n
		}
		views = append(views, v)
	}
	return views
}

// became describes the outcome without the side (home or away) of the markets.
func (o *outcomeView) became() string {
	if o.Reason != "" {
		return "RAW " + o.Reason
	}
	return o.Market + " " + o.Period
}

// movedView is a move of markets of one name from one outcome to another. Before or Now is "" if
// the number of markets grew or fell.
type movedView struct {
	Key           string `json:"key"`
	Name          string `json:"name"`
	Before        string `json:"before"`
	MarketsBefore int    `json:"markets_before"` // how many fewer they are now
	Now           string `json:"now"`
	MarketsNow    int    `json:"markets_now"` // how many more they are now
}

// qualityView is a change in the number of unpublishable selections of a market, by reason.
type qualityView struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Market string `json:"market"`
	Reason string `json:"reason"`
	Before int    `json:"before"`
	Now    int    `json:"now"`
}

// againstView is a comparison of two readings of the same payloads.
type againstView struct {
	Provider    string        `json:"provider"`
	Against     string        `json:"against"`
	Markets     [2]int        `json:"markets"` // before, now
	Mapped      [2]int        `json:"mapped"`
	Publishable [2]int        `json:"publishable"`
	Moved       []movedView   `json:"moved"`
	Quality     []qualityView `json:"not_publishable"`
}

func compareOutcomes(before, now []outcomeView) (v againstView) {
	v.Moved, v.Quality = []movedView{}, []qualityView{}
	names := map[[2]string]*[2][]outcomeView{}
	for i, all := range [2][]outcomeView{before, now} {
		for _, o := range all {
			of := names[[2]string{o.Key, o.Name}]
			if of == nil {
				of = new([2][]outcomeView)
				names[[2]string{o.Key, o.Name}] = of
			}
			of[i] = append(of[i], o)
			v.Markets[i] += o.Markets
			v.Publishable[i] += o.Publishable
			if o.Reason == "" {
				v.Mapped[i] += o.Markets
			}
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(names), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
		v.Moved = append(v.Moved, moves(of[0], of[1], names[of])...)
		v.Quality = append(v.Quality, qualities(of[0], of[1], names[of])...)
	}
	slices.SortStableFunc(v.Moved, func(a, b movedView) int {
		return cmp.Compare(max(b.MarketsBefore, b.MarketsNow), max(a.MarketsBefore, a.MarketsNow))
	})
	return v
}

// count is the number of markets with one outcome, before and now.
type count [2]int

// moves pairs the outcomes that lost markets of a name with those that gained them. A move from one
// side to another is listed only if the outcome's total is unchanged.
func moves(key, name string, sides *[2][]outcomeView) (moved []movedView) {
	whole, bySide := map[string]count{}, map[string]map[string]count{}
	for i, all := range sides {
		for _, o := range all {
			what := o.became()
			if bySide[what] == nil {
				bySide[what] = map[string]count{}
			}
			n, s := whole[what], bySide[what][joined(what, o.Subject)]
			n[i], s[i] = n[i]+o.Markets, s[i]+o.Markets
			whole[what], bySide[what][joined(what, o.Subject)] = n, s
		}
	}
	moved = paired(key, name, whole)
	for _, what := range slices.Sorted(maps.Keys(whole)) {
		if n := whole[what]; n[0] == n[1] {
			moved = append(moved, paired(key, name, bySide[what])...)
		}
	}
	return moved
}

func paired(key, name string, counts map[string]count) (moved []movedView) {
	var fewer, more []movedView
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		switch n := counts[what]; {
		case n[0] > n[1]:
			fewer = append(fewer, movedView{Key: key, Name: name, Before: what, MarketsBefore: n[0] - n[1]})
		case n[1] > n[0]:
			more = append(more, movedView{Key: key, Name: name, Now: what, MarketsNow: n[1] - n[0]})
		}
	}
	slices.SortStableFunc(fewer, func(a, b movedView) int { return cmp.Compare(b.MarketsBefore, a.MarketsBefore) })
	slices.SortStableFunc(more, func(a, b movedView) int { return cmp.Compare(b.MarketsNow, a.MarketsNow) })
	for i := range max(len(fewer), len(more)) {
		m := movedView{Key: key, Name: name}
		if i < len(fewer) {
			m.Before, m.MarketsBefore = fewer[i].Before, fewer[i].MarketsBefore
		}
		if i < len(more) {
			m.Now, m.MarketsNow = more[i].Now, more[i].MarketsNow
		}
		moved = append(moved, m)
	}
	return moved
}

// qualities compares the reasons of the selections of markets with an unchanged outcome.
func qualities(key, name string, sides *[2][]outcomeView) (changed []qualityView) {
	type of struct{ market, reason string }
	counts, markets := map[of]count{}, map[string]count{}
	for i, all := range sides {
		for _, o := range all {
			what := o.became()
			n := markets[what]
			n[i] += o.Markets
			markets[what] = n
			for reason, m := range o.Reasons {
				n := counts[of{what, reason}]
				n[i] += m
				counts[of{what, reason}] = n
			}
		}
	}
	for o, n := range counts {
		if n[0] != n[1] && markets[o.market][0] > 0 && markets[o.market][1] > 0 {
			changed = append(changed, qualityView{key, name, o.market, o.reason, n[0], n[1]})
		}
	}
	slices.SortFunc(changed, func(a, b qualityView) int {
		return cmp.Or(cmp.Compare(a.Market, b.Market), cmp.Compare(a.Reason, b.Reason))
	})
	return changed
}

// document returns the comparison for people.
func (v againstView) document() *document.Document {
	moved := &document.Table{Columns: document.Columns("Key", "Name", "Before", "#Markets", "Now", "#Markets")}
	for _, m := range v.Moved {
		moved.Add(m.Key, m.Name, cmp.Or(m.Before, "-"), countOrDash(m.MarketsBefore), cmp.Or(m.Now, "-"), countOrDash(m.MarketsNow))
	}
	quality := &document.Table{Columns: document.Columns("Not publishable", "Name", "Reason", "#Selections before", "#Now")}
	for _, q := range v.Quality {
		quality.Add(joined(q.Key+":", q.Market), q.Name, q.Reason, q.Before, q.Now)
	}
	d := &document.Document{}
	for _, t := range []*document.Table{moved, quality} {
		if len(t.Rows) > 0 {
			d.Sections = append(d.Sections, document.Section{Table: t})
		}
	}
	sum := document.Section{Head: document.Format("%s before, %d now; %d mapped before, %d now; %s publishable before, %d now.", cli.Plural(v.Markets[0], "market"), v.Markets[1],
		v.Mapped[0], v.Mapped[1], cli.Plural(v.Publishable[0], "selection"), v.Publishable[1])}
	if len(d.Sections) == 0 {
		d.Head = document.Words("No market moved.")
	}
	d.Sections = append(d.Sections, sum)
	return d
}

func countOrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// against returns the outcomes of another reading of the payloads: from a saved report, or as published
// by the cycle named in --against.
func (g *Group) against(f *mappingFlags) (provider string, before []outcomeView, err error) {
	if _, _, err := layout.ParseCycleID(f.against); err == nil {
		return g.publishedOutcomes(f)
	}
	report, err := os.ReadFile(f.against)
	if err != nil {
		return "", nil, fmt.Errorf("--against %s: want a report of mkt mapping report --output json, or with --tenant the id of a cycle: %w", f.against, err)
	}
	var v struct {
		Provider string         `json:"provider"`
		Outcomes *[]outcomeView `json:"outcomes"`
	}
	if err := json.Unmarshal(report, &v); err != nil {
		return "", nil, fmt.Errorf("--against %s: it is no report of mkt mapping report: %w", f.against, err)
	}
	if v.Outcomes == nil {
		return "", nil, fmt.Errorf("--against %s: its report has no list of outcomes: it is of a version of mkt without --against", f.against)
	}
	return v.Provider, *v.Outcomes, nil
}

// publishedOutcomes returns the outcomes of the cycle's markets, from its rows as they were
// transformed.
func (g *Group) publishedOutcomes(f *mappingFlags) (provider string, before []outcomeView, err error) {
	datasets, err := cli.Datasets(g.Data, cli.Filter{Tenant: f.tenant, Product: string(football.MarketEngine)})
	if err != nil {
		return "", nil, err
	}
	root, err := datasets[0].Open()
	if err != nil {
		return "", nil, err
	}
	defer root.Close()
	m, _, err := snapshot.OpenCanonical(root, layout.CycleID(f.against))
	if err != nil {
		return "", nil, fmt.Errorf("--against %s: %w", f.against, err)
	}
	var all coverage.Outcomes
	for row, err := range snapshot.VerifiedRows[table.MarketRow](root, layout.Cycle(layout.CanonicalDir, layout.CycleID(f.against)), m, layout.MarketsFile) {
		if err != nil {
			return "", nil, fmt.Errorf("--against %s: %w", f.against, err)
		}
		all.Add(outcomeOf(row))
	}
	return m.Provider, outcomesOf(all.List()), nil
}

// outcomeOf returns the outcome of a row's market. It keeps no memory of the row.
func outcomeOf(row *table.MarketRow) coverage.Outcome {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.Clone(*s)
	}
	o := coverage.Outcome{Key: strings.Clone(row.ProviderMarketKey), Name: text(row.MarketName), Canonical: text(row.Market), Period: text(row.Period),
		RawReason: football.Reason(text(row.RawReason)), Selections: len(row.Selections), Reasons: map[football.Reason]int{}}
	for i := range row.Selections {
		s := &row.Selections[i]
		if s.Publishable {
			o.Publishable++
		}
		if subject := text(s.Subject); o.Subject == "" && (subject == "HOME" || subject == "AWAY") {
			o.Subject = subject
		}
		for _, reason := range s.Reasons {
			o.Reasons[football.Reason(strings.Clone(reason))]++
		}
	}
	return o
}
