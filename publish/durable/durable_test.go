package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

func everyFS(t *testing.T, test func(*testing.T, durable.FS)) {
	t.Run("disk", func(t *testing.T) {
		disk, err := durable.OpenRoot(filepath.Join(t.TempDir(), "client_id=a", "product=b"))
		must(t, err)
		t.Cleanup(func() { disk.Close() })
		test(t, disk)
	})
	t.Run("unsynced", func(t *testing.T) {
		disk, err := durable.OpenUnsynced(filepath.Join(t.TempDir(), "client_id=a", "product=b"))
		must(t, err)
		t.Cleanup(func() { disk.Close() })
		test(t, disk)
	})
	t.Run("memory", func(t *testing.T) { test(t, durabletest.NewMem()) })
}

// must ends the test if there is an error.
var must = check.Must

func content(t *testing.T, f durable.FS, name string) string {
	t.Helper()
	data, err := durable.ReadFile(f, name, 1<<20)
	must(t, err)
	return string(data)
}

// withoutLinks is a file system such as FAT.
type withoutLinks struct{ durable.FS }

func (withoutLinks) Link(string, string) error { return syscall.EPERM }

func TestSaveWithoutLinks(t *testing.T) {
	f := withoutLinks{durabletest.NewMem()}
	must(t, durable.Save(f, "odds.csv", false, durable.Bytes([]byte("1"))))
	if err := durable.Save(f, "odds.csv", false, durable.Bytes([]byte("2"))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	entries, err := f.ReadDir(".")
	must(t, err)
	if text := content(t, f, "odds.csv"); text != "1" || len(entries) != 1 {
		t.Errorf("the file is %q, beside %v", text, entries)
	}
}

// Save leaves nothing but what a person asked for.
func TestSave(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		must(t, durable.Save(f, "odds.csv", false, durable.Bytes([]byte("1"))))
		if err := durable.Save(f, "odds.csv", false, durable.Bytes([]byte("2"))); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a file: %v", err)
		}
		fault := errors.New("the query failed")
		if err := durable.Save(f, "odds.csv", true, func(io.Writer) error { return fault }); !errors.Is(err, fault) {
			t.Error(err)
		}
		if text := content(t, f, "odds.csv"); text != "1" {
			t.Errorf("the file is %q", text)
		}
		must(t, durable.Save(f, "odds.csv", true, durable.Bytes([]byte("3"))))
		entries, err := f.ReadDir(".")
		must(t, err)
		if text := content(t, f, "odds.csv"); text != "3" || len(entries) != 1 {
			t.Errorf("the file is %q, beside %v", text, entries)
		}
	})
}

func TestVerbs(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		must(t, durable.MkdirAllSync(f, "a/b"))
		must(t, durable.Create(f, "a/b/one", durable.Bytes([]byte("1"))))
		if err := durable.Create(f, "a/b/one", durable.Bytes(nil)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("create of a taken name: %v", err)
		}
		must(t, durable.CreateAgain(f, "a/two", durable.Bytes([]byte("2"))))
		must(t, durable.CreateAgain(f, "a/two", durable.Bytes([]byte("2"))))
		if err := durable.CreateAgain(f, "a/two", durable.Bytes([]byte("3"))); !errors.Is(err, durable.ErrDiffers) {
			t.Errorf("create again with other bytes: %v", err)
		}
		must(t, durable.Overwrite(f, "a/three", []byte("old")))
		must(t, durable.Overwrite(f, "a/three", []byte("new")))
		if got := content(t, f, "a/three"); got != "new" {
			t.Errorf("overwritten file holds %q", got)
		}
		if got := names(t, f, "a"); got != "b three two" {
			t.Errorf("folder holds %q: no temporary file may stay", got)
		}
	})
}

func names(t *testing.T, f durable.FS, dir string) string {
	t.Helper()
	entries, err := f.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestReadFileIsBounded(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		must(t, durable.Create(f, "f", durable.Bytes(make([]byte, 100))))
		if _, err := durable.ReadFile(f, "f", 99); !errors.Is(err, durable.ErrTooLarge) {
			t.Errorf("read of 100 bytes with room for 99: %v", err)
		}
		size, sum, err := durable.HashFile(f, "f")
		must(t, err)
		if size != 100 || sum != durable.Hash(make([]byte, 100)) {
			t.Errorf("hashed %d bytes to %s", size, sum)
		}
	})
}

