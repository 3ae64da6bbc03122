package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// declaredMetrics returns the names of all metrics of serve and schedule.
func declaredMetrics(t *testing.T) map[string]bool {
	t.Helper()
	literal := regexp.MustCompile(`"(mkt_[a-z_]+)"`)
	declared := map[string]bool{}
	for _, pattern := range []string{"internal/cli/*/*.go", "../../serve/internal/metrics/*.go", "../../serve/admin/*.go"} {
		files, err := filepath.Glob(pattern)
		check.Must(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			check.Must(t, err)
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				declared[m[1]] = true
			}
		}
	}
	return declared
}

var metricName = regexp.MustCompile(`\bmkt_[a-z_]+[a-z]\b`)

// metricsIn returns the metrics that a text names; a part of a histogram is the histogram.
func metricsIn(text string, declared map[string]bool) map[string]bool {
	named := map[string]bool{}
	for _, m := range metricName.FindAllString(text, -1) {
		for _, of := range []string{"_bucket", "_sum", "_count"} {
			if whole := strings.TrimSuffix(m, of); declared[whole] {
				m = whole
			}
		}
		named[m] = true
	}
	return named
}

// TestNamedMetrics: every metric that a guide names exists. TestReference lists all of them.
func TestNamedMetrics(t *testing.T) {
	declared := declaredMetrics(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		check.Must(t, err)
		for name := range metricsIn(string(text), declared) {
			if !declared[name] {
				t.Errorf("%s: there is no metric %s", page, name)
			}
		}
	}
}

var (
	linkTo    = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	titleOf   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeOf    = regexp.MustCompile("(?s)```.*?```")
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksOfTheGuides: no link between the documents leads nowhere, here or where a package has
// installed them. An anchor is that of GitHub.
func TestLinksOfTheGuides(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	check.Must(t, err)
	anchors := func(page string) map[string]bool {
		text, err := os.ReadFile(page)
		check.Must(t, err)
		all := map[string]bool{}
		for _, m := range titleOf.FindAllStringSubmatch(codeOf.ReplaceAllString(string(text), ""), -1) {
			all[strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
		return all
	}
	list, err := os.ReadFile("../../scripts/packages/documents")
	check.Must(t, err)
	inPackages := func(file string) bool {
		return slices.ContainsFunc(strings.Fields(string(list)), func(one string) bool { return strings.HasPrefix(file+"/", "../../"+one+"/") })
	}
	for _, page := range append(pages, "../../docs/llms.txt", "../../README.md", "../../SECURITY.md", "../../AGENTS.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md") {
		text, err := os.ReadFile(page)
		check.Must(t, err)
		for _, m := range linkTo.FindAllStringSubmatch(codeOf.ReplaceAllString(string(text), ""), -1) {
			file := page
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(page), m[1])
			}
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(file); err != nil || m[2] != "" && strings.HasSuffix(file, ".md") && !anchors(file)[m[2]] {
				t.Errorf("%s: the link to %s#%s leads nowhere", page, m[1], m[2])
			}
			if !inPackages(page) || !inPackages(file) {
				t.Errorf("%s: packages do not have %s: scripts/packages/documents", page, file)
			}
		}
	}
}

// TestWhomItContacts: README, SECURITY and the operators' guide say whom the program contacts.
func TestWhomItContacts(t *testing.T) {
	for _, page := range []string{"../../README.md", "../../SECURITY.md", "../../docs/operators.md"} {
		text, err := os.ReadFile(page)
		check.Must(t, err)
		const sentence = "The program contacts the account's provider, the configured store (and the identity service of its cloud, if the credential needs one), Redis and the witnesses of the policy: nobody else."
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), sentence) {
			t.Errorf("%s does not say: %s", page, sentence)
		}
	}
}

// ofSetting matches metrics of the settings store and redis and of the log's key, without which a process
// does not have them. [TestDeployedMetrics] checks their declaration.
var ofSetting = regexp.MustCompile(`^mkt_(store|replica|work|limits|tenants_store|log)_`)

