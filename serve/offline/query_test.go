package offline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/offline"
)

var must = check.Must

type answer struct{ lines []string }

func (a *answer) Columns(columns []offline.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	a.lines = append(a.lines, strings.Join(names, "|"))
	return nil
}

func (a *answer) Row(values []any) error {
	var words []string
	for _, v := range values {
		words = append(words, offline.Text(v))
	}
	a.lines = append(a.lines, strings.Join(words, "|"))
	return nil
}

// root is a data root with three publications of markets and two live ones.
type root struct {
	markets *servetest.Root
	live    *servetest.LiveRoot
}

func newRoot(t testing.TB) root {
	dir := t.TempDir()
	r := root{servetest.NewRoot(t, dir, "acme"), servetest.NewLiveRoot(t, dir, "acme")}
	for range 3 {
		r.markets.PublishNext(4, 5)
	}
	for v := 1; v <= 2; v++ {
		r.live.Publish(servetest.LiveSamples("acme", 7, v, servetest.Start))
	}
	return r
}

// datasets returns the publications that the text refers to.
func (r root) datasets(t testing.TB, moment string) []offline.Dataset {
	t.Helper()
	c, err := snapshot.Resolve(r.markets.FS, moment)
	must(t, err)
	return []offline.Dataset{{Dir: r.markets.Dir, Root: r.markets.FS, Commit: c}, {Dir: r.live.Dir, Root: r.live.FS, Commit: r.live.Commit}}
}

func (r root) ask(t testing.TB, moment, query string) ([]string, error) {
	t.Helper()
	var a answer
	err := offline.Query(context.Background(), offline.Options{Datasets: r.datasets(t, moment)}, query, &a)
	return a.lines, err
}

