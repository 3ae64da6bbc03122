package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// rule says who imports whom. A pattern is a package, or with /... a package and all below it.
type rule struct {
	pkg  string
	may  []string // direct imports of this module; nil: none
	far  []string // of this module, must not be reached even indirectly
	by   []string // the only packages that may import it; nil: any whose rule allows it
	what string   // may, for people
}

// rules has one rule for each package: the first that matches.
var rules = []rule{
	// What goes out: the model and the formats around it, and the stage that publishes.
	{pkg: "publish/football", what: "a leaf"},
	{pkg: "publish/layout", what: "a leaf"},
	{pkg: "publish/durable", what: "a leaf"},
	{pkg: "publish/table/parquetfile", what: "a leaf, which knows no rows"},
	{pkg: "publish/table/...", may: with(leaves, "publish/table/..."), what: "the leaves and the tables"},
	{pkg: "publish/health", may: leaves, what: "the leaves"},
	{pkg: "publish/payloads", may: with(leaves, "publish/health"), what: "the leaves and publish/health"},
	{pkg: "publish/snapshot", may: with(leaves, "publish/table/..."), what: "the leaves and the tables"},
	{pkg: "publish/steps", may: with(leaves, "publish/table/...", "publish/snapshot"), what: "the formats below it"},
	{pkg: "publish/retention", may: formats, far: []string{"publish", "publish/repair"}, what: "the formats"},
	{pkg: "publish", may: with(formats, "publish/retention"), far: []string{"publish/repair"},
		by: []string{"cmd/...", "internal/replay", "internal/evidence/verify", "publish/repair", "internal/testing/..."}, what: "the formats and publish/retention"},
	{pkg: "publish/repair", may: with(formats, "publish", "publish/retention"), what: "the formats, publish and publish/retention"},

	// What comes in: the stage that asks, and the providers.
	{pkg: "fetch/input", may: []string{"publish/football"}, what: "publish/football"},
	{pkg: "fetch/provider/all", may: []string{"fetch/provider/..."}, what: "the adapters"},
	{pkg: "fetch/simulator/...", may: []string{"fetch/simulator/..."}, what: "the simulator alone"},
	{pkg: "fetch/...", may: with(leaves, "publish/health", "fetch/..."), far: []string{"serve/...", "transform/...", "cmd/...", "internal/accounts/..."},
		what: "fetch's own and publish's leaves"},

	// From one to the other.
	{pkg: "transform/identity", may: []string{"publish/football", "publish/durable"}, what: "publish/football and publish/durable"},
	{pkg: "transform/markets/...", may: []string{"fetch/input", "publish/football", "transform/identity", "transform/markets/..."},
		what: "fetch/input, publish/football, transform/identity and its own"},
	{pkg: "transform/live/...", may: []string{"fetch/input", "publish/football", "transform/identity", "transform/live/..."},
		what: "fetch/input, publish/football, transform/identity and its own"},
	{pkg: "transform/...", may: with(formats, "transform/...", "fetch/input", "fetch/raw", "fetch/provider", "fetch/provider/all"),
		far:  []string{"serve/...", "cmd/...", "fetch/credential", "fetch/internal/upstream"},
		what: "transform's own, the formats, fetch/raw and the providers' readers"},

	// The reader reaches nothing of fetch or transform, at any distance.
	{pkg: "serve/account", may: []string{"publish/football"}, what: "publish/football"},
	{pkg: "serve/admin", may: []string{"internal/listen"}, what: "internal/listen"},
	{pkg: "serve/internal/socketio/...", may: []string{"serve/internal/socketio/...", "internal/listen"}, what: "a leaf, but for the listener"},
	{pkg: "serve/limits", may: []string{"internal/cluster", "serve/account", "serve/internal/..."}, far: unserved, what: "the client of Redis and the gate"},
	{pkg: "serve/internal/metrics", may: with(formats, "serve/...", "internal/cluster", "internal/listen"), far: with(unserved, "serve"), what: "serve's own, the formats and the client of Redis"},
	{pkg: "serve", may: with(formats, "serve/...", "internal/cluster", "internal/listen"), far: unserved,
		what: "serve's own, the formats and the address of Redis, and reach nothing of fetch or transform"},
	{pkg: "serve/...", may: with(formats, "serve/...", "internal/listen"), far: unserved, what: "serve's own and the formats, and reach nothing of fetch or transform"},

	// Domains. None but the replay, and the evidence that derives a cycle again to compare it, imports a stage.
	{pkg: "internal/terminal/...", may: []string{"internal/terminal/..."}, what: "a leaf"},
	{pkg: "internal/dataset", may: with(leaves, "publish/snapshot"), what: "publish's leaves and moments"},
	{pkg: "internal/accounts/...", may: with(leaves, "publish/snapshot", "internal/accounts", "internal/cadence", "internal/strictyaml", "fetch/credential", "fetch/provider", "fetch/provider/all", "serve/account"),
		far: stages, what: "publish's leaves, what credentials and providers are, and what serve may know of an account"},
	{pkg: "internal/cluster/store/...", may: with(formats, "publish/retention", "internal/cluster/store/..."), far: stages, what: "the formats and publish/retention"},
	{pkg: "internal/cluster/replica", may: with(formats, "internal/cluster/store/..."), far: with(stages, "fetch/...", "transform/..."), what: "the formats and the store"},
	{pkg: "internal/cluster", what: "a leaf"},
	{pkg: "internal/schedule/...", may: with(formats, "internal/schedule/...", "internal/accounts", "internal/cadence", "internal/cluster", "fetch/provider", "fetch/provider/all", "serve/account"),
		far: stages, what: "the accounts, the cluster and state files"},
	{pkg: "internal/connection", may: with(leaves, "publish/health", "publish/snapshot", "internal/accounts", "internal/dataset", "internal/schedule/..."), far: stages, what: "the accounts and their schedule"},
	{pkg: "internal/deletion", may: with(leaves, "internal/accounts", "internal/cluster", "internal/cluster/store"), far: stages, what: "the accounts and the cluster"},
	{pkg: "internal/past", may: with(leaves, "publish/snapshot", "internal/dataset"), far: stages, what: "datasets and publications"},
	{pkg: "internal/receipts/commitlog", may: with(formats, "internal/receipts/...", "internal/dataset", "internal/cluster/store/..."), far: stages, what: "the log, and the publications of data roots and of a store"},
	{pkg: "internal/receipts/...", may: with(formats, "internal/receipts/..."), far: stages, what: "the log and publications"},
	{pkg: "internal/replay", may: with(formats, "publish", "publish/retention", "transform/...", "fetch/raw", "fetch/provider"), far: []string{"serve/...", "cmd/..."}, what: "the stages that a past cycle goes through"},
	{pkg: "internal/evidence/feedcheck", may: with(leaves, "docs", "internal/evidence/document", "fetch", "fetch/credential", "fetch/provider", "fetch/provider/all", "fetch/provider/feed", "fetch/raw", "transform", "transform/coverage", "transform/identity"),
		far: []string{"serve", "cmd/...", "internal/console/..."}, what: "the stages that read a feed, and its schema"},
	{pkg: "internal/evidence/...", may: with(formats, "internal/evidence/...", "internal/accounts/...", "internal/schedule/...", "internal/receipts/...", "internal/cluster/...", "internal/dataset", "internal/cadence",
		"fetch/...", "transform/...", "publish/...", "serve/account", "serve/limits", "serve/quarantine", "serve/requests"),
		far: []string{"serve", "cmd/...", "internal/console/..."}, what: "all domains, and what the stages left; neither the server nor commands"},
	{pkg: "internal/console/...", may: with(formats, "internal/console/...", "internal/connection", "internal/evidence/...", "internal/accounts", "internal/schedule/...", "internal/receipts/...", "internal/dataset", "internal/cadence", "internal/listen",
		"docs", "fetch/raw", "fetch/provider/all", "transform/...", "serve/account"), far: []string{"serve", "cmd/..."}, what: "the evidence and what that stands on"},

	// Commands, and what nothing imports.
	{pkg: "cmd/mkt/internal/cli", may: with(formats, "internal/...", "fetch/...", "publish/...", "serve/account"), far: []string{"cmd/mkt/internal/cli/...", "serve", "internal/console/..."},
		what: "what every command needs, and no group of commands"},
	{pkg: "cmd/mkt/internal/cli/commands", may: []string{"cmd/mkt/internal/cli/..."}, what: "the groups of commands"},
	{pkg: "cmd/mkt/internal/cli/manpages", may: []string{"cmd/mkt/internal/cli", "cmd/mkt/internal/cli/commands"}, what: "the tree of the commands"},
	{pkg: "cmd/mkt/internal/cli/demo", may: []string{"..."}, what: "everything: it runs the whole system"},
	{pkg: "cmd/mkt/internal/cli/...", may: []string{"..."}, far: []string{"cmd/mkt/internal/cli/accounts", "cmd/mkt/internal/cli/batch", "cmd/mkt/internal/cli/evidence",
		"cmd/mkt/internal/cli/lake", "cmd/mkt/internal/cli/live", "cmd/mkt/internal/cli/receipts", "cmd/mkt/internal/cli/serving", "cmd/mkt/internal/cli/upkeep", "cmd/mkt/internal/cli/browser", "cmd/mkt/internal/cli/demo"},
		what: "everything but another group of commands"},
	{pkg: "cmd/...", may: []string{"..."}, what: "everything"},
	{pkg: "scripts/internal/backtest", may: []string{"fetch/input", "publish/football", "transform/live/..."}, what: "the engine of live data, which it measures"},
	{pkg: "scripts/...", may: []string{"scripts/internal/..."}, what: "nothing: scripts use the binary"},
	{pkg: "docs", what: "a leaf"},
	{pkg: "internal/testing/...", may: []string{"..."}, far: []string{"cmd/..."}, what: "everything but the commands, for tests alone"},
	{pkg: "internal/...", what: "a leaf"},
}