// deployedMetrics is a command of scripts. A metric of sockets begins with the first of them.
func deployedMetrics(ts *testscript.TestScript, args []string) {
	there := map[string]bool{"mkt_socket_disconnects_total": true, "mkt_work_ready": true} // shown by other scripts
	for _, file := range args {
		for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(ts.ReadFile(file), -1) {
			there[m[1]] = true
		}
	}
	for _, file := range []string{"../../deploy/prometheus/mkt.rules.yaml", "../../deploy/grafana/mkt.json"} {
		text, err := os.ReadFile(file)
		ts.Check(err)
		named := metricsIn(string(text), there)
		if len(named) < 10 {
			ts.Fatalf("%s names only %d metrics", file, len(named))
		}
		for name := range named {
			if !there[name] && !ofSetting.MatchString(name) {
				ts.Fatalf("%s: no process has the metric %s", file, name)
			}
		}
	}
}

// TestDeployedMetrics: the alert rules and the dashboard are well-formed, every metric that they
// use exists, and every alert has a test.
func TestDeployedMetrics(t *testing.T) {
	declared := declaredMetrics(t)
	expressions := map[string][]string{}
	tests, err := os.ReadFile("../../deploy/prometheus/mkt.rules_test.yaml")
	check.Must(t, err)
	text, err := os.ReadFile("../../deploy/prometheus/mkt.rules.yaml")
	check.Must(t, err)
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	check.Must(t, strict.Decode(&rules))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			expressions["alert "+r.Alert] = []string{r.Expr}
			if !regexp.MustCompile(`alertname: `+r.Alert+`, eval_time: \w+, exp_alerts: \[\]`).Match(tests) || !bytes.Contains(tests, []byte("- alertname: "+r.Alert+"\n")) {
				t.Errorf("alert %s: mkt.rules_test.yaml does not say when it is silent and when it fires", r.Alert)
			}
			if r.Alert == "" || r.Expr == "" || !slices.Contains([]string{"page", "warning"}, r.Labels["severity"]) || r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
				t.Errorf("alert %s: want an expression, a severity, a summary and an action", r.Alert)
			}
		}
	}
	if text, err = os.ReadFile("../../deploy/grafana/mkt.json"); err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID          int
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	check.Must(t, json.Unmarshal(text, &board))
	seen := map[int]bool{}
	for _, p := range board.Panels {
		if seen[p.ID] || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %s: an id of its own and a query are wanted", p.Title)
		}
		seen[p.ID] = true
		for _, target := range p.Targets {
			expressions["panel "+p.Title] = append(expressions["panel "+p.Title], target.Expr)
		}
	}
	if len(expressions) < 30 {
		t.Errorf("only %d alerts and panels were found", len(expressions))
	}
	for from, list := range expressions {
		for _, e := range list {
			for name := range metricsIn(e, declared) {
				if !declared[name] {
					t.Errorf("%s: there is no metric %s", from, name)
				}
			}
		}
	}
	t.Run("promtool", func(t *testing.T) {
		promtool := needs.Program(t, "promtool", "Debian's package prometheus")
		var all []string // the dashboard's expressions as rules, for their syntax
		for _, p := range slices.Sorted(maps.Keys(expressions)) {
			for _, e := range expressions[p] {
				all = append(all, fmt.Sprintf("  - record: x\n    expr: %q\n    labels: {n: %q}\n", e, fmt.Sprint(len(all))))
			}
		}
		file := filepath.Join(t.TempDir(), "all.yaml")
		check.Must(t, os.WriteFile(file, []byte("groups:\n- name: all\n  rules:\n"+strings.Join(all, "")), 0o600))
		for _, name := range []string{"../../deploy/prometheus/mkt.rules.yaml", file} {
			if out, err := exec.Command(promtool, "check", "rules", name).CombinedOutput(); err != nil {
				t.Errorf("promtool: %v\n%s", err, out)
			}
		}
		if out, err := exec.Command(promtool, "test", "rules", "../../deploy/prometheus/mkt.rules_test.yaml").CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	})
}

// TestDocumentedFlags: a guide names every flag that is no setting. [TestConfigShowsEverySetting] holds
// the settings.
func TestDocumentedFlags(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	named := map[string]bool{}
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		check.Must(t, err)
		for _, word := range regexp.MustCompile(`--[a-z][a-z0-9-]*`).FindAllString(string(text), -1) {
			named[word] = true
		}
	}
	checked := 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Hidden { // cobra's own, and what only mkt runs
			return
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || cli.IsSetting(f) {
				return
			}
			checked++
			if !named["--"+f.Name] {
				t.Errorf("%s --%s: no guide names it", cmd.CommandPath(), f.Name)
			}
		})
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(commands.New(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)))
	if checked == 0 {
		t.Error("no flag was checked")
	}
}
