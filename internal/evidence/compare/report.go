package compare

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"sync"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
)

// The limits of a page.
const (
	mostMovers   = 50
	mostFixtures = 30
	mostOthers   = 200
	mostMarkets  = 5000
)

// Report is the result of a comparison for people. It takes the changes one by one, and keeps a
// bounded number of them for a page. It is filled by [NewReport], [Report.Add] and [Report.Finish].
type Report struct {
	a, b     Side
	summary  Summary
	bins     []Bin
	top      []*Market // by how many odds moved
	movers   []Mover   // by how far
	fixtures []*Fixture
	others   []Change
	more     int // number of dropped fixtures

	markets map[string]*Market
	fixture *Fixture // the current one
	moved   int
}

// Market counts the movements of one canonical market.
type Market struct {
	Name     string
	Up, Down int
	Sum      float64 // of percent, without sign
}

// Moved returns how many odds moved.
func (m *Market) Moved() int { return m.Up + m.Down }

// Mean returns how far they moved on average, in percent, without sign.
func (m *Market) Mean() float64 { return m.Sum / float64(max(1, m.Moved())) }

// Mover is one movement of odds.
type Mover struct {
	Change
	By float64
}

// Fixture counts the changes of a fixture.
type Fixture struct {
	ID, Name, League         string
	Changes, Odds, Suspended int
}

// Bin counts the odds moved by a percentage in its range.
type Bin struct {
	From, To float64 // percent; below zero From is included, above zero To
	N        int
	X, Y     float64
	Width    float64
	Height   float64
	Label    string
}

var edges = []float64{-50, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50}

// NewReport begins a report.
func NewReport(o Options) *Report {
	r := &Report{a: o.A, b: o.B, markets: map[string]*Market{}}
	r.bins = append(r.bins, Bin{From: math.Inf(-1), To: edges[0]})
	for i := 1; i < len(edges); i++ {
		r.bins = append(r.bins, Bin{From: edges[i-1], To: edges[i]})
	}
	r.bins = append(r.bins, Bin{From: edges[len(edges)-1], To: math.Inf(1)})
	return r
}

// Add adds a change. Changes must come in the order of fixtures.
func (r *Report) Add(c Change) {
	if r.fixture == nil || r.fixture.ID != c.FixtureID {
		r.closeFixture()
		r.fixture = &Fixture{ID: c.FixtureID, Name: c.Fixture, League: c.League}
	}
	r.fixture.Changes++
	switch c.What {
	case OddsMoved:
		r.fixture.Odds++
		r.odds(c)
		return
	case Suspended:
		r.fixture.Suspended++
	}
	if c.What == FixtureAdded || c.What == FixtureRemoved || c.What == FixtureChanged {
		if len(r.others) < mostOthers {
			r.others = append(r.others, c)
		} else {
			r.more++
		}
	}
}

func (r *Report) closeFixture() {
	if r.fixture == nil || r.fixture.Changes < 2 && r.fixture.Odds == 0 {
		return
	}
	r.fixtures = append(r.fixtures, r.fixture)
	if len(r.fixtures) >= 4*mostFixtures {
		r.trimFixtures()
	}
}

func (r *Report) trimFixtures() {
	slices.SortFunc(r.fixtures, func(a, b *Fixture) int { return cmp.Or(cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.ID, b.ID)) })
	r.fixtures = r.fixtures[:min(mostFixtures, len(r.fixtures))]
}

func (r *Report) odds(c Change) {
	if c.Percent == nil || *c.Percent == 0 {
		return
	}
	by := *c.Percent
	r.moved++
	name := c.Market
	if c.Period != "" {
		name += " " + c.Period
	}
	m := r.markets[name]
	if m == nil && len(r.markets) >= mostMarkets {
		name = "(all others)"
		m = r.markets[name]
	}
	if m == nil {
		m = &Market{Name: name}
		r.markets[name] = m
	}
	m.Sum += math.Abs(by)
	if by > 0 {
		m.Up++
	} else {
		m.Down++
	}
	for i := range r.bins {
		b := &r.bins[i]
		if by < 0 && by >= b.From && by < b.To || by > 0 && by > b.From && by <= b.To {
			b.N++
		}
	}
	r.movers = append(r.movers, Mover{c, by})
	if len(r.movers) >= 4*mostMovers {
		r.trimMovers()
	}
}

