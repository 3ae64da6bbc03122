package serve_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/serve/account"
)

// clientReport is the output of the programs of examples/clients.
type clientReport struct {
	Fixtures []string      `json:"fixtures"`
	Prices   []clientPrice `json:"prices"`
	LastSeq  int           `json:"last_seq"`
	Refusals []string      `json:"refusals"`
}

type clientPrice struct {
	SelectionID string      `json:"selection_id"`
	Decimal     json.Number `json:"decimal"`
}

// The clients of examples/clients are generated from docs/openapi.yaml, compiled, and run.
// They read the same as a plain request, and wait when they are refused for their rate.
func TestNodeClients(t *testing.T) {
	modules := needs.Node(t)
	w := published(t, 450, 7).start()
	document, err := filepath.Abs("../docs/openapi.yaml")
	must(t, err)
	history, err := filepath.Abs("../docs/openapi-history.yaml")
	must(t, err)
	t.Run("TypeScript", func(t *testing.T) {
		dir := t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS("../examples/clients/typescript")))
		must(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
		command(t, dir, "node", "node_modules/openapi-typescript/bin/cli.js", document, "-o", "api.ts")
		command(t, dir, "node", "node_modules/openapi-typescript/bin/cli.js", history, "-o", "history-api.ts")
		command(t, dir, "node", "node_modules/typescript/bin/tsc")
		w.runClient(t, false, dir, "node", "build/main.js")
		runHistoryClient(t, dir, "node", "build/history.js")
	})
	t.Run("Go", func(t *testing.T) {
		dir := t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS("../examples/clients/go")))
		must(t, os.MkdirAll(filepath.Join(dir, "api", "history"), 0o700))
		generator := generatorOf(t, filepath.Join(dir, "main.go"))
		needs.GoModules(t, dir, "run", generator, "-version")
		needs.GoModules(t, dir, "mod", "download")
		command(t, dir, "go", "run", generator, "-config", "oapi-codegen.yaml", document)
		command(t, dir, "go", "run", generator, "-config", "history.yaml", history)
		command(t, dir, "go", "build", "-o", "bin/", "./...")
		w.runClient(t, true, dir, "bin/mkt-client")
		runHistoryClient(t, dir, "bin/history")
	})
}

