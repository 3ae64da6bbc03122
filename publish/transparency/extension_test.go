package transparency_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/check"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/transparency"
)

// filesOf reads all files of a log and its leaves.
func filesOf(t testing.TB, f durable.ReadFS) map[string]string {
	t.Helper()
	all := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := f.ReadDir(dir)
		check.Must(t, err)
		for _, e := range entries {
			name := dir + "/" + e.Name()
			if e.IsDir() {
				walk(name)
				continue
			}
			data, err := durable.ReadFile(f, name, 1<<30)
			check.Must(t, err)
			all[name] = string(data)
		}
	}
	walk("log")
	walk("leaves")
	delete(all, "leaves/lock")
	return all
}

func openCopy(t testing.TB, f durable.FS, key *transparency.Key) *transparency.Copy {
	t.Helper()
	v, err := note.NewVerifier(key.VerifierKey())
	check.Must(t, err)
	c, err := transparency.OpenCopy(f, v)
	check.Must(t, err)
	return c
}

// shared is a log whose extensions are kept in order.
func shared(t testing.TB, f durable.FS, key *transparency.Key) (*transparency.Log, *[][]byte) {
	l, extensions := open(t, f, key), new([][]byte)
	l.Commit = func(from int64, data []byte) error {
		*extensions = append(*extensions, data)
		return nil
	}
	return l, extensions
}

// A copy without the private key that applies the extensions of a log, as they came or by whole tiles, has its
// bytes; so has one that was killed at any operation.
func TestCopyHasTheSameBytes(t *testing.T) {
	f, key := durabletest.NewMem(), newKey(t, 1)
	l, extensions := shared(t, f, key)
	follower := openCopy(t, durabletest.NewMem(), key)
	random := rand.New(rand.NewPCG(3, 4))
	applied, copied := 0, durabletest.NewMem()
	follower.Close()
	follower = openCopy(t, copied, key)
	for size := 0; size < 1500; {
		n := 1 + random.IntN(400)
		head, err := l.Append(recordsFrom(size, n))
		check.Must(t, err)
		size += n
		for _, e := range (*extensions)[applied:] {
			_, err := follower.Apply(e)
			check.Must(t, err)
		}
		applied = len(*extensions)
		if random.IntN(2) == 0 { // the next leaves name it as their lower bound
			check.Must(t, l.AddCosigned(head.Note))
			check.Must(t, follower.AddCosigned(head.Note))
		}
		if want, got := filesOf(t, f), filesOf(t, copied); !maps.Equal(want, got) {
			t.Fatalf("after %d: %d files, and the copy has %d", size, len(want), len(got))
		}
	}

	size, err := l.Size()
	check.Must(t, err)
	byTile := durabletest.NewMem()
	tiled := openCopy(t, byTile, key)
	for from := int64(0); from < size; from = transparency.TileEnd(from) {
		e, err := l.Extension(from)
		check.Must(t, err)
		_, err = tiled.Apply(e)
		check.Must(t, err)
	}
	cosigned, _, err := l.Cosigned()
	check.Must(t, err)
	check.Must(t, tiled.AddCosigned(cosigned))
	if !maps.Equal(filesOf(t, f), filesOf(t, byTile)) {
		t.Error("a copy made from whole tiles has other bytes")
	}

	l, extensions = shared(t, durabletest.NewMem(), key)
	for _, n := range []int{250, 6, 14} {
		_, err := l.Append(recordsFrom(0, n))
		check.Must(t, err)
	}
	ended := false
	for k := 1; !ended; k++ {
		disk := durabletest.NewMem()
		openCopy(t, disk, key).Close()
		v, err := note.NewVerifier(key.VerifierKey())
		check.Must(t, err)
		if c, err := transparency.OpenCopy(durabletest.Wrap(disk, durabletest.KillAt(k)), v); err == nil {
			_, first := c.Apply((*extensions)[0])
			_, second := c.Apply((*extensions)[1])
			ended = first == nil && second == nil && c.Close() == nil
		}
		cut := disk.PowerCut(float64(k%2), uint64(k))
		again := openCopy(t, cut, key)
		for _, e := range (*extensions)[:3] {
			if _, err := again.Apply(e); err != nil && !errors.Is(err, transparency.ErrNotNext) {
				t.Fatalf("killed at %d: %v", k, err)
			}
		}
		_, want, err := again.ReadExtension((*extensions)[2])
		check.Must(t, err)
		if head, err := again.Head(); err != nil || head.Checkpoint != want.Checkpoint {
			t.Fatalf("killed at %d: the copy ends at %d: %v", k, head.Size, err)
		}
		if _, err := cut.Stat("leaves/000.json"); errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("killed at %d: no leaves", k)
		}
	}
}

