package main

import (
	"bufio"
	"bytes"
	"encoding/json"
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

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/feedtest"
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

// validAnswer is a part of the answers about fixtures and markets.
type validAnswer struct {
	Fixtures []struct{ ID, Status string }
	Missing  []string
}

// checkFeed checks the answers of a translator against docs/feed.schema.json, and its statuses.
func checkFeed(t *testing.T, url string) {
	t.Helper()
	schema := feedtest.Open(t, "../../docs/feed.schema.json")
	valid := func(path, definition string) (answer validAnswer) {
		t.Helper()
		response, body := askFeed(t, url+path)
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: status %d, %v\n%.500s", path, response.StatusCode, response.Header, body)
		}
		if err := schema.Check(definition, body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		check.Must(t, json.Unmarshal(body, &answer))
		return answer
	}
	var ids []string
	for _, f := range valid("/feed/v1/fixtures", "fixtures").Fixtures {
		if f.Status == "NOT_STARTED" {
			ids = append(ids, f.ID)
		}
	}
	for some := range slices.Chunk(append(ids, "unknown"), 50) {
		path := "/feed/v1/markets?fixtures=" + strings.Join(some, ",")
		answer := valid(path, "markets")
		if got := len(answer.Fixtures) + len(answer.Missing); got != len(some) {
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

// publishedBy runs a cycle of an account, and returns its markets without ids and provenance, by kick-off and teams,
// and its fixtures.
func publishedBy(t *testing.T, root *dataroot.Root, at time.Time, tenant provider.Tenant) (all map[string][]string, fixtures []table.FixtureRow) {
	t.Helper()
	tenant.ID, tenant.AllowPrivateAddress, tenant.SealedCredential = "acme", true, "sealed"
	check.Must(t, dataroot.Product{Name: football.MarketEngine, Root: root.Mem, Data: root.Mem, Key: dataroot.Key, Version: "test", Tenant: tenant}.Cycle(t.Context(), at))
	fixtures = dataroot.Rows[table.FixtureRow](root, layout.FixturesFile)
	all, names := map[string][]string{}, map[string]string{}
	for _, f := range fixtures {
		starts := "–"
		if f.StartsAt != nil {
			starts = f.StartsAt.UTC().Format(time.RFC3339)
		}
		name := fmt.Sprintf("%s %s v %s (%s)", starts, text(f.Home), text(f.Away), text(f.League))
		all[name], names[f.FixtureID] = []string{}, name
	}
	markets := dataroot.Rows[table.MarketRow](root, layout.MarketsFile)
	slices.SortStableFunc(markets, func(a, b table.MarketRow) int { return int(a.Ordinal - b.Ordinal) })
	for _, m := range markets {
		all[names[m.FixtureID]] = append(all[names[m.FixtureID]], marketText(&m))
	}
	return all, fixtures
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

// The translator and the built-in adapter publish the same of the same provider: every market, line, side, label and
// digit. Only ids, keys, rules and reasons for which a market stays RAW are left out: the table of the built-in adapter has
// some, and a feed without a claim has none.
func TestTheOddsAPITranslator(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		bookmaker string
		replay    func(t *testing.T) string // the folder of recordings; nil: the simulated world
		least     map[string]int            // of the markets that must be among the published ones; "–" are RAW
	}{
		{"betfair_ex_eu", nil, map[string]int{"ASIAN_HANDICAP": 30, "TEAM_TOTAL_GOALS": 10, "CORRECT_SCORE": 10, "HALF_TIME_FULL_TIME": 5, "GOALSCORER_FIRST": 1, "–": 20}},
		{"matchbook", decimalRecordings, map[string]int{"MATCH_RESULT": 20, "ASIAN_HANDICAP": 10}},
		{"onexbet", decimalRecordings, map[string]int{"MATCH_RESULT": 20, "PLAYER_SHOTS": 1}},
	} {
		t.Run(c.bookmaker, func(t *testing.T) {
			t.Parallel()
			o := simulator.Options{Seed: 3, Fixtures: 24, Quota: 5_000_000, Now: func() time.Time { return at }, Tokens: map[string]simulator.Account{dataroot.Secret: {}}}
			if c.replay != nil {
				o.Replay = c.replay(t)
			}
			sim, err := emulator.New(o)
			check.Must(t, err)
			server := httptest.NewServer(sim)
			t.Cleanup(server.Close)
			url := startTranslator(t, at, "theoddsapi.py", "--base-url", server.URL, "--bookmaker", c.bookmaker, "--all-markets", "24")
			checkFeed(t, url)
			want, _ := publishedBy(t, dataroot.New(t, football.MarketEngine), at, provider.Tenant{Provider: "theoddsapi", BaseURL: server.URL, Bookmaker: c.bookmaker})
			got, _ := publishedBy(t, dataroot.New(t, football.MarketEngine), at, provider.Tenant{Provider: "feed:the-odds-api", BaseURL: url})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-built-in +translator\n%.6000s", diff)
			}
			kinds := map[string]int{}
			for _, f := range want {
				for _, m := range f {
					kinds[strings.Fields(m)[1]]++
				}
			}
			for kind, least := range c.least {
				if kinds[kind] < least {
					t.Errorf("%v of %d fixtures", kinds, len(want))
				}
			}
		})
	}
}

// What the provider fails to answer is an error of the translator, and never an empty list. A failed list of one
// competition makes the list incomplete.
func TestTranslatorFailures(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	for fault, want := range map[string]int{"429:1": 429, "quota:1": 429, "500:1": 502, "html:1": 502, "empty:1": 502, "truncated:1": 502, "wrong:1": 502, "html:#3": 200} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			f, err := simulator.ParseFault(fault)
			check.Must(t, err)
			sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 24, Now: func() time.Time { return at }, Tokens: map[string]simulator.Account{dataroot.Secret: {}}, Faults: []simulator.Fault{f}})
			check.Must(t, err)
			server := httptest.NewServer(sim)
			t.Cleanup(server.Close)
			url := startTranslator(t, at, "theoddsapi.py", "--base-url", server.URL)
			response, body := askFeed(t, url+"/feed/v1/fixtures")
			failed := response.StatusCode != http.StatusOK
			if response.StatusCode != want || failed != (response.Header.Get("Retry-After") != "") || failed == bytes.Contains(body, []byte(`"complete": false`)) {
				t.Errorf("status %d, %v\n%.200s", response.StatusCode, response.Header, body)
			}
			if bytes.Contains(body, []byte(dataroot.Secret)) {
				t.Errorf("the key of the provider is in %s", body)
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

// A folder of CSV files becomes the markets of the fixtures that have not begun, with the odds as written.
// Kick-offs are in the local time of the United Kingdom, where summer time began on 29 March 2026. The
// older file has other prices of the first match.
func TestCSVTranslator(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	folder := t.TempDir()
	check.Must(t, os.CopyFS(folder, os.DirFS("testdata/feeds")))
	check.Must(t, os.Chtimes(filepath.Join(folder, "E9.csv"), at, at.Add(-2*time.Hour)))
	check.Must(t, os.Chtimes(filepath.Join(folder, "fixtures.csv"), at, at.Add(-time.Hour)))
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
		"2026-04-04T14:00:00Z Halden v Nord (E9)": {
			`MAPPED MATCH_RESULT FT Match Result []
	HOME – – – –: 1.50 – OK name="Halden"
	DRAW – – – –: – – SUSPECT name="Draw"
	AWAY – – – –: 6.00 – OK name="Nord"`,
			`MAPPED TOTAL_GOALS FT Total Goals 2.5 [2.5]
	OVER 2.5 – – –: – – SUSPECT name="Over" line="2.5"
	UNDER 2.5 – – –: 2.10 – OK name="Under" line="2.5"`,
			`MAPPED ASIAN_HANDICAP FT Asian Handicap [-1]
	HOME -1 – – –: 1.93 – OK name="Halden" handicap="-1"
	AWAY +1 – – –: 1.97 – OK name="Nord" handicap="1"`,
		},
		"2026-04-04T16:30:00Z Vik v Coast (E9)": {
			`MAPPED MATCH_RESULT FT Match Result []
	HOME – – – –: 5.0 – OK name="Vik"
	DRAW – – – –: 4.2 – OK name="Draw"
	AWAY – – – –: 1.615 – OK name="Coast"`,
			`MAPPED TOTAL_GOALS FT Total Goals 2.5 [2.5]
	OVER 2.5 – – –: 1.72 – OK name="Over" line="2.5"
	UNDER 2.5 – – –: 2.1 – OK name="Under" line="2.5"`,
			`MAPPED ASIAN_HANDICAP FT Asian Handicap [+0.75]
	HOME +0.75 – – –: 2.025 – OK name="Vik" handicap="0.75"
	AWAY -0.75 – – –: 1.825 – OK name="Coast" handicap="-0.75"`,
		},
		"– Harbour v Lighthouse (E9)": {
			`MAPPED MATCH_RESULT FT Match Result []
	HOME – – – –: 1.80 – OK name="Harbour"
	DRAW – – – –: 3.60 – OK name="Draw"
	AWAY – – – –: 4.50 – OK name="Lighthouse"`,
			`MAPPED TOTAL_GOALS FT Total Goals 2.5 [2.5]
	OVER 2.5 – – –: 1.80 – OK name="Over" line="2.5"
	UNDER 2.5 – – –: 2.00 – OK name="Under" line="2.5"`,
			`MAPPED ASIAN_HANDICAP FT Asian Handicap [0]
	HOME 0 – – –: 1.30 – OK name="Harbour" handicap="0"
	AWAY 0 – – –: 3.40 – OK name="Lighthouse" handicap="0"`,
		},
		"2026-04-04T19:00:00Z Fontanella v Quarry (E9)": {},
	}
	root, saved := dataroot.New(t, football.MarketEngine), at.Add(-time.Hour)
	publishes := func(minute time.Duration) {
		t.Helper()
		got, fixtures := publishedBy(t, root, at.Add(minute*time.Minute), provider.Tenant{Provider: "feed:csv-folder", BaseURL: url})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("minute %d: -want +published\n%s", minute, diff)
		}
		for _, f := range fixtures {
			if f.MarketCount > 0 && !f.ProviderFetchedAt.Equal(saved) {
				t.Errorf("minute %d, %s: retrieved at %v", minute, *f.Home, f.ProviderFetchedAt)
			}
		}
	}
	publishes(0)
	publishes(1) // the translator answers that nothing has changed
	name := filepath.Join(folder, "fixtures.csv")
	all, err := os.ReadFile(name)
	check.Must(t, err)
	check.Must(t, os.WriteFile(name, bytes.Replace(all, []byte(",5.0,"), []byte(",5.10,"), 1), 0o600))
	saved = at.Add(time.Minute)
	check.Must(t, os.Chtimes(name, saved, saved))
	vik := want["2026-04-04T16:30:00Z Vik v Coast (E9)"]
	vik[0] = strings.Replace(vik[0], " 5.0 ", " 5.10 ", 1)
	publishes(2)
	check.Must(t, os.WriteFile(filepath.Join(folder, "bad.csv"), []byte("Div,Date,Time,HomeTeam,AwayTeam\nE9,tomorrow,15:00,A,B\n"), 0o600))
	if _, body := askFeed(t, url+"/feed/v1/fixtures"); !bytes.Contains(body, []byte(`"complete": false, "count": 6,`)) {
		t.Errorf("with a row that cannot be read: %.200s", body)
	}
}
