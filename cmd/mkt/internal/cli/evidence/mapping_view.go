package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/document"
	"mkt/transform/coverage"
	"mkt/transform/markets"
)

type coverageView struct {
	Provider    string            `json:"provider"`
	Payloads    []payloadView     `json:"payloads"`
	Total       totalView         `json:"total"`
	Listings    int               `json:"listings"` // payloads with lists of fixtures
	Others      []otherView       `json:"others"`   // payloads with neither
	Unreadable  int               `json:"unreadable"`
	Nameless    int               `json:"without_names"` // fixtures without the name of a team
	Raw         []rawView         `json:"raw"`           // by how often, then by key
	Reasons     map[string]int    `json:"not_publishable"`
	Unpublished []unpublishedView `json:"not_publishable_markets"` // selections of mapped markets, by reason
	Damaged     map[string]int    `json:"damaged"`                 // unreadable parts
	Unknown     map[string]int    `json:"unknown_fields"`          // fields no reader knows
	Suspicions  []suspicionView   `json:"suspicions"`              // by kind
	Outcomes    []outcomeView     `json:"outcomes"`                // of the markets of each name: for --against

	hint string // how to name teams
}

type totalView struct {
	Markets       int `json:"markets"`
	Mapped        int `json:"mapped"`
	Raw           int `json:"raw"`
	WithoutPrices int `json:"without_prices"`
	Selections    int `json:"selections"`
	Publishable   int `json:"publishable"`
	Suspended     int `json:"suspended"` // read, and not on offer now: not publishable
}

type payloadView struct {
	Payload    string   `json:"payload"`
	Bookmaker  string   `json:"bookmaker,omitempty"`
	Bookmakers []string `json:"bookmakers,omitempty"` // whose prices it has, if it has none of Bookmaker
	Fixtures   int      `json:"fixtures"`
	totalView
	Broken       int    `json:"broken"`
	WithoutNames int    `json:"without_names"`
	Error        string `json:"error,omitempty"`
}

// otherView is a payload with neither prices nor a list of fixtures.
type otherView struct {
	Payload   string   `json:"payload"`
	Code      string   `json:"code,omitempty"`      // its fault as an answer of the provider
	Providers []string `json:"providers,omitempty"` // other providers of which it could be an answer
}

// suspicionView counts the markets of one kind of suspicion, with a few examples.
type suspicionView struct {
	Kind     string        `json:"kind"`
	Markets  int           `json:"markets"`
	Examples []exampleView `json:"examples"`
}

// maxExamples is how many markets are shown of each kind of suspicion.
const maxExamples = 3

type exampleView struct {
	Payload   string `json:"payload"`
	Bookmaker string `json:"bookmaker,omitempty"`
	Fixture   string `json:"provider_fixture_id"`
	Key       string `json:"key"`
	Market    string `json:"market"`
	Period    string `json:"period"`
	Subject   string `json:"subject,omitempty"`
	Seen      string `json:"seen"`
}

// rawView is the name of an unmapped market.
type rawView struct {
	Key        string     `json:"key"`
	Name       string     `json:"name"`
	Reason     string     `json:"reason"`
	Markets    int        `json:"markets"`
	Selections int        `json:"selections"`
	Example    sampleView `json:"example"`
}

// unpublishedView counts the unread selections of a mapped market.
type unpublishedView struct {
	Reason     string     `json:"reason"`
	Key        string     `json:"key"`
	Market     string     `json:"market"`
	Period     string     `json:"period"`
	Subject    string     `json:"subject,omitempty"`
	Selections int        `json:"selections"`
	Example    sampleView `json:"example"`
}

// sampleView is the first selection of many.
type sampleView struct {
	Payload   string `json:"payload"`
	Bookmaker string `json:"bookmaker,omitempty"`
	Fixture   string `json:"provider_fixture_id"`
	Words     string `json:"words"`
}

