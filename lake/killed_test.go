package lake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	iceio "github.com/apache/iceberg-go/io"
	icetable "github.com/apache/iceberg-go/table"
	"github.com/parquet-go/parquet-go"

	"mkt/publish/football"
)

var errKilled = errors.New("killed")

// dying is the file system of a process that is killed at an operation: after it
// every operation fails, and half of the file that is being written exists. It does not sync, because
// the process alone ends.
type dying struct {
	iceio.LocalFS
	left *int // operations until then
}

func (d dying) step() error {
	if *d.left--; *d.left < 0 {
		return errKilled
	}
	return nil
}

func (d dying) Create(name string) (iceio.FileWriter, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	w, err := d.LocalFS.Create(name)
	if err != nil {
		return nil, err
	}
	return dyingFile{w, d}, nil
}

type dyingFile struct {
	iceio.FileWriter
	d dying
}

func (f dyingFile) Write(p []byte) (int, error) {
	if *f.d.left < 0 {
		return 0, errKilled
	}
	if *f.d.left == 0 { // the close is the operation that is killed
		n, _ := f.FileWriter.Write(p[:len(p)/2])
		return n, errKilled
	}
	return f.FileWriter.Write(p)
}

func (f dyingFile) Close() error {
	if err := f.d.step(); err != nil {
		f.FileWriter.Close()
		return err
	}
	return f.FileWriter.Close()
}

func (d dying) WriteFile(name string, content []byte) error {
	w, err := d.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return errors.Join(err, w.Close())
}

func (d dying) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.LocalFS.Rename(from, to)
}

func (d dying) RenameNoReplace(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.LocalFS.RenameNoReplace(from, to)
}

func (d dying) Remove(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.LocalFS.Remove(name)
}

// TestKilled kills a sync at every operation, and another one continues: the lake has every
// publication once.
func TestKilled(t *testing.T) {
	defer useDisk(func() iceio.IO { return disk{} })
	for _, product := range []football.Product{football.LiveIntelligence, football.MarketEngine} {
		t.Run(string(product), func(t *testing.T) {
			tables := []string{"live", "live_publications"}
			if product == football.MarketEngine {
				tables = []string{"steps", "fixtures", "markets", "changes", "publications"}
			}
			whole := t.TempDir()
			want := mustSync(t, dataRoot(t, 2), whole, product)
			for at := 0; ; at++ {
				lake := t.TempDir()
				left := at
				useDisk(func() iceio.IO { return dying{left: &left} })
				_, err := Sync(t.Context(), optionsFor(t, dataRoot(t, 2), lake, product))
				useDisk(func() iceio.IO { return iceio.LocalFS{} })
				if err == nil && left >= 0 {
					t.Logf("killed at each of %d operations", at)
					return
				}
				mustSync(t, dataRoot(t, 2), lake, product)
				for _, name := range tables {
					if n := countRows(t, lake, name); n != want.Rows[name] {
						t.Fatalf("killed at operation %d: %s has %d rows, want %d", at, name, n, want.Rows[name])
					}
				}
				for _, name := range tables {
					checkHint(t, filepath.Join(lake, "acme", name, "metadata"))
				}
				for _, row := range byLibrary(t, lake, tables[len(tables)-1]) {
					if row["coverage"] == coverageMissing {
						t.Fatalf("killed at operation %d: publication %v has no rows", at, row["version"])
					}
				}
			}
		})
	}
}

// checkHint: the file at which some readers start names the newest metadata.
func checkHint(t *testing.T, dir string) {
	t.Helper()
	hint, err := os.ReadFile(filepath.Join(dir, "version-hint.text"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(hint))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("v%d.metadata.json", n+1))); err == nil {
		t.Errorf("%s: the hint names version %d, which is not the newest", dir, n)
	}
}

// countRows counts the rows of a table by the footers of its files.
func countRows(t *testing.T, lake, name string) (n int64) {
	t.Helper()
	c, err := openCatalog(lake, "")
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := c.LoadTable(t.Context(), icetable.Identifier{"acme", name})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := tbl.Scan().PlanFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		f, err := os.Open(task.File.FilePath())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		n += file.NumRows()
	}
	return n
}
