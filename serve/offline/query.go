// Package offline answers SQL queries over published snapshots on the disk, with DuckDB.
// It is for people who inspect a data root, not for clients.
//
// The tables are the files of the snapshot (fixtures, markets, live, …), selections (one
// row for each, taken from markets), changes (the retained window of the change log), steps
// (of the prices), commits (every publication), and all_… for the same tables over every
// snapshot that is kept, with the account, product and cycle as columns.
//
// Every file is verified against its manifest before the engine reads it. Then all other
// files are inaccessible, the configuration is locked, memory is bounded, and only a single
// SELECT is accepted.
package offline

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/serve/internal/duck"
)

// Options of a query.
type Options struct {
	Datasets []Dataset // at most one of each product, of one account
	Memory   int64     // bytes that the engine may use; 0 = 1 GiB
	Threads  int       // of the engine; 0 = one for each processor
}

// Answer receives the result of a query: Columns once, then Row for each row.
type Answer interface {
	Columns(columns []Column) error
	// Row has a value for each column, as encoding/json writes it: nil, bool, numbers, strings,
	// []any and map[string]any. values is valid only until Row returns.
	Row(values []any) error
}

// Column is a column of an answer, with the engine's name of its type: VARCHAR, TIMESTAMPTZ.
type Column struct{ Name, Type string }

// ErrSQL reports that the query itself is wrong or not allowed.
var ErrSQL = errors.New("sql")

// ErrMemory reports that the query needs more memory than Options.Memory.
var ErrMemory = errors.New("the query needs more memory than it may use: raise --memory, or select fewer rows or smaller columns")

// Query runs one SELECT over the datasets and passes its rows to the answer, until ctx ends.
func Query(ctx context.Context, o Options, text string, to Answer) (err error) {
	settings := []string{"SET temp_directory = ''", "SET TimeZone = 'UTC'"}
	if o.Threads > 0 {
		settings = append(settings, fmt.Sprintf("SET threads = %d", o.Threads))
	}
	db, err := duck.Open(ctx, cmp.Or(o.Memory, 1<<30), settings...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	a := &attacher{ctx: ctx, conn: conn, query: strings.ToLower(text), tables: names(o.Datasets)}
	for _, d := range o.Datasets {
		if err := a.dataset(d); err != nil {
			return err
		}
	}
	if err := duck.Run(ctx, conn, append([]string{"SET allowed_paths = [" + strings.Join(a.files, ", ") + "]"}, duck.Confined...)...); err != nil {
		return err
	}
	err = a.ask(text, to)
	var fault *duckdb.Error
	if ctx.Err() != nil || !errors.As(err, &fault) {
		return errors.Join(ctx.Err(), err)
	}
	switch {
	case fault.Type == duckdb.ErrorTypeIO, fault.Type == duckdb.ErrorTypeFatal, fault.Type == duckdb.ErrorTypeInternal:
		return fmt.Errorf("the engine: %w", fault)
	case fault.Type == duckdb.ErrorTypePermission:
		return fmt.Errorf("%w: a query can only read the tables, no other files, and cannot change settings", ErrSQL)
	case fault.Type == duckdb.ErrorTypeOutOfMemory:
		return ErrMemory
	case fault.Type == duckdb.ErrorTypeCatalog && strings.Contains(fault.Msg, "Table with name"): // the engine offers tables of its own
		first, _, _ := strings.Cut(fault.Msg, "\n")
		return fmt.Errorf("%w: %s The tables are %s", ErrSQL, first, strings.Join(a.tables, ", "))
	}
	return fmt.Errorf("%w: %s", ErrSQL, fault.Msg)
}

// part is how many rows of an answer are in memory outside of the engine.
const part = 50_000

// ask runs the query. The driver keeps the whole result of a query in memory that the engine does not
// count, so that the rows are kept in a table of the engine, and read in parts. A statement that cannot fill a
// table, such as DESCRIBE, or that might show that one, such as SHOW TABLES, has a short answer.
func (a *attacher) ask(text string, to Answer) error {
	if err := a.conn.Raw(func(raw any) error { return isSelect(raw.(driver.Conn), text) }); err != nil {
		return err
	}
	var fault *duckdb.Error
	err := error(nil)
	if !a.namesNone() {
		_, err = a.conn.ExecContext(a.ctx, "CREATE TEMP TABLE mkt_answer AS "+text)
	}
	if a.namesNone() || errors.As(err, &fault) && fault.Type == duckdb.ErrorTypeParser {
		_, err = a.rows(text, to.Columns, to)
		return err
	}
	columns := to.Columns
	for from, n := 0, part; err == nil && n == part; from += part {
		n, err = a.rows(fmt.Sprintf("FROM mkt_answer WHERE rowid >= %d AND rowid < %d ORDER BY rowid", from, from+part), columns, to)
		columns = func([]Column) error { return nil }
	}
	return err
}

// isSelect refuses several statements, or one that is not a SELECT, before anything runs.
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
	kind, err := prepared.(*duckdb.Stmt).StatementType()
	switch {
	case err != nil:
		return err
	case kind != duckdb.STATEMENT_TYPE_SELECT:
		return fmt.Errorf("%w: only SELECT is allowed (including WITH, FROM, DESCRIBE, SHOW and SUMMARIZE)", ErrSQL)
	case prepared.NumInput() > 0:
		return fmt.Errorf("%w: the query has parameters; replace them by values", ErrSQL)
	}
	return nil
}

// rows passes the columns and rows of a query on, and returns the number of rows.
func (a *attacher) rows(text string, columns func([]Column) error, to Answer) (n int, err error) {
	rows, err := a.conn.QueryContext(a.ctx, text)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return 0, err
	}
	list, values, into := make([]Column, len(types)), make([]any, len(types)), make([]any, len(types))
	for i, t := range types {
		list[i], into[i] = Column{t.Name(), t.DatabaseTypeName()}, &values[i]
	}
	for err = columns(list); err == nil && rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return n, err
		}
		for i := range values {
			values[i] = plain(values[i], types[i].DatabaseTypeName())
		}
		err = to.Row(values)
	}
	return n, errors.Join(err, rows.Err())
}
