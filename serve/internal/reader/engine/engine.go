// Package engine keeps the tables of one loaded snapshot in a DuckDB of its own, and reads pages from them.
package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/klauspost/compress/s2"

	"mkt/serve/internal/duck"
)

// Engine is one DuckDB instance over one loaded snapshot: read-only, single-threaded,
// with bounded memory, and locked so that no query can open another file or change
// the configuration. Safe for concurrent use.
type Engine struct {
	DB         *sql.DB
	Memory     int64                // its memory limit in bytes
	Broken     atomic.Bool          // it failed with an error from which it cannot recover
	statements map[string]*sql.Stmt // the prepared queries, by their text
}

// The bodies are packed already, so the engine must not try to compress them. Row groups bound the
// memory of a load. Blocks outside the cache are read as a whole, so they are small.
const (
	storeAsIs = `SET force_compression = 'uncompressed'`
	attachNew = `ATTACH %s AS d (ROW_GROUP_SIZE 16384, BLOCK_SIZE 65536)`
)

// Bounds of one engine.
const (
	MinMemory     = 8 << 20
	MaxMemory     = 48 << 20
	MaxConcurrent = 8 // simultaneous queries; others wait

	buildMemory  = 48 << 20 // enough for 15 kB a packed market, fifteen times the usual size
	maxTempSpace = 1 << 30
)

// VectorRows is the number of rows that DuckDB reads at once. A query for a page holds the bodies of
// so many rows, also of those that it does not return.
const VectorRows = 2048

// Build creates a private file with the tables of a schema, whose names begin with "d.", and fills them.
func Build(ctx context.Context, path, schema string, fill func(driver.Conn) error) (err error) {
	db, err := openMemory(ctx, filepath.Dir(path), buildMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := duck.Run(ctx, conn, storeAsIs, fmt.Sprintf(attachNew, duck.Quoted(path)), schema, "BEGIN"); err != nil {
		return err
	}
	if err := conn.Raw(func(raw any) error { return fill(raw.(driver.Conn)) }); err != nil {
		return err
	}
	return duck.Run(ctx, conn, "COMMIT", "CHECKPOINT d", "DETACH d")
}

// Appender appends rows to a table.
type Appender = duckdb.Appender

// Append appends rows to a table of the file that [Build] fills.
func Append(conn driver.Conn, table string, rows func(to *Appender) error) error {
	to, err := duckdb.NewAppender(conn, "d", "main", table)
	if err != nil {
		return err
	}
	return errors.Join(rows(to), to.Close())
}

// Open opens a private file for the queries and unlinks it, so that no other process can open it
// and it disappears when this process ends. vector is how many bytes the bodies of [VectorRows] rows
// have at most: the engine gets the memory for two such queries at least.
func Open(ctx context.Context, path string, memory, vector int64, queries ...string) (*Engine, error) {
	each := 2 * max(1, vector)
	memory = max(memory, 2*each)
	db, err := openMemory(ctx, filepath.Dir(path), memory)
	if err != nil {
		return nil, err
	}
	connections := int(min(MaxConcurrent, memory/each))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	e := &Engine{DB: db, Memory: memory, statements: map[string]*sql.Stmt{}}
	err = duck.Run(ctx, db, append([]string{"ATTACH " + duck.Quoted(path) + " AS d (READ_ONLY)", withoutLateReads}, duck.Confined...)...)
	for _, text := range queries {
		if err == nil {
			e.statements[text], err = db.PrepareContext(ctx, text)
		}
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// withoutLateReads keeps the engine from reading the bodies of a page in a second scan: it would read
// all other columns of the table again.
const withoutLateReads = `SET disabled_optimizers = 'late_materialization'`

func openMemory(ctx context.Context, dir string, memory int64) (*sql.DB, error) {
	return duck.Open(ctx, memory, "SET temp_directory = "+duck.Quoted(filepath.Join(dir, "spill")),
		fmt.Sprintf("SET max_temp_directory_size = '%dB'", int64(maxTempSpace)), "SET threads = 1")
}

// Close closes the engine, when no query runs any more.
func (e *Engine) Close() error { return e.DB.Close() }

// Query runs a prepared query and calls each with its rows. Values from clients are passed in args,
// never in text.
func (e *Engine) Query(ctx context.Context, text string, args []any, each func(*sql.Rows) error) (err error) {
	defer func() {
		var fault *duckdb.Error
		if errors.As(err, &fault) && (fault.Type == duckdb.ErrorTypeFatal || fault.Type == duckdb.ErrorTypeInternal) {
			e.Broken.Store(true) // the next refresh replaces the engine
		}
	}()
	rows, err := e.statements[text].QueryContext(ctx, args...)
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

// Item takes the id and the JSON of a row, which are valid only until it returns.
type Item = func(id, body []byte)

// Page runs a query of ids and packed bodies, whose last parameter is the maximum number of rows, and calls
// do with at most limit of them. more reports whether there is another one.
func (e *Engine) Page(ctx context.Context, text string, args []any, limit int, do Item) (more bool, err error) {
	var id, packed sql.RawBytes
	var body []byte
	rows := 0
	err = e.Query(ctx, text, append(args, limit+1), func(r *sql.Rows) error {
		if rows++; rows > limit {
			more = true
			return nil
		}
		if err := r.Scan(&id, &packed); err != nil {
			return err
		}
		if body, err = unpack(body, packed); err == nil {
			do(id, body)
		}
		return err
	})
	return more, err
}

// Pack compresses a body as an S2 block: DuckDB reads all rows of a vector for a page, and they are a
// third as long.
func Pack(to, body []byte) []byte { return s2.Encode(to[:cap(to)], body) }

func unpack(to, packed []byte) ([]byte, error) { return s2.Decode(to[:cap(to)], packed) }
