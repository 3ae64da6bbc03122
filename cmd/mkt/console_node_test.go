package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// browserPage is a page for the browser to open; see testdata/node/pages.mjs.
type browserPage struct {
	Path  string            `json:"path"`
	Width int               `json:"width,omitempty"`
	Dark  bool              `json:"dark,omitempty"`
	Phone bool              `json:"phone,omitempty"`
	Shot  string            `json:"shot,omitempty"`
	Do    [][]any           `json:"do,omitempty"`
	Texts map[string]string `json:"texts,omitempty"`

	Within string `json:"within,omitempty"`
}

// seenPage is the browser's report of a page.
type seenPage struct {
	Path, URL, Title string
	Status           int
	MS               int
	Errors           []string
	Wider            bool
	Texts            map[string][]string
}

// browse opens pages in a real browser. It fails the test if a page has an error in the
// browser's console, asks another host for anything, or scrolls sideways. With SHOTS, a
// folder, it writes screenshots there.
func browse(t *testing.T, base string, pages ...browserPage) []seenPage {
	t.Helper()
	modules, program := needs.Browser(t)
	dir := t.TempDir()
	script, err := os.ReadFile("../../testdata/node/pages.mjs")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "pages.mjs"), script, 0o600)
	}
	if err == nil {
		err = os.Symlink(modules, filepath.Join(dir, "node_modules"))
	}
	check.Must(t, err)
	job, err := json.Marshal(map[string]any{"base": base, "pages": pages, "shots": os.Getenv("SHOTS")})
	check.Must(t, err)
	cmd := exec.CommandContext(t.Context(), "node", "pages.mjs")
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Env = dir, bytes.NewReader(job), &errs, append(os.Environ(), "BROWSER="+program)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the browser: %v\n%s", err, errs.String())
	}
	var seen []seenPage
	for line := range strings.Lines(string(out)) {
		var p seenPage
		check.Must(t, json.Unmarshal([]byte(line), &p))
		for _, fault := range p.Errors {
			t.Errorf("%s: %s", p.Path, fault)
		}
		if p.Wider {
			t.Errorf("%s (%q) scrolls sideways", p.Path, p.Title)
		}
		seen = append(seen, p)
	}
	if len(seen) != len(pages) {
		t.Fatalf("the browser opened %d pages of %d\n%s", len(seen), len(pages), errs.String())
	}
	return seen
}

// startDemo runs mkt demo until the test ends, and returns its ready line and its folder.
func startDemo(t *testing.T, args ...string) (ready demo.Ready, dir string) {
	t.Helper()
	needs.Browser(t)
	dir = t.TempDir()
	cmd := exec.Command("mkt", append([]string{"demo", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--output", "json",
		"--dir", dir, "--fixtures", "60", "--in-play", "4", "--past", "30m"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &errs, 5*time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	check.Must(t, err)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("mkt demo: %v\n%s", err, errs.String())
		}
	})
	for lines := json.NewDecoder(out); ready.Event != "ready"; { // the first one is "open"
		if err := lines.Decode(&ready); err != nil {
			t.Fatalf("mkt demo: %v", err)
		}
	}
	return ready, dir
}

// TestNodeConsole opens every page of the console on the demo's data.
func TestNodeConsole(t *testing.T) {
	ready, dir := startDemo(t)
	t.Run("overview", func(t *testing.T) { overviewPages(t, ready) })
	t.Run("cycles", func(t *testing.T) { cyclePages(t, ready, dir) })
	t.Run("audit", func(t *testing.T) { auditPages(t, ready) })
	t.Run("api", func(t *testing.T) { apiPages(t, ready) })
	t.Run("live", func(t *testing.T) { livePages(t, ready) })
	t.Run("stars", func(t *testing.T) { starPages(t, ready) })
	t.Run("fixtures", func(t *testing.T) { fixturePages(t, ready) })
	t.Run("search", func(t *testing.T) { searchPages(t, ready) })
}