func coverageOf(c coverage.Report) coverageView {
	v := coverageView{Provider: c.Provider, Payloads: []payloadView{}, Total: totalView(c.Totals()), Listings: c.Listings, Others: []otherView{}, Raw: []rawView{},
		Unpublished: []unpublishedView{}, Suspicions: []suspicionView{}, Outcomes: outcomesOf(c.Outcomes()), Reasons: map[string]int{}, Damaged: map[string]int{}, Unknown: map[string]int{}}
	suspicions := map[markets.Suspicion]suspicionView{}
	nameless := map[string]bool{}
	for i := range c.Payloads {
		p := &c.Payloads[i]
		v.Payloads = append(v.Payloads, payloadView{p.Name, p.Bookmaker, p.Bookmakers, p.Fixtures, totalView(p.Totals()), len(p.Broken), len(p.WithoutNames), cli.Message(p.Err)})
		for _, id := range p.WithoutNames {
			nameless[id] = true
		}
		if p.Err != nil {
			v.Unreadable++
		}
		for what, n := range p.Damaged {
			v.Damaged[what] += n
		}
		for name, n := range p.Unknown {
			v.Unknown[name] += n
		}
		for _, m := range p.Suspicions {
			of := suspicions[m.Kind]
			if of.Markets++; len(of.Examples) < maxExamples {
				of.Examples = append(of.Examples, exampleView{p.Name, p.Bookmaker, m.Fixture, m.Key, m.Canonical, m.Period, m.Subject, m.Seen})
			}
			suspicions[m.Kind] = of
		}
		for k := range p.Markets {
			for reason, n := range p.Markets[k].Reasons {
				v.Reasons[string(reason)] += n
			}
		}
	}
	v.Nameless = len(nameless)
	for _, o := range c.Others {
		v.Others = append(v.Others, otherView{o.Name, o.Code, o.Providers})
	}
	for _, kind := range slices.Sorted(maps.Keys(suspicions)) {
		of := suspicions[kind]
		of.Kind = kind.String()
		v.Suspicions = append(v.Suspicions, of)
	}
	for _, r := range c.RawNames() {
		v.Raw = append(v.Raw, rawView{r.Key, r.Name, string(r.Reason), r.Markets, r.Selections, sampleView(r.Example)})
	}
	for _, u := range c.Unpublished() {
		v.Unpublished = append(v.Unpublished, unpublishedView{string(u.Reason), u.Key, u.Canonical, u.Period, u.Subject, u.Selections, sampleView(u.Example)})
	}
	return v
}

// maxShown bounds the lines of a list for people. JSON has all.
const maxShown = 20

// document returns the coverage for people.
func (v coverageView) document() *document.Document {
	d := &document.Document{Sections: v.payloads()}
	add := func(t *document.Table) {
		if len(t.Rows) > 0 {
			d.Sections = append(d.Sections, document.Section{Table: t})
		}
	}
	raw := &document.Table{Columns: document.Columns("RAW", "Name", "Reason", "#Markets", "#Selections", "Example")}
	for _, r := range v.Raw {
		raw.Add(document.Styled(cli.Warn, r.Key), r.Name, r.Reason, r.Markets, r.Selections, r.Example)
	}
	add(raw)
	unread := &document.Table{Columns: document.Columns("Mapped, not read", "Reason", "#Selections", "Example")}
	for _, u := range v.Unpublished {
		unread.Add(joined(u.Key+":", u.Market, u.Period, u.Subject), u.Reason, u.Selections, u.Example)
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
			suspicions.Add(document.Styled(cli.Warn, kind), n, joined(e.Payload, by(e.Bookmaker), e.Fixture, e.Key+":", e.Market, e.Period, e.Subject), e.Seen)
		}
	}
	add(suspicions)
	add(v.others())
	if v.Nameless > 0 {
		d.Sections = append(d.Sections, document.Section{Head: document.Words(cli.Plural(v.Nameless, "fixture") + " without the names of both teams: markets that are recognized by a name stay RAW." + v.hint)})
	}
	return d
}

func (v coverageView) payloads() []document.Section {
	several := slices.ContainsFunc(v.Payloads, func(p payloadView) bool { return p.Bookmaker != "" })
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
	counted := func(fixtures int, of totalView) []any {
		return []any{fixtures, of.Markets, of.Mapped, of.Raw, of.WithoutPrices, of.Selections, of.Publishable, of.Suspended}
	}
	fixtures := 0
	for _, p := range v.Payloads {
		fixtures += p.Fixtures
		switch {
		case p.Error != "":
			add(p.Payload, p.Bookmaker, "cannot be read: "+p.Error)
		case len(p.Bookmakers) > 0:
			add(p.Payload, p.Bookmaker, "has no prices of this bookmaker, but of "+cli.Several(p.Bookmakers))
		default:
			add(p.Payload, p.Bookmaker, counted(p.Fixtures, p.totalView)...)
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
func (v coverageView) others() *document.Table {
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
		t.Add(o.Payload, what)
	}
	return t
}

// providerHint returns the end of a message about payloads without one of the provider.
func (v coverageView) providerHint() string {
	count := map[string]int{}
	for _, o := range v.Others {
		for _, name := range o.Providers {
			count[name]++
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if best == "" || count[name] > count[best] {
			best = name
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; %d of %s could be of %s: give --provider %s", count[best], cli.Plural(len(v.Others), "file"), best, best)
}

// String is the example in a line of a table.
func (s sampleView) String() string {
	return joined(s.Payload, by(s.Bookmaker), s.Fixture+":", s.Words)
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
