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
	"mkt/serve/internal/duck"
)

// Dataset is one published snapshot of an account's product.
type Dataset struct {
	Dir    string // absolute, of the tenant and product
	Root   durable.ReadFS
	Commit snapshot.Commit
}

// tables are the files of a snapshot, and what is derived from them, by product.
var tables = map[football.Product][]string{
	football.MarketEngine:     {"fixtures", "markets", "selections", "changes", "steps"},
	football.LiveIntelligence: {"live", "live_counters", "live_timeline", "live_buckets", "live_periods"},
}

// names returns the names of the tables that a query of the datasets can read. A table of a
// snapshot has a second one with the rows of every snapshot, all_ and its name.
func names(datasets []Dataset) (names []string) {
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

// names reports whether the query names a table, or none at all.
func (a *attacher) names(table string) bool {
	return strings.Contains(a.query, table) || a.namesNone()
}

// namesNone reports whether the query names no table, as SHOW TABLES does.
func (a *attacher) namesNone() bool {
	return !slices.ContainsFunc(a.tables, func(n string) bool { return strings.Contains(a.query, n) })
}

// dataset creates the tables of a dataset.
func (a *attacher) dataset(d Dataset) error {
	m, err := snapshot.Open(d.Root, d.Commit)
	if err != nil {
		return err
	}
	var kept []layout.CycleID
	entries, err := d.Root.ReadDir(layout.SnapshotsDir)
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok {
			kept = append(kept, id)
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

// snapshots creates the view of a table in the snapshot, and the view of the same table in all kept
// snapshots up to it.
func (a *attacher) snapshots(d Dataset, table string, kept []layout.CycleID) error {
	file, oldest := table+".parquet", d.Commit.CycleID
	if table == "selections" {
		file = "markets.parquet"
	}
	if a.names("all_" + table) {
		oldest = slices.Min(kept)
	}
	var files []string
	for c, err := range snapshot.Backward(d.Root, d.Commit) {
		switch {
		case err != nil && !snapshot.IsFault(err):
			return err
		case err != nil || !slices.Contains(kept, c.CycleID):
			continue
		}
		m, err := snapshot.Open(d.Root, c)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(m.Files, func(f snapshot.File) bool { return f.Name == file })
		if i < 0 {
			return fmt.Errorf("%s: %w: its manifest has no %s", c.Dir(), snapshot.ErrDamaged, file)
		}
		if err := snapshot.VerifyFile(d.Root, c.Dir(), m.Files[i]); err != nil {
			return err
		}
		if files = append(files, a.allow(d, c.Dir()+"/"+file)); c.CycleID <= oldest {
			break
		}
	}
	newest := parquet(files[:1], "false")
	every := "(SELECT client_id, product, cycle, * EXCLUDE (client_id, product, cycle) FROM " + parquet(files, "true, hive_types_autocast = false") + ")"
	if table == "selections" {
		newest, every = selections("", newest), selections("client_id, product, cycle,", every)
	}
	err := a.view(table, newest)
	if err == nil && a.names("all_"+table) {
		err = a.view("all_"+table, every)
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

func (a *attacher) view(name, of string) error {
	return duck.Run(a.ctx, a.conn, "CREATE VIEW "+name+" AS FROM "+of)
}

// allow lets the engine read a file, and returns its path as a literal of SQL.
func (a *attacher) allow(d Dataset, name string) string {
	path := duck.Quoted(filepath.Join(d.Dir, filepath.FromSlash(name)))
	a.files = append(a.files, path)
	return path
}

// The columns of tables, as empty ones have them.
const (
	changeColumns = `seq BIGINT, type VARCHAR, fixture_id VARCHAR, published_at TIMESTAMPTZ, cycle_id VARCHAR, provider_fixture_id VARCHAR, content_digest VARCHAR`
	stepColumns   = `fixture_id VARCHAR, market_id VARCHAR, selection_id VARCHAR, seq BIGINT, published_at TIMESTAMPTZ, cycle_id VARCHAR, version BIGINT, before BOOLEAN, present BOOLEAN,
	provider_fetched_at TIMESTAMPTZ, processed_at TIMESTAMPTZ, starts_at TIMESTAMPTZ, home VARCHAR, away VARCHAR, league VARCHAR, market VARCHAR, market_name VARCHAR,
	period VARCHAR, subject VARCHAR, selection VARCHAR, line VARCHAR, qualifier VARCHAR, odds_fractional VARCHAR, odds_decimal_text VARCHAR,
	publishable BOOLEAN, reasons VARCHAR[], absent VARCHAR[]`
	commitColumns = `version UBIGINT, product VARCHAR, cycle_id VARCHAR, published_at TIMESTAMPTZ, first_seq UBIGINT, last_seq UBIGINT, segment VARCHAR,
	kept BOOLEAN, damaged BOOLEAN, history_id VARCHAR, run_id VARCHAR, manifest_sha256 VARCHAR, previous_sha256 VARCHAR, sha256 VARCHAR`
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
		return duck.Run(a.ctx, a.conn, "CREATE TABLE "+view+" ("+columns+")")
	}
	return a.view(view, parquet(files, "false"))
}

// commits adds the publications up to that of the dataset to the table commits, including those
// whose snapshots are gone.
func (a *attacher) commits(d Dataset, m snapshot.Manifest, kept []layout.CycleID) error {
	if err := duck.Run(a.ctx, a.conn, "CREATE TABLE IF NOT EXISTS commits ("+commitColumns+")"); err != nil {
		return err
	}
	return a.conn.Raw(func(raw any) error {
		to, err := duckdb.NewAppender(raw.(driver.Conn), "", "main", "commits")
		if err != nil {
			return err
		}
		for c, fault := range snapshot.Backward(d.Root, d.Commit) {
			row := []driver.Value{c.Version, string(m.Product), nil, nil, nil, nil, nil, nil, true, nil, nil, nil, nil, nil}
			if fault == nil {
				var segment any
				if c.Segment != nil {
					segment = c.Segment.File
				}
				row = []driver.Value{c.Version, string(m.Product), string(c.CycleID), c.PublishedAt, c.FirstSeq, c.LastSeq, segment, slices.Contains(kept, c.CycleID), false,
					c.HistoryID, c.RunID, c.ManifestSHA256, c.PreviousSHA256, c.SHA256}
			} else if err = fault; snapshot.IsFault(fault) {
				err = nil
			}
			if err == nil {
				err = to.AppendRow(row...)
			}
			if err != nil {
				break
			}
		}
		return errors.Join(err, to.Close())
	})
}
