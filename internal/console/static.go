package console

import (
	"embed"
	"io"
	"net/http"
	"strings"

	"mkt/internal/evidence/page"
)

//go:embed static
var static embed.FS

// staticFiles serves the style sheets and scripts from the binary.
func staticFiles() http.Handler {
	files := http.FileServerFS(static)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/static/page.css":
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			_, _ = io.WriteString(w, page.Style)
		case strings.HasSuffix(r.URL.Path, "/"):
			http.NotFound(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	})
}
