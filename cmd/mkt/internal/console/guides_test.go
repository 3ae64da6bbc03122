package console_test

import (
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/console"
	"mkt/docs"
	"mkt/internal/check"
)

// page returns a page of the console.
func page(t *testing.T, address, path string) string {
	t.Helper()
	answer, err := http.Get("http://" + address + path)
	check.Must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, answer.Status, err)
	}
	return string(body)
}

var (
	linkTo   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idOf     = regexp.MustCompile(`\bid="([^"]*)"`)
	fileLink = regexp.MustCompile(`\]\(([a-z]+\.md[^)]*|[a-z]+\.yaml)\)`)
)

// Every guide is listed, and no link or anchor of the documentation leads nowhere.
func TestDocumentationHasNoDeadLinks(t *testing.T) {
	address := serve(t, console.Access{})
	list := page(t, address, "/docs")
	names, err := fs.Glob(docs.Files, "*.md")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	texts := map[string]string{"/docs": list, "/api/socket": page(t, address, "/api/socket")}
	for _, name := range names {
		path := "/docs/" + strings.TrimSuffix(name, ".md")
		if !strings.Contains(list, `href="`+path+`"`) {
			t.Errorf("%s is not listed", path)
		}
		texts[path] = page(t, address, path)
		source, err := fs.ReadFile(docs.Files, name)
		check.Must(t, err)
		_, article, _ := strings.Cut(texts[path], "<article")
		if strings.Contains(article, ` style="`) {
			t.Errorf("%s has a style, which the policy of the pages forbids", path)
		}
		if want, got := len(fileLink.FindAll(source, -1)), strings.Count(article, `href="/docs/`)+strings.Count(article, `href="/api`); got != want {
			t.Errorf("%s has %d links to other documents, and its page %d", name, want, got)
		}
	}
	pictures, err := fs.Glob(docs.Files, "images/*")
	check.Must(t, err)
	for _, name := range pictures {
		if info, err := fs.Stat(docs.Files, name); err != nil || info.Size() > 60<<10 {
			t.Errorf("%s has %d bytes: want at most 60 KiB, %v", name, info.Size(), err)
		}
		if !strings.Contains(texts["/docs/console"], `src="/docs/`+name+`"`) {
			t.Errorf("%s is not in the tour", name)
		}
	}
	asked := map[string]bool{}
	for path, text := range texts {
		for _, m := range linkTo.FindAllStringSubmatch(text, -1) {
			file, anchor, has := strings.Cut(m[1], "#")
			if strings.HasPrefix(file, "https://") {
				continue
			}
			if file == "" {
				file = path
			}
			if texts[file] == "" && !asked[file] && file != "/" && file != "/api" { // these need accounts
				asked[file] = true
				page(t, address, file)
			}
			if !has || anchor == "content" {
				continue
			}
			found := false
			for _, id := range idOf.FindAllStringSubmatch(texts[file], -1) {
				found = found || id[1] == anchor
			}
			if !found {
				t.Errorf("%s: the link to %s leads nowhere", path, m[1])
			}
		}
	}
}
