package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
)

// startTranslator runs a program of examples/feeds whose clock stands still, and returns its address.
func startTranslator(t *testing.T, at time.Time, program string, args ...string) string {
	t.Helper()
	python := needs.Python(t, "zoneinfo")
	const folder = "../../examples/feeds"
	for _, name := range []string{program, "feedserver.py"} {
		_, err := os.ReadFile(filepath.Join(folder, name)) // so that go test knows that its result depends on it
		check.Must(t, err)
	}
	clock := t.TempDir()
	check.Must(t, os.WriteFile(filepath.Join(clock, "sitecustomize.py"), []byte(fmt.Sprintf("import time\ntime.time = lambda: %d.0\n", at.Unix())), 0o600))
	cmd := exec.CommandContext(t.Context(), python, append([]string{"-B", filepath.Join(folder, program), "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+clock, "FEED_TOKEN="+dataroot.Secret, "THE_ODDS_API_KEY="+dataroot.Secret, "NO_PROXY=127.0.0.1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		if _ = cmd.Wait(); t.Failed() {
			t.Logf("%s: %s", program, errs.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	return strings.TrimSpace(line)
}

// askFeed sends a request with the right credential.
func askFeed(t *testing.T, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check.Must(t, err)
	request.Header.Set("Authorization", "Bearer "+dataroot.Secret)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	check.Must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check.Must(t, err)
	return response, body
}

// checkFeed checks the answers of a translator against docs/feed.schema.json, and its statuses.
func checkFeed(t *testing.T, url string) {
	t.Helper()
	source, err := os.ReadFile("../../docs/feed.schema.json")
	check.Must(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.ReplaceAll(source, []byte(`\\u00`), []byte(`\\x`)))) // as Go's patterns are written
	check.Must(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	check.Must(t, compiler.AddResource("feed.schema.json", document))
	valid := func(path, definition string) map[string]any {
		t.Helper()
		schema, err := compiler.Compile("feed.schema.json#/$defs/" + definition)
		check.Must(t, err)
		response, body := askFeed(t, url+path)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %v, status %d, %v\n%.500s", path, err, response.StatusCode, response.Header, body)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return value.(map[string]any)
	}
	var ids []string
	for _, f := range valid("/feed/v1/fixtures", "fixtures")["fixtures"].([]any) {
		if f := f.(map[string]any); f["status"] == "NOT_STARTED" {
			ids = append(ids, f["id"].(string))
		}
	}
	for some := range slices.Chunk(append(ids, "unknown"), 50) {
		path := "/feed/v1/markets?fixtures=" + strings.Join(some, ",")
		answer := valid(path, "markets")
		if got := len(answer["fixtures"].([]any)) + len(answer["missing"].([]any)); got != len(some) {
			t.Errorf("%s: %d of %d fixtures", path, got, len(some))
		}
		first, _ := askFeed(t, url+path)
		again, body := askFeed(t, url+path, "If-None-Match", first.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s: the second answer has status %d, and %d bytes", path, again.StatusCode, len(body))
		}
	}
	for path, want := range map[string]int{"/feed/v1/live": http.StatusForbidden, "/": http.StatusNotFound} {
		if response, _ := askFeed(t, url+path); response.StatusCode != want {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
	if response, _ := askFeed(t, url+"/feed/v1/fixtures", "Authorization", "Bearer of another"); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("another credential: status %d", response.StatusCode)
	}
}

// publishedBy runs a cycle of an account, and returns its markets without ids and provenance, by
// fixture: kick-off and teams.
func publishedBy(t *testing.T, at time.Time, name, url string) map[string][]string {
	t.Helper()
	root := dataroot.New(t, football.MarketEngine)
	tenant := provider.Tenant{ID: "acme", Provider: name, BaseURL: url, AllowPrivateAddress: true, SealedCredential: "sealed"}
	check.Must(t, dataroot.Product{Name: football.MarketEngine, Root: root.Mem, Data: root.Mem, Key: dataroot.Key, Version: "test", Tenant: tenant}.Cycle(t.Context(), at))
	all, fixtures := map[string][]string{}, map[string]string{}
	for _, f := range dataroot.Rows[table.FixtureRow](root, layout.FixturesFile) {
		starts := "–"
		if f.StartsAt != nil {
			starts = f.StartsAt.UTC().Format(time.RFC3339)
		}
		fixtures[f.FixtureID] = fmt.Sprintf("%s %s v %s (%s)", starts, text(f.Home), text(f.Away), text(f.League))
		all[fixtures[f.FixtureID]] = []string{}
	}
	markets := dataroot.Rows[table.MarketRow](root, layout.MarketsFile)
	slices.SortStableFunc(markets, func(a, b table.MarketRow) int { return int(a.Ordinal - b.Ordinal) })
	for _, m := range markets {
		all[fixtures[m.FixtureID]] = append(all[fixtures[m.FixtureID]], marketText(&m))
	}
	return all
}

// marketText is a market without ids and provenance, with a line for each selection.
func marketText(m *table.MarketRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s %v", m.OriginType, text(m.Market), text(m.Period), text(m.MarketName), m.Lines)
	for _, s := range m.Selections {
		fmt.Fprintf(&b, "\n\t%s %s %s %s %s: %s %s %s", text(s.Selection), text(s.Line), text(s.Qualifier), text(s.Subject), text(s.Subject2),
			text(s.OddsDecimalText), text(s.OddsFractional), s.QualityStatus)
		for _, l := range s.Labels {
			fmt.Fprintf(&b, " %s=%q", l.Field, l.Text)
		}
	}
	return b.String()
}

func text(p *string) string {
	if p == nil {
		return "–"
	}
	return *p
}

// The translator and the built-in adapter publish the same of the same provider.
func TestTheOddsAPITranslator(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		from  func(t *testing.T) string // the folder of recordings; nil: the simulated world
		flags []string
		least int // markets
	}{
		{name: "simulated", flags: []string{"--all-markets", "24"}, least: 300},
		{name: "recorded", from: decimalRecordings, flags: []string{"--all-markets", "48"}, least: 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := simulator.Options{Seed: 3, Fixtures: 24, Quota: 5_000_000, Now: func() time.Time { return at }, Tokens: map[string]simulator.Account{dataroot.Secret: {}}}
			if c.from != nil {
				o.Replay = c.from(t)
			}
			sim, err := emulator.New(o)
			check.Must(t, err)
			server := httptest.NewServer(sim)
			t.Cleanup(server.Close)
			url := startTranslator(t, at, "theoddsapi.py", append(c.flags, "--base-url", server.URL)...)
			checkFeed(t, url)
			want := publishedBy(t, at, "theoddsapi", server.URL)
			got := publishedBy(t, at, "feed:the-odds-api", url)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-built-in +translator\n%.6000s", diff)
			}
			markets := 0
			for _, all := range want {
				markets += len(all)
			}
			if markets < c.least {
				t.Errorf("%d markets of %d fixtures", markets, len(want))
			}
		})
	}
}

// decimalRecordings is a folder of the recordings but the one in American odds, which a feed does not have.
func decimalRecordings(t *testing.T) string {
	from, to := needs.Shared(t, "providers/theoddsapi"), t.TempDir()
	check.Must(t, os.CopyFS(to, os.DirFS(from)))
	american, err := filepath.Glob(filepath.Join(to, "odds", "*american*"))
	check.Must(t, err)
	for _, name := range american {
		check.Must(t, os.Remove(name))
	}
	return to
}

// A folder of CSV files: the markets of what is to be played, with its digits. Kick-offs are in the local
// time of the United Kingdom, where summer time began on 29 March 2026.
func TestCSVTranslator(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	folder := t.TempDir()
	check.Must(t, os.CopyFS(folder, os.DirFS("testdata/feeds")))
	for _, name := range []string{"E9.csv", "fixtures.csv"} {
		check.Must(t, os.Chtimes(filepath.Join(folder, name), at, at.Add(-time.Hour)))
	}
	url := startTranslator(t, at, "csvfolder.py", folder)
	checkFeed(t, url)
	want := map[string][]string{
		"2026-03-28T15:00:00Z Saltersby v Yarmoor (E9)": {
			`MAPPED MATCH_RESULT FT Match Result []
	HOME – – – –: 2.10 – OK name="Saltersby"
	DRAW – – – –: 3.40 – OK name="Draw"
	AWAY – – – –: 3.50 – OK name="Yarmoor"`,
			`MAPPED TOTAL_GOALS FT Total Goals 2.5 [2.5]
	OVER 2.5 – – –: 1.90 – OK name="Over" line="2.5"
	UNDER 2.5 – – –: 1.90 – OK name="Under" line="2.5"`,
			`MAPPED ASIAN_HANDICAP FT Asian Handicap [-0.25]
	HOME -0.25 – – –: 1.85 – OK name="Saltersby" handicap="-0.25"
	AWAY +0.25 – – –: 2.05 – OK name="Yarmoor" handicap="0.25"`,
		},
	}
	if diff := cmp.Diff(want, publishedBy(t, at, "feed:csv-folder", url)); diff != "" {
		t.Errorf("-want +published\n%s", diff)
	}
}
