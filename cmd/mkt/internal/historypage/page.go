// Package historypage renders the path of a market's prices: a chart, the opening, current and
// last price before kick-off of every selection, and the steps with their times. The console
// shows it, and mkt history writes it as a page of its own.
package historypage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/history"
	"mkt/cmd/mkt/internal/page"
)

// maxCurves is how many prices a chart has.
const maxCurves = 6

// View is a market's path, as it is shown.
type View struct {
	Tenant string
	Market string // its id
	Title  string
	Path   *history.Path
	Steps  []Step
	Rows   []Row
	Chart  *Chart
	Shown  []Row    // those of the chart
	Lines  []string // the lines of the market; nil if there is one or none
	Line   string   // the one that the chart is of

	// Link returns the address of the page of a selection's explanation as of a version, and
	// LinkLine that of the page with the chart of another line. They are nil in a page of its own.
	Link     func(selection string, version uint64) string
	LinkLine func(line string) string
}

// Row is a selection's row of the table of prices.
type Row struct {
	history.Series
	Class                     string // of its curve; "" if it is not in the chart
	Spark                     Spark
	Opening, Closing, Current Cell
	Moves                     int
}

// Step is a row of the table of steps.
type Step struct {
	history.Step
	Marks []string // opening, last before kick-off, current
	Cells []Cell   // of the prices in the chart
}

// Cell is a price in a table.
type Cell struct {
	Text string // the provider's own digits; "" if there are none
	Note string // why there is none, or why it is not publishable
	Link string
	Same bool
}

// Words returns a price for people.
func Words(p history.Point) Cell {
	c := Cell{Text: p.Text, Same: p.Same}
	switch p.State {
	case history.Withheld:
		c.Note = strings.ToLower(strings.ReplaceAll(strings.Join(p.Reasons, ", "), "_", " "))
		if c.Note == "" {
			c.Note = "not publishable"
		}
	case history.NullPrice:
		c.Note = "null: sent without a value"
		if p.Suspended() {
			c.Note = "suspended, price null"
		}
	case history.AbsentPrice:
		c.Note = "absent: no price sent"
		if p.Suspended() {
			c.Note = "suspended, no price sent"
		}
	case history.NoSelection:
		c.Note = "not offered"
	case history.NoMarket:
		c.Note = "market not offered"
	case history.NoFixture:
		c.Note = "fixture removed"
	}
	return c
}

// Build fills the view of a market; line selects the chart's line, "" the main one. Before it,
// Tenant, Market, Path and the links are set.
func (v *View) Build(line string) {
	list := v.Path.Series(v.Market)
	newest := &v.Path.Steps[0]
	for i := range v.Path.Steps {
		if m := v.Path.Steps[i].Market(v.Market); m != nil {
			newest = &v.Path.Steps[i]
			v.Title = history.Title(m)
		}
	}
	for _, s := range list {
		if s.Line != "" && !slices.Contains(v.Lines, s.Line) {
			v.Lines = append(v.Lines, s.Line)
		}
	}
	slices.SortStableFunc(v.Lines, history.CompareLines)
	if m := newest.Market(v.Market); m != nil && line == "" {
		line = history.MainLine(m)
	}
	v.Line = line
	var charted []history.Series
	for _, s := range list {
		row := Row{Series: s, Spark: spark(v.Path, &s), Moves: s.Moves(), Current: v.cell(&s, len(s.Points)-1)}
		if _, at, ok := s.Opening(); ok {
			row.Opening = v.cell(&s, at)
		}
		if v.Path.Closing >= 0 {
			row.Closing = v.cell(&s, v.Path.Closing)
		}
		if len(charted) < maxCurves && (line == "" || s.Line == line) {
			row.Class = fmt.Sprintf("series-%d", len(charted))
			charted = append(charted, s)
			v.Shown = append(v.Shown, row)
		}
		v.Rows = append(v.Rows, row)
	}
	if len(v.Lines) < 2 {
		v.Lines = nil
	}
	v.Chart = draw(v.Path, charted)
	v.steps(charted)
}

func (v *View) cell(s *history.Series, at int) Cell {
	c := Words(s.Points[at])
	if v.Link != nil && !slices.Contains([]history.Price{history.NoSelection, history.NoMarket, history.NoFixture}, s.Points[at].State) {
		c.Link = v.Link(s.SelectionID, v.Path.Steps[at].Version)
	}
	return c
}

// steps lists the steps in which one of the charted prices changed, and the notable ones.
func (v *View) steps(charted []history.Series) {
	last := len(v.Path.Steps) - 1
	for i := range v.Path.Steps {
		row := Step{Step: v.Path.Steps[i]}
		changed := false
		for _, s := range charted {
			row.Cells = append(row.Cells, v.cell(&s, i))
			changed = changed || !s.Points[i].Same
		}
		if i == 0 {
			row.Marks = append(row.Marks, v.FirstWord())
		}
		if i == v.Path.Closing {
			row.Marks = append(row.Marks, "last before kick-off")
		}
		if i == last && v.Path.Until.Sub(row.PublishedAt) >= 0 {
			row.Marks = append(row.Marks, "current")
		}
		if changed || len(row.Marks) > 0 {
			v.Steps = append(v.Steps, row)
		}
	}
}

// FirstWord says what the first step is.
func (v *View) FirstWord() string {
	if v.Path.Opening {
		return "opening"
	}
	return "oldest shown"
}

//go:embed path.html
var body string

// The parts of the page.
var (
	functions = template.FuncMap{
		"utc":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"f":     func(f float64) string { return fmt.Sprintf("%.1f", f) },
		"add":   func(a, b float64) float64 { return a + b },
		"name":  func(p *history.Path) string { return history.FixtureName(&p.Fixture) },
	}
	part = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("path").Funcs(functions).Parse(body))
	})
	whole = page.Template(`<h1>{{name .Path}}</h1>`+body, functions)
)

// HTML returns the path as a part of a page.
func (v *View) HTML() (template.HTML, error) {
	var out strings.Builder
	err := part().Execute(&out, v)
	return template.HTML(out.String()), err
}

// Write writes a page of its own.
func (v *View) Write(w io.Writer, madeBy, command string, now time.Time) error {
	return page.Write(w, whole(), page.Content{Title: history.FixtureName(&v.Path.Fixture) + ": " + v.Title, Body: v, MadeBy: madeBy, MadeAt: now, Command: command})
}
