package reader

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/serve/internal/reader/duck"
	"mkt/serve/internal/reader/lru"
)

// engine is one DuckDB instance over one loaded snapshot: read-only, single-threaded,
// with bounded memory, and locked so that no query can open another file or change
// the configuration. Safe for concurrent use.
type engine struct {
	instance *duck.Instance
	memory   int64         // its memory limit in bytes
	broken   atomic.Bool   // it failed with an error from which it cannot recover
	queries  chan struct{} // has an element for each query that runs
	ahead    ahead
	recent   *lru.Cache[chunkName, []byte] // chunks that were fetched last

	mu   sync.Mutex
	idle []*duck.Conn
}

// schema has the tables of the private file. no is the chunkKey of a chunk.
const schema = `
CREATE TABLE d.fixture (n INTEGER, league VARCHAR, starts_at BIGINT);
CREATE TABLE d.fixture_chunk (no BIGINT, body BLOB);
CREATE TABLE d.market_chunk (no BIGINT, body BLOB);
`

const indexes = `
CREATE UNIQUE INDEX fixture_chunk_no ON d.fixture_chunk (no);
CREATE UNIQUE INDEX market_chunk_no ON d.market_chunk (no);
`

// Row groups bound the memory of a load before it writes. Small blocks keep
// the cost of a page low: a block outside the cache is read and verified as a whole,
// and this is an eighth of the default size.
const attachNew = `ATTACH %s AS d (ROW_GROUP_SIZE 2048, BLOCK_SIZE 32768)`

const (
	buildMemory     = 128 << 20
	minEngineMemory = 8 << 20
	maxEngineMemory = 48 << 20
	maxTempSpace    = 1 << 30
	maxConcurrent   = 8 // simultaneous queries; others wait
)

func build(ctx context.Context, path string, fill func(*appenders) error) (err error) {
	db, err := openMemory(filepath.Dir(path), buildMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := run(ctx, conn, fmt.Sprintf(attachNew, duck.Quoted(path)), schema, "BEGIN"); err != nil {
		return err
	}
	err = conn.Raw(func(raw any) error {
		a, err := newAppenders(raw.(driver.Conn))
		if err != nil {
			return err
		}
		return errors.Join(fill(a), a.close())
	})
	if err != nil {
		return err
	}
	return run(ctx, conn, "COMMIT", indexes, "CHECKPOINT d", "DETACH d")
}

// openEngine opens a private file for reading and unlinks it, so that no other
// process can open it and it disappears when this process ends.
func openEngine(path string, memory int64) (*engine, error) {
	instance, err := duck.Open(limits(filepath.Dir(path), memory))
	if err != nil {
		return nil, err
	}
	e := &engine{instance: instance, memory: memory, queries: make(chan struct{}, maxConcurrent), recent: lru.New[chunkName, []byte](int(memory / recentShare))}
	c, err := instance.Connect()
	if err == nil {
		e.idle = append(e.idle, c)
		err = errors.Join(prepareToServe(c, path), os.Remove(path))
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func prepareToServe(c *duck.Conn, path string) error {
	var optimizers string
	err := c.Query(unneededOptimizers, nil, func(r duck.Row) error {
		optimizers = string(r.Bytes(0))
		return nil
	})
	if err != nil {
		return err
	}
	return c.Exec("ATTACH "+duck.Quoted(path)+" AS d (READ_ONLY)", "SET disabled_optimizers = "+duck.Quoted(optimizers),
		"SET enable_external_access = false", "SET lock_configuration = true")
}

// unneededOptimizers lists all steps of the optimizer but those that let a look-up use the index.
// The engine plans a prepared statement anew whenever it is executed, which takes most of its time,
// and the statements here have nothing else to optimize.
const unneededOptimizers = `SELECT string_agg(name, ',') FROM duckdb_optimizers() WHERE name NOT IN ('expression_rewriter', 'filter_pushdown')`

func openMemory(dir string, memory int64) (*sql.DB, error) { return duck.Start(limits(dir, memory)) }

func limits(dir string, memory int64) duck.Bounds {
	return duck.Bounds{Dir: dir, Memory: memory, Spill: maxTempSpace, Threads: 1}
}

func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

// close closes the engine, when no query runs any more.
func (e *engine) close() {
	for _, c := range e.idle {
		c.Close()
	}
	e.instance.Close()
}

// query runs a prepared statement and calls each with its rows. Values from clients
// are passed in args, never in text. The context limits the wait for other queries, and
// not the query itself, which takes some milliseconds at most.
func (e *engine) query(ctx context.Context, text string, args []any, each func(duck.Row) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case e.queries <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.queries }()
	c, err := e.connection()
	if err != nil {
		return err
	}
	defer e.keep(c)
	err = c.Query(text, args, each)
	var fault *duck.Error
	if errors.As(err, &fault) && fault.Fatal {
		e.broken.Store(true) // the next refresh replaces the engine
	}
	return err
}

// connection returns the connection that was used last, whose memory is most likely in the
// processor's cache, or a new one.
func (e *engine) connection() (*duck.Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := len(e.idle) - 1; last >= 0 {
		c := e.idle[last]
		e.idle = e.idle[:last]
		return c, nil
	}
	return e.instance.Connect()
}

func (e *engine) keep(c *duck.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, c)
}

type appenders struct{ fixture, fixtureChunk, marketChunk *duckdb.Appender }

func newAppenders(conn driver.Conn) (*appenders, error) {
	a := &appenders{}
	for table, into := range map[string]**duckdb.Appender{"fixture": &a.fixture, "fixture_chunk": &a.fixtureChunk, "market_chunk": &a.marketChunk} {
		appender, err := duckdb.NewAppender(conn, "d", "main", table)
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		*into = appender
	}
	return a, nil
}

func (a *appenders) close() error {
	var errs []error
	for _, appender := range []*duckdb.Appender{a.fixture, a.fixtureChunk, a.marketChunk} {
		if appender != nil {
			errs = append(errs, appender.Close())
		}
	}
	return errors.Join(errs...)
}
