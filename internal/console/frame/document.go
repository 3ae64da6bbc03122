package frame

import (
	"html/template"

	"mkt/internal/evidence/document"
)

// Document is a page with a command's output.
type Document struct {
	Account string
	Above   []document.Span // links to the pages above
	HTML    template.HTML
	Command string // of the terminal, without the program and its settings
	Refresh int    // seconds until the page renews itself; 0 if it is complete
}

// Chosen is the account kept in the links to other sections.
func (b *Document) Chosen() string { return b.Account }

// View renders an answer into the page.
func (b *Document) View(section, title string, d *document.Document) (v View, err error) {
	b.HTML, err = d.HTML()
	return View{Page: "document", Section: section, Title: title, Body: b}, err
}