// The key / leads to the search field of every page unless somebody is typing, and Escape leaves it. A request
// that was refused is found by its id.
func searchPages(t *testing.T, ready demo.Ready) {
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ready.BaseURL+"/api/v1/fixtures?limit=0", nil)
	check.Must(t, err)
	q.Header.Set("Authorization", "Bearer "+ready.Tenants[0].Token)
	q.Header.Set("X-Request-Id", "complaint-7")
	answer, err := http.DefaultClient.Do(q)
	check.Must(t, err)
	answer.Body.Close()
	found := map[string]string{"title": "h1", "ids": "td code", "codes": ".lines .bad", "focus": "[data-key]:focus"}
	ask := func(p browserPage) seenPage {
		p.Texts = found
		return browse(t, ready.ConsoleURL, p)[0]
	}
	check.Eventually(t, "the request is written", func() bool {
		page, err := http.Get(ready.ConsoleURL + "/requests/" + ready.Tenants[0].ClientID)
		check.Must(t, err)
		defer page.Body.Close()
		text, err := io.ReadAll(page.Body)
		check.Must(t, err)
		return strings.Contains(string(text), "complaint-7")
	})
	if p := ask(browserPage{Path: "/cycles", Do: [][]any{{"press", "body", "/"}, {"fill", "[data-key]:focus", "complaint-7"}, {"press", "[data-key]", "Enter"}, {"see", "table.lines"}}, Shot: "requests"}); !slices.Equal(p.Texts["ids"], []string{"complaint-7"}) || !slices.Equal(p.Texts["codes"], []string{"INVALID_PARAMETER"}) {
		t.Errorf("the search for a request leads to %s: %q", p.URL, p.Texts)
	}
	for _, keys := range [][][]any{{{"press", "input[name=q]:not([data-key])", "/"}}, {{"press", "body", "/"}, {"press", "[data-key]", "Escape"}}, {{"press", "body", "Control+/"}}} {
		if p := ask(browserPage{Path: "/fixtures", Do: keys}); len(p.Texts["focus"]) > 0 {
			t.Errorf("after %v the field has the focus", keys)
		}
	}
	for _, p := range browse(t, ready.ConsoleURL,
		browserPage{Path: "/search?q=city", Shot: "search", Dark: true, Texts: map[string]string{"names": ".lines th a"}},
		browserPage{Path: "/search?q=city", Shot: "search-phone", Phone: true, Within: "[data-key], .lines a", Texts: map[string]string{"names": ".lines th a"}},
		browserPage{Path: "/requests/" + ready.Tenants[0].ClientID, Shot: "requests-phone", Phone: true, Within: "[data-key], .lines code", Texts: map[string]string{"names": ".lines th"}},
	) {
		if len(p.Texts["names"]) == 0 {
			t.Errorf("%s lists nothing", p.Path)
		}
	}
}

