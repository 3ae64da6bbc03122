package console

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"mkt/internal/dataset"
	pages "mkt/internal/evidence/page"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed static
var static embed.FS

// page is the template of a page, in the common layout.
type page struct{ *template.Template }

// view is the content of a page.
type view struct {
	Page    string // its template, "overview"
	Section string // of the navigation, "overview"
	Title   string
	Body    any
}

// frame is the data of the layout of every page.
type frame struct {
	view
	Sections []section
	Now      time.Time
	Version  string
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
func (c *Console) sectionsFor(body any) []section {
	links := slices.Clone(sections)
	if !c.hasLog() && !c.hasLogKey() {
		links = slices.DeleteFunc(links, func(s section) bool { return s.Name == "receipts" })
	}
	page, ok := body.(interface{ chosen() string })
	if !ok || page.chosen() == "" {
		return links
	}
	list, _ := dataset.List(c.Data, dataset.Filter{Tenant: page.chosen()})
	for i, s := range links {
		if slices.ContainsFunc(list, func(d dataset.Dataset) bool { return slices.Contains(s.of, d.Product) }) {
			links[i].Path += "?account=" + url.QueryEscape(page.chosen())
		}
	}
	return links
}

var functions = template.FuncMap{
	"utc":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"lower":  strings.ToLower,
	"span":   span,
	"size":   size,
	"count":  count,
	"plural": plural,
}

// parsePages parses every template but the layout and the parts, which begin with "_". command is
// how a command line for this installation begins.
func parsePages(command string) (map[string]*page, error) {
	own := template.FuncMap{"mkt": func() string { return command }}
	names, err := fs.Glob(templates, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := make(map[string]*page)
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if strings.HasPrefix(base, "_") {
			continue
		}
		t, err := template.New(base).Funcs(functions).Funcs(own).ParseFS(templates, "templates/_*.html", name)
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", base, err)
		}
		all[base] = &page{t}
	}
	return all, nil
}

// render writes a page. The page is complete before the first byte is sent: no error
// leaves half a page. Invisible characters of a provider's texts, such as marks
// for the direction of reading, are shown as escapes.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, v view) {
	var body bytes.Buffer
	p, ok := c.pages[v.Page]
	if !ok {
		c.broken(w, r, fmt.Errorf("no page %s", v.Page))
		return
	}
	shown := printable.NewWriter(&body)
	out := bufio.NewWriter(shown)
	err := p.ExecuteTemplate(out, "layout", frame{v, c.sectionsFor(v.Body), c.Now(), c.Version})
	if err = errors.Join(err, out.Flush(), shown.Flush()); err != nil {
		c.broken(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.Copy(w, &body) // the browser has gone
}

// broken answers for a fault of the console itself.
func (c *Console) broken(w http.ResponseWriter, r *http.Request, err error) {
	c.Log.Error("console", "path", r.URL.Path, "error", err)
	http.Error(w, "The page could not be made; the log of mkt console says why.", http.StatusInternalServerError)
}

// fail shows an error as a page.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if !errors.As(err, &p) {
		c.Log.Error("console", "path", r.URL.Path, "error", err)
		p = &problem{http.StatusInternalServerError, "This could not be read", err.Error()}
	}
	c.render(w, r, p.status, view{Page: "problem", Title: p.title, Body: p.what})
}

// staticFiles serves the style sheets and scripts from the binary.
func staticFiles() http.Handler {
	files := http.FileServerFS(static)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/static/page.css":
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			_, _ = io.WriteString(w, pages.Style)
		case strings.HasSuffix(r.URL.Path, "/"):
			http.NotFound(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	})
}
