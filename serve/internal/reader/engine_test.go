package reader

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/serve/internal/reader/engine"
)

// The tests of the engine are here, because it would take half a minute to link DuckDB into those of one more package.
const (
	schema     = `CREATE TABLE d.market (n BIGINT, id VARCHAR, body BLOB)`
	marketPage = `SELECT id, body FROM d.market WHERE n BETWEEN $1 AND $2 ORDER BY n LIMIT $3`
)

func TestEngineIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "it's a page.duckdb")
	err := engine.Build(t.Context(), path, schema, func(conn driver.Conn) error {
		return engine.Append(conn, "market", func(to *engine.Appender) error {
			return to.AppendRow(int64(0), "mk_1", engine.Pack(nil, []byte("{}")))
		})
	})
	must(t, err)
	outside := filepath.Join(dir, "outside.csv")
	must(t, os.WriteFile(outside, []byte("a,b\n1,2\n"), 0o600))
	e, err := engine.Open(t.Context(), path, engine.MinMemory, 0, marketPage)
	must(t, err)
	defer func() { must(t, e.Close()) }()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the private file can still be opened: %v", err)
	}
	for _, statement := range []string{
		"SELECT * FROM read_csv('" + strings.ReplaceAll(outside, "'", "''") + "')",
		"COPY d.market TO '" + filepath.Join(dir, "out.csv") + "'",
		"ATTACH '" + filepath.Join(dir, "other.duckdb") + "' AS other",
		"INSTALL httpfs", "LOAD httpfs",
		"SET enable_external_access = true", "SET memory_limit = '4GB'", "SET threads = 8", "SET temp_directory = '/tmp'", "RESET memory_limit",
		"DELETE FROM d.market", "CREATE TABLE d.x (i INTEGER)", "INSERT INTO d.market SELECT * FROM d.market",
	} {
		if _, err := e.DB.Exec(statement); err == nil {
			t.Errorf("allowed: %s", statement)
		}
	}
	for setting, want := range map[string]string{"threads": "1", "memory_limit": "8.0 MiB", "enable_external_access": "false", "lock_configuration": "true"} {
		got := ""
		err := e.DB.QueryRow("SELECT current_setting(?)::VARCHAR", setting).Scan(&got)
		if err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", setting, got, err, want)
		}
	}
	found := ""
	_, err = e.Page(t.Context(), marketPage, []any{0, 0}, 1, func(_, body []byte) { found = string(body) })
	if err != nil || found != "{}" {
		t.Errorf("found %q, %v", found, err)
	}
}

// A query holds the bodies of many more rows than it returns. The engine has the memory for two at once,
// however large the bodies are.
func TestLargeBodiesFitIntoMemory(t *testing.T) {
	t.Parallel()
	r := rand.NewChaCha8([32]byte{})
	body := make([]byte, 6000) // more than can be packed
	path := filepath.Join(t.TempDir(), "pages.duckdb")
	must(t, engine.Build(t.Context(), path, schema, func(conn driver.Conn) error {
		return engine.Append(conn, "market", func(to *engine.Appender) error {
			for n := range int64(engine.VectorRows) {
				r.Read(body)
				if err := to.AppendRow(n, fmt.Sprintf("mk_%04d", n), engine.Pack(nil, body)); err != nil {
					return err
				}
			}
			return nil
		})
	}))
	e, err := engine.Open(t.Context(), path, engine.MinMemory, int64(engine.VectorRows*len(body)), marketPage)
	must(t, err)
	defer func() { must(t, e.Close()) }()
	var all errgroup.Group
	for range 2 * engine.MaxConcurrent {
		all.Go(func() error {
			n := 0
			more, err := e.Page(t.Context(), marketPage, []any{100, 1000}, 50, func(_, body []byte) { n += len(body) })
			if n != 50*len(body) || !more {
				return errors.Join(err, fmt.Errorf("a page of %d bytes, more %v", n, more))
			}
			return err
		})
	}
	must(t, all.Wait())
}

var must = check.Must

func TestBrokenEngineIsReplaced(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.PublishNext(3, 2)
	l, err := Open(Options{DataDir: root.DataDir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine}})
	must(t, err)
	defer l.Close()
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	d.Refresh(t.Context())
	first := d.Acquire()
	defer first.Release()
	d.Refresh(t.Context())
	if again := d.Acquire(); again != first {
		t.Error("an intact engine was replaced")
	} else {
		again.Release()
	}
	first.engine.Broken.Store(true)
	d.Refresh(t.Context())
	second := d.Acquire()
	defer second.Release()
	if second == first || second.engine.Broken.Load() || second.Commit().SHA256 != first.Commit().SHA256 {
		t.Error("a broken engine was not replaced")
	}
}
