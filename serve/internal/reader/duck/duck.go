// Package duck starts instances of DuckDB for the packages that use it: empty, with limits
// for memory and disk space, and without extensions that it would download by itself.
package duck

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// Bounds are the limits of an instance. All but Threads are required.
type Bounds struct {
	Dir     string // private folder below which it writes what does not fit into memory
	Memory  int64  // bytes
	Spill   int64  // bytes below Dir
	Threads int    // 0 = as many as there are processors
}

// Start starts an instance and applies further settings after the bounds. The caller must
// close it, and should lock the configuration as soon as its tables exist.
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

// Quoted returns a text as an SQL literal. It is for the names of our own files, which
// cannot be passed as parameters.
func Quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
