package offline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// tables are the files of a snapshot, and what is derived from them, by product.
var tables = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets", "selections", "changes", "steps"},
	football.LiveIntelligence: {"live", "live_counters", "live_timeline", "live_buckets", "live_periods"},
}

// Tables returns the names of the tables that a query of the datasets can read. A table of a
// snapshot has a second one with the rows of every snapshot, all_ and its name.
func Tables(datasets []Dataset) (names []string) {
	for _, d := range datasets {
		if _, product, err := layout.ParseCycleID(string(d.Commit.CycleID)); err == nil {
			names = append(names, tables[football.Product(product)]...)
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

// attacher creates the tables that a query names: the files of the others would be verified for
// nothing.
type attacher struct {
	ctx    context.Context
	conn   *sql.Conn
	query  string // in lower case
	tables []string
	files  []string // that may be read, as literals of SQL
}

// names reports whether the query names a table, or none at all, as SHOW TABLES does.
func (a *attacher) names(table string) bool {
	return strings.Contains(a.query, table) || a.namesNone()
}

// namesNone reports whether the query names no table.
func (a *attacher) namesNone() bool {
	return !slices.ContainsFunc(a.tables, func(n string) bool { return strings.Contains(a.query, n) })
}

func (a *attacher) run(statements ...string) error {
	for _, s := range statements {
		if _, err := a.conn.ExecContext(a.ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

func (a *attacher) dataset(d Dataset) error {
	m, err := snapshot.Open(d.Root, d.Commit)
	if err != nil {
		return err
	}
	kept := map[layout.CycleID]bool{}
	entries, err := d.Root.ReadDir(layout.SnapshotsDir)
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok {
			kept[id] = true
		}
	}
	for _, table := range tables[m.Product] {
		switch {
		case err != nil || !a.names(table):
		case table == "changes":
			err = a.segments(d, table, changeColumns, m.Changes)
		case table == "steps":
			err = a.segments(d, table, stepColumns, m.Steps)
		default:
			err = a.snapshots(d, table, kept)
		}
	}
	if err == nil && a.names("commits") {
		err = a.commits(d, m, kept)
	}
	return err
}

// snapshots creates the view of a table in the snapshot, and that of every kept one up to it.
func (a *attacher) snapshots(d Dataset, table string, kept map[layout.CycleID]bool) error {
	file, oldest, all := table+".parquet", d.Commit.CycleID, a.names("all_"+table)
	if table == "selections" {
		file = "markets.parquet"
	}
	if all {
		oldest = slices.Min(slices.Collect(maps.Keys(kept)))
	}
	var files []string
	for c, err := range snapshot.Backward(d.Root, d.Commit) {
		if err != nil && !snapshot.IsFault(err) {
			return err
		}
		if err == nil && c.CycleID < oldest {
			break
		}
		if err != nil || !kept[c.CycleID] {
			continue
		}
		m, err := snapshot.Open(d.Root, c)
		if err != nil {
			return err
		}
		m.Files = slices.DeleteFunc(m.Files, func(f snapshot.File) bool { return f.Name != file })
		if len(m.Files) == 0 {
			return fmt.Errorf("%s: %w: its manifest has no %s", c.Dir(), snapshot.ErrDamaged, file)
		}
		if err := snapshot.Verify(d.Root, c.Dir(), m); err != nil {
			return err
		}
		files = append(files, a.allow(d, c.Dir()+"/"+file))
	}
	newest := parquet(files[:1], "false")
	every := "(SELECT client_id, product, cycle, * EXCLUDE (client_id, product, cycle) FROM " + parquet(files, "true, hive_types_autocast = false") + ")"
	if table == "selections" {
		newest, every = selections("", newest), selections("client_id, product, cycle,", every)
	}
	err := a.run("CREATE VIEW " + table + " AS FROM " + newest)
	if err == nil && all {
		err = a.run("CREATE VIEW all_" + table + " AS FROM " + every)
	}
	return err
}

// selections returns a query of all selections of markets, in the provider's order.
func selections(columns, markets string) string {
	return `(SELECT * EXCLUDE (s), unnest(s) FROM (
	SELECT ` + columns + ` fixture_id, market_id, market, market_name, period, origin_type, generate_subscripts(selections, 1) AS place, unnest(selections) AS s FROM ` + markets + `))`
}

func parquet(files []string, hive string) string {
	return "read_parquet([" + strings.Join(files, ", ") + "], union_by_name = true, hive_partitioning = " + hive + ")"
}

// allow lets the engine read a file, and returns its path as a literal of SQL.
func (a *attacher) allow(d Dataset, name string) string {
	path := "'" + strings.ReplaceAll(filepath.Join(d.Dir, filepath.FromSlash(name)), "'", "''") + "'"
	a.files = append(a.files, path)
	return path
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
		files = append(files, a.allow(d, s.File))
	}
	if len(files) == 0 {
		return a.run("CREATE TABLE " + view + " (" + columns + ")")
	}
	return a.run("CREATE VIEW " + view + " AS FROM " + parquet(files, "false"))
}

const commitColumns = `version UBIGINT, product VARCHAR, cycle_id VARCHAR, published_at TIMESTAMPTZ, first_seq UBIGINT, last_seq UBIGINT, segment VARCHAR,
	kept BOOLEAN, damaged BOOLEAN, history_id VARCHAR, run_id VARCHAR, manifest_sha256 VARCHAR, previous_sha256 VARCHAR, sha256 VARCHAR`

// commits adds the publications up to that of the dataset to the table commits, including those
// whose snapshots are gone.
func (a *attacher) commits(d Dataset, m snapshot.Manifest, kept map[layout.CycleID]bool) error {
	if err := a.run("CREATE TABLE IF NOT EXISTS commits (" + commitColumns + ")"); err != nil {
		return err
	}
	return a.conn.Raw(func(raw any) error {
		to, err := duckdb.NewAppender(raw.(driver.Conn), "", "main", "commits")
		if err != nil {
			return err
		}
		for c, err := range snapshot.Backward(d.Root, d.Commit) {
			row := []driver.Value{c.Version, string(m.Product), nil, nil, nil, nil, nil, nil, true, nil, nil, nil, nil, nil}
			if err == nil {
				var segment any
				if c.Segment != nil {
					segment = c.Segment.File
				}
				row = []driver.Value{c.Version, string(m.Product), string(c.CycleID), c.PublishedAt, c.FirstSeq, c.LastSeq, segment, kept[c.CycleID], false,
					c.HistoryID, c.RunID, c.ManifestSHA256, c.PreviousSHA256, c.SHA256}
			}
			if err == nil || snapshot.IsFault(err) {
				err = to.AppendRow(row...)
			}
			if err != nil {
				return errors.Join(err, to.Close())
			}
		}
		return to.Close()
	})
}
