// Package duck starts the query engine in memory.
package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// Open starts an engine that is empty, uses at most so many bytes of memory, has the settings, and never downloads
// an extension.
func Open(ctx context.Context, memory int64, settings ...string) (*sql.DB, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	db := sql.OpenDB(connector)
	settings = append(settings, fmt.Sprintf("SET memory_limit = '%dB'", memory), "SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false")
	if err := Run(ctx, db, settings...); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Confined are settings after which only the files that are open or allowed can be read, and no setting changed.
var Confined = []string{"SET enable_external_access = false", "SET lock_configuration = true"}

// Executor is a database or a connection.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Run executes statements until one fails.
func Run(ctx context.Context, on Executor, statements ...string) error {
	for _, s := range statements {
		if _, err := on.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

// Quoted returns a text as an SQL literal. It is for the names of our own files, which cannot be passed as
// parameters.
func Quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
