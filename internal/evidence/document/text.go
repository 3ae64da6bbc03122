package document

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

// Print writes a document for a terminal, or for a reader of such text.
func (d *Document) Print(out io.Writer) error {
	indent := ""
	if len(d.Head) > 0 {
		terminal.Paragraph(out, "", d.Head.String())
		indent = "  "
	}
	for i := range d.Sections {
		if err := d.Sections[i].print(out, indent, i == 0 && len(d.Head) == 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *Section) print(out io.Writer, indent string, first bool) error {
	if s.Only == Page {
		return nil
	}
	if len(s.Head) > 0 {
		terminal.Paragraph(out, "\n", s.Head.String())
	}
	for _, n := range s.Notes {
		if n.Only != Page {
			n.print(out)
		}
	}
	for _, f := range s.Findings {
		f.print(out)
	}
	w := terminal.NewTableWriter(out)
	printFacts(w, s.Facts, indent)
	if t := s.Table; t != nil {
		if len(t.Columns) > 0 && (!first || len(s.Notes)+len(s.Facts)+len(s.Findings) > 0) {
			fmt.Fprintln(w)
		}
		t.print(w)
	}
	return w.Flush()
}

// printFacts writes facts in two columns. Facts below a fact are indented.
func printFacts(w *terminal.Table, facts []Fact, indent string) {
	for _, f := range facts {
		if f.Only == Page {
			continue
		}
		w.Styles(f.Value.style(), f.Value.style())
		fmt.Fprintf(w, "%s%s\t%s\n", indent, printable.Text(f.Name), f.Value)
		printFacts(w, f.Below, indent+"  ")
	}
}

func (t *Table) print(w *terminal.Table) {
	var names []string
	for _, c := range t.Columns {
		if c.Only != Page {
			names = append(names, strings.ToUpper(c.Name))
		}
	}
	if len(names) > 0 {
		w.Header(names...)
	}
	for _, row := range t.Rows {
		if row.Only == Page {
			continue
		}
		var cells []string
		var styles []terminal.Style
		for i, cell := range row.Cells {
			if i < len(t.Columns) && t.Columns[i].Only == Page {
				continue
			}
			cells, styles = append(cells, cell.String()), append(styles, cell.style())
		}
		w.Styles(styles...)
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
}

// print writes a note. One with a style is short, and is not wrapped.
func (n Note) print(out io.Writer) {
	if n.style() == terminal.Normal {
		terminal.Paragraph(out, n.Name, n.String())
		return
	}
	for _, s := range n.Line {
		terminal.Print(out, s.Style, s.Words)
	}
	fmt.Fprintln(out)
}

// print writes the fault and its place, and how to fix it.
func (f Finding) print(out io.Writer) {
	lead, rest := f.Code, ""
	if f.Level != "" {
		lead, rest = f.Level, strings.Repeat(" ", max(0, len("WARN")-len(f.Level)))+"  "+f.Code
	}
	where := f.where()
	terminal.Print(out, f.Style, lead)
	if f.Style == terminal.Good {
		printable.Fprintf(out, "%s  %s: %s\n", rest, where, f.What)
		return
	}
	printable.Fprintf(out, "%s  %s\n", rest, where)
	terminal.Paragraph(out, "      ", f.What)
	for _, line := range f.Details {
		printable.Fprintf(out, "      - %s\n", line)
	}
	if f.Fix != "" {
		printable.Fprintf(out, "      fix: %s\n", f.Fix) // in one line, because commands in it are copied
	}
}

func (f Finding) where() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.Where), func(s string) bool { return s == "" }), " ")
}
