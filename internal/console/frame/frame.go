// Package frame makes the pages of the console from the contents that their handlers return: the
// layout, the navigation, and the pages about problems.
package frame

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

//go:embed *.html
var templates embed.FS

// Options are what the frame shows besides the content of a page.
type Options struct {
	Now     func() time.Time
	Version string // of mkt
	Data    string // data root
	Command string // how a command line for this installation begins
	Log     *slog.Logger
	// Notice is what every page says until it returns ""; nil: nothing.
	Notice func() string
	// HasReceipts reports whether there is something for the section of receipts to show.
	HasReceipts func() bool
}

// Frame makes pages. It is safe for concurrent use.
type Frame struct {
	Options
	pages map[string]*template.Template
}

// View is the content of a page.
type View struct {
	Page    string // its template, "overview"
	Section string // of the navigation, "overview"
	Title   string
	Query   string // in the search field
	Body    any
}

// layout is the data of the layout of every page.
type layout struct {
	View
	Sections []section
	Now      time.Time
	Version  string
	Notice   func() string
}

// section is an entry of the navigation. of lists the products of its pages, and every product if
// they are about an account.
type section struct {
	Name, Path, Title string
	of                []football.Product
}

var sections = []section{
	{"overview", "/", "Overview", nil},
	{"fixtures", "/fixtures", "Fixtures", []football.Product{football.MarketEngine}},
	{"live", "/live", "Live", []football.Product{football.LiveIntelligence}},
	{"cycles", "/cycles", "Cycles", football.Products()},
	{"audit", "/audit", "Audit", football.Products()},
	{"receipts", "/receipts", "Receipts", nil},
	{"api", "/api", "API", football.Products()},
}

// sectionsFor returns the navigation of a page. A link keeps the page's account if that account
// has data for the section.
func (f *Frame) sectionsFor(body any) []section {
	links := slices.Clone(sections)
	if !f.HasReceipts() {
		links = slices.DeleteFunc(links, func(s section) bool { return s.Name == "receipts" })
	}
	page, ok := body.(interface{ Chosen() string })
	if !ok || page.Chosen() == "" {
		return links
	}
	list, _ := dataset.List(f.Data, dataset.Filter{Tenant: page.Chosen()})
	for i, s := range links {
		if slices.ContainsFunc(list, func(d dataset.Dataset) bool { return slices.Contains(s.of, d.Product) }) {
			links[i].Path += "?account=" + url.QueryEscape(page.Chosen())
		}
	}
	return links
}

var functions = template.FuncMap{
	"utc":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"lower":  strings.ToLower,
	"span":   Span,
	"size":   terminal.Size,
	"count":  Count,
	"plural": Plural,
	"forms":  func() string { return snapshot.Forms },
}

// New returns a frame for the pages of some folders of templates: each file in them is a page.
func New(o Options, folders ...fs.FS) (*Frame, error) {
	f := &Frame{Options: o, pages: map[string]*template.Template{}}
	common, err := template.New("").Funcs(functions).Funcs(template.FuncMap{"mkt": func() string { return o.Command }}).ParseFS(templates, "_*.html")
	if err != nil {
		return nil, err
	}
	for _, folder := range append(folders, templates) {
		names, err := fs.Glob(folder, "[^_]*.html")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			base := strings.TrimSuffix(name, ".html")
			page, err := common.Clone()
			if err == nil {
				f.pages[base], err = page.ParseFS(folder, name)
			}
			if err != nil {
				return nil, fmt.Errorf("page %s: %w", base, err)
			}
		}
	}
	return f, nil
}

// A Handler makes the content of a page. Its error is shown as a page of its own.
type Handler func(r *http.Request) (View, error)

// Handle returns an HTTP handler for a page.
func (f *Frame) Handle(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := h(r)
		if err != nil {
			f.Fail(w, r, err)
			return
		}
		f.Render(w, r, http.StatusOK, v)
	}
}

// Render writes a page. The page is complete before the first byte is sent: no error
// leaves half a page. Invisible characters of a provider's texts, such as marks
// for the direction of reading, are shown as escapes.
func (f *Frame) Render(w http.ResponseWriter, r *http.Request, status int, v View) {
	var body bytes.Buffer
	p, ok := f.pages[v.Page]
	if !ok {
		f.broken(w, r, fmt.Errorf("no page %s", v.Page))
		return
	}
	shown := printable.NewWriter(&body)
	out := bufio.NewWriter(shown)
	err := p.ExecuteTemplate(out, "layout", layout{v, f.sectionsFor(v.Body), f.Now(), f.Version, f.Notice})
	if err = errors.Join(err, out.Flush(), shown.Flush()); err != nil {
		f.broken(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.Copy(w, &body) // the browser has gone
}

// broken answers for a fault of the console itself.
func (f *Frame) broken(w http.ResponseWriter, r *http.Request, err error) {
	f.Log.Error("console", "path", r.URL.Path, "error", err)
	http.Error(w, "The page could not be made; the log of mkt console says why.", http.StatusInternalServerError)
}

// Fail shows an error as a page.
func (f *Frame) Fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	if !errors.As(err, &p) {
		f.Log.Error("console", "path", r.URL.Path, "error", err)
		p = &Problem{http.StatusInternalServerError, "This could not be read", err.Error()}
	}
	f.Render(w, r, p.Status, View{Page: "problem", Title: p.Title, Body: p.What})
}
