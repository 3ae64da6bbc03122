package markets

import (
	"context"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/engine"
)

// schema has the tables of the private file: a row for each fixture and for each market, numbered
// in the order of the answers. Integers have the type that database/sql makes of every number,
// because a filter that needs a cast reads the whole table. body is packed JSON.
const schema = `
CREATE TABLE d.fixture (n BIGINT, id VARCHAR, league VARCHAR, starts_at BIGINT, body BLOB);
CREATE TABLE d.market (n BIGINT, id VARCHAR, market VARCHAR, period VARCHAR, subjects VARCHAR[], ordinal BIGINT, body BLOB);
`

// Load verifies the files of a snapshot and loads its tables into an engine, whose files are below a private
// folder. It holds about one row group in memory at a time. memory is that of the engine, which the caller
// must close.
func Load(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest, private string, memory int64) (*Tables, *engine.Engine, error) {
	if err := snapshot.Verify(f, dir, m); err != nil {
		return nil, nil, err
	}
	defer debug.FreeOSMemory()
	l := &loader{ctx: ctx, fs: f, dir: dir, index: &index{}}
	path := filepath.Join(private, "pages.duckdb")
	if err := engine.Build(ctx, path, schema, l.fill); err != nil {
		return nil, nil, fmt.Errorf("load %s: %w", dir, err)
	}
	e, err := engine.Open(ctx, path, memory, l.vector, fixtureCount, fixturePage, fixtureByNumber, marketPage, marketByID, marketByName)
	if err != nil {
		return nil, nil, fmt.Errorf("open the loaded tables of %s: %w", dir, err)
	}
	return &Tables{l.index, e}, e, nil
}

type loader struct {
	ctx    context.Context
	fs     durable.ReadFS
	dir    string
	index  *index
	body   []byte
	packed []byte
	vector int64 // bytes of the bodies of [engine.VectorRows] rows, at most
}

// fill turns a panic over a row into an error, because an invalid snapshot must not stop the server.
func (l *loader) fill(conn driver.Conn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: render: %v", snapshot.ErrInvalid, p)
		}
	}()
	if err := engine.Append(conn, "fixture", l.fixtures); err != nil {
		return err
	}
	return engine.Append(conn, "market", l.markets)
}

func openTable[T table.Row](l *loader, name string) (rows *table.Reader[T], close func(), err error) {
	r, err := l.fs.Open(l.dir + "/" + name)
	if err != nil {
		return nil, nil, err
	}
	rows, err = table.NewReader[T](r, r.Size())
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("%s: %w: %w", name, snapshot.ErrInvalid, err)
	}
	return rows, func() { rows.Close(); r.Close() }, nil
}

func (l *loader) fixtures(to *engine.Appender) error {
	rows, done, err := openTable[table.FixtureRow](l, layout.FixturesFile)
	if err != nil {
		return err
	}
	defer done()
	last := ""
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", snapshot.ErrInvalid, err)
		}
		if !football.IsFixtureID(row.FixtureID) || row.FixtureID <= last || row.MarketCount < 0 {
			return fmt.Errorf("%w: fixture id %q follows %q", snapshot.ErrInvalid, row.FixtureID, last)
		}
		last = row.FixtureID
		var league, starts any
		if row.League != nil {
			league = FoldCase(*row.League)
		}
		if row.StartsAt != nil {
			starts = row.StartsAt.UnixMilli()
		}
		if err := to.AppendRow(int64(l.index.fixtures()), row.FixtureID, league, starts, engine.Pack(nil, api.AppendFixture(nil, row))); err != nil {
			return err
		}
		l.index.add(row)
	}
	return l.ctx.Err()
}

// markets appends the markets, and checks that they are in order and belong to the fixtures.
func (l *loader) markets(to *engine.Appender) error {
	rows, done, err := openTable[table.MarketRow](l, layout.MarketsFile)
	if err != nil {
		return err
	}
	defer done()
	n, fixture, last := 0, 0, ""
	vector := int64(0)
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", snapshot.ErrInvalid, err)
		}
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		for ; fixture < l.index.fixtures() && l.index.ends[fixture] == n; fixture++ {
			last = ""
		}
		if fixture == l.index.fixtures() || l.index.id(fixture) != row.FixtureID || !football.IsMarketID(row.MarketID) || row.MarketID <= last {
			return fmt.Errorf("%w: market %s of %s follows %q", snapshot.ErrInvalid, row.MarketID, row.FixtureID, last)
		}
		last = row.MarketID
		if n%engine.VectorRows == 0 {
			vector = 0
		}
		l.body = api.AppendMarket(l.body[:0], row)
		l.packed = engine.Pack(l.packed, l.body)
		if err := to.AppendRow(int64(n), row.MarketID, orNull(row.Market), orNull(row.Period), subjectsOf(row), int64(max(0, row.Ordinal)), l.packed); err != nil {
			return err
		}
		vector += int64(len(l.packed))
		l.vector = max(l.vector, vector)
		n++
	}
	if n != l.index.allMarkets() {
		return fmt.Errorf("%w: the market counts of the fixtures do not match the markets", snapshot.ErrInvalid)
	}
	return nil
}

func orNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// subjectsOf returns the subjects of a market's selections, or nil if there are none.
func subjectsOf(m *table.MarketRow) any {
	var list []string
	for i := range m.Selections {
		if s := m.Selections[i].Subject; s != nil && (len(list) == 0 || list[len(list)-1] != *s) {
			list = append(list, *s)
		}
	}
	if list == nil {
		return nil
	}
	return list
}
