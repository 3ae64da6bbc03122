package verify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mkt/fetch/raw"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// tampering is one way to change sealed data. It returns what it did, "" if it found nothing to
// change.
type tampering struct {
	name string
	do   func(*testing.T, testRoot, *rand.Rand) string
}

var tamperings = []tampering{
	{"flip a bit", func(t *testing.T, h testRoot, r *rand.Rand) string {
		return h.change(t, r, func(data []byte) []byte { data[r.IntN(len(data))] ^= 1 << r.IntN(8); return data })
	}},
	{"cut short", func(t *testing.T, h testRoot, r *rand.Rand) string {
		return h.change(t, r, func(data []byte) []byte { return data[:r.IntN(len(data))] })
	}},
	{"zero a part", func(t *testing.T, h testRoot, r *rand.Rand) string {
		return h.change(t, r, func(data []byte) []byte {
			at := r.IntN(len(data))
			clear(data[at:min(len(data), at+1+r.IntN(4096))])
			return data
		})
	}},
	{"append", func(t *testing.T, h testRoot, r *rand.Rand) string {
		return h.change(t, r, func(data []byte) []byte { return append(data, data[:1+r.IntN(len(data))]...) })
	}},
	{"delete a file", func(t *testing.T, h testRoot, r *rand.Rand) string {
		name := h.pick(t, r)
		check.Must(t, h.root.Remove(name))
		return name
	}},
	{"delete a folder", func(t *testing.T, h testRoot, r *rand.Rand) string {
		name := h.pickCycle(t, r)
		check.Must(t, h.root.RemoveAll(name))
		return name
	}},
	{"add a file", func(t *testing.T, h testRoot, r *rand.Rand) string {
		name := path.Join(path.Dir(h.pick(t, r)), fmt.Sprintf("%s-%d", []string{"more.parquet", "note", "000001.json"}[r.IntN(3)], r.IntN(100)))
		h.write(t, name, []byte("PAR1"))
		return name
	}},
	{"add a cycle", func(t *testing.T, h testRoot, r *rand.Rand) string {
		from := h.pickCycle(t, r)
		to := h.between(from)
		for _, name := range h.list(t, from) {
			check.Must(t, h.root.MkdirAll(path.Dir(to+strings.TrimPrefix(name, from))))
			h.write(t, to+strings.TrimPrefix(name, from), h.read(t, name))
		}
		return from + " as " + to
	}},
	{"rename a file", func(t *testing.T, h testRoot, r *rand.Rand) string {
		name := h.pick(t, r)
		to := path.Join(path.Dir(name), "x"+path.Base(name))
		check.Must(t, h.root.Rename(name, to))
		return name
	}},
	{"rename a cycle", func(t *testing.T, h testRoot, r *rand.Rand) string {
		from := h.pickCycle(t, r)
		check.Must(t, h.root.Rename(from, h.between(from)))
		return from
	}},
	{"swap two files", func(t *testing.T, h testRoot, r *rand.Rand) string {
		a := h.pick(t, r)
		var alike []string
		for _, b := range h.sealed(t) {
			if path.Ext(a) == path.Ext(b) && a != b && !bytes.Equal(h.read(t, a), h.read(t, b)) {
				alike = append(alike, b)
			}
		}
		if len(alike) == 0 {
			return ""
		}
		b := alike[r.IntN(len(alike))]
		first, second := h.read(t, a), h.read(t, b)
		h.write(t, a, second)
		h.write(t, b, first)
		return a + " and " + b
	}},
	{"edit JSON, hash of it made right", editJSON},
	{"edit a row, manifest made right", editRow},
	{"edit an answer, headers made right", editAnswer},
	{"drop a segment, manifest made right", dropSegment},
	{"double a segment", doubleSegment},
	{"link commits anew", relink},
	{"raise a floor", raiseWatermark},
}

// Every tampering is found, unless the head of the chain is rewritten as well, see
// TestWholeChainRewritten.
func TestTamperings(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = len(tamperings)
	}
	roots := []testRoot{built(t, markets), built(t, ticks)}
	before := []string{contents(t, roots[0]), contents(t, roots[1])}
	done, harmless := map[string]int{}, 0
	for i, n := 0, 0; n < runs; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		of := (i + i/len(tamperings)) % 2 // every kind on both roots
		h := roots[of]
		h.root = h.root.PowerCut(1, 0)
		how := tamperings[i%len(tamperings)]
		what := how.do(t, h, r)
		if what == "" { // nothing to change: use the other root
			of = 1 - of
			h = roots[of]
			h.root = h.root.PowerCut(1, 0)
			what = how.do(t, h, r)
		}
		if what == "" {
			continue
		}
		done[how.name]++
		n++
		if report := h.verify(t, nil); report.Clean {
			if before[of] == contents(t, h) {
				harmless++
				continue
			}
			t.Errorf("%d: %s: %s: not found", i, how.name, what)
		}
	}
	found := -harmless
	for _, how := range tamperings {
		if found += done[how.name]; done[how.name] == 0 {
			t.Errorf("%s: never done", how.name)
		}
	}
	t.Logf("%d tamperings, %d found, %d changed nothing but how archived bytes are packed", found+harmless, found, harmless)
}

