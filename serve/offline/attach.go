package offline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/duck"
)

// attacher creates the tables that a query names. It leaves out all others, whose files
// would otherwise have to be verified for nothing.
type attacher struct {
	ctx        context.Context
	conn       *sql.Conn
	query      string // in lower case
	paths      []string
	hasCommits bool // the table commits exists
}

// namesNoTable reports whether the query names no table, as SHOW TABLES does.
func (a *attacher) namesNoTable() bool {
	for _, names := range tables {
		if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(a.query, n) }) {
			return false
		}
	}
	return !slices.ContainsFunc([]string{"changes", "steps", "commits", "selections"}, func(n string) bool { return strings.Contains(a.query, n) })
}

func (a *attacher) names(table string) bool {
	return strings.Contains(a.query, table) || a.namesNoTable()
}

// tables are the files of a snapshot, by product. Each is a table with that name.
var tables = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets"},
	football.LiveIntelligence: {"live", "live_counters", "live_timeline", "live_buckets", "live_periods"},
}

// Tables returns the names of the tables that a query of the datasets can read. A table of a
// product has a second one with the rows of every snapshot, all_ and its name.
func Tables(datasets []Dataset) (names []string) {
	for _, d := range datasets {
		_, product, err := layout.ParseCycleID(string(d.Commit.CycleID))
		if err != nil {
			continue
		}
		names = append(names, tables[football.Product(product)]...)
		if football.Product(product) == football.MarketEngine {
			names = append(names, "selections", "changes", "steps")
		}
	}
	names = append(names, "commits")
	for _, name := range names {
		if name != "changes" && name != "steps" && name != "commits" {
			names = append(names, "all_"+name)
		}
	}
	return names
}

// selections is the view of all selections of the markets, in the provider's order.
const selections = `CREATE VIEW %s AS SELECT * EXCLUDE (s), unnest(s) FROM (
	SELECT %s fixture_id, market_id, market, market_name, period, origin_type, generate_subscripts(selections, 1) AS place, unnest(selections) AS s FROM %s)`

func (a *attacher) dataset(d Dataset) error {
	m, err := snapshot.Open(d.Root, d.Commit)
	if err != nil {
		return err
	}
	for _, table := range tables[m.Product] {
		if !a.names(table) && !(table == "markets" && a.names("selections")) {
			continue
		}
		if err := a.table(d, m, table); err != nil {
			return err
		}
		if every := "all_" + table; a.names(every) || table == "markets" && a.names("all_selections") {
			if err := a.all(d, table); err != nil {
				return err
			}
		}
	}
	if m.Product == football.MarketEngine && a.names("selections") {
		if err := a.run(fmt.Sprintf(selections, "selections", "", "markets")); err != nil {
			return err
		}
		if a.names("all_selections") {
			if err := a.run(fmt.Sprintf(selections, "all_selections", "client_id, product, cycle,", "all_markets")); err != nil {
				return err
			}
		}
	}
	if m.Product == football.MarketEngine && a.names("changes") {
		if err := a.segments(d, "changes", changeColumns, m.Changes); err != nil {
			return err
		}
	}
	if m.Product == football.MarketEngine && a.names("steps") {
		if err := a.segments(d, "steps", stepColumns, m.Steps); err != nil {
			return err
		}
	}
	if a.names("commits") {
		return a.commits(d, m)
	}
	return nil
}

func (a *attacher) table(d Dataset, m snapshot.Manifest, table string) error {
	file, err := a.verified(d, d.Commit, m, table)
	if err != nil {
		return err
	}
	return a.run(fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM read_parquet(%s, hive_partitioning = false)", table, duck.Quoted(file)))
}

// verified verifies one file of a snapshot against its manifest, and makes it readable for
// queries.
func (a *attacher) verified(d Dataset, c snapshot.Commit, m snapshot.Manifest, table string) (string, error) {
	name := table + ".parquet"
	only := snapshot.Manifest{}
	for _, f := range m.Files {
		if f.Name == name {
			only.Files = append(only.Files, f)
		}
	}
	if len(only.Files) == 0 {
		return "", fmt.Errorf("%s: %w: its manifest has no %s", c.Dir(), snapshot.ErrDamaged, name)
	}
	if err := snapshot.Verify(d.Root, c.Dir(), only); err != nil {
		return "", err
	}
	return a.allow(d, c.Dir()+"/"+name), nil
}

func (a *attacher) allow(d Dataset, name string) string {
	path := filepath.Join(d.Dir, filepath.FromSlash(name))
	a.paths = append(a.paths, path)
	return path
}

// all creates a view over every snapshot that is kept, up to that of the dataset.
func (a *attacher) all(d Dataset, table string) error {
	kept, err := keptCycles(d.Root)
	if err != nil {
		return err
	}
	oldest := d.Commit.CycleID
	for id := range kept {
		oldest = min(oldest, id)
	}
	var files []string
	for c, err := range snapshot.Backward(d.Root, d.Commit) {
		if snapshot.IsFault(err) {
			continue
		}
		if err != nil {
			return err
		}
		if c.CycleID < oldest {
			break
		}
		if !kept[c.CycleID] {
			continue
		}
		m, err := snapshot.Open(d.Root, c)
		if err != nil {
			return err
		}
		file, err := a.verified(d, c, m, table)
		if err != nil {
			return err
		}
		files = append(files, duck.Quoted(file))
	}
	return a.run(fmt.Sprintf("CREATE VIEW all_%s AS SELECT client_id, product, cycle, * EXCLUDE (client_id, product, cycle) FROM read_parquet([%s], hive_partitioning = true, hive_types_autocast = false, union_by_name = true)",
		table, strings.Join(files, ", ")))
}

func keptCycles(root durable.ReadFS) (map[layout.CycleID]bool, error) {
	entries, err := root.ReadDir(layout.SnapshotsDir)
	if err != nil {
		return nil, err
	}
	kept := map[layout.CycleID]bool{}
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok && e.IsDir() {
			kept[id] = true
		}
	}
	return kept, nil
}