func (r *Report) trimMovers() {
	slices.SortStableFunc(r.movers, func(a, b Mover) int { return cmp.Compare(math.Abs(b.By), math.Abs(a.By)) })
	r.movers = r.movers[:min(mostMovers, len(r.movers))]
}

// Finish completes the report.
func (r *Report) Finish(sum Summary) {
	r.closeFixture()
	r.trimFixtures()
	r.trimMovers()
	r.summary = sum
	for _, m := range r.markets {
		r.top = append(r.top, m)
	}
	slices.SortFunc(r.top, func(a, b *Market) int { return cmp.Or(cmp.Compare(b.Moved(), a.Moved()), cmp.Compare(a.Name, b.Name)) })
	r.top = r.top[:min(40, len(r.top))]
	r.drawBins()
}

// Sizes of the figure of movements.
const (
	width      = 1000.0
	left       = 46.0
	right      = 12.0
	top        = 16.0
	barHeight  = 160.0
	histBottom = top + barHeight
)

func (r *Report) drawBins() {
	most := 1
	for _, b := range r.bins {
		most = max(most, b.N)
	}
	each := (width - left - right) / float64(len(r.bins))
	for i := range r.bins {
		b := &r.bins[i]
		b.X, b.Width = left+each*float64(i)+2, each-4
		b.Height = barHeight * float64(b.N) / float64(most)
		b.Y = histBottom - b.Height
		switch {
		case math.IsInf(b.From, -1):
			b.Label = fmt.Sprintf("< %.0f", b.To)
		case math.IsInf(b.To, 1):
			b.Label = fmt.Sprintf("> +%.0f", b.From)
		default:
			b.Label = fmt.Sprintf("%+.0f…%+.0f", b.From, b.To)
			if b.From == 0 {
				b.Label = fmt.Sprintf("0…%+.0f", b.To)
			} else if b.To == 0 {
				b.Label = fmt.Sprintf("%+.0f…0", b.From)
			}
		}
	}
}

// Height and Bottom return the sizes of the figure.
func (r *Report) Height() float64 { return histBottom + 24 }
func (r *Report) Bottom() float64 { return histBottom }

// Bins are the bars of the figure, and Moved is the number of odds in them.
func (r *Report) Bins() []Bin { return r.bins }
func (r *Report) Moved() int  { return r.moved }

//go:embed moves.html
var moves string

var figure = sync.OnceValue(func() *template.Template { return template.Must(template.New("moves").Parse(moves)) })

// String says which publication it is.
func (s Side) String() string {
	return fmt.Sprintf("version %d, %s, published %s", s.Commit.Version, s.Commit.CycleID, terminal.Moment(&s.Commit.PublishedAt))
}

