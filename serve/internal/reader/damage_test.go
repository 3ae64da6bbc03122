package reader_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/markets"
)

// twoPublications returns copies of a data root in two states: after the first publication
// and after the second. Every value contains its version.
func twoPublications(t *testing.T) (first, second string) {
	t.Helper()
	original.once.Do(func() {
		var err error
		original.dir, err = os.MkdirTemp("", "reader-test-")
		must(t, err)
		root := servetest.NewRoot(t, filepath.Join(original.dir, "second"), "acme")
		root.PublishNext(3, 2)
		must(t, os.CopyFS(filepath.Join(original.dir, "first"), os.DirFS(root.DataDir)))
		root.PublishNext(4, 2)
	})
	return copied(t, filepath.Join(original.dir, "first")), copied(t, filepath.Join(original.dir, "second"))
}

// original has both states, which are published once for all tests.
var original struct {
	once sync.Once
	dir  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(original.dir)
	os.Exit(code)
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to, err := os.MkdirTemp(t.TempDir(), "root-")
	must(t, err)
	must(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func answers(t *testing.T, v *reader.View) (string, error) {
	var all strings.Builder
	var inside error
	_, err := v.Fixtures(t.Context(), markets.FixtureFilter{}, "", 100, func(id, body []byte) {
		fmt.Fprintf(&all, "%s\n", body)
		found, _ := v.Find(string(id))
		_, e := v.Markets(t.Context(), found, markets.Filter{}, "", 100, func(id, body []byte) { fmt.Fprintf(&all, "%s\n", body) })
		if e != nil {
			inside = e
		}
	})
	if err != nil || inside != nil {
		return "", fmt.Errorf("%v, %v", err, inside)
	}
	w := v.Window()
	if _, _, err := v.Events(w.FirstSeq-1, 100, func(body []byte) { fmt.Fprintf(&all, "%s\n", body) }); err != nil {
		return "", err
	}
	return all.String(), nil
}

// D1: whatever published file is damaged, a new reader and one that is already serving
// answer from the newest intact publication, or not at all.
func TestDamageIsNeverServed(t *testing.T) {
	t.Parallel()
	first, second := twoPublications(t)
	want := map[uint64]string{}
	for version, dir := range map[uint64]string{1: first, 2: second} {
		text, err := answers(t, current(t, dir))
		must(t, err)
		want[version] = text
	}
	mutants := 1000
	if testing.Short() {
		mutants = 16
	}
	counts := map[string]int{}
	for i := range mutants {
		t.Run(fmt.Sprint(i), func(t *testing.T) { counts[mutant(t, first, second, want, i)]++ })
	}
	t.Logf("%d mutants: %v", mutants, counts)
}

func mutant(t *testing.T, first, second string, want map[uint64]string, i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	dir := copied(t, first)
	l := open(t, dir)
	if i%2 == 0 { // it serves already
		refresh(l)
	}
	must(t, os.Remove(filepath.Join(dir, layout.TenantProduct("acme", string(football.MarketEngine)), layout.Current)))
	copyMissing(t, second, dir)
	how := spoil(t, dir, r)
	v := refresh(l).Acquire()
	if v == nil {
		return "nothing is answered"
	}
	defer v.Release()
	text, err := answers(t, v)
	switch {
	case err != nil:
		return "an error is answered"
	case text != want[v.Commit().Version]:
		t.Errorf("%s: version %d answers\n%s", how, v.Commit().Version, text)
	case v.Commit().Version == 1:
		return "the publication before answers"
	}
	return "the newest answers"
}

func copyMissing(t *testing.T, from, to string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		target := filepath.Join(to, name)
		if _, there := os.Stat(target); err != nil || there == nil {
			return err
		}
		if e.IsDir() {
			return os.Mkdir(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	}))
}

// spoil damages one file in a way that disks and people do.
func spoil(t *testing.T, dir string, r *rand.Rand) string {
	t.Helper()
	var files []string
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.Contains(path, "/"+layout.StagingDir+"/") {
			files = append(files, path)
		}
		return err
	}))
	path := files[r.IntN(len(files))]
	data, err := os.ReadFile(path)
	must(t, err)
	name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
	at := r.IntN(max(1, len(data)))
	switch kind := r.IntN(5); {
	case kind == 0 || len(data) == 0:
		must(t, os.Remove(path))
		return name + " removed"
	case kind == 1:
		data = data[:at]
	case kind == 2:
		clear(data[at:min(len(data), at+1+r.IntN(512))])
	case kind == 3:
		data[at] ^= 1 << r.IntN(8)
	default: // the footer of a table
		clear(data[max(0, len(data)-1-r.IntN(64)):])
	}
	must(t, os.WriteFile(path, data, 0o644))
	return name + fmt.Sprint(" changed at ", at)
}

// P8: whatever CURRENT contains, the newest publication is served, by a new reader and
// by one that is already serving.
func TestNewestIsServedWhateverCurrentHolds(t *testing.T) {
	t.Parallel()
	for form, content := range map[string]string{"missing": "", "empty": " ", "garbage": "\xff\x00}", "dangling": `{"format":1,"version":99,"commit_sha256":"` + durable.Hash(nil) + `"}`} {
		for _, hot := range []bool{false, true} {
			first, second := twoPublications(t)
			l := open(t, first)
			if hot {
				refresh(l)
			}
			copyMissing(t, second, first)
			current := filepath.Join(first, layout.TenantProduct("acme", string(football.MarketEngine)), layout.Current)
			must(t, os.Remove(current))
			if content != "" {
				must(t, os.WriteFile(current, []byte(strings.TrimSpace(content)), 0o644))
			}
			if v := view(t, refresh(l)); v.Commit().Version != 2 {
				t.Errorf("CURRENT %s, hot %v: version %d is served", form, hot, v.Commit().Version)
			}
		}
	}
}