func TestQuery(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	for name, c := range map[string]struct{ moment, query, want string }{
		"fixtures":             {"latest", "SELECT count(*) AS n FROM fixtures", "n 4"},
		"of another moment":    {"latest~1", "SELECT DISTINCT home LIKE '% v2%' AS second FROM fixtures", "second true"},
		"markets":              {"latest", "SELECT count(*) > 4 AS many FROM markets", "many true"},
		"selections":           {"latest", "SELECT (SELECT sum(selection_count) FROM markets) = count(*) AS all_there, min(place) AS first FROM selections", "all_there|first true|1"},
		"changes":              {"latest", "SELECT count(*), count(DISTINCT seq), max(seq) - min(seq) + 1 FROM changes", `count_star()|count(DISTINCT seq)|((max(seq) - min(seq)) + 1) 12|12|12`},
		"changes until then":   {"v2", "SELECT max(seq) AS last FROM changes", "last 8"},
		"commits":              {"latest", "SELECT product, count(*) AS n, bool_and(kept) AS kept FROM commits GROUP BY ALL ORDER BY ALL", "product|n|kept live_intelligence|2|true market_engine|3|true"},
		"commits until then":   {"v2", "SELECT max(version) AS v FROM commits WHERE product = 'market_engine'", "v 2"},
		"live":                 {"latest", "SELECT count(*) AS n FROM live", "n 7"},
		"details":              {"latest", "SELECT count(DISTINCT state) AS n FROM live_buckets", "n 4"},
		"both products":        {"latest", "SELECT count(*) AS n FROM live JOIN fixtures USING (fixture_id)", "n 4"},
		"over time":            {"latest", "SELECT cycle, count(*) AS n FROM all_fixtures GROUP BY ALL ORDER BY ALL", "cycle|n 20261120T090000Z-market_engine|4 20261120T100000Z-market_engine|4 20261120T110000Z-market_engine|4"},
		"over time until then": {"latest~1", "SELECT count(DISTINCT cycle) AS n FROM all_fixtures", "n 2"},
		"selections over time": {"latest", "SELECT count(DISTINCT cycle) AS n, min(client_id) AS c FROM all_selections", "n|c 3|acme"},
		"live over time":       {"latest", "SELECT count(DISTINCT cycle) AS n FROM all_live", "n 2"},
		"three states":         {"latest", "SELECT metric, state, home_text, away_text, list_contains(absent, 'away') AS not_sent FROM live_counters WHERE metric = 'corners' LIMIT 1", "metric|state|home_text|away_text|not_sent corners|ZERO|0|NULL|true"},
		"quoted and cased":     {"latest", `SELECT count(*) AS n FROM "Fixtures"`, "n 4"},
		"values":               {"latest", "SELECT 1.50::DECIMAL(5,2) AS d, 12345678901234567890123::HUGEINT AS h, [1, NULL] AS l, {'b': 1, 'a': 'x'} AS s, 'NaN'::DOUBLE AS f, DATE '2026-01-02' AS day, TIMESTAMPTZ '2026-01-02 03:04:05+01' AS at, TIMESTAMP '2026-01-02 03:04:05.000125' AS exact, 'ab'::BLOB AS b, NULL AS nothing, true AS yes", `d|h|l|s|f|day|at|exact|b|nothing|yes 1.5|12345678901234567890123|[1,null]|{"a":"x","b":1}|NaN|2026-01-02|2026-01-02T02:04:05.000Z|2026-01-02T03:04:05.000125Z|6162|NULL|true`},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := r.ask(t, c.moment, c.query)
			must(t, err)
			if diff := cmp.Diff(c.want, strings.Join(lines, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, query := range []string{"SHOW TABLES", "SELECT table_name FROM information_schema.tables ORDER BY 1"} {
		lines, err := r.ask(t, "latest", query)
		must(t, err)
		if diff := cmp.Diff("all_fixtures all_live all_live_buckets all_live_counters all_live_periods all_live_timeline all_markets all_selections changes commits fixtures live live_buckets live_counters live_periods live_timeline markets selections steps", strings.Join(lines[1:], " ")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUnknownTable(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	_, err := r.ask(t, "latest", "SELECT * FROM fixtured")
	const want = `sql: Catalog Error: Table with name fixtured does not exist! The tables are fixtures, markets, selections, changes, steps, ` +
		`live, live_counters, live_timeline, live_buckets, live_periods, commits, ` +
		`all_fixtures, all_markets, all_selections, all_live, all_live_counters, all_live_timeline, all_live_buckets, all_live_periods`
	if !errors.Is(err, offline.ErrSQL) || err.Error() != want {
		t.Error(err)
	}
}

func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// Whatever the query, only the tables can be read, nothing can be written, and no setting
// can be changed.
func TestQueryIsConfined(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	secret := filepath.Join(r.markets.DataDir, "seal.key")
	must(t, os.WriteFile(secret, []byte("AGE-SECRET-KEY"), 0o600))
	table := r.markets.Path("fixtures.parquet")
	first, err := snapshot.ReadCommit(r.live.FS, 1)
	must(t, err)
	other := filepath.Join(r.live.Dir, first.Dir(), "live.parquet")
	old := filepath.Join(r.markets.Dir, layout.Commit(1))
	before := files(t, r.markets.DataDir)
	for _, query := range []string{
		"", ";", "SELEC 1", "SELECT * FROM nothing", "SELECT nothing FROM fixtures", "SELECT ?", "SELECT $x",
		"SELECT 1; SELECT 2", "SELECT 1; COPY fixtures TO '" + table + "'",
		"COPY fixtures TO '" + table + "'", "COPY (FROM fixtures) TO '" + table + "' (FORMAT csv)", "EXPORT DATABASE '" + r.markets.DataDir + "'",
		"EXPLAIN ANALYZE COPY fixtures TO '" + table + "'", "PREPARE x AS SELECT 1", "CREATE TABLE x AS FROM fixtures", "DROP VIEW fixtures", "INSERT INTO commits VALUES (1)", "DELETE FROM commits",
		"ATTACH '" + filepath.Join(r.markets.DataDir, "x.db") + "'", "INSTALL httpfs", "LOAD httpfs", "SET enable_external_access = true", "SET memory_limit = '100GB'", "RESET memory_limit", "PRAGMA enable_profiling", "CALL pragma_version()",
		"SELECT * FROM read_text('" + secret + "') -- fixtures", "SELECT * FROM read_blob('" + secret + "')", "SELECT * FROM read_csv('" + secret + "')", "SELECT * FROM glob('" + r.markets.DataDir + "/*') -- fixtures",
		"SELECT * FROM read_parquet('" + other + "') AS t -- fixtures", "SELECT * FROM '" + other + "'", "SELECT * FROM read_json('" + old + "')",
		"SELECT * FROM read_parquet('" + r.markets.Dir + "/snapshots/*/fixtures.parquet')", "SELECT * FROM query('COPY fixtures TO ''" + table + "''')",
		"SELECT * FROM read_csv('https://example.com/x.csv')", "SELECT getenv('PATH')",
	} {
		lines, err := r.ask(t, "latest", query)
		if !errors.Is(err, offline.ErrSQL) {
			t.Errorf("%s: %v %v", query, lines, err)
		}
		if strings.Contains(fmt.Sprint(lines, err), "AGE-SECRET") {
			t.Errorf("%s: the secret is out", query)
		}
	}
	if diff := cmp.Diff(before, files(t, r.markets.DataDir)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	for query, want := range map[string]string{
		"SELEC 1":                      `syntax error at or near "SELEC"`,
		"SELECT hom FROM fixtures":     `"home"`,
		"SELECT * FROM fixture":        "fixtures",
		"SELECT 1; SELECT 2":           "exactly one statement",
		"DELETE FROM commits":          "only SELECT is allowed",
		"SELECT * FROM read_csv('/x')": "can only read the tables",
		"":                             "exactly one statement",
	} {
		if _, err := r.ask(t, "latest", query); !errors.Is(err, offline.ErrSQL) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", query, err, want)
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	const endless = "SELECT count(*) FROM range(10000000) a, range(10000000) b, fixtures"
	o := offline.Options{Datasets: r.datasets(t, "latest")}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	if err := offline.Query(ctx, o, endless, &answer{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o.Memory = 32 << 20
	err := offline.Query(context.Background(), o, "SELECT list(i::VARCHAR || repeat('x', 1000)) FROM range(1000000) t(i), (SELECT 1 FROM fixtures LIMIT 1)", &answer{})
	if !errors.Is(err, offline.ErrMemory) {
		t.Error(err)
	}
}

// A file that does not match its manifest is never passed to the engine.
func TestQueryOverDamage(t *testing.T) {
	t.Parallel()
	r := newRoot(t)
	name := r.markets.Commit.Dir() + "/markets.parquet"
	must(t, r.markets.FS.Remove(name))
	must(t, durable.Create(r.markets.FS, name, durable.Bytes([]byte("not what was sealed"))))
	for _, query := range []string{"SELECT count(*) FROM markets", "SELECT count(*) FROM selections", "SHOW TABLES"} {
		if _, err := r.ask(t, "latest", query); !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if _, err := r.ask(t, "latest", "SELECT count(*) FROM fixtures"); err != nil {
		t.Errorf("a table that is whole: %v", err)
	}
	must(t, r.markets.FS.Remove(layout.Commit(1)))
	must(t, durable.Create(r.markets.FS, layout.Commit(1), durable.Bytes([]byte("{"))))
	lines, err := r.ask(t, "latest", "SELECT version, damaged FROM commits WHERE product = 'market_engine' ORDER BY version")
	if want := "version|damaged 1|true 2|false 3|false"; err != nil || strings.Join(lines, " ") != want {
		t.Errorf("%v, %v", lines, err)
	}
}