func TestOpenTakesFilesOnly(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		must(t, f.MkdirAll("dir"))
		if _, err := f.Open("dir"); !errors.Is(err, durable.ErrNotRegular) {
			t.Errorf("open of a folder: %v", err)
		}
		if _, err := f.Open("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open of nothing: %v", err)
		}
	})
}

func TestInstall(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		stage := func(text string) {
			must(t, durable.MkdirAllSync(f, "staging/s"))
			must(t, durable.Create(f, "staging/s/file", durable.Bytes([]byte(text))))
		}
		must(t, durable.MkdirAllSync(f, "done"))
		stage("1")
		must(t, durable.Install(f, "staging/s", "done/x"))
		stage("1")
		must(t, durable.Install(f, "staging/s", "done/x"))
		stage("2")
		if err := durable.Install(f, "staging/s", "done/x"); !errors.Is(err, durable.ErrDiffers) {
			t.Fatalf("install over other content: %v", err)
		}
		moved, err := durable.MoveInto(f, "done/x", "staging/aside")
		must(t, err)
		must(t, durable.Install(f, "staging/s", "done/x"))
		if got := content(t, f, "done/x/file") + content(t, f, moved+"/file"); got != "21" {
			t.Errorf("installed and moved: %q", got)
		}
	})
}

func TestLock(t *testing.T) {
	everyFS(t, func(t *testing.T, f durable.FS) {
		for range 100 {
			held, err := f.Lock("lock")
			must(t, err)
			if _, err := f.Lock("lock"); !errors.Is(err, durable.ErrLocked) {
				t.Fatalf("second lock: %v", err)
			}
			must(t, held.Close())
		}
	})
}

func TestDiskStaysInItsRoot(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600))
	disk, err := durable.OpenRoot(filepath.Join(dir, "root"))
	must(t, err)
	must(t, os.Symlink("../secret", filepath.Join(dir, "root", "link")))
	for _, name := range []string{"../secret", "link", "/etc/hostname", "a/../../secret"} {
		if _, err := disk.Open(name); err == nil {
			t.Errorf("opened %s", name)
		}
		if _, err := disk.Create(name); err == nil {
			t.Errorf("created %s", name)
		}
	}
}

func TestDiskDoesNotWaitForAPipe(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	disk, err := durable.OpenRoot(dir)
	must(t, err)
	if _, err := disk.Open("pipe"); !errors.Is(err, durable.ErrNotRegular) {
		t.Errorf("open of a pipe: %v", err)
	}
}

func TestErrorsNameNoAbsolutePath(t *testing.T) {
	dir := t.TempDir()
	disk, err := durable.OpenRoot(dir)
	must(t, err)
	_, openErr := disk.Open("a/b")
	_, createErr := disk.Create("a/b")
	for _, err := range []error{openErr, createErr, disk.Rename("a", "b"), disk.Link("a", "b"), disk.SyncDir("a"), durable.NoSpace("write", "a/b")} {
		if err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("%v", err)
		}
	}
}

func TestRemoveTempsLeavesYoungOnes(t *testing.T) {
	disk, err := durable.OpenRoot(t.TempDir())
	must(t, err)
	must(t, durable.Create(disk, "CURRENT.tmp0", durable.Bytes(nil)))
	must(t, durable.RemoveTemps(disk, ".", time.Now().Add(-time.Hour)))
	if names(t, disk, ".") == "" {
		t.Error("somebody's file was deleted under his hands")
	}
	must(t, durable.RemoveTemps(disk, ".", time.Now().Add(time.Hour)))
	if got := names(t, disk, "."); got != "" {
		t.Errorf("kept %q", got)
	}
}

func TestRemoveTemps(t *testing.T) {
	f := durabletest.NewMem()
	for _, name := range []string{"CURRENT", "CURRENT.tmp0", "CURRENT.tmp12", "a.tmp", "b.tmpx1", "tmp0"} {
		must(t, durable.Create(f, name, durable.Bytes(nil)))
	}
	must(t, durable.RemoveTemps(f, ".", time.Now()))
	must(t, durable.RemoveTemps(f, "nowhere", time.Now()))
	if got := names(t, f, "."); got != "CURRENT b.tmpx1 tmp0" {
		t.Errorf("kept %q", got)
	}
}