// The columns of views without any file.
const (
	changeColumns = `seq BIGINT, type VARCHAR, fixture_id VARCHAR, published_at TIMESTAMPTZ, cycle_id VARCHAR, provider_fixture_id VARCHAR, content_digest VARCHAR`
	stepColumns   = `fixture_id VARCHAR, market_id VARCHAR, selection_id VARCHAR, seq BIGINT, published_at TIMESTAMPTZ, cycle_id VARCHAR, version BIGINT, before BOOLEAN, present BOOLEAN,
	provider_fetched_at TIMESTAMPTZ, processed_at TIMESTAMPTZ, starts_at TIMESTAMPTZ, home VARCHAR, away VARCHAR, league VARCHAR, market VARCHAR, market_name VARCHAR,
	period VARCHAR, subject VARCHAR, selection VARCHAR, line VARCHAR, qualifier VARCHAR, odds_fractional VARCHAR, odds_decimal_text VARCHAR,
	publishable BOOLEAN, reasons VARCHAR[], absent VARCHAR[]`
)

// segments creates a view of the segments of the change log or of the steps.
func (a *attacher) segments(d Dataset, view, columns string, segments []snapshot.Segment) error {
	var files []string
	for _, s := range segments {
		if err := snapshot.VerifySegment(d.Root, s); err != nil {
			return err
		}
		files = append(files, duck.Quoted(a.allow(d, s.File)))
	}
	if len(files) == 0 {
		return a.run("CREATE TABLE " + view + " (" + columns + ")")
	}
	return a.run("CREATE VIEW " + view + " AS SELECT * FROM read_parquet([" + strings.Join(files, ", ") + "], hive_partitioning = false)")
}

const commitColumns = `version UBIGINT, product VARCHAR, cycle_id VARCHAR, published_at TIMESTAMPTZ, first_seq UBIGINT, last_seq UBIGINT, segment VARCHAR,
	kept BOOLEAN, damaged BOOLEAN, history_id VARCHAR, run_id VARCHAR, manifest_sha256 VARCHAR, previous_sha256 VARCHAR, sha256 VARCHAR`

// commits creates the table of publications up to that of the dataset, including those
// whose snapshots are gone.
func (a *attacher) commits(d Dataset, m snapshot.Manifest) error {
	if !a.hasCommits {
		a.hasCommits = true
		if err := a.run("CREATE TABLE commits (" + commitColumns + ")"); err != nil {
			return err
		}
	}
	kept, err := keptCycles(d.Root)
	if err != nil {
		return err
	}
	return a.conn.Raw(func(raw any) error {
		to, err := duckdb.NewAppender(raw.(driver.Conn), "", "main", "commits")
		if err != nil {
			return err
		}
		for c, err := range snapshot.Backward(d.Root, d.Commit) {
			row := []driver.Value{c.Version, string(m.Product), nil, nil, nil, nil, nil, nil, true, nil, nil, nil, nil, nil}
			switch {
			case err == nil:
				var segment any
				if c.Segment != nil {
					segment = c.Segment.File
				}
				row = []driver.Value{c.Version, string(m.Product), string(c.CycleID), c.PublishedAt, c.FirstSeq, c.LastSeq, segment, kept[c.CycleID], false,
					c.HistoryID, c.RunID, c.ManifestSHA256, c.PreviousSHA256, c.SHA256}
			case !snapshot.IsFault(err):
				return errors.Join(err, to.Close())
			}
			if err := to.AppendRow(row...); err != nil {
				return errors.Join(err, to.Close())
			}
		}
		return to.Close()
	})
}

func (a *attacher) run(statement string) error {
	if _, err := a.conn.ExecContext(a.ctx, statement); err != nil {
		return fmt.Errorf("%.40s: %w", statement, err)
	}
	return nil
}

// lock makes all files but those of the tables inaccessible, permanently.
func (a *attacher) lock() error {
	var list []string
	for _, p := range a.paths {
		list = append(list, duck.Quoted(p))
	}
	for _, s := range []string{"SET allowed_paths = [" + strings.Join(list, ", ") + "]", "SET enable_external_access = false", "SET lock_configuration = true"} {
		if err := a.run(s); err != nil {
			return err
		}
	}
	return nil
}