func overviewPages(t *testing.T, ready demo.Ready) {
	names := map[string]string{"accounts": "tbody th strong", "title": "h1", "answer": ".answer",
		"cycles": "td[data-label=Cycles]", "states": "td[data-label=State]", "connections": "td[data-label=Provider]"}
	for _, p := range browse(t, ready.ConsoleURL,
		browserPage{Path: "/", Shot: "overview", Texts: names},
		browserPage{Path: "/", Shot: "overview-dark", Dark: true, Texts: names},
		browserPage{Path: "/", Shot: "overview-phone", Phone: true, Texts: names},
	) {
		if p.Status != 200 || len(p.Texts["accounts"]) != len(ready.Tenants) {
			t.Errorf("status %d, accounts %q; the demo has %d", p.Status, p.Texts["accounts"], len(ready.Tenants))
		}
		for _, want := range []string{"not tried: suspended", "not tried: revoked", "not tried: expired"} {
			if !slices.ContainsFunc(p.Texts["connections"], func(text string) bool { return strings.Contains(text, want) }) {
				t.Errorf("no connection is %q: %q", want, p.Texts["connections"])
			}
		}
		if len(p.Texts["cycles"]) < len(ready.Tenants) || !slices.ContainsFunc(p.Texts["states"], func(text string) bool { return strings.HasPrefix(text, "published") }) {
			t.Errorf("cycles %q, states %q", p.Texts["cycles"], p.Texts["states"])
		}
		if want := fmt.Sprintf("%d accounts: %d served, 4 not; ", len(ready.Tenants), len(ready.Tenants)-4); !strings.HasPrefix(strings.Join(p.Texts["answer"], ""), want) {
			t.Errorf("the page begins with %q, want %q", p.Texts["answer"], want)
		}
	}
	shown := map[string]string{"accounts": "tbody th strong", "strips": ".strip small"}
	parts := browse(t, ready.ConsoleURL,
		browserPage{Path: "/", Do: [][]any{{"click", ".answer a.warn"}, {"see", "h2:has-text('not served')"}}, Texts: shown},
		browserPage{Path: "/", Do: [][]any{{"click", ".answer a.good"}, {"see", "h2:has-text('that are served')"}}, Texts: shown})
	if got := parts[0].Texts["accounts"]; !slices.Equal(got, []string{"suspended", "revoked", "expired", "unconnected"}) {
		t.Errorf("not served: %q", got)
	}
	if p := parts[1]; len(p.Texts["accounts"]) != len(ready.Tenants)-4 || len(p.Texts["strips"]) < len(ready.Tenants)-4 || !slices.ContainsFunc(p.Texts["strips"], func(text string) bool { return strings.Contains(text, " cycles, at most ") }) {
		t.Errorf("served: %q, with strips %q", p.Texts["accounts"], p.Texts["strips"])
	}
	// What a provider changed is said beside its account, also on a phone. The demo's providers change nothing.
	changed := [][]any{{"evaluate", "td[data-label=State]", `document.querySelector("td[data-label=State]").insertAdjacentHTML("beforeend", "<br><a class='tag warn' href='#checks'>the provider changed its answers</a>")`}}
	browse(t, ready.ConsoleURL, browserPage{Path: "/", Do: changed, Phone: true, Within: "td[data-label=State] .tag"})
	// The focus stays where it is while the page renews itself: at the one of several links to the same page, and
	// at the link to the newest cycle, which is another one each time.
	const strip, newest = "tbody:first-of-type tr:first-child td[data-label='Last 24 hours'] .strip", "tbody:first-of-type tr:last-child td[data-label=Cycles] a"
	for i, p := range browse(t, ready.ConsoleURL,
		browserPage{Path: "/", Do: [][]any{{"focus", strip}, {"pause", 7000}}, Texts: map[string]string{"focus": strip + ":focus"}},
		browserPage{Path: "/", Do: [][]any{{"focus", newest}, {"pause", 16000}}, Texts: map[string]string{"focus": newest + ":focus"}}) {
		if len(p.Texts["focus"]) != 1 {
			t.Errorf("%d: the focus is elsewhere after the page has renewed itself", i)
		}
	}
}

func cyclePages(t *testing.T, ready demo.Ready, dir string) {
	const path = "/cycles/main/market_engine"
	pages := browse(t, ready.ConsoleURL,
		browserPage{Path: path, Shot: "cycles", Texts: map[string]string{"versions": "tbody td:first-child a"}},
		browserPage{Path: path, Shot: "cycles-phone", Phone: true},
		browserPage{Path: "/cycles", Do: [][]any{{"selectOption", "#picker", "second live_intelligence"}, {"pause", 500}}, Texts: map[string]string{"title": "h1"}},
		browserPage{Path: path + "/v1", Shot: "cycle", Texts: map[string]string{"hashes": "dd code"}},
		browserPage{Path: path + "/latest", Dark: true, Shot: "cycle-dark", Texts: map[string]string{"title": "h1"}},
		browserPage{Path: path + "/v1", Do: [][]any{{"click", "a:has-text('Every answer')"}, {"click", "td.n a"}, {"see", "pre.answer"}}, Texts: map[string]string{"text": "pre.answer"}},
		browserPage{Path: path + "/latest/mapping", Do: [][]any{{"see", "h2"}}, Shot: "mapping", Texts: map[string]string{"parts": "h2"}},
	)
	if text := strings.Join(pages[5].Texts["text"], ""); !strings.HasPrefix(text, `{"success"`) {
		t.Errorf("the first answer is %.100q", text)
	}
	if parts := pages[6].Texts["parts"]; len(parts) < 2 {
		t.Errorf("the page of the mapping has %q", parts)
	}
	if versions := pages[0].Texts["versions"]; len(versions) == 0 || versions[len(versions)-1] != "1" {
		t.Errorf("versions %q", versions)
	}
	if title := pages[2].Texts["title"]; !slices.Equal(title, []string{"Cycles of second"}) {
		t.Errorf("after a choice of another account the title is %q", title)
	}
	record, err := os.ReadFile(filepath.Join(dir, "data", "client_id=main", "product=market_engine", "commits", fmt.Sprintf("%020d.json", 1)))
	check.Must(t, err)
	if hash := fmt.Sprintf("%x", sha256.Sum256(record)); !slices.Contains(pages[3].Texts["hashes"], hash) {
		t.Errorf("the page of version 1 has the hashes %q, not that of its record, %s", pages[3].Texts["hashes"], hash)
	}
}