// runHistoryClient runs a client of the extension for a market whose prices moved, were null, went away
// and came back, and whose kick-off moved.
func runHistoryClient(t *testing.T, dir string, args ...string) {
	t.Helper()
	w, market := pathWorld(t, false)
	fixture, market, _ := strings.Cut(market, "/markets/")
	s := start(t, dir, "ignored", "", append(args, fixture, market), []string{"BASE=" + w.url, "TOKEN=" + w.token("acme")})
	line := <-s.lines
	if err := <-s.done; err != nil {
		t.Fatalf("%v\n%s", err, s.complaints())
	}
	var got, want any
	must(t, json.Unmarshal([]byte(line), &got))
	id := func(c string) string { return "sl_" + strings.Repeat(c, 26) }
	must(t, json.Unmarshal([]byte(strings.NewReplacer("$AT", servetest.Start.Add(150*time.Minute).Format("2006-01-02T15:04:05.000Z"), "$A", id("a"), "$B", id("b"), "$C", id("c"), "$D", id("d"), "$E", id("e")).Replace(`{
		"kick_off": "$AT", "kick_off_moved": true, "selections": [
		{"selection_id": "$A", "closing": "FINAL", "reason": null, "price": 1.97, "points": [1.9, 1.95, 1.97, 2.05, "gone"]},
		{"selection_id": "$B", "closing": "FINAL", "reason": null, "price": 2, "points": [2, "gone"]},
		{"selection_id": "$C", "closing": "UNAVAILABLE", "reason": "NO_PRICE", "price": null, "points": [3, null, "gone"]},
		{"selection_id": "$D", "closing": "UNAVAILABLE", "reason": "NOT_OFFERED", "price": "gone", "points": [4, "gone", 4.5, "gone"]},
		{"selection_id": "$E", "closing": "UNAVAILABLE", "reason": "AFTER_KICK_OFF", "price": null, "points": [9.5, "gone"]}],
		"at_kick_off": [{"selection_id": "$A", "price": 1.97}, {"selection_id": "$B", "price": 2}, {"selection_id": "$C", "price": null}]}`)), &want))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// generatorOf returns the program, with its version, that go generate runs for the example.
func generatorOf(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile(name)
	must(t, err)
	_, line, _ := strings.Cut(string(source), "//go:generate go run ")
	generator, _, found := strings.Cut(line, " ")
	if !found {
		t.Fatal("the example does not say how its client is generated")
	}
	return generator
}

func command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// runClient runs a client for an account with three requests in reserve, and compares its
// report, prices by their digits or else by their values. The clock of the server moves
// whenever the client reports another RATE_LIMITED.
func (w *world) runClient(t *testing.T, digits bool, dir string, args ...string) {
	t.Helper()
	w.add("acme", func(a *account.Account) { a.Limit = account.Limit{Requests: 60, Per: time.Minute, Burst: 3} })
	s := start(t, dir, "ignored", "", args, []string{"BASE=" + w.url, "TOKEN=" + w.token("acme")})
	waited := 0
	var line string
	for more := true; more; {
		select {
		case line, more = <-s.lines:
			more = false
		case <-time.After(5 * time.Millisecond):
			if said := strings.Count(s.complaints(), "RATE_LIMITED"); said > waited {
				waited = said
				w.setClock(w.now().Add(time.Second))
			}
		}
	}
	if err := <-s.done; err != nil {
		t.Fatalf("%v\n%s", err, s.complaints())
	}
	if waited == 0 {
		t.Error("it was never refused for its rate")
	}
	var got, want clientReport
	must(t, json.Unmarshal([]byte(line), &got))
	w.add("acme", func(a *account.Account) {
		a.Limit = account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000}
	})
	want = w.plainly()
	if len(want.Fixtures) != 450 || want.LastSeq != 450 || len(want.Prices) < 10 {
		t.Fatalf("%d fixtures, seq %d, %d prices", len(want.Fixtures), want.LastSeq, len(want.Prices))
	}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(cmp.Path) bool { return !digits }, cmp.Comparer(func(a, b json.Number) bool {
		x, errA := a.Float64()
		y, errB := b.Float64()
		return errA == nil && errB == nil && x == y
	}))); diff != "" {
		t.Error(diff)
	}
}

// plainly returns the report to expect from a client.
func (w *world) plainly() (want clientReport) {
	w.t.Helper()
	var page struct {
		Data []struct {
			FixtureID  string `json:"fixture_id"`
			OriginType string `json:"origin_type"`
			Selections []struct {
				clientPrice
				Odds    struct{ Decimal json.Number }
				Quality struct{ Publishable bool }
			}
		}
		Pagination struct {
			NextCursor *string `json:"next_cursor"`
		}
		Meta struct {
			Window struct {
				LastSeq int `json:"last_seq"`
			}
		}
	}
	read := func(path string) {
		page.Data, page.Pagination.NextCursor = nil, nil
		must(w.t, json.Unmarshal([]byte(w.get(path, "acme").body), &page))
	}
	for path := "/fixtures?limit=200"; ; path = "/fixtures?limit=200&cursor=" + *page.Pagination.NextCursor {
		read(path)
		for _, f := range page.Data {
			want.Fixtures = append(want.Fixtures, f.FixtureID)
		}
		if page.Pagination.NextCursor == nil {
			break
		}
	}
	read("/fixtures/" + want.Fixtures[0] + "/markets?limit=200")
	for _, m := range page.Data {
		for _, s := range m.Selections {
			if m.OriginType == "MAPPED" && s.Quality.Publishable {
				s.Decimal = s.Odds.Decimal
				want.Prices = append(want.Prices, s.clientPrice)
			}
		}
	}
	read("/changes?limit=1")
	want.LastSeq, want.Refusals = page.Meta.Window.LastSeq, []string{"INVALID_API_TOKEN", "FIXTURE_NOT_FOUND"}
	return want
}
