package history

import (
	"fmt"
	"slices"
	"strings"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/steps"
	"mkt/publish/table"
)

// maxCurves is how many prices a chart has.
const maxCurves = 6

// Shown selects the part of a path for a document.
type Shown struct {
	Account           string
	Market, Selection string // "" for the main markets, and for all selections
	Line              string // of the market; "" for its main one
	Columns           int    // of the terminal; 0 if there is none

	// Link returns the address of a selection's explanation as of a version, LinkLine the address of
	// the page with the chart of another line, and LinkMarket that of a market's page. They are nil
	// in a page of its own.
	Link       func(market, selection string, version uint64) string
	LinkLine   func(line string) string
	LinkMarket func(market string) string
	// Receipt returns the address of the receipt of a selection's price in a version, "" if there can
	// be none. Nil if there are no receipts.
	Receipt func(market, selection string, version uint64) string
}

func (p Point) words() string {
	if note := p.Note(); note != "" {
		return strings.TrimSpace(p.Text + " (" + note + ")")
	}
	return p.Text
}

// Document returns the path for people. A page has the chart of one market, or a table of the main
// markets; a terminal draws both.
func (p *Path) Document(o Shown) (*doc.Document, error) {
	d := &doc.Document{Title: FixtureName(&p.Fixture), Head: doc.Words(FixtureName(&p.Fixture) + "  " + p.Fixture.FixtureID)}
	about := []doc.Note{}
	if at := p.Fixture.StartsAt; at != nil {
		about = append(about, doc.Note{Line: doc.Format("kick-off %s", doc.AtOrOpen(at))})
	}
	first := ""
	if !p.FromStart {
		first = "; the first is the oldest that is recorded in this time, not the opening"
	}
	about = append(about, doc.Note{Line: doc.Format("%s of %s changed it%s", terminal.Plural(len(p.Steps), "publication"), o.Account, first)})
	if p.Removed {
		about = append(about, doc.Note{Line: doc.Words("the newest publication does not have this fixture any more")})
	}
	d.Sections = append(d.Sections, doc.Section{Notes: about})
	main := p.pricesTable()
	if p.Closing >= 0 {
		main.Columns[1].Only = doc.Terminal // after kick-off the last price before it is what counts
	}
	for _, group := range Grouped(p.Offered()) {
		for _, m := range group.Markets {
			if o.Market == "" && group.Name == "Main" {
				d.Sections = append(d.Sections, p.drawn(m, o, MainLine(m)))
				p.addMain(main, o, m)
			} else if m.MarketID == o.Market {
				d.Sections = append(d.Sections, p.drawn(m, o, ""))
			}
		}
	}
	if len(main.Rows) > 0 {
		d.Sections = append(d.Sections, doc.Section{Only: doc.Page, Table: main})
	}
	m := p.Market(o.Market)
	if m == nil {
		return d, nil
	}
	sections, err := p.marketSections(o, m)
	d.Sections = append(d.Sections, sections...)
	return d, err
}

// drawn draws each price of a market in a line of a terminal; of all lines, or of one.
func (p *Path) drawn(m *table.MarketRow, o Shown, line string) doc.Section {
	const leastPath, widestPath, besides = 8, 32, 57
	width := widestPath
	if o.Columns > 0 {
		width = min(max(o.Columns-besides, leastPath), widestPath)
	}
	t := &doc.Table{}
	for _, s := range Selected(p.Market(m.MarketID).Series, o.Selection) {
		if line != "" && s.Line != line {
			continue
		}
		path := "-"
		if x := s.Opening.Point; x != nil {
			path = pointOf(x).words()
		}
		path += " → " + s.Current().words()
		if x := s.Closing.Point; x != nil && s.Closing.State != steps.Provisional {
			path += "  before kick-off " + pointOf(x).words()
		}
		t.Add("  "+s.Name, s.Sparkline(p, width), path)
	}
	return doc.Section{Only: doc.Terminal, Head: doc.Words(Heading(m) + "  " + m.MarketID), Table: t}
}

// marketSections are the chart of a market, its prices, and its steps.
func (p *Path) marketSections(o Shown, m *Market) ([]doc.Section, error) {
	all := m.Series
	var lines []string
	for _, s := range all {
		if s.Line != "" && !slices.Contains(lines, s.Line) {
			lines = append(lines, s.Line)
		}
	}
	slices.SortStableFunc(lines, CompareLines)
	if o.Line == "" {
		o.Line = MainLine(&m.MarketRow)
	}
	var charted []Series
	prices := p.pricesTable()
	for i := range all {
		s := &all[i]
		class := ""
		if len(charted) < maxCurves && (o.Line == "" || s.Line == o.Line) {
			class = fmt.Sprintf("series-%d", len(charted))
			charted = append(charted, *s)
		}
		o.addPrice(prices, p, s, class, doc.Line{doc.Drawn(key(class)), {Words: s.Name}})
	}
	chart, err := draw(p, m, charted)
	sections := []doc.Section{{Only: doc.Page, Figure: chart}}
	of := ""
	if len(lines) > 1 {
		of = " of line " + o.Line
		if o.LinkLine != nil {
			choice := doc.Words("Line: ")
			for _, l := range lines {
				one := doc.Strong(l)
				if l != o.Line {
					one = doc.Link(o.LinkLine(l), l)
				}
				choice = append(choice, one, doc.Span{Words: " "})
			}
			sections = append(sections, doc.Section{Only: doc.Page, Notes: []doc.Note{{Line: choice}}})
		}
	}
	return append(sections, doc.Section{Title: "Prices", Class: "long", Only: doc.Page, Table: prices},
		doc.Section{Title: "Steps" + of, Class: "long", Table: p.stepsTable(Selected(all, o.Selection), o, charted)}), err
}

