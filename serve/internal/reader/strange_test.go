package reader_test

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/internal/reader"
)

// strange are things that may be in the place of a file or folder. outside is a copy of
// the same file or folder outside the data root.
var strange = map[string]func(t *testing.T, path, outside string){
	"link to a copy outside": func(t *testing.T, path, outside string) { must(t, os.Symlink(outside, path)) },
	"relative link out":      func(t *testing.T, path, outside string) { must(t, os.Symlink(relative(t, path, outside), path)) },
	"link to a copy inside": func(t *testing.T, path, outside string) {
		inside := filepath.Join(filepath.Dir(path), "copy")
		must(t, copyAny(outside, inside))
		must(t, os.Symlink("copy", path))
	},
	"dangling link": func(t *testing.T, path, _ string) { must(t, os.Symlink("nowhere", path)) },
	"link to itself": func(t *testing.T, path, _ string) {
		must(t, os.Symlink(filepath.Base(path), path))
	},
	"pipe": func(t *testing.T, path, _ string) { must(t, syscall.Mkfifo(path, 0o644)) },
	"socket": func(t *testing.T, path, _ string) {
		t.Chdir(filepath.Dir(path)) // the name of a socket must be short
		l, err := net.Listen("unix", filepath.Base(path))
		must(t, err)
		t.Cleanup(func() { l.Close() })
	},
	"folder":   func(t *testing.T, path, _ string) { must(t, os.Mkdir(path, 0o755)) },
	"no bytes": func(t *testing.T, path, _ string) { must(t, os.WriteFile(path, nil, 0o644)) },
}

func relative(t *testing.T, path, to string) string {
	t.Helper()
	name, err := filepath.Rel(filepath.Dir(path), to)
	must(t, err)
	return name
}

func copyAny(from, to string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

func replaced(root *servetest.Root) map[string]uint64 {
	dir := root.Commit.Dir()
	return map[string]uint64{
		layout.Current:                   2,
		layout.Commit(2):                 1,
		layout.Commit(1):                 2,
		dir:                              1,
		dir + "/" + layout.ManifestFile:  1,
		dir + "/" + layout.FixturesFile:  1,
		dir + "/" + layout.MarketsFile:   1,
		layout.StateDir + "/fetch.json":  2,
		layout.StateDir:                  2,
		layout.ChangesDir:                2, // of the change log only requests are refused
		layout.CommitsDir:                0,
		layout.SnapshotsDir:              0,
		".":                              0,
		"../../" + layout.Tenant("acme"): 0,
	}
}

// Whatever is in the place of a file or folder of the newest publication, it is neither
// followed nor waited for: a new reader and one that is already serving answer from the
// newest intact publication.
func TestStrangeFilesAreNotFollowed(t *testing.T) {
	for kind, put := range strange {
		for _, hot := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/hot=%v", kind, hot), func(t *testing.T) {
				first, second := twoPublications(t)
				root := servetest.NewRoot(t, second, "acme") // opens the new folder
				head := root.At(2)
				for n, name := range slices.Sorted(maps.Keys(replaced(head))) {
					cold := replaced(head)[name]
					if testing.Short() && (n+len(kind))%6 != 0 && !strings.HasPrefix(name, "..") { // every kind, and every name, with some of the other
						continue
					}
					dir := copied(t, first)
					l := open(t, dir)
					want := cold
					if hot {
						refresh(l)
						want = max(want, 1)
					}
					copyMissing(t, second, dir)
					path := filepath.Join(dir, layout.TenantProduct("acme", string(football.MarketEngine)), name)
					outside := filepath.Join(t.TempDir(), "outside")
					if _, err := os.Lstat(path); err == nil {
						must(t, copyAny(path, outside))
						must(t, os.RemoveAll(path))
					} else {
						must(t, os.MkdirAll(filepath.Dir(path), 0o755))
						must(t, os.WriteFile(outside, []byte("{}"), 0o644))
					}
					put(t, path, outside)
					d := refresh(l)
					got, trouble := version(d), d.Trouble()
					// An opened folder stays open: if a folder is replaced while a reader
					// has it open, only new readers notice. An empty folder has no publication.
					unseen := hot && (name == "." || strings.HasPrefix(name, "..")) || kind == "folder" && cold == 0 && name != layout.SnapshotsDir
					if got != want && !unseen {
						t.Errorf("%s: version %d is served, want %d", name, got, want)
					}
					if reported := trouble != reader.NoTrouble; reported != (want < 2) && !unseen {
						t.Errorf("%s: version %d is served, and trouble is %q", name, got, trouble)
					}
				}
			})
		}
	}
}

func TestDataRootMayBeALink(t *testing.T) {
	t.Parallel()
	root := published(t, 3, 2)
	link := filepath.Join(t.TempDir(), "data")
	must(t, os.Symlink(root.DataDir, link))
	current(t, link)
}

// A file without read permission is treated like a damaged one, and its publication is
// served again when the permissions are corrected.
func TestUnreadableFilesAreSkipped(t *testing.T) {
	needs.Root(t, "gives up its rights")
	first, second := twoPublications(t)
	head := servetest.NewRoot(t, second, "acme").At(2)
	for name, want := range replaced(head) {
		if strings.HasPrefix(name, "..") {
			continue
		}
		dir := copied(t, first)
		must(t, os.Chmod(dir, 0o755))
		must(t, os.Chmod(filepath.Dir(dir), 0o755))
		must(t, os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755))
		copyMissing(t, second, dir)
		path := filepath.Join(dir, layout.TenantProduct("acme", string(football.MarketEngine)), name)
		if _, err := os.Lstat(path); err != nil {
			continue // there is no state in this root
		}
		cache := t.TempDir()
		l := open(t, dir, func(o *reader.Options) { o.CacheDir = cache })
		private, err := filepath.Glob(filepath.Join(cache, "run-*"))
		must(t, err)
		for _, dir := range append(private, cache, filepath.Join(private[0], "notes")) { // they are this user's own
			must(t, os.Chmod(dir, 0o777))
		}
		before, err := os.Stat(path)
		must(t, err)
		must(t, os.Chmod(path, 0))
		served := make(chan uint64)
		go func() { // a thread of its own, which ends with the rights that it gave up
			runtime.LockOSThread()
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
			}
			served <- version(refresh(l))
		}()
		if got := <-served; got != want {
			t.Errorf("%s: version %d is served, want %d", name, got, want)
		}
		must(t, os.Chmod(path, before.Mode()))
	}
}

func version(d *reader.Dataset) uint64 {
	v := d.Acquire()
	if v == nil {
		return 0
	}
	defer v.Release()
	return v.Commit().Version
}
