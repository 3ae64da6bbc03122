package check

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers returns a hash of all constants and variables in the Go files of a pattern. It ignores
// comments, layout and the declaration of except. A test holds the hash beside a version, so that
// none of them changes without a new version.
func Numbers(t testing.TB, pattern, except string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	Must(t, err)
	files, sum := token.NewFileSet(), sha256.New()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		Must(t, err)
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST && g.Tok != token.VAR {
				continue
			}
			var text strings.Builder
			Must(t, format.Node(&text, files, g))
			if except == "" || !strings.Contains(text.String(), except+" =") {
				sum.Write([]byte(strings.Join(strings.Fields(text.String()), " ")))
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