// Document returns the report for people. A terminal has the changes above it. dataB is the data
// root of B, if it is another.
func (r *Report) Document(dataB string) (*doc.Document, error) {
	sum, m := r.summary, r.a.Manifest
	facts := []doc.Fact{{Name: "A", Value: doc.Words(r.a.String())}, {Name: "B", Value: doc.Words(r.b.String())},
		{Name: "fixtures", Value: doc.Format("%d in A, %d in B: %d the same, %d changed", sum.FixturesA, sum.FixturesB, sum.Same, sum.Changed)}}
	for _, what := range Whats() {
		n := sum.Changes[what]
		if n == 0 {
			continue
		}
		value := doc.Format("%d", n)
		if what == OddsMoved {
			value = doc.Format("%d  (%s, %s)", n, doc.Span{Words: fmt.Sprintf("%d up", sum.Up), Class: "home"}, doc.Span{Words: fmt.Sprintf("%d down", sum.Down), Class: "away"})
		}
		facts = append(facts, doc.Fact{Name: what.Words(), Value: value})
	}
	if sum.Differs() {
		command, data := fmt.Sprintf("mkt explain ID --tenant %s --product %s --at", m.ClientID, m.Product), ""
		if dataB != "" {
			data = " --data " + dataB
		}
		facts = append(facts, doc.Fact{Name: "explain", Only: doc.Terminal, Value: doc.Format("%s v%d, of B: %s v%d%s", command, r.a.Commit.Version, command, r.b.Commit.Version, data)})
	}
	d := &doc.Document{Title: "What changed", Sections: []doc.Section{{Facts: facts, Notes: []doc.Note{{Only: doc.Page, Line: doc.Line{doc.Soft(m.ClientID + ", " + string(m.Product))}}}}}}
	if r.moved > 0 {
		var drawn strings.Builder
		if err := figure().Execute(&drawn, r); err != nil {
			return nil, err
		}
		d.Sections = append(d.Sections, doc.Section{Title: "How far odds moved", Only: doc.Page, Figure: template.HTML(drawn.String())})
	}
	markets := section("By market", fmt.Sprintf("The %d markets with the most odds that moved", len(r.top)), "Market", "#Moved", "#Up", "#Down", "#Mean", "Up and down")
	for _, m := range r.top {
		up := 100 * float64(m.Up) / float64(max(1, m.Moved()))
		markets.Table.Add(m.Name, m.Moved(), m.Up, m.Down, doc.Format("%.1f %%", m.Mean()), doc.Drawn(template.HTML(fmt.Sprintf(
			`<svg viewBox="0 0 100 8" preserveAspectRatio="none" height="10" role="img" aria-label="%d up, %d down"><rect width="%.1f" height="8" class="up" /><rect x="%.1f" width="%.1f" height="8" class="down" /></svg>`,
			m.Up, m.Down, up, up, 100-up))))
	}
	movers := section("Largest movements", fmt.Sprintf("The %d largest", len(r.movers)), "Fixture", "Market", "Selection", "#Old", "#New", "#Moved", "Id")
	for _, m := range r.movers {
		by := doc.Span{Words: fmt.Sprintf("%+.1f %%", m.By), Class: "away"}
		if m.By > 0 {
			by.Class = "home"
		}
		movers.Table.Add(m.Fixture, m.MarketWords(), m.SelectionWords(), m.Old.String(), m.New.String(), by, doc.Code(m.Explain))
	}
	fixtures := section("Fixtures that changed most", fmt.Sprintf("The %d with the most changes", len(r.fixtures)), "Fixture", "League", "#Changes", "#Odds", "#Suspended", "Id")
	for _, f := range r.fixtures {
		fixtures.Table.Add(f.Name, f.League, f.Changes, f.Odds, f.Suspended, doc.Code(f.ID))
	}
	caption := fmt.Sprintf("%d are listed", len(r.others))
	if r.more > 0 {
		caption += fmt.Sprintf("; %d more are not", r.more)
	}
	others := section("Fixtures that were added, removed or changed", caption, "Fixture", "League", "What", "Old", "New", "Id")
	for _, c := range r.others {
		what, before, now := c.What.Words(), "", ""
		if c.Field != "" {
			what, before, now = what+": "+c.Field, c.Old.String(), c.New.String()
		}
		others.Table.Add(c.Fixture, c.League, what, before, now, doc.Code(c.Explain))
	}
	for _, s := range []doc.Section{markets, movers, fixtures, others} {
		if len(s.Table.Rows) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d, nil
}

// section is a table of a page.
func section(title, caption string, columns ...string) doc.Section {
	return doc.Section{Title: title, Class: "long", Only: doc.Page, Table: &doc.Table{Caption: caption, Class: "wide", Columns: doc.Columns(columns...)}}
}
