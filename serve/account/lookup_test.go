package account_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"mkt/serve/account"
)

// A generation has only digests of tokens, never a token.
func TestGenerationHoldsNoToken(t *testing.T) {
	secret, err := account.NewToken(nil)
	must(t, err)
	g, err := account.NewGeneration([]account.Account{{ClientID: "acme", TokenDigests: [][32]byte{account.Digest(secret)}}})
	must(t, err)
	if shown := fmt.Sprintf("%#v %+v", g, g.Accounts()); strings.Contains(shown, secret) || strings.Contains(shown, secret[4:20]) {
		t.Errorf("a generation holds a token: %s", shown)
	}
}

// The time of a look-up may depend on the token's digest, which nobody can choose, but
// not on the token: no code between the header and the look-up compares a token with
// anything, or uses it as an index.
func TestTokensAreLookedUpByDigestOnly(t *testing.T) {
	looked := 0
	for _, dir := range []string{".", "../internal/gate"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if isToken(n.X) || isToken(n.Y) {
						t.Errorf("%s: a token is compared", set.Position(n.Pos()))
					}
				case *ast.SwitchStmt:
					if isToken(n.Tag) {
						t.Errorf("%s: a token is compared", set.Position(n.Pos()))
					}
				case *ast.IndexExpr:
					if isToken(n.Index) {
						t.Errorf("%s: something is looked up by a token", set.Position(n.Pos()))
					}
					if x, ok := n.X.(*ast.SelectorExpr); ok && x.Sel.Name == "byDigest" && isCall(n.Index, "Digest") {
						looked++
					}
				}
				return true
			})
		}
	}
	if looked != 1 {
		t.Errorf("%d look-ups by digest, want the one of Identify", looked)
	}
}

func isToken(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && strings.EqualFold(name.Name, "token")
}

func isCall(e ast.Expr, of string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == of
}