// contents digests every archived answer and every packed record as it is read, because packed
// bytes can differ without a difference in content.
func contents(t *testing.T, h testRoot) string {
	t.Helper()
	var all bytes.Buffer
	for _, name := range h.list(t, layout.RawDir) {
		base := path.Base(name)
		if strings.HasSuffix(base, ".json") {
			fmt.Fprintln(&all, name, durable.Hash(h.read(t, name)))
			continue
		}
		if strings.HasSuffix(base, ".tar.zst") && base != layout.RawAnswers {
			for c, err := range raw.CompactedCycles(h.root, name) {
				if err != nil {
					return ""
				}
				for _, a := range c.Archive.Responses() {
					body, err := c.Archive.Body(a)
					fmt.Fprintln(&all, c.ID, durable.Hash(body), err)
				}
				fmt.Fprintln(&all, c.ID, c.Archive.SHA256())
			}
			continue
		}
		d, _ := zstd.NewReader(nil)
		body, err := d.DecodeAll(h.read(t, name), nil)
		d.Close()
		fmt.Fprintln(&all, name, durable.Hash(body), err)
	}
	for _, name := range h.sealed(t) {
		if !strings.HasPrefix(name, layout.RawDir+"/") {
			fmt.Fprintln(&all, name, durable.Hash(h.read(t, name)))
		}
	}
	return durable.Hash(all.Bytes())
}

// sealed lists the files that verify covers.
func (h testRoot) sealed(t *testing.T) []string {
	return slices.DeleteFunc(h.list(t, "."), func(name string) bool {
		return strings.HasPrefix(name, layout.StateDir+"/") || strings.HasPrefix(name, layout.StagingDir+"/") || name == layout.Lock
	})
}

// pick returns a sealed file, each kind with the same probability.
func (h testRoot) pick(t *testing.T, r *rand.Rand) string {
	kinds := map[string][]string{}
	for _, name := range h.sealed(t) {
		kind, _, _ := strings.Cut(name, "/")
		kind += path.Ext(name)
		kinds[kind] = append(kinds[kind], name)
	}
	var names []string
	for kind := range kinds {
		names = append(names, kind)
	}
	slices.Sort(names)
	of := kinds[names[r.IntN(len(names))]]
	return of[r.IntN(len(of))]
}

// pickCycle returns the folder of one cycle.
func (h testRoot) pickCycle(t *testing.T, r *rand.Rand) string {
	var all []string
	for _, dir := range []string{layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir} {
		entries, err := h.root.ReadDir(dir)
		check.Must(t, err)
		for _, e := range entries {
			if _, ok := layout.ParseCycleDir(e.Name()); ok {
				all = append(all, dir+"/"+e.Name())
			}
		}
	}
	return all[r.IntN(len(all))]
}

// between returns the folder name of a cycle one second before another.
func (h testRoot) between(folder string) string {
	id, _ := layout.ParseCycleDir(path.Base(folder))
	at, product, _ := layout.ParseCycleID(string(id))
	return layout.Cycle(path.Dir(folder), layout.NewCycleID(at.Add(-1e9), product))
}

func (h testRoot) change(t *testing.T, r *rand.Rand, how func([]byte) []byte) string {
	for range 100 {
		name := h.pick(t, r)
		data := h.read(t, name)
		if len(data) == 0 {
			continue
		}
		if changed := how(bytes.Clone(data)); !bytes.Equal(changed, data) {
			h.write(t, name, changed)
			return name
		}
	}
	return ""
}

// object is a JSON file.
type object map[string]any

func (h testRoot) object(t *testing.T, name string) object {
	t.Helper()
	var o object
	d := json.NewDecoder(bytes.NewReader(h.read(t, name)))
	d.UseNumber()
	check.Must(t, d.Decode(&o))
	return o
}

// put writes an object and returns its hash.
func (h testRoot) put(t *testing.T, name string, o object) string {
	t.Helper()
	data, err := json.MarshalIndent(o, "", "  ")
	check.Must(t, err)
	h.write(t, name, append(data, '\n'))
	return durable.Hash(append(data, '\n'))
}

// anyCommit returns a commit whose snapshot is kept and which is not the newest.
func (h testRoot) anyCommit(t *testing.T, r *rand.Rand) snapshot.Commit {
	t.Helper()
	head, _, err := snapshot.Head(h.root)
	check.Must(t, err)
	var kept []snapshot.Commit
	for c, err := range snapshot.Backward(h.root, head) {
		check.Must(t, err)
		if there, _ := snapshot.IsKept(h.root, c); there && c.Version != head.Version {
			kept = append(kept, c)
		}
	}
	return kept[r.IntN(len(kept))]
}