// pricesTable returns a table of prices without rows.
func (p *Path) pricesTable() *doc.Table {
	t := &doc.Table{Class: "prices", Columns: doc.Columns("Selection", "#Current", "#Last before kick-off", "Path", "#Opening", "#Moves")}
	if p.Removed {
		t.Columns[1].Name = "Newest"
	}
	if !p.FromStart {
		t.Columns[4].Name = "Oldest shown"
	}
	return t
}

// addPrice adds the price of o's market to a table.
func (o Shown) addPrice(t *doc.Table, p *Path, s *Series, class string, name doc.Line) {
	t.Add(name, o.current(p, s), o.judged(p, s, s.Closing), doc.Drawn(spark(p, s, class)), o.judged(p, s, s.Opening), s.Moves())
}

// addMain adds the prices of a market's main line to a table of several markets. The first of them has the market's name.
func (p *Path) addMain(t *doc.Table, o Shown, m *table.MarketRow) {
	o.Market = m.MarketID
	name := doc.Line{{Words: Heading(m)}, {Words: " "}}
	if o.LinkMarket != nil {
		name[0].Link = o.LinkMarket(m.MarketID)
	}
	series, line := p.Market(m.MarketID).Series, MainLine(m)
	for i := range series {
		if s := &series[i]; s.Line == line {
			o.addPrice(t, p, s, "", append(name, doc.Span{Words: s.Name}))
			if len(name) > 0 {
				t.Rows[len(t.Rows)-1].Class, name = "first", nil
			}
		}
	}
}

// stepsTable lists the steps with a changed price, and the notable ones. A page has a column
// for every price of the chart, and a terminal all changed prices. On a page the prices come first: a phone
// shows the first columns.
func (p *Path) stepsTable(all []Series, o Shown, charted []Series) *doc.Table {
	t := &doc.Table{Class: "wide steps", Columns: []doc.Column{{Name: "Version", Number: true}}}
	for _, s := range charted {
		t.Columns = append(t.Columns, doc.Column{Name: s.Name, Number: true, Only: doc.Page})
	}
	t.Columns = append(t.Columns, doc.Column{Name: "Marks", Only: doc.Page}, doc.Column{Name: "Retrieved"}, doc.Column{Name: "Processed"}, doc.Column{Name: "Published"},
		doc.Column{Name: "Prices", Only: doc.Terminal})
	for i, s := range p.Steps {
		var changed []string
		for _, one := range all {
			if point := one.Points[i]; !point.Same || i == 0 {
				changed = append(changed, one.Name+" "+point.words())
			}
		}
		marks := strings.NewReplacer("kick_off", "kick-off", "_", " ").Replace(strings.Join(p.Marks(i), ", "))
		row := doc.Row{}
		if marks != "" {
			row.Class = "marked"
		} else if !slices.ContainsFunc(charted, func(s Series) bool { return !s.Points[i].Same }) {
			row.Only = doc.Terminal
		}
		if len(changed) == 0 && marks == "" {
			continue
		}
		said := strings.Join(changed, ", ")
		if marks != "" {
			said += " [" + marks + "]"
		}
		row.Cells = []doc.Line{doc.Format("v%d", s.Version)}
		for k := range charted {
			row.Cells = append(row.Cells, o.price(p, &charted[k], i))
		}
		row.Cells = append(row.Cells, doc.Words(marks), doc.Line{doc.At(s.FetchedAt)}, doc.Line{doc.At(s.ProcessedAt)}, doc.Line{doc.At(s.PublishedAt)}, doc.Words(said))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// current returns the price of the last step. Its receipt is of the newest publication, whose snapshot is
// kept longer than that of the step.
func (o Shown) current(p *Path, s *Series) doc.Line {
	if receipt := o.Receipt; receipt != nil && p.Last > 0 {
		o.Receipt = func(market, selection string, _ uint64) string { return receipt(market, selection, p.Last) }
	}
	return o.price(p, s, len(s.Points)-1)
}

// judged returns an opening or closing price of a page, from the last step before kick-off at which it was in force.
func (o Shown) judged(p *Path, s *Series, j steps.Judged) doc.Line {
	if j.Point == nil || j.State == steps.Provisional {
		return doc.Words("–")
	}
	at := 0
	for at+1 < len(p.Steps) && !p.Steps[at+1].PublishedAt.After(j.Point.PublishedAt) {
		at++
	}
	for at+1 <= p.Closing && s.Points[at+1].Same {
		at++
	}
	if was := pointOf(j.Point); was.Text != s.Points[at].Text || was.State != s.Points[at].State { // it is before the range
		return doc.Words(was.words())
	}
	return o.price(p, s, at)
}

// price returns a price of a page, which leads to its explanation and to its receipt.
func (o Shown) price(p *Path, s *Series, at int) doc.Line {
	point := s.Points[at]
	span := doc.Span{Words: point.words()}
	if point.Note() != "" {
		span.Style = terminal.Warn
	} else if point.Same {
		span.Class = "soft"
	}
	if slices.Contains([]Price{NoSelection, NoMarket, NoFixture}, point.State) {
		return doc.Line{span}
	}
	version := p.Steps[at].Version
	if o.Link != nil {
		span.Link = o.Link(o.Market, s.SelectionID, version)
	}
	line := doc.Line{span}
	if o.Receipt != nil {
		if to := o.Receipt(o.Market, s.SelectionID, version); to != "" {
			line = append(line, doc.Span{Words: " "}, doc.Span{Words: "Receipt", Link: to, Class: "receipt"})
		}
	}
	return line
}
