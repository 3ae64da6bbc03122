package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/internal/accounts"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/explain"
	"mkt/internal/terminal"
	"mkt/publish/football"
)

func newMappingExplain(g *Group) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "explain MARKET",
		Short: "Show the rule that maps a market",
		Long: `Show the rule that maps a market, or why it stays RAW. MARKET is one of
  Asian Handicap              the provider's name of a market, or its key
  6                           the provider's id of a market
  ASIAN_HANDICAP              a canonical market, for all rules that lead to it
  sportmonks/markets.csv:6    a rule, as "mkt explain" names it
Names are compared without regard to case. If no rule has the name, those that
contain it are listed. Rules of all providers are looked through, unless
--provider names one. No data is needed.`,
		Example: `  mkt mapping explain "Asian Handicap" --provider sportmonks
  mkt mapping explain TEAM_TOTAL_GOALS`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if name != "" {
				if err := terminal.CheckWord("--provider", name, accounts.ProviderNames()...); err != nil {
					return err
				}
			}
			text := strings.Join(args, " ")
			if strings.HasPrefix(text, "mk_") {
				return terminal.Usagef("%s is the id of a published market: mkt explain %[1]s shows its rule", text)
			}
			return g.explainRules(name, text)
		},
	}
	cmd.Flags().StringVar(&name, "provider", "", "show only the rules of this provider: "+strings.Join(accounts.ProviderNames(), ", "))
	return cmd
}

// ruleView is one line of a mapping table.
type ruleView struct {
	Provider  string   `json:"provider"`
	Rule      string   `json:"rule"`
	By        string   `json:"by"`
	Match     string   `json:"match"`
	Key       string   `json:"key"`
	Name      string   `json:"name,omitempty"`
	IDs       []string `json:"provider_market_ids"`
	Origin    string   `json:"origin"`
	Market    string   `json:"market,omitempty"`
	Period    string   `json:"period,omitempty"`
	Subject   string   `json:"subject,omitempty"`
	Parameter string   `json:"parameter,omitempty"`
	Rank      int      `json:"rank,omitempty"`
	Shape     []string `json:"shape"`
	Condition string   `json:"condition,omitempty"`
	RawReason string   `json:"raw_reason,omitempty"`
	Line      string   `json:"line"`
}

func ruleOf(p provider.Provider, l mapping.Line) ruleView {
	v := ruleView{Provider: p.Name, Rule: l.Rule, By: l.By, Match: l.Match, Key: l.Entry.Key, Name: l.Name, IDs: append([]string{}, l.Entry.IDs...),
		Origin: string(football.Raw), RawReason: string(l.Entry.Reason), Shape: []string{}, Line: l.Text}
	if r := l.Entry.Reading; r != nil {
		v.Origin, v.Market, v.Period, v.Subject, v.Parameter, v.Rank = string(football.Mapped), r.Market, r.Period, r.Subject, r.Parameter, r.Rank
		v.Shape, v.Condition = append(v.Shape, mapping.ShapeNames(r.Shape)...), string(r.Condition)
		if t, ok := football.Lookup(r.Market); ok && t.NeedsDraw() {
			v.Condition = string(needsDraw)
		}
	}
	return v
}

// explainRules shows the rules of the tables for a text.
func (g *Group) explainRules(only, text string) error {
	if strings.TrimSpace(text) == "" {
		return terminal.Usagef("give the name, key or id of a market")
	}
	var exact, near []ruleView
	for _, p := range all.All() {
		if p.Table == nil || only != "" && p.Name != only {
			continue
		}
		found, isExact := p.Table().Find(text)
		for _, l := range found {
			if isExact {
				exact = append(exact, ruleOf(p, l))
			} else {
				near = append(near, ruleOf(p, l))
			}
		}
	}
	if len(exact) > 0 {
		return g.showRules(exact)
	}
	if len(near) > 0 {
		return errors.Join(g.show(near, func() *document.Document { return rulesTable(near) }), fmt.Errorf("no rule is called %q; it is part of the names of %s: give one of them", text, terminal.Plural(len(near), "rule")))
	}
	return terminal.Usagef("no rule of %s has %q in its name: a market without a rule stays %s with %s", orAll(only), text, football.Raw, football.UnknownMarket)
}

func orAll(provider string) string {
	if provider == "" {
		return "any provider"
	}
	return provider
}

// maxDetailed is how many rules are shown in detail. If there are more, they are only listed.
const maxDetailed = 4

func (g *Group) showRules(rules []ruleView) error {
	return g.show(rules, func() *document.Document {
		if len(rules) > maxDetailed {
			return rulesTable(rules)
		}
		d := rules[0].document()
		for _, r := range rules[1:] {
			next := r.document()
			d.Sections = append(d.Sections, document.Section{Head: next.Head, Facts: next.Sections[0].Facts})
		}
		return d
	})
}

