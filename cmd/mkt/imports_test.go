package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// rule says who imports whom (STYLE, section 3). A pattern is a package, or with /... a package and
// all below it.
type rule struct {
	pkg  string
	may  []string // direct imports of this module; nil: none
	far  []string // of this module, must not be reached even indirectly
	what string   // may, for people
}

// rules has one rule for each package: the first that matches.
var rules = []rule{
	{pkg: "publish/football", what: "a leaf"},
	{pkg: "publish/layout", what: "a leaf"},
	{pkg: "publish/durable", what: "a leaf"},
	{pkg: "serve/internal/socketio/...", may: []string{"serve/internal/socketio/...", "internal/listen"}, what: "a leaf, but for the listener"},
	{pkg: "publish/table/parquetfile", what: "a leaf, which knows no rows"},
	{pkg: "publish/table/columnar", may: []string{"publish/table/parquetfile"}, what: "the Parquet codec; it knows rows by their Go type alone"},
	{pkg: "publish/table", may: append([]string{"publish/table/columnar", "publish/table/parquetfile"}, leaves...), what: "the leaves and the packages that encode columns"},
	{pkg: "publish/table/content", may: []string{"publish/table", "publish/table/columnar"}, what: "the rows"},
	{pkg: "publish/table/canonical", may: []string{"publish/football", "publish/table", "publish/table/columnar", "publish/table/content"}, what: "the model, the rows and their content"},
	{pkg: "publish/table/stepindex", may: []string{"publish/table", "publish/table/columnar", "publish/table/parquetfile"}, what: "the rows and the packages that encode columns"},
	{pkg: "publish/table/diff", may: []string{"publish/football", "publish/table", "publish/table/columnar"}, what: "the model and the rows"},
	{pkg: "publish/health", may: leaves, what: "the leaves"},
	{pkg: "publish/snapshot", may: append([]string{"publish/table", "publish/table/content"}, leaves...), what: "the leaves, publish/table and its content"},
	{pkg: "publish/steps", may: append([]string{"publish/snapshot", "publish/table", "publish/table/stepindex"}, leaves...), what: "the formats below it"},
	{pkg: "publish/retention", may: formats, far: []string{"publish/repair", "publish"}, what: "the formats"},
	{pkg: "publish", may: append([]string{"publish/retention"}, formats...), far: []string{"publish/repair"}, what: "the formats and publish/retention"},
	{pkg: "publish/repair", may: append([]string{"publish", "publish/retention"}, formats...), what: "the formats, publish and publish/retention"},
	{pkg: "internal/cluster/store", may: append([]string{"publish/retention", "internal/receipts/transparency"}, formats...), far: []string{"publish", "publish/repair"}, what: "the formats, publish/retention and the log"},
	{pkg: "internal/cluster/store/...", may: []string{"internal/cluster/store"}, what: "internal/cluster/store"},
	{pkg: "internal/receipts/transparency", may: []string{"publish/durable", "publish/layout"}, what: "the leaves without the model"},
	{pkg: "internal/receipts/witness", may: []string{"publish/durable", "internal/receipts/transparency"}, what: "the log"},
	{pkg: "internal/receipts/receipt", may: []string{"publish/durable", "publish/football", "publish/layout", "publish/snapshot", "publish/table", "publish/table/content", "internal/receipts/transparency"}, what: "the log and one publication"},

	{pkg: "fetch/input", may: []string{"publish/football"}, what: "publish/football"},
	{pkg: "fetch/provider/all", may: []string{"fetch/provider/..."}, what: "the adapters"},
	{pkg: "fetch/simulator/...", may: []string{"fetch/simulator/..."}, what: "its own: the world knows no provider"},
	{pkg: "fetch/...", may: []string{"fetch/...", "publish/football", "publish/layout", "publish/durable", "publish/health"},
		far: []string{"serve/...", "transform/...", "cmd/..."}, what: "fetch's own and publish's leaves"},
	{pkg: "transform/identity", may: []string{"publish/football", "publish/durable"}, what: "publish/football and publish/durable"},
	{pkg: "transform/markets/...", may: []string{"transform/markets/...", "fetch/input", "publish/football", "transform/identity"}, what: "its own, fetch/input, publish/football and transform/identity"},
	{pkg: "transform/live/...", may: []string{"transform/live/...", "fetch/input", "publish/football", "transform/identity"}, what: "its own, fetch/input, publish/football and transform/identity"},
	{pkg: "transform/...", may: append([]string{"transform/...", "fetch/input", "fetch/raw", "fetch/provider", "fetch/provider/all"}, formats...),
		far: []string{"serve/...", "cmd/...", "fetch/credential", "fetch/internal/upstream"}, what: "transform's own, the formats, fetch/raw and the providers' readers"},
	{pkg: "serve/account", may: []string{"publish/football"}, what: "publish/football"},
	{pkg: "serve/admin", may: []string{"internal/listen"}, what: "internal/listen"},
	{pkg: "internal/cluster/replica", may: append([]string{"internal/cluster/store"}, formats...), far: []string{"serve", "fetch/...", "transform/...", "cmd/..."}, what: "the formats and internal/cluster/store"},
	{pkg: "serve/internal/metrics", may: append([]string{"serve/...", "internal/cluster", "internal/listen"}, formats...),
		far: []string{"serve", "fetch/...", "transform/...", "cmd/..."}, what: "serve's own, the formats and the client of Redis"},
	{pkg: "serve/limits", may: []string{"internal/cluster", "serve/account", "serve/internal/..."}, what: "the client of Redis and the gate"},
	{pkg: "serve", may: append([]string{"serve/...", "internal/cluster", "internal/listen"}, formats...),
		far: []string{"fetch/...", "transform/...", "cmd/..."}, what: "serve's own, the formats and the address of Redis, and reach nothing of fetch or transform"},
	{pkg: "serve/...", may: append([]string{"serve/...", "internal/listen"}, formats...),
		far: []string{"fetch/...", "transform/...", "cmd/..."}, what: "serve's own and the formats, and reach nothing of fetch or transform"},
	{pkg: "cmd/mkt/internal/cli", may: []string{"internal/accounts/audit", "internal/evidence/names", "internal/terminal/printable", "internal/accounts", "internal/strictyaml", "fetch/...", "publish/...", "serve/account", "internal/cluster", "internal/cluster/store"},
		far: []string{"cmd/mkt/internal/cli/...", "serve"}, what: "what every command needs, and no group of commands"},
	{pkg: "cmd/mkt/internal/cli/commands", may: []string{"cmd/mkt/internal/cli/..."}, what: "the groups of commands"},
	{pkg: "cmd/mkt/internal/cli/manpages", may: []string{"cmd/mkt/internal/cli", "cmd/mkt/internal/cli/commands"}, what: "the tree of the commands"},
	{pkg: "cmd/mkt/internal/cli/demo", may: []string{"..."}, what: "everything: it runs the whole system"},
	{pkg: "cmd/mkt/internal/cli/...", may: []string{"..."}, far: []string{"cmd/mkt/internal/cli/accounts", "cmd/mkt/internal/cli/batch", "cmd/mkt/internal/cli/evidence",
		"cmd/mkt/internal/cli/lake", "cmd/mkt/internal/cli/live", "cmd/mkt/internal/cli/receipts", "cmd/mkt/internal/cli/serving", "cmd/mkt/internal/cli/browser", "cmd/mkt/internal/cli/demo"}, what: "everything but another group of commands"},
	{pkg: "internal/evidence/names", what: "a leaf"},
	{pkg: "cmd/...", may: []string{"..."}, what: "everything"},
	{pkg: "scripts/internal/backtest", may: []string{"fetch/input", "publish/football", "transform/live"}, what: "the engine of live data, which it measures"},
	{pkg: "scripts/...", may: []string{"scripts/internal/..."}, what: "nothing: scripts use the binary"},
	{pkg: "docs", what: "a leaf"},
	{pkg: "internal/testing/...", may: []string{"fetch/...", "publish/...", "transform/...", "internal/cluster/store", "internal/testing/..."}, far: []string{"cmd/...", "serve/..."}, what: "the stages, for tests alone"},
	{pkg: "internal/...", what: "a leaf"},
}

