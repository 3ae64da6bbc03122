package live_test

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"mkt/transform/live"
)

// numbersOf has the hash of the numbers in rules.go, by the version of the rules.
var numbersOf = map[string]string{
	"live-5": "94da1cca9e8f8400365b395b0e3e4d87b555f3f99f09e7f5f7eb7a42086bf4ae",
}

// TestRulesAreVersioned: a number on which stored bytes depend does not change without a new
// version, which makes replay and verify tell the two apart.
func TestRulesAreVersioned(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "rules.go", nil, 0) // without the comments
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.IMPORT {
			var text strings.Builder
			if err := format.Node(&text, files, g); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "Rules =") {
				sum.Write([]byte(strings.Join(strings.Fields(text.String()), " ")))
			}
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != numbersOf[live.Rules] {
		t.Errorf("the numbers in rules.go have the hash %s, and %s has %s: give Rules a new version, and list it here", got, live.Rules, numbersOf[live.Rules])
	}
}
