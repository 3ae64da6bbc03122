package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/simulator"
	"mkt/internal/evidence/inspect"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// threeHours is a data root with three publications of markets, one of live data, and a cycle that
// was never published. The snapshot of the first publication of markets is deleted.
func threeHours(t *testing.T) *played {
	t.Helper()
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 6, InPlay: 2})
	for range 3 {
		p.cycle(football.MarketEngine)
		p.now = p.now.Add(time.Hour)
	}
	p.now = p.now.Add(-time.Hour)
	p.cycle(football.LiveIntelligence)
	dir := p.dataset(football.MarketEngine).Dir()
	p.must(os.RemoveAll(dir + "/" + layout.Cycle(layout.SnapshotsDir, layout.NewCycleID(playedBegins, string(football.MarketEngine)))))
	newest := layout.Cycle(layout.RawDir, layout.NewCycleID(p.now, string(football.MarketEngine)))
	failed := layout.Cycle(layout.RawDir, layout.NewCycleID(p.now.Add(time.Minute), string(football.MarketEngine)))
	p.must(os.CopyFS(dir+"/"+failed, os.DirFS(dir+"/"+newest)))
	header, err := os.ReadFile(dir + "/" + failed + "/cycle.json")
	p.must(err)
	p.must(os.WriteFile(dir+"/"+failed+"/cycle.json", bytes.ReplaceAll(header, []byte("140000Z"), []byte("140100Z")), 0o644))
	return p
}

func TestInspect(t *testing.T) {
	p := threeHours(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"TENANT", "acme    market_engine", "20260307T140000Z-market_engine", "acme    live_intelligence", "5s"}},
		{[]string{"--product", "market_engine"}, []string{"3 publications", "on the disk: ", "not published: cycle 20260307T140100Z-market_engine", "retrieved 2026-03-07T14:00:00Z, 5s ago", "not kept", "\n3  "}},
		{[]string{"--product", "market_engine", "--last", "1"}, []string{"\n3  "}},
		{[]string{"latest", "--product", "market_engine"}, []string{"COMPLETE", "bet365/upcoming", "canonical", "version 3", "markets.parquet"}},
		{[]string{"v1", "--product", "market_engine"}, []string{"version 1", "not kept", "(first)"}},
		{[]string{"2026-03-07 13:30", "--product", "market_engine", "--columns"}, []string{"version 2", "20260307T130000Z-market_engine", "ABSENT", "selections.odds_decimal"}},
		{[]string{"20260307T140100Z-market_engine"}, []string{"not published", "COMPLETE", "canonical    not there"}},
		{[]string{"--sql", "SELECT count(*) AS n FROM commits WHERE kept", "--product", "market_engine"}, []string{"N\n2\n"}},
		{[]string{"--sql", "SELECT 'a' || chr(27) || '[2J' AS x, NULL AS y FROM fixtures LIMIT 1"}, []string{`a\u001b[2J  NULL`}},
		{[]string{"--sql", "SELECT i FROM range(5) t(i), (FROM live LIMIT 1)", "--rows", "2"}, []string{"I\n0\n1\n", "first 2 of 5 rows"}},
		{[]string{"--sql", "SELECT NULL AS a, 'x,\"y' AS b FROM live LIMIT 1", "--format", "csv"}, []string{"a,b\n,\"x,\"\"y\"\n"}},
		{[]string{"--sql", "SELECT 1 AS b, NULL AS a FROM live LIMIT 1", "--format", "json"}, []string{"[\n{\"b\":1,\"a\":null}\n]\n"}},
		{[]string{"--sql", "SELECT 1 AS b FROM live WHERE false", "--output", "json"}, []string{"[\n]\n"}},
		{[]string{"--at", "v3", "--sql", "SELECT count(*) > 0 AS there FROM markets"}, []string{"true", "left out: acme live_intelligence: v3: no such publication"}},
	} {
		out, err := p.run(append([]string{"inspect"}, c.args...)...)
		for _, want := range c.want {
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("inspect %q: no %q in\n%s%v", c.args, want, out, err)
			}
		}
	}
}

func TestInspectJSON(t *testing.T) {
	p := threeHours(t)
	var all []inspect.Overview
	out, err := p.run("inspect", "--last", "5", "--output", "json")
	p.must(err)
	p.must(json.Unmarshal([]byte(out), &all))
	if len(all) != 2 || all[0].Newest == nil || all[0].Newest.Rows["markets"] == 0 || all[0].AgeMS == nil || *all[0].AgeMS != 5000 || all[0].Bytes["total"] < 1000 || all[1].Underway == "" && all[0].Underway == "" {
		t.Errorf("%s", out)
	}
	var one struct {
		Publications []inspect.Publication
	}
	out, err = p.run("inspect", "--product", "market_engine", "--output", "json")
	p.must(err)
	p.must(json.Unmarshal([]byte(out), &one))
	if n := len(one.Publications); n != 3 || one.Publications[0].Version != 3 || one.Publications[2].Kept || !one.Publications[1].Kept {
		t.Errorf("%s", out)
	}
	var cycle inspect.Cycle
	out, err = p.run("inspect", "latest~1", "--product", "market_engine", "--output", "json")
	p.must(err)
	p.must(json.Unmarshal([]byte(out), &cycle))
	if cycle.Raw == nil || cycle.Canonical == nil || cycle.Snapshot == nil || cycle.Commit == nil || cycle.Commit.Version != 2 || cycle.Commit.SHA256 == "" || len(cycle.Damage) > 0 {
		t.Errorf("%s", out)
	}
}

