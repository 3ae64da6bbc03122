package reader

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// ErrInvalid reports a snapshot whose files are intact but whose tables are invalid or
// contradict each other. Another attempt to load it would fail as well.
var ErrInvalid = errors.New("the tables are invalid")

// loaded is a snapshot that is ready to be served. The caller must close its engine.
type loaded struct {
	index  *index
	engine *engine
}

// load verifies the files of a snapshot and builds its index and engine, whose files are below a private
// folder. It holds about one row group in memory at a time. memory is that of the engine.
func load(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest, private string, memory int64) (*loaded, error) {
	if err := snapshot.Verify(f, dir, m); err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory()
	l := &loader{ctx: ctx, fs: f, dir: dir, index: &index{}}
	path := filepath.Join(private, "pages.duckdb")
	if err := build(ctx, path, l.fill); err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	e, err := openEngine(ctx, path, memory, l.vector)
	if err != nil {
		return nil, fmt.Errorf("open the loaded tables of %s: %w", dir, err)
	}
	return &loaded{l.index, e}, nil
}

type loader struct {
	ctx    context.Context
	fs     durable.ReadFS
	dir    string
	index  *index
	body   []byte
	packed []byte
	vector int64 // bytes of the bodies of vectorRows rows, at most
}

// fill turns a panic over a row into an error, because an invalid snapshot must not stop the server.
func (l *loader) fill(conn driver.Conn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: render: %v", ErrInvalid, p)
		}
	}()
	if err := fillTable(conn, "fixture", l.fixtures); err != nil {
		return err
	}
	return fillTable(conn, "market", l.markets)
}

func openTable[T table.Row](l *loader, name string) (rows *table.Reader[T], close func(), err error) {
	r, err := l.fs.Open(l.dir + "/" + name)
	if err != nil {
		return nil, nil, err
	}
	rows, err = table.NewReader[T](r, r.Size())
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("%s: %w: %w", name, ErrInvalid, err)
	}
	return rows, func() { rows.Close(); r.Close() }, nil
}

func (l *loader) fixtures(to *duckdb.Appender) error {
	rows, done, err := openTable[table.FixtureRow](l, layout.FixturesFile)
	if err != nil {
		return err
	}
	defer done()
	last := ""
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		if !football.IsFixtureID(row.FixtureID) || row.FixtureID <= last || row.MarketCount < 0 {
			return fmt.Errorf("%w: fixture id %q follows %q", ErrInvalid, row.FixtureID, last)
		}
		last = row.FixtureID
		var league, starts any
		if row.League != nil {
			league = FoldCase(*row.League)
		}
		if row.StartsAt != nil {
			starts = row.StartsAt.UnixMilli()
		}
		if err := to.AppendRow(int64(l.index.fixtures()), row.FixtureID, league, starts, pack(nil, api.AppendFixture(nil, row))); err != nil {
			return err
		}
		l.index.add(row)
	}
	return l.ctx.Err()
}

// markets appends the markets, and checks that they are in order and belong to the fixtures.
func (l *loader) markets(to *duckdb.Appender) error {
	rows, done, err := openTable[table.MarketRow](l, layout.MarketsFile)
	if err != nil {
		return err
	}
	defer done()
	n, fixture, last := 0, 0, ""
	vector := int64(0)
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		for ; fixture < l.index.fixtures() && l.index.ends[fixture] == n; fixture++ {
			last = ""
		}
		if fixture == l.index.fixtures() || l.index.id(fixture) != row.FixtureID || !football.IsMarketID(row.MarketID) || row.MarketID <= last {
			return fmt.Errorf("%w: market %s of %s follows %q", ErrInvalid, row.MarketID, row.FixtureID, last)
		}
		last = row.MarketID
		if n%vectorRows == 0 {
			vector = 0
		}
		l.body = api.AppendMarket(l.body[:0], row)
		l.packed = pack(l.packed, l.body)
		if err := to.AppendRow(int64(n), row.MarketID, orNull(row.Market), orNull(row.Period), subjectsOf(row), int64(max(0, row.Ordinal)), l.packed); err != nil {
			return err
		}
		vector += int64(len(l.packed))
		l.vector = max(l.vector, vector)
		n++
	}
	if n != l.index.allMarkets() {
		return fmt.Errorf("%w: the market counts of the fixtures do not match the markets", ErrInvalid)
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