func auditPages(t *testing.T, ready demo.Ready) {
	const path = "/audit/second/market_engine"
	pages := browse(t, ready.ConsoleURL,
		browserPage{Path: path, Shot: "audit", Do: [][]any{{"click", "form button:has-text('Check now')"}, {"see", "p .good"}}, Texts: map[string]string{"verdict": "p .good"}},
		browserPage{Path: path, Shot: "audit-phone", Phone: true, Texts: map[string]string{"verdict": "p .good"}},
		browserPage{Path: "/diff/second/market_engine?a=v1&b=latest", Shot: "diff", Texts: map[string]string{"title": "h1"}},
		browserPage{Path: "/cycles/second/live_intelligence/latest", Do: [][]any{{"click", "a:has-text('What changed since')"}}, Texts: map[string]string{"title": "h1"}},
		browserPage{Path: path, Shot: "query-phone", Phone: true, Do: [][]any{{"click", "a:has-text('by SQL')"}, {"click", "li a:has-text('league')"}, {"see", "tbody td"}}, Texts: map[string]string{"title": "h1", "types": "th .soft"}},
		browserPage{Path: "/query?account=second", Shot: "query-dark", Dark: true, Do: [][]any{{"fill", "textarea", "SELECT 41 + 1 AS answer"}, {"press", ".query button", "Enter"}, {"see", "tbody td"}}, Texts: map[string]string{"title": "h1", "cell": "tbody td"}},
	)
	if types, cell := pages[4].Texts["types"], pages[5].Texts["cell"]; !slices.Equal(types, []string{"VARCHAR", "BIGINT", "HUGEINT"}) || !slices.Equal(cell, []string{"42"}) {
		t.Errorf("a query has columns of %q, and answers %q", types, cell)
	}
	if got := pages[0].Texts["verdict"]; !slices.Equal(got, []string{"clean"}) {
		t.Errorf("the check says %q", got)
	}
	for _, p := range pages {
		if p.Status != 200 || strings.Join(p.Texts["title"], "") == "" && p.Texts["title"] != nil {
			t.Errorf("%s: status %d, title %q", p.Path, p.Status, p.Texts["title"])
		}
	}
}

// The documentation of a route is shown, and its example answers with the account's data.
func apiPages(t *testing.T, ready demo.Ready) {
	seen := [][]any{{"see", `rapi-doc >> text="/account/provider"`}}
	browse(t, ready.ConsoleURL,
		browserPage{Path: "/api?account=second", Shot: "api", Do: seen},
		browserPage{Path: "/api", Shot: "api-dark", Dark: true, Do: seen},
		browserPage{Path: "/api", Shot: "api-phone", Phone: true, Do: seen, Within: "rapi-doc >> #api-info span"},
		browserPage{Path: "/api?account=second", Shot: "api-try", Do: [][]any{{"click", `rapi-doc >> text="/account"`}, {"click", `rapi-doc >> button:has-text("TRY")`}, {"see", `rapi-doc >> text=Demo second`}}},
	)
	answer, err := http.Get(ready.ConsoleURL + "/try/second/api/v1/account")
	check.Must(t, err)
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 || !strings.Contains(string(body), `"client_id":"second"`) {
		t.Errorf("status %d, %v: %s", answer.StatusCode, err, body)
	}
}
