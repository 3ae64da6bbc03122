// Package document is an answer to an engineer before it is written: facts, tables, findings and
// notes, in sections. A result of a command builds one [Document]; [Document.Print] writes it for a
// terminal, and [Document.HTML] as a part of a page. The JSON of a command is the result itself.
package document

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

// Document is an answer.
type Document struct {
	Title    string // the heading of a page
	Head     Line   // the first line in a terminal
	Sections []Section
}

// Section is a part of a document. Its elements are written in the order of the fields.
type Section struct {
	Title    string // of a page; a terminal shows none
	Head     Line   // of a terminal, below an empty line
	Class    string // of the element of a page
	Notes    []Note
	Figure   template.HTML // a drawing, which only a page shows
	Facts    []Fact
	Findings []Finding
	Table    *Table
	Only     Medium
}

// Medium is where a part of a document is shown.
type Medium int

const (
	Everywhere Medium = iota
	Terminal
	Page
)

// Note is a paragraph.
type Note struct {
	Line
	Name string // stands before the note in a terminal
	Only Medium
}

// Fact is a value with its name.
type Fact struct {
	Name  string
	Value Line
	Text  string // stands below the value on a page, as it came from the provider
	Below []Fact // its origin
	Only  Medium
}

// Finding is a fault, its place, and how to repair it. A good one takes one line of a terminal,
// and a page does not show it.
type Finding struct {
	Level string // "" if all findings have the same
	Code  string
	Style terminal.Style
	Where []string
	What  string
	// Details are what several checks with the same cause found.
	Details []string
	Fix     string
}

// Table has columns and rows. One without columns has no header.
type Table struct {
	Caption string
	Class   string
	Columns []Column
	Rows    []Row
}

// Columns returns the columns with these names. "#" before a name makes it a column of numbers.
func Columns(names ...string) (list []Column) {
	for _, name := range names {
		bare, isNumber := strings.CutPrefix(name, "#")
		list = append(list, Column{Name: bare, Number: isNumber})
	}
	return list
}

// Add adds a row, whose first cell names it. A cell is a [Line], a [Span], or anything else as its
// text.
func (t *Table) Add(cells ...any) {
	row := Row{Head: true}
	for _, c := range cells {
		switch c := c.(type) {
		case Line:
			row.Cells = append(row.Cells, c)
		case Span:
			row.Cells = append(row.Cells, Line{c})
		default:
			row.Cells = append(row.Cells, Words(fmt.Sprint(c)))
		}
	}
	t.Rows = append(t.Rows, row)
}

// Column is a column of a table.
type Column struct {
	Name   string
	Number bool // aligned on the right of a page
	Only   Medium
}

// Row is a row of a table. Its first cell names it if Head is set.
type Row struct {
	Cells []Line
	Class string
	Head  bool
	Only  Medium
}

// Line is a text of several parts.
type Line []Span

// Span is a part of a text. A terminal shows only its Words.
type Span struct {
	Words string
	Style terminal.Style
	Link  string // address of a page of the console
	Code  bool
	Class string // of the element of a page
	At    time.Time
	Drawn template.HTML // a small drawing, instead of words
	Only  Medium
}

// Words returns a text.
func Words(text string) Line { return Line{{Words: text}} }

// Styled returns a text in a style.
func Styled(s terminal.Style, text string) Line { return Line{{Words: text, Style: s}} }

// Code returns an id, a hash or a command.
func Code(text string) Span { return Span{Words: text, Code: true} }

// Link returns a text with a link to a page of the console.
func Link(to, text string) Span { return Span{Words: text, Link: to} }

// Soft returns a text of less weight.
func Soft(text string) Span { return Span{Words: text, Class: "soft"} }

// At returns a time, or a dash for none.
func At(t time.Time) Span {
	if t.IsZero() {
		return Span{Words: "-"}
	}
	return AtOrOpen(&t)
}

// Drawn returns a small drawing of a page.
func Drawn(svg template.HTML) Span { return Span{Drawn: svg, Only: Page} }

// Strong returns a text of more weight.
func Strong(text string) Span { return Span{Words: text, Class: "strong"} }

// AtOrOpen returns a time, or words for none yet.
func AtOrOpen(t *time.Time) Span {
	if t == nil {
		return Span{Words: terminal.Moment(nil)}
	}
	return Span{Words: terminal.Moment(t), At: *t}
}

// Stamp returns a time with its milliseconds in a terminal.
func Stamp(t time.Time) Span { return Span{Words: terminal.Stamp(t), At: t} }

// place stands for a span in a formatted text: no text of a provider contains a zero byte once
// it is escaped.
type place int

func (p place) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "\x00%d\x00", int(p)) }

// Format returns a formatted text. Arguments may be spans.
func Format(format string, args ...any) (line Line) {
	var spans []Span
	for i, a := range args {
		if s, is := a.(Span); is {
			args[i], spans = place(len(spans)), append(spans, s)
		}
	}
	var text strings.Builder
	printable.Fprintf(&text, format, args...)
	for i, part := range strings.Split(text.String(), "\x00") {
		if i%2 == 1 {
			var n int
			fmt.Sscan(part, &n)
			line = append(line, spans[n])
		} else if part != "" {
			line = append(line, Span{Words: part})
		}
	}
	return line
}

// String returns the text as a terminal shows it.
func (l Line) String() string {
	var text strings.Builder
	for _, s := range l {
		if s.Only != Page {
			text.WriteString(printable.Text(s.Words))
		}
	}
	return text.String()
}

func (l Line) style() terminal.Style {
	for _, s := range l {
		if s.Style != terminal.Normal {
			return s.Style
		}
	}
	return terminal.Normal
}