// everybodys may be imported by all packages above publish.
var everybodys = []string{"internal/deadline", "internal/panics", "internal/scratch", "internal/terminal", "internal/terminal/printable", "internal/timetext"}

var (
	leaves  = []string{"publish/football", "publish/layout", "publish/durable"}
	formats = with(leaves, "publish/table/...", "publish/health", "publish/payloads", "publish/snapshot", "publish/steps")
	// stages are the three stages and the server themselves.
	stages   = []string{"fetch", "transform", "publish", "serve", "cmd/..."}
	unserved = []string{"fetch/...", "transform/...", "publish", "cmd/...", "internal/accounts/..."}
)

func with(list []string, more ...string) []string { return slices.Concat(list, more) }

// folders are those of the drawing in docs/contributing.md, and a few more, from the top down: each
// imports only those below it.
var folders = []string{"cmd", "scripts", "internal/testing", "internal/console", "internal/evidence", "internal/replay", "internal/connection", "internal/deletion", "internal/past", "internal/schedule", "internal/receipts",
	"internal/accounts", "serve", "internal/cluster", "transform", "fetch", "internal/dataset", "publish", "internal/cadence", "internal/listen", "internal/strictyaml",
	"internal/tail", "internal/terminal", "internal/timetext", "internal/scratch", "internal/panics", "internal/deadline", "docs"}

