package serve_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/table"
	"mkt/serve/account"
)

// The program in Python prints the answers of the API, waits when it is refused for its
// rate, and follows the changes.
func TestPythonClient(t *testing.T) {
	python := needs.Program(t, "python3", "such as Debian's package python3")
	file, err := filepath.Abs("../examples/clients/python/main.py")
	must(t, err)
	w := newWorld(t, "acme")
	root := w.root("acme")
	list := append(servetest.Samples("acme", 229, 1, 1), servetest.Sample("acme", 229, 0, 1))
	priced(&list[0], "1.90", "12.00", "2")
	priced(&list[1], "1.50", "3.333", "")
	list[2].Row.Home = new("Home\x1b[31m")
	root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	w.fetched("acme")
	w.start()

	t.Run("once", func(t *testing.T) {
		w.add("acme", func(a *account.Account) { a.Limit = account.Limit{Requests: 60, Per: time.Minute, Burst: 3} })
		s := start(t, t.TempDir(), "ignored", "", []string{python, "-B", file, "--once", "--rows", "4"}, []string{"BASE=" + w.url + "/", "TOKEN=" + w.token("acme")})
		lines, waited := []string{}, 0
		for more := true; more; {
			select {
			case line, open := <-s.lines:
				if more = open; open {
					lines = append(lines, line)
				}
			case <-time.After(5 * time.Millisecond):
				if said := strings.Count(s.complaints(), "RATE_LIMITED: waiting"); said > waited {
					waited = said
					w.setClock(w.now().Add(time.Second))
				}
			}
		}
		if err := <-s.done; err != nil || waited == 0 {
			t.Fatalf("%v, waited %d times\n%s", err, waited, s.complaints())
		}
		kickoff := func(n int) string {
			return servetest.Start.Add(time.Duration(n) * time.Hour).Format("2006-01-02 15:04")
		}
		want := []string{
			"230 fixtures, 229 with markets",
			"KICK-OFF (UTC)    MATCH                                         MARKETS    HOME    DRAW    AWAY",
			kickoff(0) + "  Home 0 v1 v Away 0 v1                               1    1.90   12.00       2",
			kickoff(1) + "  Home 1 v1 v Away 1 v1                               1    1.50   3.333       –",
			kickoff(2) + "  Home\ufffd[31m v Away 2 v1                               1       –       –       –",
			kickoff(4) + "  Home 4 v1 v Away 4 v1                               1       –       –       –",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
	t.Run("follows", func(t *testing.T) {
		w.add("acme", func(a *account.Account) {
			a.Limit = account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000}
		})
		s := start(t, t.TempDir(), "ignored", "", []string{python, "-B", file, "--every", "0.05", "--rows", "2"}, []string{"BASE=" + w.url, "TOKEN=" + w.token("acme")})
		for range 4 {
			<-s.lines
		}
		list := servetest.Samples("acme", 228, 1, 1)
		priced(&list[0], "1.90", "11.00", "2.10")
		priced(&list[1], "1.50", "3.333", "")
		list = append(list, servetest.Sample("acme", 230, 3, 1))
		events := servetest.Updates(list)
		events[0].ContentDigest = new(strings.Repeat("1", 64))
		for n := 228; n < 230; n++ {
			events = append(events, table.EventRow{Type: "fixture_removed", FixtureID: servetest.FixtureID("acme", n), ProviderFixtureID: "1"})
		}
		root.Publish(servetest.Content{Fixtures: list, Events: events})
		for _, want := range []string{
			"* Home 0 v1 v Away 0 v1: AWAY 2 → 2.10, DRAW 12.00 → 11.00", "seq 430: 200 events, 199 without a change; 230 fixtures",
			"+ Home 230 v1 v Away 230 v1, markets 3", "- Home 228 v1 v Away 228 v1", "- Home 229 v1 v Away 229 v1",
			"seq 461: 31 events, 28 without a change; 229 fixtures",
		} {
			s.until(want)
		}
	})
	t.Run("refused", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), python, "-B", file, "--once")
		cmd.Env = []string{"BASE=" + w.url, "TOKEN=mkt_unknown"}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "INVALID_API_TOKEN: ") || strings.Contains(string(out), "mkt_unknown") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// priced makes the first market of a sample its match result. An empty price may not be shown.
func priced(f *servetest.Fixture, home, draw, away string) {
	m := f.Markets[0]
	m.Market, m.Period, m.Selections = new("MATCH_RESULT"), new("FT"), nil
	for i, side := range []string{"HOME", "DRAW", "AWAY"} {
		s := servetest.Sample("acme", 0, 5, 1).Markets[4].Selections[i]
		s.SelectionID, s.Selection = servetest.ID("sl_", f.Row.FixtureID, side), new(side)
		price := []string{home, draw, away}[i]
		if s.Publishable = price != ""; !s.Publishable {
			s.QualityStatus, s.Reasons, price = "SUSPECT", []string{"ODDS_NO_OFFER"}, "1.00"
		}
		value, err := json.Number(price).Float64()
		if err != nil {
			panic(err)
		}
		s.OddsDecimalText, s.OddsDecimal = new(price), &value
		m.Selections = append(m.Selections, s)
	}
	m.SelectionCount = 3
	f.Markets = slices.Concat([]table.MarketRow{m}, f.Markets[1:])
}

// The classes of the program in Python have keys that the API sends in every answer.
func TestPythonClientKnowsTheAPI(t *testing.T) {
	python := needs.Program(t, "python3", "such as Debian's package python3")
	cmd := exec.CommandContext(t.Context(), python, "-B", "-c", "import json, main\n"+
		"print(json.dumps({n: list(c.__annotations__) for n, c in vars(main).items() if hasattr(c, '__total__')}))")
	cmd.Dir = "../examples/clients/python"
	out, err := cmd.Output()
	must(t, err)
	var classes map[string][]string
	must(t, json.Unmarshal(out, &classes))
	d, err := openAPI()
	must(t, err)
	if len(classes) < 7 {
		t.Errorf("only %d classes", len(classes))
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		d.mu.Lock()
		schema, _ := d.at("#/components/schemas/" + name).(map[string]any)
		d.mu.Unlock()
		required, _ := schema["required"].([]any)
		for _, key := range classes[name] {
			if !slices.Contains(required, any(key)) {
				t.Errorf("%s has %s, which docs/openapi.yaml does not promise", name, key)
			}
		}
	}
}
