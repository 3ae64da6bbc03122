package document

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"strings"

	"mkt/internal/evidence/page"
	"mkt/internal/terminal"
)

//go:embed document.html
var body string

var layout = page.Template(body, template.FuncMap{"class": Span.class, "onPage": func(m Medium) bool { return m != Terminal }})

// colours are the classes of the styles.
var colours = map[terminal.Style]string{terminal.Good: "good", terminal.Bad: "bad", terminal.Warn: "warn"}

func (s Span) class() string { return strings.TrimSpace(s.Class + " " + colours[s.Style]) }

// Colour returns the class of the finding's element.
func (f Finding) Colour() string { return cmp.Or(colours[f.Style], "soft") }

// Place returns where it is.
func (f Finding) Place() string { return f.where() }

// command is a part of a fix that can be pasted.
var command = regexp.MustCompile(`^(?:sudo )?(?:'[^']*/mkt'|(?:\S*/)?mkt|chmod|chown|df|fuser|journalctl|kill|ls|mv|redis-cli|rm|timedatectl) .+$`)

// Repair returns the fix, in which semicolons divide words and commands. A command may follow words and a colon.
func (f Finding) Repair() (line Line) {
	for i, part := range strings.Split(f.Fix, "; ") {
		if i > 0 {
			line = append(line, Span{Words: "; "})
		}
		before, last := "", part
		if at := strings.LastIndex(part, ": ") + 1; at > 0 {
			before, last = part[:at+1], part[at+1:]
		}
		if command.MatchString(last) {
			line = append(line, Span{Words: before}, Code(last))
		} else {
			line = append(line, Span{Words: part})
		}
	}
	return line
}

// OnPage reports whether a page has anything of the section to show.
func (s Section) OnPage() bool {
	return s.Only != Terminal && (len(s.Notes)+len(s.Facts)+len(s.Findings)+len(s.Figure) > 0 || s.Table != nil)
}

// Column returns the column of a cell; a table without a header has cells without one.
func (t *Table) Column(i int) Column {
	if i < len(t.Columns) {
		return t.Columns[i]
	}
	return Column{}
}

// IsBad reports whether a note must not be overlooked.
func (n Note) IsBad() bool { return n.style() == terminal.Bad }

// HTML returns the document as a part of a page, without its style sheet.
func (d *Document) HTML() (template.HTML, error) {
	var out strings.Builder
	err := layout().ExecuteTemplate(&out, "body", d)
	return template.HTML(out.String()), err
}

// Write writes the document as a page of its own.
func (d *Document) Write(w io.Writer, title string, c page.Content) error {
	c.Title, c.Body = title, d
	return page.Write(w, layout(), c)
}
