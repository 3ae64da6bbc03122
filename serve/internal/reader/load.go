package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"sync"

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

type bounds struct {
	scratch string // private folder for the engine's files
	memory  int64  // of the engine that serves
	workers int    // rendering goroutines
}

// loaded is a snapshot that is ready to be served. The caller must close its engine.
type loaded struct {
	index  *index
	engine *engine
}

// load verifies the files of a snapshot and builds its index and engine. It holds
// about one row group in memory at a time.
func load(ctx context.Context, f durable.ReadFS, dir string, m snapshot.Manifest, b bounds) (*loaded, error) {
	if err := snapshot.Verify(f, dir, m); err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory()
	l := &loader{ctx: ctx, fs: f, dir: dir, index: &index{}, workers: max(1, b.workers)}
	path := filepath.Join(b.scratch, "pages.duckdb")
	if err := build(ctx, path, l.fill); err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	e, err := openEngine(path, b.memory)
	if err != nil {
		return nil, fmt.Errorf("open the loaded tables of %s: %w", dir, err)
	}
	return &loaded{l.index, e}, nil
}

type loader struct {
	ctx     context.Context
	fs      durable.ReadFS
	dir     string
	index   *index
	workers int
}

func (l *loader) fill(to *appenders) error {
	if err := l.fixtures(to); err != nil {
		return err
	}
	return l.markets(to)
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

func (l *loader) fixtures(to *appenders) error {
	rows, done, err := openTable[table.FixtureRow](l, layout.FixturesFile)
	if err != nil {
		return err
	}
	defer done()
	var c chunker
	c.reset(func(no int, compressed []byte) error { return to.fixtureChunk.AppendRow(chunkKey(no), compressed) })
	last := ""
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		if !football.IsFixtureID(row.FixtureID) || row.FixtureID <= last {
			return fmt.Errorf("%w: fixture id %q follows %q", ErrInvalid, row.FixtureID, last)
		}
		last = row.FixtureID
		l.index.addFixture(row)
		if err := appendFilters(to, l.index.fixtures()-1, row); err != nil {
			return err
		}
		c.text = append(c.text, row.FixtureID...)
		c.endText()
		for range 3 { // only a market has these
			c.endText()
		}
		c.text = api.AppendFixture(c.text, row)
		c.endText()
		c.text = api.AppendFixtureDetail(c.text, row)
		c.endText()
		if err := c.endEntry(0); err != nil {
			return err
		}
	}
	return c.flush()
}

func appendFilters(to *appenders, n int, row *table.FixtureRow) error {
	var league, starts any
	if row.League != nil {
		league = FoldCase(*row.League)
	}
	if row.StartsAt != nil {
		starts = row.StartsAt.UnixMilli()
	}
	return to.fixture.AppendRow(int32(n), league, starts)
}

const flushEvery = 128

func (l *loader) markets(to *appenders) error {
	rows, done, err := openTable[table.MarketRow](l, layout.MarketsFile)
	if err != nil {
		return err
	}
	defer done()
	no := 0
	return inOrder(l.ctx, l.workers, func(emit func(batch []table.MarketRow) bool) error {
		return l.readMarkets(rows, emit)
	}, renderBatch, func(compressed [][]byte) error {
		for _, p := range compressed {
			if err := to.marketChunk.AppendRow(chunkKey(no), p); err != nil {
				return err
			}
			if no++; no%flushEvery == 0 {
				if err := to.marketChunk.Flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// batchRows is the number of markets that are rendered together. It must be more than chunkRows.
const batchRows = 256

// readMarkets reads the markets in batches of whole chunks, adds them to the index,
// and checks that they are in order and belong to the fixtures.
func (l *loader) readMarkets(rows *table.Reader[table.MarketRow], emit func([]table.MarketRow) bool) error {
	indexer := marketIndexer{index: l.index}
	var rest []table.MarketRow // the beginning of a chunk
	for {
		batch := make([]table.MarketRow, batchRows)
		from := copy(batch, rest)
		n, err := readFull(rows, batch[from:])
		if err != nil && err != io.EOF {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		batch = batch[:from+n]
		whole := 0 // where the last chunk begins
		for i := from; i < len(batch); i++ {
			begins, ok := indexer.add(&batch[i])
			if !ok {
				return fmt.Errorf("%w: market %q of fixture %q is out of order, or its fixture's market count is wrong", ErrInvalid, batch[i].MarketID, batch[i].FixtureID)
			}
			if begins {
				whole = i
			}
		}
		if err == io.EOF {
			whole = len(batch)
		}
		if whole > 0 && !emit(batch[:whole]) {
			return nil
		}
		if err == io.EOF {
			break
		}
		rest = batch[whole:]
	}
	if !indexer.finish() {
		return fmt.Errorf("%w: the market counts of the fixtures do not match the markets", ErrInvalid)
	}
	return nil
}

// readFull fills the batch, or reads up to the end of the table.
func readFull(rows *table.Reader[table.MarketRow], batch []table.MarketRow) (n int, err error) {
	for n < len(batch) && err == nil {
		var got int
		got, err = rows.Read(batch[n:])
		n += got
	}
	return n, err
}

var chunkers = sync.Pool{New: func() any { return new(chunker) }}

// renderBatch renders markets of which the first one begins a chunk.
func renderBatch(rows []table.MarketRow) (compressed [][]byte, err error) {
	c := chunkers.Get().(*chunker)
	defer chunkers.Put(c)
	c.reset(func(_ int, p []byte) error { compressed = append(compressed, bytes.Clone(p)); return nil })
	for i := range rows {
		if i > 0 && rows[i].FixtureID != rows[i-1].FixtureID {
			if err := c.flush(); err != nil {
				return nil, err
			}
		}
		if err := c.addMarket(&rows[i]); err != nil {
			return nil, err
		}
	}
	return compressed, c.flush()
}

func (c *chunker) addMarket(r *table.MarketRow) error {
	c.text = append(c.text, r.MarketID...)
	c.endText()
	for _, name := range []*string{r.Market, r.Period} {
		if name != nil {
			c.text = append(c.text, *name...)
		}
		c.endText()
	}
	c.text = appendSubjects(c.text, r)
	c.endText()
	c.text = api.AppendMarket(c.text, r)
	c.endText()
	c.endText() // no detail
	return c.endEntry(int(max(0, r.Ordinal)))
}
