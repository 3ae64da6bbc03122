package document

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/page"
)

//go:embed document.html
var body string

var layout = page.Template(body, template.FuncMap{"class": Span.class})

func (s Span) class() string {
	return strings.TrimSpace(s.Class + " " + []string{"", "good", "bad", "warn"}[s.Style])
}

// IsBad reports whether a note must not be overlooked.
func (n Note) IsBad() bool { return n.style() == cli.Bad }

// HTML returns the document as a part of a page that has the style sheet.
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