// hostileValues has a value of each kind that a format could change.
const hostileValues = `SELECT t.* FROM (VALUES
	('1.90', '=1+1', NULL, 1.5, TIMESTAMPTZ '2026-03-07 14:00:00.123+00', ['a', NULL], {'b': 1}, 170141183460469231731::HUGEINT, INTERVAL '-1300 hours 1.5 seconds', MAP {'c': 1, 'a': 2, 'e': 3, 'b': 4, 'd': 5}),
	('+2', '', 'é🇫🇷"' || chr(10), 2, NULL, [], NULL, NULL, NULL, NULL)) t(odds, a, a, n, fetched, list, object, total, age, pairs), (FROM live LIMIT 1)`

// DuckDB reads what --format csv and json print without mkt. They have the rows of the query, and are the same in each run.
func TestInspectFormats(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 3, InPlay: 2})
	p.cycle(football.LiveIntelligence)
	db, err := sql.Open("duckdb", "")
	p.must(err)
	defer db.Close()
	dir := t.TempDir()
	for _, format := range []string{"csv", "json"} {
		out, err := p.run("inspect", "--sql", hostileValues, "--format", format)
		p.must(err)
		if again, err := p.run("inspect", "--sql", hostileValues, "--format", format); err != nil || again != out {
			t.Errorf("%s: %v, the second run printed\n%s\nthe first\n%s", format, err, again, out)
		}
		p.must(os.WriteFile(filepath.Join(dir, "a."+format), []byte(out), 0o600))
	}
	rows := [][]string{
		{"1.90", "=1+1", "<nil>", "2026-03-07T14:00:00.123Z", `["a",null]`, "170141183460469231731"},
		{"+2", "", "é🇫🇷\"\n", "<nil>", "[]", "<nil>"},
	}
	for _, query := range []string{
		"SELECT odds, a, a_1, fetched, list, total FROM read_csv('" + dir + "/a.csv', all_varchar = true, allow_quoted_nulls = false)",
		"SELECT odds, a, a_1, fetched, list::VARCHAR, total::VARCHAR FROM read_json('" + dir + "/a.json', columns = {odds: 'VARCHAR', a: 'VARCHAR', a_1: 'VARCHAR', fetched: 'VARCHAR', list: 'JSON', total: 'JSON'})",
	} {
		if diff := cmp.Diff(rows, ask(t, db, query)); diff != "" {
			t.Errorf("%s\n%s", query, diff)
		}
	}
	if pairs := ask(t, db, "SELECT pairs FROM read_csv('"+dir+"/a.csv', all_varchar = true) WHERE pairs IS NOT NULL"); !strings.HasPrefix(pairs[0][0], `[{"key":"c","value":1},{"key":"a","value":2},`) {
		t.Errorf("the map is %q", pairs)
	}
}

func TestInspectReadsQuery(t *testing.T) {
	p := threeHours(t)
	for text, exit := range map[string]int{"SELECT count(*) AS n\nFROM live": cli.ExitDone, strings.Repeat(" ", 1<<20) + "SELECT 1": cli.ExitUsage, "SELEC": cli.ExitUsage} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"inspect", "--data", p.data, "--sql", "-"}, strings.NewReader(text), &out, &errs)
		if code != exit || exit == cli.ExitDone && !strings.HasPrefix(out.String(), "N\n") {
			t.Errorf("%.30q: exit %d: %s%s", text, code, out.String(), errs.String())
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	p := threeHours(t)
	for _, c := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"latest"}, cli.ExitUsage, "give --product: acme market_engine, acme live_intelligence"},
		{[]string{"someday"}, cli.ExitUsage, "want latest~2"},
		{[]string{"latest", "--tenant", "nobody"}, cli.ExitUsage, "it holds no data of tenant nobody"},
		{[]string{"latest", "--product", "odds"}, cli.ExitUsage, "want market_engine"},
		{[]string{"v9", "--product", "market_engine"}, cli.ExitUsage, "the newest is v3"},
		{[]string{"20260307T143000Z-market_engine"}, cli.ExitUsage, "the newest is v3"},
		{[]string{"20260307T143000Z-market_engine", "--product", "live_intelligence"}, cli.ExitUsage, "is a cycle of market_engine"},
		{[]string{"--at", "v1"}, cli.ExitUsage, "--at is for --sql"},
		{[]string{"v1", "--at", "v1", "--sql", "SELECT 1"}, cli.ExitUsage, "one of the two"},
		{[]string{"--sql", "SELEC"}, cli.ExitUsage, "syntax error"},
		{[]string{"--sql", "DELETE FROM commits"}, cli.ExitUsage, "only SELECT"},
		{[]string{"--sql", ""}, cli.ExitUsage, "one statement"},
		{[]string{"--at", "v1", "--product", "market_engine", "--sql", "FROM fixtures"}, cli.ExitFailed, "is not kept any more"},
	} {
		out, err := p.run(append([]string{"inspect"}, c.args...)...)
		if cli.ExitCode(err) != c.exit || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("inspect %q: exit %d, %v, want %d, %q; %s", c.args, cli.ExitCode(err), err, c.exit, c.want, out)
		}
	}
}