// everybodys may be imported by all packages.
var everybodys = []string{"internal/deadline", "internal/panics", "internal/scratch", "internal/terminal", "internal/terminal/printable"}

var (
	leaves  = []string{"publish/football", "publish/layout", "publish/durable"}
	formats = append([]string{"publish/table", "publish/table/canonical", "publish/table/content", "publish/table/diff", "publish/table/stepindex",
		"publish/health", "publish/snapshot", "publish/steps"}, leaves...)
)

// confined are dependencies that only some packages may import.
var confined = map[string][]string{
	"github.com/duckdb/":                {"serve/internal/duck", "serve/internal/reader/engine", "serve/offline"},
	"github.com/labstack/echo":          {"serve/..."},
	"github.com/parquet-go/parquet-go":  {"publish/table/..."},
	"filippo.io/age":                    {"fetch/credential"},
	"github.com/spf13/":                 {"cmd/mkt", "cmd/mkt/internal/cli/..."},
	"github.com/robfig/cron":            {"internal/schedule"},
	"github.com/fatih/color":            {"internal/terminal"},
	"github.com/rivo/uniseg":            {"internal/terminal"},
	"github.com/gomodule/redigo":        {"internal/cluster", "serve/limits"},
	"github.com/gobwas/ws":              {"serve/internal/socketio/...", "internal/testing/socketiotest"},
	"github.com/sony/gobreaker":         {"fetch/internal/upstream", "serve/limits"},
	"code.dny.dev/ssrf":                 {"fetch/internal/upstream"},
	"github.com/cenkalti/backoff":       {"fetch/internal/upstream"},
	"github.com/hashicorp/go-retryable": {"fetch/internal/upstream"},
	"github.com/aws/":                   {"internal/cluster/store/s3store"},
	"github.com/prometheus/":            {"serve/admin", "serve/internal/metrics", "cmd/mkt/internal/cli/..."}, // packages with metrics of their own declare them
}

