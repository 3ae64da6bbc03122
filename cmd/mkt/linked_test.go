package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// linksEngine says of each package whose tests link DuckDB why they do: linking it takes half a
// minute, which every further package costs everybody.
var linksEngine = map[string]string{
	"cmd/mkt":                            "runs the whole program, which answers from it and asks SQL",
	"cmd/mkt/internal/cli/batch":         "publish loads every snapshot as serve will",
	"cmd/mkt/internal/cli/demo":          "runs serve",
	"cmd/mkt/internal/cli/evidence":      "inspect asks SQL",
	"internal/testing/simulation/served": "runs the servers of replicas",
	"serve":                              "answers from it",
	"serve/internal/metrics":             "reads what the reader counts",
	"serve/internal/reader":              "reads with it",
	"serve/internal/realtime":            "pushes what the reader reads",
	"serve/offline":                      "asks it SQL",
}

// TestLinksOfTests: no further package links DuckDB into its tests, and none but the program's
// links a cloud.
func TestLinksOfTests(t *testing.T) {
	out, err := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,Deps", "mkt/...").Output()
	check.Must(t, err)
	found := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		check.Must(t, dec.Decode(&p))
		name, isTest := strings.CutSuffix(strings.TrimPrefix(p.ImportPath, "mkt/"), ".test")
		if !isTest {
			continue
		}
		if slices.ContainsFunc(p.Deps, func(d string) bool { return strings.HasPrefix(d, "github.com/duckdb/") }) {
			found[name] = linksEngine[name]
		}
		if slices.Contains(p.Deps, "mkt/internal/cluster/store/s3store") && name != "cmd/mkt" && !strings.HasPrefix(name, "internal/cluster/store/") {
			t.Errorf("the tests of %s link a cloud", name)
		}
	}
	for name, why := range linksEngine {
		if why == "" {
			t.Errorf("why do the tests of %s link DuckDB?", name)
		}
	}
	if !maps.Equal(found, linksEngine) {
		t.Errorf("the packages whose tests link DuckDB, and why:\n%v\nwant\n%v", found, linksEngine)
	}
}

// contacts has every file that opens a connection, and to whom.
var contacts = map[string]string{
	"cmd/mkt/internal/cli/demo/ready.go":        "the demonstration's own server",
	"fetch/fetch.go":                            "the account's provider, by the transport below",
	"fetch/internal/upstream/transport.go":      "the account's provider",
	"fetch/internal/upstream/client.go":         "the account's provider",
	"internal/tail/client.go":                   "the same service",
	"internal/receipts/commitlog/post.go":       "the witnesses of the policy",
	"internal/cluster/store/s3store/s3store.go": "the store",
	"internal/cluster/client.go":                "Redis",
	"internal/cluster/news.go":                  "Redis",
	"internal/tail/tail.go":                     "the service whose address the user of mkt tail gives",
}

// DuckDB could open connections too: loading extensions and all access to files and networks
// are switched off where it is opened. The drivers of the stores also ask the identity service
// of their cloud.
//
// opens are the functions, types and values of other packages by which a program opens a
// connection.
var opens = map[string][]string{
	"net":                              {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "Dialer"},
	"net/http":                         {"Get", "Post", "PostForm", "Head", "Client", "Transport", "DefaultClient", "DefaultTransport"},
	"crypto/tls":                       {"Dial", "DialWithDialer", "Dialer"},
	"net/smtp":                         {"Dial", "SendMail"},
	"net/rpc":                          {"Dial", "DialHTTP"},
	"github.com/gomodule/redigo/redis": {"Dial", "DialContext", "DialTimeout", "DialURL", "DialURLContext"},
	"github.com/gobwas/ws":             {"Dial", "Dialer"},
	"github.com/aws/aws-sdk-go-v2/service/s3": {"NewFromConfig", "New"},
}

// TestNobodyElseIsContacted: no other file opens a connection than those that the guides
// account for.
func TestNobodyElseIsContacted(t *testing.T) {
	found := map[string]bool{}
	for _, top := range []string{"cmd", "fetch", "transform", "publish", "serve", "internal"} {
		err := filepath.WalkDir("../../"+top, func(name string, d fs.DirEntry, err error) error {
			place := strings.TrimPrefix(filepath.ToSlash(name), "../../")
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || isForTests(path.Dir(place)) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				return err
			}
			imported := map[string][]string{}
			for _, i := range file.Imports {
				imports := strings.Trim(i.Path.Value, `"`)
				local := strings.TrimSuffix(path.Base(imports), ".go")
				if i.Name != nil {
					local = i.Name.Name
				}
				imported[local] = opens[imports]
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && slices.Contains(imported[x.Name], s.Sel.Name) {
						found[place] = true
					}
				}
				return true
			})
			return nil
		})
		check.Must(t, err)
	}
	for place := range found {
		if contacts[place] == "" {
			t.Errorf("%s opens connections, and README, SECURITY and docs/operators.md do not say to whom", place)
		}
	}
	for place := range contacts {
		if !found[place] {
			t.Errorf("%s opens no connections", place)
		}
	}
}
