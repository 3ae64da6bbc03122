package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// ErrUnfit: a snapshot is whole, but its tables contradict each other. It will
// be as unfit the next time.
var ErrUnfit = errors.New("unfit to serve")

// bounds of one load.
type bounds struct {
	scratch string // private folder for the engine's files
	memory  int64  // for the engine that serves
	workers int    // renderers
}

// loaded is a snapshot ready to be served. The owner closes its engine.
type loaded struct {
	index  *index
	engine *engine
}

// load verifies the files of a snapshot's folder and builds from them what is
// served. It holds about a row group in memory at a time.
func load(ctx context.Context, f durable.FS, dir string, m snapshot.Manifest, b bounds) (*loaded, error) {
	if err := snapshot.Verify(f, dir, m); err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory()
	l := &loader{ctx: ctx, fs: f, dir: dir, index: &index{}, workers: max(1, b.workers)}
	path := filepath.Join(b.scratch, "pages.duckdb")
	if err := build(ctx, path, l.fill); err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	e, err := openEngine(ctx, path, b.memory)
	if err != nil {
		return nil, fmt.Errorf("open what was loaded of %s: %w", dir, err)
	}
	return &loaded{l.index, e}, nil
}

// loader fills the tables of a new private file and its index.
type loader struct {
	ctx     context.Context
	fs      durable.FS
	dir     string
	index   *index
	workers int
	counts  []int32 // of markets, as the fixtures' rows say
}

func (l *loader) fill(to *appenders) error {
	if err := l.fixtures(to); err != nil {
		return err
	}
	return l.markets(to)
}

// openTable opens one table of the folder; close ends its use.
func openTable[T table.Row](l *loader, name string) (rows *table.Reader[T], close func(), err error) {
	r, err := l.fs.Open(l.dir + "/" + name)
	if err != nil {
		return nil, nil, err
	}
	rows, err = table.NewReader[T](r, r.Size())
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("%s: %w: %w", name, ErrUnfit, err)
	}
	return rows, func() { rows.Close(); r.Close() }, nil
}

func (l *loader) fixtures(to *appenders) error {
	rows, done, err := openTable[table.FixtureRow](l, layout.FixturesFile)
	if err != nil {
		return err
	}
	defer done()
	c := chunker{append: func(no int, packed []byte) error { return to.fixtureChunk.AppendRow(int32(2*no), packed) }}
	last := ""
	for row, err := range rows.All {
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnfit, err)
		}
		if !api.IsFixtureID(row.FixtureID) || row.FixtureID <= last {
			return fmt.Errorf("%w: fixture id %q behind %q", ErrUnfit, row.FixtureID, last)
		}
		last = row.FixtureID
		l.index.addFixture(row)
		l.counts = append(l.counts, row.MarketCount)
		if err := appendFilters(to, l.index.fixtures()-1, row); err != nil {
			return err
		}
		e := entry{key: []byte(row.FixtureID), body: api.AppendFixture(nil, row), detail: api.AppendFixtureDetail(nil, row)}
		if err := c.add(e); err != nil {
			return err
		}
	}
	return c.flush()
}

// appendFilters adds what fixtures are filtered by.
func appendFilters(to *appenders, n int, row *table.FixtureRow) error {
	var league, starts any
	if row.League != nil {
		league = Fold(*row.League)
	}
	if row.StartsAt != nil {
		starts = row.StartsAt.UnixMilli()
	}
	return to.fixture.AppendRow(int32(n), league, starts)
}

// flushEvery is after how many chunks the engine is handed what was appended.
const flushEvery = 1024

// markets renders on workers and appends in order.
func (l *loader) markets(to *appenders) error {
	rows, done, err := openTable[table.MarketRow](l, layout.MarketsFile)
	if err != nil {
		return err
	}
	defer done()
	no := 0
	return inOrder(l.ctx, l.workers, func(emit func(batch []table.MarketRow) bool) error {
		return l.readMarkets(rows, emit)
	}, renderBatch, func(packed [][]byte) error {
		for _, p := range packed {
			if err := to.marketChunk.AppendRow(int32(2*no), p); err != nil {
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

// batchChunks is how many chunks a worker renders at once.
const batchChunks = 16

// readMarkets reads the markets in batches of whole chunks, notes them in the
// index, and checks that they are in order and belong to the fixtures.
func (l *loader) readMarkets(rows *table.Reader[table.MarketRow], emit func([]table.MarketRow) bool) error {
	check := walker{index: l.index, counts: l.counts}
	for {
		batch := make([]table.MarketRow, batchChunks*chunkRows)
		n, err := readFull(rows, batch)
		if err != nil && err != io.EOF {
			return fmt.Errorf("%w: %w", ErrUnfit, err)
		}
		for i := range batch[:n] {
			if !check.next(&batch[i]) {
				return fmt.Errorf("%w: market %q of fixture %q is out of place", ErrUnfit, batch[i].MarketID, batch[i].FixtureID)
			}
			if i%chunkRows == 0 {
				l.index.marketChunk(batch[i].MarketID)
			}
		}
		if n > 0 && !emit(batch[:n]) {
			return nil
		}
		if err == io.EOF {
			break
		}
	}
	if !check.end() {
		return fmt.Errorf("%w: the fixtures' market counts and the markets differ", ErrUnfit)
	}
	return nil
}

// readFull fills the batch unless the table ends.
func readFull(rows *table.Reader[table.MarketRow], batch []table.MarketRow) (n int, err error) {
	for n < len(batch) && err == nil {
		var got int
		got, err = rows.Read(batch[n:])
		n += got
	}
	return n, err
}

// renderBatch renders markets and packs them chunk by chunk.
func renderBatch(rows []table.MarketRow) (packed [][]byte, err error) {
	c := chunker{append: func(_ int, p []byte) error { packed = append(packed, p); return nil }}
	for i := range rows {
		r := &rows[i]
		e := entry{key: []byte(r.MarketID), market: bytesOf(r.Market), period: bytesOf(r.Period), subjects: subjectsOf(r), ordinal: int(max(0, r.Ordinal))}
		from := len(c.text)
		c.text = api.AppendMarket(c.text, r)
		e.body = c.text[from:len(c.text):len(c.text)]
		if err := c.add(e); err != nil {
			return nil, err
		}
	}
	return packed, c.flush()
}

func bytesOf(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}
