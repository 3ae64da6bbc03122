// Package diffpage renders an HTML page of the differences between two snapshots: how far odds
// moved, in which markets, the largest movements, and the fixtures that changed most. It takes
// the changes one by one and keeps a bounded number of them.
package diffpage

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/compare"
	"mkt/cmd/mkt/internal/page"
)

// The limits of a page.
const (
	mostMovers   = 50
	mostFixtures = 30
	mostOthers   = 200
	mostMarkets  = 5000
)

// Report is filled by New, Add and Finish, and written by Write.
type Report struct {
	ClientID, Product, A, B string
	Summary                 compare.Summary
	Counts                  []Count
	Bins                    []Bin
	Markets                 []*Market  // by how many odds moved
	Movers                  []Mover    // by how far
	Fixtures                []*Fixture // by how many changes
	Others                  []compare.Change
	More                    int // number of fixtures that were dropped

	markets map[string]*Market
	fixture *Fixture // the current one
	madeAt  time.Time
	madeBy  string
	moved   int
}

// Count is how many changes of a kind there are.
type Count struct {
	What compare.What
	N    int
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
	compare.Change
	By float64
}

// Fixture is a fixture that changed.
type Fixture struct {
	ID, Name, League         string
	Changes, Odds, Suspended int
}

// Bin counts the odds that moved by a percentage in its range.
type Bin struct {
	From, To float64 // percent; below zero From is included, above zero To
	N        int
	X, Y     float64
	Width    float64
	Height   float64
	Label    string
}

var edges = []float64{-50, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50}

// New begins a report.
func New(clientID, product, a, b string) Report {
	r := Report{ClientID: clientID, Product: product, A: a, B: b, markets: map[string]*Market{}}
	r.Bins = append(r.Bins, Bin{From: math.Inf(-1), To: edges[0]})
	for i := 1; i < len(edges); i++ {
		r.Bins = append(r.Bins, Bin{From: edges[i-1], To: edges[i]})
	}
	r.Bins = append(r.Bins, Bin{From: edges[len(edges)-1], To: math.Inf(1)})
	return r
}

// Add adds a change. Changes must come in the order of fixtures.
func (r *Report) Add(c compare.Change) {
	if r.fixture == nil || r.fixture.ID != c.FixtureID {
		r.closeFixture()
		r.fixture = &Fixture{ID: c.FixtureID, Name: c.Fixture, League: c.League}
	}
	r.fixture.Changes++
	switch c.What {
	case compare.OddsMoved:
		r.fixture.Odds++
		r.odds(c)
		return
	case compare.Suspended:
		r.fixture.Suspended++
	}
	if c.What == compare.FixtureAdded || c.What == compare.FixtureRemoved || c.What == compare.FixtureChanged {
		if len(r.Others) < mostOthers {
			r.Others = append(r.Others, c)
		} else {
			r.More++
		}
	}
}

func (r *Report) closeFixture() {
	if r.fixture == nil || r.fixture.Changes < 2 && r.fixture.Odds == 0 {
		return
	}
	r.Fixtures = append(r.Fixtures, r.fixture)
	if len(r.Fixtures) >= 4*mostFixtures {
		r.trimFixtures()
	}
}

func (r *Report) trimFixtures() {
	slices.SortFunc(r.Fixtures, func(a, b *Fixture) int { return cmp.Or(cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.ID, b.ID)) })
	r.Fixtures = r.Fixtures[:min(mostFixtures, len(r.Fixtures))]
}

func (r *Report) odds(c compare.Change) {
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
	for i := range r.Bins {
		b := &r.Bins[i]
		if by < 0 && by >= b.From && by < b.To || by > 0 && by > b.From && by <= b.To {
			b.N++
		}
	}
	r.Movers = append(r.Movers, Mover{c, by})
	if len(r.Movers) >= 4*mostMovers {
		r.trimMovers()
	}
}

func (r *Report) trimMovers() {
	slices.SortStableFunc(r.Movers, func(a, b Mover) int { return cmp.Compare(math.Abs(b.By), math.Abs(a.By)) })
	r.Movers = r.Movers[:min(mostMovers, len(r.Movers))]
}

// Finish completes the report.
func (r *Report) Finish(sum compare.Summary, now time.Time, madeBy string) {
	r.closeFixture()
	r.trimFixtures()
	r.trimMovers()
	r.Summary, r.madeAt, r.madeBy = sum, now, madeBy
	for _, what := range compare.Whats() {
		if n := sum.Changes[what]; n > 0 {
			r.Counts = append(r.Counts, Count{what, n})
		}
	}
	for _, m := range r.markets {
		r.Markets = append(r.Markets, m)
	}
	slices.SortFunc(r.Markets, func(a, b *Market) int { return cmp.Or(cmp.Compare(b.Moved(), a.Moved()), cmp.Compare(a.Name, b.Name)) })
	r.Markets = r.Markets[:min(40, len(r.Markets))]
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
	for _, b := range r.Bins {
		most = max(most, b.N)
	}
	each := (width - left - right) / float64(len(r.Bins))
	for i := range r.Bins {
		b := &r.Bins[i]
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

// Moved returns the number of odds that moved.
func (r *Report) Moved() int { return r.moved }

// Height and Bottom return the sizes of the figure.
func (r *Report) Height() float64 { return histBottom + 24 }
func (r *Report) Bottom() float64 { return histBottom }

//go:embed diff.html
var body string

var layoutOf = page.Template(body, template.FuncMap{
	"percent": func(f float64) string { return fmt.Sprintf("%+.1f %%", f) },
	"mean":    func(f float64) string { return fmt.Sprintf("%.1f %%", f) },
	"share":   func(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) },
	"words":   compare.What.Words,
	"field":   func(c compare.Change) string { return c.Field },
})

// HTML returns the body of the page, for a page that has the style sheet.
func (r *Report) HTML() (template.HTML, error) {
	var b strings.Builder
	if err := layoutOf().ExecuteTemplate(&b, "body", r); err != nil {
		return "", fmt.Errorf("diff page: %w", err)
	}
	return template.HTML(b.String()), nil
}

// Write writes the page.
func (r *Report) Write(w io.Writer) error {
	return page.Write(w, layoutOf(), page.Content{Title: "What changed: " + r.ClientID + " " + r.Product, Body: r, MadeBy: r.madeBy, MadeAt: r.madeAt, Command: "mkt diff"})
}
