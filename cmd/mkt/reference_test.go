package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli/accounts"
	"mkt/internal/evidence/doctor"
	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
)

// TestReference: docs/reference.md has the settings, metrics and codes as the program defines them.
func TestReference(t *testing.T) {
	const page = "../../docs/reference.md"
	var b strings.Builder
	fmt.Fprint(&b, `# Reference

The program's own definitions, written by `+"`go test ./cmd/mkt -run TestReference -update`"+`.

## Settings

`+"`mkt init`"+` writes this `+"`mkt.yaml`"+`.

`+"```yaml\n"+strings.TrimSpace(string(accounts.InitConfig))+"\n```\n")
	fmt.Fprint(&b, `
## Metrics

`+"[operators.md](operators.md#health-and-metrics)"+` says how to read them and which have alerts. Metrics without a process
are those of serve and schedule alike; both also have those of the process and of the Go runtime.

|metric|process|labels|meaning|
|-|-|-|-|
`)
	for _, m := range definedMetrics(t) {
		fmt.Fprintf(&b, "|`%s`|%s|%s|%s|\n", m.name, m.process, strings.Join(m.labels, ", "), m.help)
	}
	fmt.Fprint(&b, `
## Findings of doctor

Findings with one cause are reported as one, which has the worst of their levels. `+"`--output json`"+` has all of them in its
`+"`details`"+`, and their number in `+"`count`"+`.

|code|level|meaning|
|-|-|-|
`)
	levels := findingLevels(t)
	for _, code := range slices.Sorted(maps.Keys(doctor.Codes())) {
		fmt.Fprintf(&b, "|`%s`|%s|%s|\n", code, strings.Join(levels[code], ", "), doctor.Codes()[code])
	}
	fmt.Fprint(&b, "\n## Findings of verify\n\n|code|meaning|\n|-|-|\n")
	for _, code := range slices.Sorted(maps.Keys(verify.Codes())) {
		fmt.Fprintf(&b, "|`%s`|%s|\n", code, verify.Codes()[code])
	}
	old, err := os.ReadFile(page)
	if err != nil && !*update {
		t.Fatal(err)
	}
	switch now := b.String(); {
	case now == string(old):
	case !*update:
		t.Errorf("%s is not what the program defines: go test ./cmd/mkt -run TestReference -update", page)
	default:
		check.Must(t, os.WriteFile(page, []byte(now), 0o644))
	}
}

// definedMetric is a metric as the sources define it.
type definedMetric struct {
	name, process, help string
	labels              []string
}

// definedMetrics reads every definition of a metric, which is a call with the texts of its name,
// help and labels. A helper that adds labels, such as cycleDesc, has them as a list in its body.
func definedMetrics(t *testing.T) (list []definedMetric) {
	t.Helper()
	for pattern, process := range map[string]string{
		"../../serve/internal/metrics/*.go": "serve", "../../serve/admin/*.go": "", "internal/cli/daemon/*.go": "",
		"internal/cli/serving/*.go": "serve", "internal/cli/batch/*.go": "schedule",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		fset, added := token.NewFileSet(), map[string][]string{}
		var parsed []*ast.File
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			check.Must(t, err)
			parsed = append(parsed, f)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "Desc") {
					added[fn.Name.Name] = textsIn(fn.Body)
				}
			}
		}
		for _, f := range parsed {
			var path []ast.Node
			ast.Inspect(f, func(n ast.Node) bool {
				if n == nil {
					path = path[:len(path)-1]
					return true
				}
				path = append(path, n)
				if name := metricOf(n); name != "" {
					list = append(list, defined(path, name, process, added))
				}
				return true
			})
		}
	}
	slices.SortFunc(list, func(a, b definedMetric) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.name, b.name))
	})
	declared := declaredMetrics(t)
	for _, m := range list {
		delete(declared, m.name)
		if m.help == "" {
			t.Errorf("%s has no help", m.name)
		}
	}
	for name := range declared {
		t.Errorf("the definition of %s was not found", name)
	}
	return list
}

// metricOf returns the metric that a literal names, or "".
func metricOf(n ast.Node) string {
	if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && regexp.MustCompile(`^"mkt_[a-z_]+"$`).MatchString(l.Value) {
		return strings.Trim(l.Value, `"`)
	}
	return ""
}

// defined returns the definition that path leads to: the texts of the outermost call around the
// name that names no other metric.
func defined(path []ast.Node, name, process string, added map[string][]string) definedMetric {
	m := definedMetric{name: name, process: process}
	for i := len(path) - 1; i >= 0; i-- {
		call, ok := path[i].(*ast.CallExpr)
		if !ok {
			continue
		}
		words := textsIn(call)
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "mkt_") && w != name }) {
			break
		}
		if at := slices.Index(words, name); at+1 < len(words) {
			m.help, m.labels = strings.TrimSuffix(words[at+1], "."), words[at+2:]
		}
		if f, ok := call.Fun.(*ast.Ident); ok {
			m.labels = append(slices.Clone(added[f.Name]), m.labels...)
		}
	}
	return m
}

// textsIn returns the texts below a node, but not those of functions in it.
func textsIn(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				list = append(list, s)
			}
		}
		_, function := n.(*ast.FuncLit)
		return !function
	})
	return list
}

// findingLevels returns the levels of every code as internal/doctor reports it. Where the level is
// not a constant it is WARN or FAIL.
func findingLevels(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("internal/doctor/*.go")
	check.Must(t, err)
	levels := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		check.Must(t, err)
		for _, m := range regexp.MustCompile(`\.bad\(([^,"]+), "([A-Z_]+)"`).FindAllStringSubmatch(string(text), -1) {
			found := []string{strings.ToUpper(m[1])}
			if !slices.Contains([]string{"Note", "Warn", "Fail"}, m[1]) {
				found = []string{"WARN", "FAIL"}
			}
			levels[m[2]] = slices.Compact(slices.Sorted(slices.Values(append(levels[m[2]], found...))))
		}
	}
	for code := range doctor.Codes() {
		if levels[code] == nil {
			levels[code] = []string{"FAIL"} // reported through a helper
		}
		slices.Reverse(levels[code])
	}
	return levels
}