// ruleOf returns the rule of a package.
func ruleOf(name string) (r rule, ok bool) {
	at := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, name) })
	if at < 0 {
		return r, false
	}
	return rules[at], true
}

// folderOf returns the place of a package's folder in folders, -1 if it has none.
func folderOf(name string) int {
	return slices.IndexFunc(folders, func(r string) bool { return matches(r+"/...", name) })
}

// confined are dependencies that only some packages may import.
var confined = map[string][]string{
	"github.com/duckdb/":                {"serve/internal/duck", "serve/internal/reader/engine", "serve/offline"},
	"github.com/labstack/echo":          {"serve/..."},
	"github.com/parquet-go/parquet-go":  {"publish/table/..."},
	"filippo.io/age":                    {"fetch/credential"},
	"github.com/spf13/":                 {"cmd/mkt", "cmd/mkt/internal/cli/..."},
	"github.com/robfig/cron":            {"internal/cadence"},
	"github.com/fatih/color":            {"internal/terminal"},
	"github.com/rivo/uniseg":            {"internal/terminal"},
	"github.com/gomodule/redigo":        {"internal/cluster", "serve/limits"},
	"github.com/gobwas/":                {"serve/internal/socketio/...", "internal/testing/socketiotest"},
	"github.com/sony/gobreaker":         {"fetch/internal/upstream", "serve/limits"},
	"code.dny.dev/ssrf":                 {"fetch/internal/upstream"},
	"github.com/cenkalti/backoff":       {"fetch/internal/upstream"},
	"github.com/hashicorp/go-retryable": {"fetch/internal/upstream"},
	"github.com/santhosh-tekuri/":       {"internal/evidence/feedcheck", "internal/testing/feedtest"},
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

// TestDrawing: the drawing for contributors has the order of folders, which TestImports holds.
func TestDrawing(t *testing.T) {
	page, err := os.ReadFile("../../docs/contributing.md")
	check.Must(t, err)
	_, drawing, _ := strings.Cut(string(page), "```\n")
	drawing, _, _ = strings.Cut(drawing, "```\n")
	last, drawn := -1, 0
	for line := range strings.Lines(drawing) {
		name, _, _ := strings.Cut(line, " ")
		if strings.TrimSpace(name) == "" {
			continue
		}
		at := folderOf(strings.TrimSpace(name))
		if at <= last {
			t.Errorf("%s is drawn below %s, which may not import it", name, folders[max(0, last)])
		}
		last, drawn = at, drawn+1
	}
	if drawn < 15 {
		t.Errorf("the drawing has %d folders", drawn)
	}
}

func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		name, _ := strings.CutPrefix(p.ImportPath, "mkt/")
		rule, ok := ruleOf(name)
		if !ok {
			t.Errorf("%s: no rule for it in imports_test.go", name)
			continue
		}
		for _, i := range p.Imports {
			dep, ours := strings.CutPrefix(i, "mkt/")
			if ours && (folderOf(name) < 0 || folderOf(dep) < folderOf(name)) {
				t.Errorf("%s imports %s: its folder stands below that of the other in folders", name, dep)
			}
			if of, _ := ruleOf(dep); ours && of.by != nil && !matchesAny(of.by, name) {
				t.Errorf("%s imports %s: only these may: %s", name, dep, strings.Join(of.by, ", "))
			}
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
