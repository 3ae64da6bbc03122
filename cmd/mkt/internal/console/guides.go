package console

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"mkt/docs"
)

// guideGroup is a group of guides in the list.
type guideGroup struct {
	Title  string
	Guides []guideEntry
}

// guideEntry is a guide in the list.
type guideEntry struct{ Name, About string }

// Title returns the title of the guide.
func (e guideEntry) Title() string {
	all, err := readGuides()
	if err != nil || all[e.Name] == nil {
		return e.Name
	}
	return all[e.Name].Title
}

// guideGroups has every guide of docs/.
var guideGroups = []guideGroup{
	{"For clients of the API", []guideEntry{
		{"clients", "Calling the API, and following it over the socket"},
		{"vocabulary", "What the name of a market means"},
		{"momentum", "What momentum means, and how well it predicts"},
		{"compatibility", "What an update may change"},
		{"decisions", "Where the service does more than its specification says, or something else, and why"},
	}},
	{"For operators", []guideEntry{
		{"console", "What each section of these pages answers"},
		{"operators", "Running it: accounts, keys, schedules, trouble"},
		{"reference", "Every setting, metric and finding"},
		{"cluster", "Running it on several machines: store, workers, replicas"},
		{"providers", "What each provider has, and what a cycle costs"},
		{"live", "What happens to a match in play every 8 seconds"},
		{"reliability", "What happens when things break, how that is tested, and with which results"},
		{"benchmarks", "What a request and a megabyte cost"},
	}},
	{"For auditors", []guideEntry{
		{"auditors", "Reading the files a year later"},
		{"receipts", "Proving to anybody that a price was published, and when"},
		{"lake", "Reading years of it with Spark, Trino, Snowflake or DuckDB"},
		{"mapping", "How a provider's market gets its name"},
		{"licences", "Which licences the linked code has"},
	}},
	{"For developers", []guideEntry{
		{"simulator", "A provider to develop against"},
		{"contributing", "Where things are in the code, and how to change it"},
	}},
}

// guide is a document of docs/ as a page.
type guide struct {
	Name, Title string
	Contents    []heading
	HTML        template.HTML
}

// heading is an entry of a table of contents.
type heading struct {
	Level    int
	ID, Text string
}

// readGuides renders every guide, once: the documents are part of the binary.
var readGuides = sync.OnceValues(func() (map[string]*guide, error) {
	names, err := fs.Glob(docs.Files, "*.md")
	if err != nil {
		return nil, err
	}
	all := map[string]*guide{}
	for _, name := range names {
		source, err := fs.ReadFile(docs.Files, name)
		if err != nil {
			return nil, err
		}
		g, err := newGuide(strings.TrimSuffix(name, ".md"), source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[g.Name] = g
	}
	return all, nil
})

// markdown is the dialect of docs/, GitHub's. HTML in it is left out. Cells are
// aligned by an attribute, because the pages allow no style in an element.
var markdown = goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))))

func newGuide(name string, source []byte) (*guide, error) {
	document := markdown.Parser().Parse(text.NewReader(source))
	g := &guide{Name: name, Title: name}
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		h, is := n.(*ast.Heading)
		if !is {
			continue
		}
		words := plainText(h, source)
		if h.Level == 1 {
			g.Title = words
			continue
		}
		if id, ok := h.AttributeString("id"); ok && h.Level <= 3 {
			g.Contents = append(g.Contents, heading{h.Level, string(id.([]byte)), words})
		}
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		return nil, err
	}
	g.HTML = template.HTML(accessible.Replace(out.String()))
	return g, nil
}

// prose renders a description of the API's documents.
func prose(source string) (template.HTML, error) {
	var out bytes.Buffer
	err := markdown.Convert([]byte(source), &out)
	return template.HTML(accessible.Replace(out.String())), err
}

// accessible lets the keyboard reach elements with a horizontal scroll bar. Markdown has no table
// without a header: an empty one is no header.
var accessible = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`, "<th></th>", "<td></td>")

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, is := n.(*ast.Text); is && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// links points the links between the documents to their pages, and pictures to their files. A
// link to a file without a page is shown as text.
type links struct{}

func (links) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var found []*ast.Link
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				found = append(found, n)
			}
		case *ast.Image:
			if entering {
				n.Destination = append([]byte("/docs/"), n.Destination...)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, l := range found {
		if to, ok := pageOf(string(l.Destination)); ok {
			l.Destination = []byte(to)
			continue
		}
		parent := l.Parent()
		for child := l.FirstChild(); child != nil; child = l.FirstChild() {
			parent.InsertBefore(parent, l, child)
		}
		parent.RemoveChild(parent, l)
	}
}

// pageOf returns the console's address for the target of a link in docs/. ok is false if it has no
// page.
func pageOf(link string) (page string, ok bool) {
	file, anchor, has := strings.Cut(link, "#")
	if has {
		anchor = "#" + anchor
	}
	switch {
	case file == "" || strings.HasPrefix(file, "https://"):
		return link, true
	case file == "openapi.yaml":
		return "/api", true
	case file == "openapi-history.yaml":
		return "/" + file, true
	case file == "asyncapi.yaml":
		return "/api/socket", true
	}
	name, is := strings.CutSuffix(file, ".md")
	if _, err := fs.Stat(docs.Files, path.Clean(file)); err != nil || !is {
		return "", false
	}
	return "/docs/" + name + anchor, true
}

// picture serves a picture of the guides.
func picture(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/webp")
	http.ServeFileFS(w, r, docs.Files, "images/"+path.Base(r.URL.Path))
}

func (c *Console) guides(*http.Request) (view, error) {
	return view{Page: "guides", Section: "guides", Title: "Guides", Body: guideGroups}, nil
}

func (c *Console) guide(r *http.Request) (view, error) {
	all, err := readGuides()
	if err != nil {
		return view{}, err
	}
	g, ok := all[r.PathValue("name")]
	if !ok {
		return view{}, notFound("There is no guide %s.", r.PathValue("name"))
	}
	v := view{Page: "guide", Section: "guides", Title: g.Title, Body: g}
	if g.Name == "clients" {
		v.Section = "api"
	}
	return v, nil
}
