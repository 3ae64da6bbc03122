package offline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/duck"
)

// Dataset is one published snapshot of an account's product.
type Dataset struct {
	Dir    string // absolute, of the tenant and product
	Root   durable.ReadFS
	Commit snapshot.Commit
}

// Options of a query.
type Options struct {
	Datasets []Dataset // at most one of each product, of one account
	Memory   int64     // bytes that the process may take for the query, in addition to what it has; 0 = 1 GiB
	Spill    int64     // bytes that it may write to the disk; 0 = 8 GiB
	Timeout  time.Duration
	Scratch  string // folder for the spill; "" = the system's temporary folder
	Threads  int    // 0 = as many as there are processors
	// Abort must end the process. It is called if the query exceeds Memory and cannot be
	// cancelled, after its files were removed. If it is nil, the limit applies to the
	// engine only.
	Abort func(error)
}

const (
	defaultMemory = 1 << 30
	defaultSpill  = 8 << 30
)

// Answer receives the result of a query: Columns once, then Row for each row.
type Answer interface {
	Columns(names []string) error
	// Row has a value for each column: nil, bool, integers, floats, string, []byte,
	// time.Time, *big.Int, []any, Struct, and the driver's types for others. values is valid
	// only until Row returns.
	Row(values []any) error
}

// ErrSQL reports that the query itself is wrong or not allowed.
var ErrSQL = errors.New("sql")

// ErrTimeout reports that the query took longer than Options.Timeout.
var ErrTimeout = errors.New("the query took longer than its time limit")

// Query runs one SELECT over the datasets and passes its rows to the answer.
func Query(ctx context.Context, o Options, text string, to Answer) error {
	return run(ctx, o, text, "", func(ctx context.Context, conn *sql.Conn) error { return ask(ctx, conn, text, to) })
}

// run attaches the tables that the query names, makes everything but them and the file
// written inaccessible, and calls do.
func run(ctx context.Context, o Options, text, written string, do func(context.Context, *sql.Conn) error) (err error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, ErrTimeout)
		defer cancel()
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Spill <= 0 {
		o.Spill = defaultSpill
	}
	private, err := scratch.Make(o.Scratch, "mkt-sql-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, private.Remove()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var abort func(error)
	if o.Abort != nil {
		abort = func(err error) {
			private.Remove() // if it fails, the next run removes it
			o.Abort(err)
		}
	}
	defer watchMemory(o.Memory, cancel, abort)()
	db, err := start(o, private.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	a := &attacher{ctx: ctx, conn: conn, query: strings.ToLower(text)}
	for _, d := range o.Datasets {
		if err := a.dataset(d); err != nil {
			return err
		}
	}
	if written != "" {
		a.paths = append(a.paths, written)
	}
	if err := a.lock(); err != nil {
		return err
	}
	err = do(ctx, conn)
	if fault := (*duckdb.Error)(nil); errors.As(err, &fault) && fault.Type == duckdb.ErrorTypeCatalog && strings.Contains(fault.Msg, "Table with name") {
		first, _, _ := strings.Cut(fault.Msg, "\n") // the engine offers tables of its own
		return fmt.Errorf("%w: %s The tables are %s", ErrSQL, first, strings.Join(Tables(o.Datasets), ", "))
	}
	return classified(ctx, err)
}

func start(o Options, private string) (*sql.DB, error) {
	b := duck.Bounds{Dir: private, Memory: int64(engineShare * float64(o.Memory)), Spill: o.Spill, Threads: o.Threads}
	return duck.Start(b, "SET TimeZone = 'UTC'")
}

// ask runs the query. It is checked first: several statements, or one that is not a
// SELECT, are refused before anything runs.
func ask(ctx context.Context, conn *sql.Conn, text string, to Answer) error {
	if err := conn.Raw(func(raw any) error { return isSelect(raw.(driver.Conn), text) }); err != nil {
		return err
	}
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	if err := to.Columns(names); err != nil {
		return err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range values {
			values[i] = plain(values[i], types[i].DatabaseTypeName())
		}
		if err := to.Row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func isSelect(conn driver.Conn, text string) error {
	prepared, err := conn.Prepare(text)
	var fault *duckdb.Error
	if err != nil && !errors.As(err, &fault) { // the driver's own error: there is no statement, or several
		return fmt.Errorf("%w: enter exactly one statement", ErrSQL)
	}
	if err != nil {
		return err
	}
	defer prepared.Close()
	stmt, ok := prepared.(*duckdb.Stmt)
	if !ok {
		return errors.New("the engine returned a statement of an unknown kind")
	}
	if kind, err := stmt.StatementType(); err != nil || kind != duckdb.STATEMENT_TYPE_SELECT {
		return errors.Join(err, fmt.Errorf("%w: only SELECT is allowed (including WITH, FROM, DESCRIBE, SHOW and SUMMARIZE)", ErrSQL))
	}
	if stmt.NumInput() > 0 {
		return fmt.Errorf("%w: the query has parameters; replace them by values", ErrSQL)
	}
	return nil
}

// classified returns the error with which Query reports err: errors of the query itself are an [ErrSQL].
func classified(ctx context.Context, err error) error {
	var fault *duckdb.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return ErrTimeout
	case errors.Is(context.Cause(ctx), ErrMemory):
		return ErrMemory
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrSQL):
		return err
	case !errors.As(err, &fault):
		return err
	}
	switch fault.Type {
	case duckdb.ErrorTypeIO, duckdb.ErrorTypeFatal, duckdb.ErrorTypeInternal:
		return fmt.Errorf("the engine: %w", fault)
	case duckdb.ErrorTypePermission:
		return fmt.Errorf("%w: a query can only read the tables, no other files, and cannot change settings", ErrSQL)
	case duckdb.ErrorTypeOutOfMemory:
		return ErrMemory
	}
	return fmt.Errorf("%w: %s", ErrSQL, fault.Msg)
}
