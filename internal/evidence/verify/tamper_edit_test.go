package verify_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// editJSON changes a word of a header and corrects its hash in the file that names it.
func editJSON(t *testing.T, h testRoot, r *rand.Rand) string {
	c := h.anyCommit(t, r)
	words := []string{"binary_version", "provider", "derivation_version", "processed_at"}
	word := words[r.IntN(len(words))]
	alter := func(o object) {
		if word == "processed_at" {
			o[word] = o["provider_fetched_at"]
			return
		}
		o[word] = "altered"
	}
	manifest := c.Dir() + "/" + layout.ManifestFile
	commit := h.object(t, layout.Commit(c.Version))
	m := h.object(t, manifest)
	canonical := layout.Cycle(layout.CanonicalDir, c.CycleID) + "/" + layout.CanonicalFile
	if there, _ := durable.Exists(h.root, canonical); there && r.IntN(2) == 0 {
		o := h.object(t, canonical)
		alter(o)
		m["canonical_sha256"] = h.put(t, canonical, o)
		commit["canonical_sha256"] = m["canonical_sha256"]
	} else {
		alter(m)
	}
	commit["manifest_sha256"] = h.put(t, manifest, m)
	h.put(t, layout.Commit(c.Version), commit)
	return fmt.Sprintf("%s of version %d", word, c.Version)
}

// editRow changes a row of a table and corrects the file's hash in the manifest, half of the time
// also the rows' digest and the commit.
func editRow(t *testing.T, h testRoot, r *rand.Rand) string {
	c := h.anyCommit(t, r)
	m, name := h.alterRow(t, c, r, r.IntN(2) == 0)
	if name == "" {
		return ""
	}
	sum := h.put(t, c.Dir()+"/"+layout.ManifestFile, asObject(t, m))
	if r.IntN(2) == 0 {
		commit := h.object(t, layout.Commit(c.Version))
		commit["manifest_sha256"] = sum
		h.put(t, layout.Commit(c.Version), commit)
	}
	return name
}

// alterRow alters one row of a snapshot. It returns the manifest with the new hash of the file,
// and with a new digest of the rows if described is true.
func (h testRoot) alterRow(t *testing.T, c snapshot.Commit, r *rand.Rand, described bool) (m snapshot.Manifest, name string) {
	t.Helper()
	m, err := snapshot.Open(h.root, c)
	check.Must(t, err)
	var packed bytes.Buffer
	var rows table.Summary
	file, key := layout.FixturesFile, "fixtures"
	if _, live := m.Tables["live"]; live {
		file, key = layout.LiveFile, "live"
		rows = rewrite(t, h.root, c.Dir()+"/"+file, &packed, r, func(row *table.LiveRow) { row.Home = new(string) })
	} else {
		rows = rewrite(t, h.root, c.Dir()+"/"+file, &packed, r, func(row *table.FixtureRow) { row.Home = new(string) })
	}
	if rows.Rows == 0 {
		return m, ""
	}
	h.write(t, c.Dir()+"/"+file, packed.Bytes())
	for i := range m.Files {
		if m.Files[i].Name == file {
			m.Files[i].SHA256, m.Files[i].Bytes = durable.Hash(packed.Bytes()), int64(packed.Len())
		}
	}
	if described {
		m.Tables[key] = rows
	}
	return m, c.Dir() + "/" + file
}