// listed is a package as go list reports it.
type listed struct {
	ImportPath string
	Imports    []string // without those of tests
	Deps       []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "mkt/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		check.Must(t, dec.Decode(&p))
		if strings.HasPrefix(p.ImportPath, "mkt/") {
			list = append(list, p)
		}
	}
	if len(list) < 10 {
		t.Fatalf("go list reported only %d packages", len(list))
	}
	return list
}

func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		name, _ := strings.CutPrefix(p.ImportPath, "mkt/")
		at := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, name) })
		if at < 0 {
			t.Errorf("%s: no rule for it in imports_test.go", name)
			continue
		}
		rule := rules[at]
		for _, i := range p.Imports {
			dep, ours := strings.CutPrefix(i, "mkt/")
			if ours && isForTests(dep) && !isForTests(name) {
				t.Errorf("%s imports %s: it is for tests alone", name, dep)
			}
			if ours && !slices.Contains(everybodys, dep) && !matchesAny(rule.may, dep) {
				t.Errorf("%s imports %s: it may import %s", name, dep, rule.what)
			}
		}
		for _, d := range p.Deps {
			if dep, ours := strings.CutPrefix(d, "mkt/"); ours && matchesAny(rule.far, dep) {
				t.Errorf("%s reaches %s: it may import %s", name, dep, rule.what)
			}
		}
		checkProviders(t, name, p.Imports)
		checkEmulators(t, name, p.Deps)
		checkConfined(t, name, p.Imports)
		checkLinked(t, name, p.Deps)
	}
}

// isForTests reports whether only tests may import a package.
func isForTests(name string) bool {
	return strings.HasPrefix(name, "internal/testing/") || strings.HasPrefix(name, "cmd/mkt/internal/testing/")
}

// checkLinked: only the program links the driver of the store, which takes long to compile and link, and
// nothing links gRPC or Envoy, which larger libraries of clouds do.
func checkLinked(t *testing.T, name string, deps []string) {
	for _, d := range deps {
		switch {
		case d == "mkt/internal/cluster/store/s3store" && name != "cmd/mkt":
			t.Errorf("%s reaches %s: only the program links the driver of the store", name, d)
		case strings.HasPrefix(d, "google.golang.org/grpc"), strings.HasPrefix(d, "github.com/envoyproxy/"):
			t.Errorf("%s reaches %s", name, d)
		}
	}
}

func checkProviders(t *testing.T, name string, imports []string) {
	own, is := strings.CutPrefix(name, "fetch/provider/")
	own, _, _ = strings.Cut(own, "/")
	if !is || own == "all" || own == "emulators" {
		return
	}
	for _, i := range imports {
		dep, other := strings.CutPrefix(i, "mkt/fetch/provider/")
		if dep, _, _ = strings.Cut(dep, "/"); other && dep != own {
			t.Errorf("%s imports the adapter %s: adapters do not know each other", name, dep)
		}
	}
}

// emulation is the code that emulates providers, and the suite that tests adapters with it.
var emulation = []string{"fetch/simulator/...", "fetch/provider/emulators", "internal/testing/providertest"}

func isEmulation(name string) bool {
	return matchesAny(emulation, name) || strings.HasPrefix(name, "fetch/provider/") && strings.HasSuffix(name, "/emulator")
}

// checkEmulators: only the commands and tests may reach an emulator.
func checkEmulators(t *testing.T, name string, deps []string) {
	if isEmulation(name) || isForTests(name) || matches("cmd/...", name) {
		return
	}
	for _, d := range deps {
		if dep, ours := strings.CutPrefix(d, "mkt/"); ours && isEmulation(dep) {
			t.Errorf("%s reaches %s: only the commands and tests may emulate a provider", name, dep)
		}
	}
}

func checkConfined(t *testing.T, name string, imports []string) {
	for _, i := range imports {
		for dep, packages := range confined {
			if strings.HasPrefix(i, dep) && !matchesAny(packages, name) {
				t.Errorf("%s imports %s, which only these may import: %s", name, i, strings.Join(packages, ", "))
			}
		}
	}
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

func matches(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	below, all := strings.CutSuffix(pattern, "/...")
	return name == below || all && strings.HasPrefix(name, below+"/")
}
