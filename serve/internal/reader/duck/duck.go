// Package duck starts DuckDB as each of its rooms wants it: without data, its
// memory and its spill bounded, and with nothing that it fetches by itself.
package duck

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// Bounds of an instance. All are needed but Threads.
type Bounds struct {
	Dir     string // private: what does not fit into memory goes below it
	Memory  int64  // bytes
	Spill   int64  // bytes below Dir
	Threads int    // 0 = as many as there are processors
}

// Start starts an instance, with further settings behind the bounds. The caller
// closes it, and locks the configuration once its tables are there.
func Start(b Bounds, settings ...string) (*sql.DB, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	db := sql.OpenDB(connector)
	for _, s := range append(b.settings(), settings...) {
		if _, err := db.Exec(s); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s, err), db.Close())
		}
	}
	return db, nil
}

func (b Bounds) settings() []string {
	list := []string{
		fmt.Sprintf("SET memory_limit = '%dB'", b.Memory),
		"SET temp_directory = " + Quoted(filepath.Join(b.Dir, "spill")),
		fmt.Sprintf("SET max_temp_directory_size = '%dB'", b.Spill),
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
	}
	if b.Threads > 0 {
		list = append(list, fmt.Sprintf("SET threads = %d", b.Threads))
	}
	return list
}

// Quoted is a text as a literal of SQL: for names of our own files, where nothing
// can be bound.
func Quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
