package terminal

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"mkt/internal/terminal/printable"
)

// Table aligns columns, which are separated by tabs. Consecutive lines with several cells are one
// table. A table wider than the terminal
//
//   - wraps its texts within their columns, if it has a header and all columns still fit: no word
//     is broken, because ids and times are copied;
//   - has its last column below the others, if it is a column of ids and the others fit;
//   - else becomes one line a cell, with the header in front;
//   - continues its lines below them, indented, if it has no header.
//
// Nothing is wrapped where the output is not a terminal.
type Table struct {
	out    io.Writer
	wide   int // columns of the terminal, 0 if there is none
	styles []Style
	lines  []tableLine
	rest   []byte // of an incomplete line
}

type tableLine struct {
	cells  []string
	styles []Style
	header bool
	below  string // is written below the line
}

// NewTableWriter returns a table, written to out by [Table.Flush].
func NewTableWriter(out io.Writer) *Table { return &Table{out: out, wide: ColumnsOf(out)} }

// Header writes the names of the columns.
func (t *Table) Header(names ...string) {
	t.lines = append(t.lines, tableLine{cells: names, header: true})
}

// Styles sets the styles of the next line's cells.
func (t *Table) Styles(styles ...Style) { t.styles = styles }

// Write implements [io.Writer].
func (t *Table) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			break
		}
		t.lines = append(t.lines, tableLine{cells: strings.Split(string(text[:i]), "\t"), styles: t.styles})
		t.styles = nil
		text = text[i+1:]
	}
	t.rest = slices.Clone(text)
	return len(p), nil
}

// Flush writes the lines. The table can be used again.
func (t *Table) Flush() error {
	lines := t.lines
	t.lines = nil
	p := &tablePrinter{out: t.out}
	for len(lines) > 0 {
		n := 1
		for len(lines[0].cells) > 1 && n < len(lines) && len(lines[n].cells) > 1 && !lines[n].header {
			n++
		}
		p.print(lines[:n], t.wide)
		lines = lines[n:]
	}
	return p.flush()
}

// tablePrinter writes cells. It remembers the first error.
type tablePrinter struct {
	out    io.Writer
	buffer bytes.Buffer
	err    error
}

func (p *tablePrinter) flush() error {
	if p.err == nil && p.buffer.Len() > 0 {
		_, p.err = p.out.Write(p.buffer.Bytes())
	}
	p.buffer.Reset()
	return p.err
}

func (p *tablePrinter) text(s string) { p.buffer.WriteString(s) }

// cell writes a text in a style. [Print] escapes the text itself.
func (p *tablePrinter) cell(text string, s Style) {
	o, is := p.out.(*output)
	if s == Normal || text == "" || !is || !o.colours {
		p.text(text)
		return
	}
	if p.flush() == nil {
		_, p.err = Print(p.out, s, text)
	}
}

const between = 2 // columns of blanks between two cells

// print writes the lines of one table, or a group of lines outside tables.
func (p *tablePrinter) print(lines []tableLine, wide int) {
	if len(lines[0].cells) == 1 {
		for _, l := range lines {
			p.cell(l.cells[0], l.style(0))
			p.text("\n")
		}
		return
	}
	natural := widest(lines)
	switch {
	case wide == 0 || sum(natural)+between*(len(natural)-1) <= wide:
		p.aligned(lines)
	case lines[0].header && fit(lines, natural, wide):
		p.aligned(wrapCells(lines, natural))
	case lines[0].header && natural[len(natural)-1] >= leastID && fit(withoutLast(lines, len(natural)), natural[:len(natural)-1], wide):
		p.aligned(lastBelow(lines, natural))
	case lines[0].header:
		p.records(lines, wide)
	case len(natural) == 2:
		p.wrapped(lines, natural[0], wide)
	default:
		p.flowing(lines, wide)
	}
}

func (l *tableLine) style(cell int) Style {
	if cell < len(l.styles) {
		return l.styles[cell]
	}
	return Normal
}

