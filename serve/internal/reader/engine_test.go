package reader

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/check"
	"mkt/publish/football"
	"mkt/serve/internal/reader/duck"
	"mkt/serve/internal/servetest"
)

func TestEngineIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "it's a page.duckdb")
	err := build(t.Context(), path, func(a *appenders) error { return a.marketChunk.AppendRow(int64(0), []byte("x")) })
	must(t, err)
	outside := filepath.Join(dir, "outside.csv")
	must(t, os.WriteFile(outside, []byte("a,b\n1,2\n"), 0o600))
	e, err := openEngine(path, minEngineMemory)
	must(t, err)
	defer e.close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the private file can still be opened: %v", err)
	}
	c := e.idle[0]
	for _, statement := range []string{
		"SELECT * FROM read_csv('" + strings.ReplaceAll(outside, "'", "''") + "')",
		"COPY d.market_chunk TO '" + filepath.Join(dir, "out.csv") + "'",
		"ATTACH '" + filepath.Join(dir, "other.duckdb") + "' AS other",
		"INSTALL httpfs", "LOAD httpfs",
		"SET enable_external_access = true", "SET memory_limit = '4GB'", "SET threads = 8", "SET temp_directory = '/tmp'", "RESET memory_limit",
		"DELETE FROM d.market_chunk", "CREATE TABLE d.x (i INTEGER)", "INSERT INTO d.market_chunk VALUES (2, 'y')",
	} {
		if err := c.Exec(statement); err == nil {
			t.Errorf("allowed: %s", statement)
		}
	}
	for setting, want := range map[string]string{"threads": "1", "memory_limit": "8.0 MiB", "enable_external_access": "false", "lock_configuration": "true"} {
		got := ""
		err := c.Query("SELECT current_setting(?)::VARCHAR", []any{setting}, func(r duck.Row) error {
			got = string(r.Bytes(0))
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", setting, got, err, want)
		}
	}
	rows := 0
	err = e.query(t.Context(), chunkQuery(marketChunks, 1), []any{chunkKey(0)}, func(duck.Row) error { rows++; return nil })
	if err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// A look-up of chunks uses the index: its cost does not depend on the number of chunks.
func TestLookUpUsesTheIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pages.duckdb")
	must(t, build(t.Context(), path, func(a *appenders) error {
		for no := range 5000 {
			if err := a.marketChunk.AppendRow(chunkKey(no), []byte("x")); err != nil {
				return err
			}
		}
		return nil
	}))
	e, err := openEngine(path, minEngineMemory)
	must(t, err)
	defer e.close()
	for _, n := range []int{1, 2, 8, maxQueryChunks} {
		var args []any
		for no := range n {
			args = append(args, chunkKey(40*no+7))
		}
		text := ""
		must(t, e.idle[0].Query("EXPLAIN ANALYZE "+chunkQuery(marketChunks, n), args, func(r duck.Row) error {
			text = string(r.Bytes(1))
			return nil
		}))
		if !strings.Contains(text, "Index Scan") {
			t.Errorf("%d chunks:\n%s", n, text)
		}
	}
}

func TestChunksRoundTrip(t *testing.T) {
	t.Parallel()
	var chunks chunker
	for n := range chunkRows + 1 {
		var in []entry
		for i := range n {
			in = append(in, entry{key: []byte(strings.Repeat("k", i)), market: []byte("M"), period: nil, ordinal: i * 1000,
				body: []byte(strings.Repeat("{}", i*i)), detail: []byte{}})
		}
		c := &chunk{}
		chunks.reset(func(_ int, compressed []byte) (err error) {
			c, err = decodeChunk(compressed)
			return err
		})
		for _, e := range in {
			must(t, chunks.add(e))
		}
		must(t, chunks.flush())
		if len(c.entries) != n {
			t.Fatalf("%d entries: %d", n, len(c.entries))
		}
		for i, e := range c.entries {
			if string(e.key) != string(in[i].key) || string(e.body) != string(in[i].body) || e.ordinal != in[i].ordinal || string(e.market) != "M" || len(e.period) != 0 {
				t.Errorf("entry %d of %d: %+v", i, n, e)
			}
		}
		c.release()
	}
}

func (c *chunker) add(e entry) error {
	for _, text := range e.texts() {
		c.text = append(c.text, *text...)
		c.endText()
	}
	return c.endEntry(e.ordinal)
}

func FuzzDecodeChunk(f *testing.F) {
	var c chunker
	c.reset(func(_ int, compressed []byte) error { f.Add(bytes.Clone(compressed)); return nil })
	must(f, c.add(entry{key: []byte("a"), body: []byte("{}")}))
	must(f, c.add(entry{key: []byte("b")}))
	must(f, c.flush())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}) // 4 GiB
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := decodeChunk(data); err == nil {
			c.release()
		}
		c := &chunk{buf: data} // the content of a damaged chunk
		c.parse()
	})
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
	first.engine.broken.Store(true)
	d.Refresh(t.Context())
	second := d.Acquire()
	defer second.Release()
	if second == first || second.engine.broken.Load() || second.Commit().SHA256 != first.Commit().SHA256 {
		t.Error("a broken engine was not replaced")
	}
}
