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
)

// engine is one DuckDB instance over one loaded snapshot: read-only, single-threaded,
// with bounded memory, and locked so that no query can open another file or change
// the configuration. Safe for concurrent use.
type engine struct {
	db     *sql.DB
	memory int64       // its memory limit in bytes
	broken atomic.Bool // it failed with an error from which it cannot recover

	mu         sync.Mutex
	statements map[string]*sql.Stmt
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

// Row groups bound the memory that a load needs before it writes. Small blocks keep
// the cost of a page low: a block that is not cached is read and verified as a whole,
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
func openEngine(ctx context.Context, path string, memory int64) (*engine, error) {
	db, err := openMemory(filepath.Dir(path), memory)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = prepareToServe(ctx, conn, path)
		err = errors.Join(err, conn.Close(), os.Remove(path))
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.SetMaxOpenConns(maxConcurrent)
	db.SetMaxIdleConns(maxConcurrent)
	return &engine{db: db, memory: memory, statements: map[string]*sql.Stmt{}}, nil
}

func prepareToServe(ctx context.Context, conn *sql.Conn, path string) error {
	var optimizers string
	if err := conn.QueryRowContext(ctx, unneededOptimizers).Scan(&optimizers); err != nil {
		return err
	}
	return run(ctx, conn, "ATTACH "+duck.Quoted(path)+" AS d (READ_ONLY)", "SET disabled_optimizers = "+duck.Quoted(optimizers),
		"SET enable_external_access = false", "SET lock_configuration = true")
}

// unneededOptimizers lists all steps of the optimizer but those that let a look-up use the index.
// The engine plans a prepared statement anew whenever it is executed, which takes most of its time,
// and the statements here have nothing else to optimize.
const unneededOptimizers = `SELECT string_agg(name, ',') FROM duckdb_optimizers() WHERE name NOT IN ('expression_rewriter', 'filter_pushdown')`

func openMemory(dir string, memory int64) (*sql.DB, error) {
	return duck.Start(duck.Bounds{Dir: dir, Memory: memory, Spill: maxTempSpace, Threads: 1})
}

func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

func (e *engine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, s := range e.statements {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, e.db.Close())...)
}

func (e *engine) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s, ok := e.statements[text]; ok {
		return s, nil
	}
	s, err := e.db.PrepareContext(ctx, text)
	if err == nil {
		e.statements[text] = s
	}
	return s, err
}

// query runs a prepared statement and calls each with its rows. Values from clients
// are passed in args, never in text.
func (e *engine) query(ctx context.Context, text string, args []any, each func(*sql.Rows) error) error {
	err := e.run(ctx, text, args, each)
	var fault *duckdb.Error
	if errors.As(err, &fault) && (fault.Type == duckdb.ErrorTypeFatal || fault.Type == duckdb.ErrorTypeInternal) {
		e.broken.Store(true) // the next refresh replaces the engine
	}
	return err
}

func (e *engine) run(ctx context.Context, text string, args []any, each func(*sql.Rows) error) error {
	s, err := e.prepared(ctx, text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
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