// widest returns the width of every column.
func widest(lines []tableLine) (widths []int) {
	for _, l := range lines {
		for i, cell := range l.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	if n := len(widths); n > 1 && widths[n-1] == 0 {
		widths = widths[:n-1]
	}
	return widths
}

func sum(list []int) (n int) {
	for _, one := range list {
		n += one
	}
	return n
}

// fit narrows the columns that have texts until all columns fit, the widest first. It reports
// whether they do.
func fit(lines []tableLine, widths []int, wide int) bool {
	least := make([]int, len(widths))
	for _, l := range lines {
		for i := range min(len(l.cells), len(least)) {
			for _, word := range strings.Fields(l.cells[i]) {
				least[i] = max(least[i], width(word))
			}
			if strings.Contains(l.cells[i], " ") {
				least[i] = max(least[i], min(widths[i], leastText))
			}
		}
	}
	over := sum(widths) + between*(len(widths)-1) - wide
	if sum(widths)-sum(least) < over {
		return false
	}
	for ; over > 0; over-- {
		longest := -1
		for i := range widths {
			if widths[i] > least[i] && (longest < 0 || widths[i] > widths[longest]) {
				longest = i
			}
		}
		widths[longest]--
	}
	return true
}

// wrapCells wraps the cells within the widths of their columns, each on as many lines as it needs.
func wrapCells(lines []tableLine, widths []int) (out []tableLine) {
	for _, l := range lines {
		rows, high := make([][]string, len(l.cells)), 1
		for i, cell := range l.cells {
			rows[i] = []string{cell}
			if i < len(widths) && width(cell) > widths[i] {
				rows[i] = Wrap(cell, widths[i])
			}
			high = max(high, len(rows[i]))
		}
		for k := range high {
			part := tableLine{cells: make([]string, len(l.cells)), styles: l.styles, header: l.header}
			for i, row := range rows {
				if k < len(row) {
					part.cells[i] = row[k]
				}
			}
			out = append(out, part)
		}
	}
	return out
}

// leastID is the least width of a last column written below the others.
const leastID = 20

// below is the indentation of a continued line.
const below = 6

func withoutLast(lines []tableLine, columns int) []tableLine {
	out := slices.Clone(lines)
	for i := range out {
		out[i].cells = out[i].cells[:min(len(out[i].cells), columns-1)]
	}
	return out
}

// lastBelow returns the lines with the last column below the others, which have these widths.
func lastBelow(lines []tableLine, widths []int) (out []tableLine) {
	last := len(widths) - 1
	for i, l := range withoutLast(lines, len(widths)) {
		out = append(out, wrapCells([]tableLine{l}, widths[:last])...)
		if cells := lines[i].cells; len(cells) > last {
			out[len(out)-1].below = strings.Repeat(" ", below) + cells[last]
		}
	}
	return out
}

// aligned writes the cells in columns. As in text/tabwriter, the last cell of a line belongs to
// no column, and a column ends with the first line without it.
func (p *tablePrinter) aligned(lines []tableLine) {
	widths := make([][]int, len(lines))
	for c := 0; ; c++ {
		found := false
		for i := 0; i < len(lines); {
			n, most := 0, 0
			for ; i+n < len(lines) && len(lines[i+n].cells)-1 > c; n++ {
				most = max(most, width(lines[i+n].cells[c]))
			}
			for k := range n {
				widths[i+k] = append(widths[i+k], most)
			}
			found = found || n > 0
			i += max(n, 1)
		}
		if !found {
			break
		}
	}
	for k := range lines {
		blanks := 0 // not written yet: a line has none at its end
		for i, cell := range lines[k].cells {
			if cell != "" {
				p.text(strings.Repeat(" ", blanks))
				p.cell(cell, lines[k].style(i))
				blanks = 0
			}
			if i < len(widths[k]) {
				blanks += widths[k][i] - width(cell) + between
			}
		}
		p.text("\n")
		if lines[k].below != "" {
			p.text(lines[k].below + "\n")
		}
	}
}

// records writes a line for every cell, and an empty line after every line of the table.
func (p *tablePrinter) records(lines []tableLine, wide int) {
	names := lines[0].cells
	lead := slices.Max(widest([]tableLine{lines[0]})) + between
	for k, l := range lines[1:] {
		if k > 0 {
			p.text("\n")
		}
		for i, cell := range l.cells {
			name := ""
			if i < len(names) {
				name = names[i]
			}
			if cell != "" {
				p.value(name, lead, cell, l.style(i), wide)
			}
		}
	}
}

// value writes a name and a wrapped text.
func (p *tablePrinter) value(name string, lead int, text string, s Style, wide int) {
	first := Pad(name, lead)
	for i, line := range strings.Split(Indented(first, text, wide), "\n") {
		rest, is := strings.CutPrefix(line, first)
		if i > 0 {
			rest, is = strings.TrimLeft(line, " "), true
		}
		if !is { // the name stands alone above its text
			rest = ""
		}
		p.text(line[:len(line)-len(rest)])
		p.cell(rest, s)
		p.text("\n")
	}
}

// wrapped writes lines of a name and a text.
func (p *tablePrinter) wrapped(lines []tableLine, first, wide int) {
	for _, l := range lines {
		p.value(l.cells[0], first+between, l.cells[1], l.style(1), wide)
	}
}

// flowing writes as many cells in a line as fit, and the others indented below them.
func (p *tablePrinter) flowing(lines []tableLine, wide int) {
	for _, l := range lines {
		at := 0
		for i, cell := range l.cells {
			if strings.TrimSpace(cell) == "" {
				continue
			}
			if at > 0 && at+between+width(cell) <= wide {
				p.text(strings.Repeat(" ", between))
				at += between
			} else if at > 0 {
				p.text("\n" + strings.Repeat(" ", below))
				at = below
			}
			parts := []string{cell}
			if at+width(cell) > wide {
				parts = Wrap(cell, wide-below)
			}
			for k, part := range parts {
				if k > 0 {
					p.text("\n" + strings.Repeat(" ", below))
					at = below
				}
				p.cell(part, l.style(i))
				at += width(part)
			}
		}
		p.text("\n")
	}
}

// Paragraph writes a line for people behind a lead, wrapped at the terminal's width.
func Paragraph(w io.Writer, lead, text string) error {
	_, err := io.WriteString(w, Indented(lead, printable.Text(text), ColumnsOf(w))+"\n")
	return err
}