// An extension that does not continue the log, or that was changed, leaves the copy as it is.
func TestExtensionIsRefused(t *testing.T) {
	key := newKey(t, 1)
	l, extensions := shared(t, durabletest.NewMem(), key)
	for i := range 3 {
		_, err := l.Append(recordsFrom(10*i, 10))
		check.Must(t, err)
	}
	other, others := shared(t, durabletest.NewMem(), key)
	_, err := other.Append(recordsFrom(100, 10))
	check.Must(t, err)
	_, err = other.Append(recordsFrom(200, 10))
	check.Must(t, err)
	foreign, foreigns := shared(t, durabletest.NewMem(), newKey(t, 2))
	_, err = foreign.Append(recordsFrom(0, 10))
	check.Must(t, err)
	_, err = foreign.Append(recordsFrom(10, 10))
	check.Must(t, err)

	second := (*extensions)[1]
	changed := func(change func(*transparency.Extension)) []byte {
		var e transparency.Extension
		check.Must(t, json.Unmarshal(second, &e))
		change(&e)
		data, err := json.Marshal(e)
		check.Must(t, err)
		return data
	}
	disk := durabletest.NewMem()
	c := openCopy(t, disk, key)
	_, err = c.Apply((*extensions)[0])
	check.Must(t, err)
	before := filesOf(t, disk)
	for name, data := range map[string][]byte{
		"again":                 (*extensions)[0],
		"the one after next":    (*extensions)[2],
		"of another history":    (*others)[1],
		"of another key":        (*foreigns)[1],
		"nothing":               nil,
		"cut off":               second[:len(second)/2],
		"another format":        changed(func(e *transparency.Extension) { e.Format = 3 }),
		"a leaf less":           changed(func(e *transparency.Extension) { e.Leaves = e.Leaves[1:] }),
		"no leaves":             changed(func(e *transparency.Extension) { e.Leaves = nil }),
		"a null leaf":           changed(func(e *transparency.Extension) { e.Leaves[3] = nil }),
		"leaves in other order": changed(func(e *transparency.Extension) { e.Leaves[0], e.Leaves[1] = e.Leaves[1], e.Leaves[0] }),
		"another version":       changed(func(e *transparency.Extension) { e.Leaves[2].Version++ }),
		"another commit":        changed(func(e *transparency.Extension) { e.Leaves[2].CommitSHA256 = strings.Repeat("0", 64) }),
		"another dataset":       changed(func(e *transparency.Extension) { e.Leaves[2].Dataset = strings.Repeat("0", 64) }),
		"another lower bound":   changed(func(e *transparency.Extension) { e.Leaves[2].AfterSHA256 = strings.Repeat("1", 64) }),
		"no hash":               changed(func(e *transparency.Extension) { e.Leaves[2].CommitSHA256 = "no" }),
		"another checkpoint": changed(func(e *transparency.Extension) {
			var first transparency.Extension
			check.Must(t, json.Unmarshal((*extensions)[2], &first))
			e.Checkpoint = first.Checkpoint
		}),
	} {
		_, err := c.Apply(data)
		if !errors.Is(err, transparency.ErrNotNext) && !errors.Is(err, transparency.ErrDamaged) && !errors.Is(err, transparency.ErrOtherKey) {
			t.Errorf("%s: %v", name, err)
		}
		if !maps.Equal(before, filesOf(t, disk)) {
			t.Fatalf("%s: the copy was changed", name)
		}
	}
	if _, err := c.Apply(second); err != nil {
		t.Errorf("the next extension: %v", err)
	}
	fork, err := other.Head()
	check.Must(t, err)
	if err := c.AddCosigned(fork.Note); !errors.Is(err, transparency.ErrFork) {
		t.Errorf("a checkpoint of another history: %v", err)
	}
}