func rulesTable(rules []ruleView) *document.Document {
	t := &document.Table{Columns: document.Columns("Rule", "Name", "Market", "Period", "Subject", "#Rank")}
	for _, v := range rules {
		if v.Origin == string(football.Raw) {
			t.Add(v.Rule, v.Name, document.Styled(terminal.Warn, "RAW: "+v.RawReason))
			continue
		}
		t.Add(v.Rule, v.Name, joined(v.Market, v.Parameter), orRows(v.Period), v.Subject, v.Rank)
	}
	return &document.Document{Sections: []document.Section{{Table: t}}}
}

// orRows returns the word in a column of the table. An empty column means that each row of the
// market has its own.
func orRows(word string) string {
	if word == "" {
		return "(rows)"
	}
	return word
}

// lookedUp describes how each kind of line finds its markets: its text is compared with this.
var lookedUp = map[string]string{"key": "the market's key", "name": "the market's name", "row": "the name of one row of a market whose rows each name a market"}

// habits describe the shapes, see [input.Shape].
var habits = map[string]string{
	"winner-first":       "a score has the winner's goals first",
	"draw-away-sign":     "the draw row of a three-way handicap has the away side's sign",
	"own-side":           "a row of a handicap has the line of its own side",
	"unsigned-is-plus":   "a handicap without a sign is positive",
	"sign-by-prices":     "the prices prove whose line a row of a handicap has",
	"repeats":            "a text that stands in two fields says one thing",
	"each-says-all":      "every field of a row says the whole selection",
	"named-winner-first": "a score beside its winner has the winner's goals first, and a score alone the home side's",
	"side-means-yes":     "a side alone means yes of that side",
	"bare-line-over":     "a line without a word is one to go over",
	"named-sides":        "a score names both sides, each with its goals",
}

// needsDraw is the condition of every market with three results, see [football.Term.NeedsDraw].
const needsDraw input.Condition = "DRAW"

// tests describe the conditions, see [input.Condition].
var tests = map[input.Condition]string{
	input.NeedsExactly:   "a row must say exactly",
	needsDraw:            "a row must be the draw",
	input.NeedsBands:     "every row must be a band",
	input.NeedsHalves:    "every row must name a side and a half",
	input.NeedsSentence:  "every row must be a sentence that names a side",
	input.NeedsScorers:   "every row must say first, last or anytime",
	input.NeedsGoals:     "every row must say goals",
	input.NeedsScoreDraw: "a row must say score draw",
}

// document returns one rule in detail.
func (v ruleView) document() *document.Document {
	var facts []document.Fact
	line := func(name, text string) {
		if text != "" {
			facts = append(facts, document.Fact{Name: name, Value: document.Words(text)})
		}
	}
	made := func() *document.Document {
		return &document.Document{Head: document.Words(v.Rule), Sections: []document.Section{{Facts: facts}}}
	}
	line("market", joined(v.Provider, v.Name))
	line("found by", fmt.Sprintf("%s %q", lookedUp[v.By], v.Match))
	if ids := slices.DeleteFunc(slices.Clone(v.IDs), func(id string) bool { return id == v.Match }); len(ids) > 0 {
		line("market ids", strings.Join(ids, ", "))
	}
	if v.Origin == string(football.Raw) {
		line("stays RAW", v.RawReason+": "+explain.WhyRaw(football.Reason(v.RawReason)))
		line("line", v.Line)
		return made()
	}
	line("becomes", joined(v.Market, v.Parameter))
	if t, ok := football.Lookup(v.Market); ok {
		line("which is", t.Meaning)
		line("selections", t.Selections)
		line("line kind", string(t.Line))
	}
	line("period", orRows(v.Period))
	line("subject", v.Subject)
	line("rank", v.rankWords())
	for i, name := range v.Shape {
		line([]string{"habits", ""}[min(i, 1)], name+": "+habits[name])
	}
	if v.Condition != "" {
		line("condition", v.Condition+": "+tests[input.Condition(v.Condition)])
	}
	line("line", v.Line)
	return made()
}

// rankWords describes the effect of the rank on the market's id, and lists the rules with the same
// definition.
func (v ruleView) rankWords() string {
	p, _ := all.Lookup(v.Provider)
	var others []string
	for _, l := range p.Table().Lines() {
		o := ruleOf(p, l)
		if o.Market == v.Market && o.Period == v.Period && o.Subject == v.Subject && o.Parameter == v.Parameter && o.Key != v.Key && !slices.Contains(others, l.Match) {
			others = append(others, l.Match)
		}
	}
	text := "1: its market has the bare id"
	if v.Rank > 1 {
		text = fmt.Sprintf("%d: the id of its market ends with ~ and a suffix of its own", v.Rank)
	}
	if len(others) > 0 {
		text += "; the definition is shared with " + terminal.Several(others)
	}
	return text
}