// Damage is reported and hides nothing else.
func TestInspectOverDamage(t *testing.T) {
	p := threeHours(t)
	dir := p.dataset(football.MarketEngine).Dir() + "/"
	p.must(os.WriteFile(dir+layout.Commit(2), []byte("{"), 0o644))
	out, err := p.run("inspect", "--product", "market_engine")
	if err != nil || !strings.Contains(out, "2        DAMAGED: "+layout.Commit(2)) || !strings.Contains(out, "\n1  ") {
		t.Errorf("%s%v", out, err)
	}
	sound, err := os.ReadFile(dir + layout.Commit(3))
	p.must(err)
	p.must(os.WriteFile(dir+layout.Commit(3), []byte("{"), 0o644))
	for _, args := range [][]string{nil, {"--product", "market_engine"}} {
		out, err := p.run(append([]string{"inspect"}, args...)...)
		if err != nil || !strings.Contains(out, "DAMAGED: "+layout.Commit(3)) {
			t.Errorf("inspect %q does not report the newest record: %s%v", args, out, err)
		}
	}
	if out, _ := p.run("inspect", "--product", "market_engine"); !strings.Contains(out, "3        DAMAGED: "+layout.Commit(3)) || !strings.Contains(out, "\n1  ") {
		t.Errorf("%s", out)
	}
	p.must(os.WriteFile(dir+layout.Commit(3), sound, 0o644))
	newest := layout.Cycle(layout.SnapshotsDir, layout.NewCycleID(p.now, string(football.MarketEngine)))
	p.must(os.WriteFile(dir+newest+"/manifest.json", []byte("{"), 0o644))
	for _, args := range [][]string{nil, {"--product", "market_engine"}, {"latest", "--product", "market_engine"}} {
		out, err := p.run(append([]string{"inspect"}, args...)...)
		if err != nil || !strings.Contains(out, "DAMAGED") || !strings.Contains(out, newest+"/manifest.json") {
			t.Errorf("inspect %q: %s%v", args, out, err)
		}
	}
	if _, err := p.run("inspect", "--product", "market_engine", "--sql", "FROM fixtures"); !errors.Is(err, snapshot.ErrDamaged) {
		t.Error(err)
	}
}

// An account with unreadable data does not hide another from inspect, live show and verify.
func TestUnreadableAccountHidesNoOtherAccount(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 3, InPlay: 2})
	p.cycle(football.LiveIntelligence)
	of := p.dataset(football.LiveIntelligence).Dir()
	broken := strings.Replace(of, "client_id=acme", "client_id=aaaa", 1)
	p.must(os.CopyFS(broken, os.DirFS(of)))
	p.must(os.RemoveAll(broken + "/" + layout.SnapshotsDir))
	p.must(os.WriteFile(broken+"/"+layout.SnapshotsDir, nil, 0o644)) // a file in place of a folder
	row := liveRowsOf(p)[0]
	for _, c := range []struct {
		args      []string
		exit      int
		out, errs string
	}{
		{[]string{"inspect"}, cli.ExitDone, "acme    live_intelligence  1 ", ""},
		{[]string{"inspect"}, cli.ExitDone, "DAMAGED: aaaa live_intelligence: ", ""},
		{[]string{"live", "show", row.FixtureID}, cli.ExitDone, row.FixtureID + ", acme", ""},
		{[]string{"live", "show", "nobody plays"}, cli.ExitFailed, "", "live data of aaaa: "},
		{[]string{"verify"}, cli.ExitFailed, "acme live_intelligence: clean; 1 commit", "verify: 1 finding"},
		{[]string{"verify"}, cli.ExitFailed, "UNREADABLE  aaaa live_intelligence snapshots", ""},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(c.args, "--data", p.data), nil, &out, &errs)
		if code != c.exit || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%q: exit %d, want %d\n%s%s", c.args, code, c.exit, out.String(), errs.String())
		}
	}
}