func asObject(t *testing.T, v any) (o object) {
	t.Helper()
	data, err := json.Marshal(v)
	check.Must(t, err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	check.Must(t, d.Decode(&o))
	return o
}

// rewrite copies a table with one row altered.
func rewrite[T table.Row](t *testing.T, f durable.FS, name string, out io.Writer, r *rand.Rand, alter func(*T)) table.Summary {
	t.Helper()
	file, err := f.Open(name)
	check.Must(t, err)
	defer file.Close()
	in, err := table.NewReader[T](file, file.Size())
	check.Must(t, err)
	defer in.Close()
	w := table.NewWriter[T](out, in.Header())
	at, n := r.IntN(max(1, int(in.Len()))), 0
	for row, err := range in.All {
		check.Must(t, err)
		if n == at {
			alter(row)
		}
		n++
		check.Must(t, w.Write(*row))
	}
	s, err := w.Close()
	check.Must(t, err)
	return s
}

// editAnswer changes an archived answer and all headers of its cycle.
func editAnswer(t *testing.T, h testRoot, r *rand.Rand) string {
	var bodies []string
	for _, name := range h.list(t, layout.RawDir) {
		if path.Base(name) == layout.RawAnswers {
			bodies = append(bodies, name)
		}
	}
	if len(bodies) == 0 {
		return ""
	}
	dir := path.Dir(bodies[r.IntN(len(bodies))])
	return h.alterBody(t, dir, func(body []byte) []byte { return bytes.Replace(body, []byte(`1`), []byte(`2`), 1) })
}

// alterBody alters the first answer of a cycle that it can, and corrects the cycle's headers.
func (h testRoot) alterBody(t *testing.T, dir string, alter func([]byte) []byte) string {
	t.Helper()
	d, err := zstd.NewReader(nil)
	check.Must(t, err)
	defer d.Close()
	e, err := zstd.NewWriter(nil)
	check.Must(t, err)
	name, list := dir+"/"+layout.RawAnswers, h.object(t, dir+"/"+layout.RawFetchFile)
	before, after, end, changed := h.read(t, name), []byte(nil), int64(0), false
	for _, entry := range list["responses"].([]any) {
		o := entry.(map[string]any)
		at := o["frame"].(map[string]any)
		from, err := at["offset"].(json.Number).Int64()
		check.Must(t, err)
		length, err := at["length"].(json.Number).Int64()
		check.Must(t, err)
		frame := before[from : from+length]
		plain, err := d.DecodeAll(frame, nil)
		check.Must(t, err)
		in := tar.NewReader(bytes.NewReader(plain))
		header, err := in.Next()
		check.Must(t, err)
		body, err := io.ReadAll(in)
		check.Must(t, err)
		if altered := alter(body); !changed && !bytes.Equal(altered, body) {
			var out bytes.Buffer
			w := tar.NewWriter(&out)
			header.Size = int64(len(altered))
			check.Must(t, w.WriteHeader(header))
			_, err := w.Write(altered)
			check.Must(t, err)
			check.Must(t, w.Flush())
			frame, changed = e.EncodeAll(out.Bytes(), nil), true
			o["sha256"], o["bytes"] = durable.Hash(altered), len(altered)
		}
		at["offset"], at["length"] = len(after), len(frame)
		after, end = append(after, frame...), max(end, from+length)
	}
	if !changed {
		return ""
	}
	h.write(t, name, append(after, before[end:]...))
	cycle := h.object(t, dir+"/"+layout.RawCycleFile)
	cycle["fetch_sha256"] = h.put(t, dir+"/"+layout.RawFetchFile, list)
	h.put(t, dir+"/"+layout.RawCycleFile, cycle)
	return name
}

// dropSegment deletes a segment, also from the newest manifest.
func dropSegment(t *testing.T, h testRoot, r *rand.Rand) string {
	head, _, err := snapshot.Head(h.root)
	check.Must(t, err)
	m, err := snapshot.Open(h.root, head)
	check.Must(t, err)
	if len(m.Changes) == 0 {
		return ""
	}
	i := r.IntN(len(m.Changes))
	name := m.Changes[i].File
	check.Must(t, h.root.Remove(name))
	m.Changes = slices.Delete(m.Changes, i, i+1)
	h.put(t, head.Dir()+"/"+layout.ManifestFile, asObject(t, m))
	return name
}

// doubleSegment adds a second file with a segment's events, or with another's.
func doubleSegment(t *testing.T, h testRoot, r *rand.Rand) string {
	names := h.list(t, ".")
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, layout.ChangesDir+"/") })
	if len(names) == 0 {
		return ""
	}
	from := names[r.IntN(len(names))]
	first, last, _ := layout.ParseSegment(path.Base(from))
	cycle, _ := layout.CycleOfSegment(from)
	size := last - first + 1
	to := layout.Segment(layout.ChangesDir, first+1000*size, last+1000*size, cycle)
	if there, _ := durable.Exists(h.root, to); there {
		return ""
	}
	h.write(t, to, h.read(t, from))
	return to
}

// relink leaves out, swaps or inserts a commit record, and corrects numbers and hashes.
func relink(t *testing.T, h testRoot, r *rand.Rand) string {
	c := h.anyCommit(t, r)
	at, next := layout.Commit(c.Version), layout.Commit(c.Version+1)
	if there, _ := durable.Exists(h.root, at); !there {
		return ""
	}
	a, b := h.object(t, at), h.object(t, next)
	switch r.IntN(3) {
	case 0: // swap two records
		a["version"], b["version"] = b["version"], a["version"]
		b["previous_sha256"], a["previous_sha256"] = a["previous_sha256"], h.put(t, at, b)
		h.put(t, next, a)
		return "swapped " + at
	case 1: // link the next record to the one before
		b["previous_sha256"] = a["previous_sha256"]
		h.put(t, next, b)
		return "passed by " + at
	}
	a["run_id"] = "another"
	b["previous_sha256"] = h.put(t, at, a)
	h.put(t, next, b)
	if head, _, err := snapshot.Last(h.root); err != nil || head.Version == c.Version+1 {
		return "" // this would rewrite the whole chain
	}
	return "of another run " + at
}

// raiseWatermark raises the recorded retention watermark and deletes the data below it.
func raiseWatermark(t *testing.T, h testRoot, r *rand.Rand) string {
	c := h.anyCommit(t, r)
	floors, err := retention.ReadWatermarks(h.root)
	check.Must(t, err)
	if floors.Snapshots.Before >= c.CycleID {
		return ""
	}
	for _, dir := range h.list(t, layout.SnapshotsDir) {
		if path.Dir(dir) < c.Dir() {
			check.Must(t, h.root.RemoveAll(path.Dir(dir)))
		}
	}
	floors.Snapshots.Before = c.CycleID
	data, err := json.MarshalIndent(floors, "", "  ")
	check.Must(t, err)
	h.write(t, layout.Collected, append(data, '\n'))
	return string(c.CycleID)
}
