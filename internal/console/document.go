package console

import (
	"html/template"

	"mkt/internal/evidence/document"
)

// documentBody is a page with a command's output.
type documentBody struct {
	Account string
	Above   []document.Span // links to the pages above
	HTML    template.HTML
	Command string // of the terminal, without the program and its settings
}

// chosen is the account kept in the links to other sections.
func (b *documentBody) chosen() string { return b.Account }

func (b *documentBody) view(section, title string, d *document.Document) (v view, err error) {
	b.HTML, err = d.HTML()
	return view{Page: "document", Section: section, Title: title, Body: b}, err
}
