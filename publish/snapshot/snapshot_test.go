package snapshot_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// must ends the test if there is an error.
var must = check.Must

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// publication makes version n, with n events, and seals it after the one before.
func publication(t testing.TB, f durable.FS, n uint64, before snapshot.Commit, retained []snapshot.Segment) (snapshot.Commit, snapshot.Manifest) {
	t.Helper()
	at := start.Add(time.Duration(n) * time.Hour)
	cycle := layout.NewCycleID(at, "market_engine")
	for _, dir := range []string{layout.CommitsDir, layout.ChangesDir, layout.SnapshotsDir, layout.StagingDir} {
		must(t, durable.MkdirAllSync(f, dir))
	}
	segment := writeSegment(t, f, before.LastSeq+1, before.LastSeq+n, cycle, at)
	dir := layout.Cycle(layout.SnapshotsDir, cycle)
	must(t, durable.MkdirAllSync(f, dir))
	file, err := snapshot.CreateFile(f, dir, "fixtures.parquet", durable.Bytes(fmt.Append(nil, "data of ", n)))
	must(t, err)
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindSnapshot, ClientID: "acme", Product: "market_engine", CycleID: cycle, Provider: "betsapi",
		ProviderFetchedAt: &at, ProcessedAt: &at, PublishedAt: &at, DerivationVersion: "1", IDKeyFingerprint: "k", BinaryVersion: "test",
		PreviousManifestSHA256: before.ManifestSHA256, Files: []snapshot.File{file}, ListingComplete: true,
		Tables:  map[string]snapshot.Table{"fixtures": {Rows: 1, Digest: "d", Columns: map[string]snapshot.Counts{"home": {Absent: 1}}}},
		Changes: append(retained, segment),
	}
	sum, err := snapshot.CreateManifest(f, dir, m)
	must(t, err)
	c, err := snapshot.Seal(f, commit(n, before, m, sum), fmt.Sprintf("staging/commit-%d.json", n))
	must(t, err)
	return c, m
}

func commit(n uint64, before snapshot.Commit, m snapshot.Manifest, sum string) snapshot.Commit {
	last := m.Changes[len(m.Changes)-1]
	return snapshot.Commit{
		Format: snapshot.Format, Version: n, HistoryID: "h", RunID: fmt.Sprint("run-", n), CycleID: m.CycleID, PublishedAt: *m.PublishedAt,
		ManifestSHA256: sum, Segment: &last, FirstSeq: m.Changes[0].First, LastSeq: last.Last, PreviousSHA256: before.SHA256,
	}
}

func writeSegment(t testing.TB, f durable.FS, first, last uint64, cycle layout.CycleID, at time.Time) snapshot.Segment {
	t.Helper()
	name := layout.Segment(layout.ChangesDir, first, last, cycle)
	must(t, durable.Create(f, name, func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](out, table.Header{ClientID: "acme", CycleID: string(cycle)})
		for seq := first; seq <= last; seq++ {
			row := table.EventRow{Seq: int64(seq), Type: "fixture_removed", FixtureID: fmt.Sprint("fx_", seq), PublishedAt: at, CycleID: string(cycle)}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		_, err := w.Close()
		return err
	}))
	size, sum, err := durable.HashFile(f, name)
	must(t, err)
	return snapshot.Segment{File: name, First: first, Last: last, At: at, Bytes: size, SHA256: sum}
}

// history seals n publications and returns the newest.
func history(t testing.TB, f durable.FS, n uint64) (c snapshot.Commit, m snapshot.Manifest) {
	t.Helper()
	for i := uint64(1); i <= n; i++ {
		c, m = publication(t, f, i, c, m.Changes)
	}
	return c, m
}

func TestHeadOfNothing(t *testing.T) {
	f := durabletest.NewMem()
	if _, found, err := snapshot.Head(f); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestSealThenOpen(t *testing.T) {
	f := durabletest.NewMem()
	want, _ := history(t, f, 3)
	got, found, err := snapshot.Head(f)
	must(t, err)
	if diff := cmp.Diff(want, got); !found || diff != "" {
		t.Fatalf("found %v: %s", found, diff)
	}
	m, err := snapshot.Open(f, got)
	must(t, err)
	must(t, snapshot.Verify(f, got.Dir(), m))
	for _, s := range m.Changes {
		must(t, snapshot.VerifySegment(f, s))
	}
}

// CURRENT can be wrong in four ways, or name an older commit.
func TestHeadWithoutCurrent(t *testing.T) {
	pointer := func(n uint64) []byte {
		return fmt.Appendf(nil, `{"format":1,"version":%d,"commit_sha256":"%064d"}`, n, 0)
	}
	for name, current := range map[string][]byte{
		"missing": nil, "empty": {}, "garbage": []byte("\x00\xff not json"), "dangling": pointer(900), "behind": pointer(2),
		"huge": make([]byte, 1<<20), "overflow": pointer(1<<64 - 1),
	} {
		for _, n := range []uint64{1, 2, 3, 7, 8, 9, 31} {
			f := durabletest.NewMem()
			want, _ := history(t, f, n)
			must(t, f.Remove(layout.Current))
			if current != nil {
				must(t, durable.Create(f, layout.Current, durable.Bytes(current)))
			}
			got, found, err := snapshot.Head(f)
			if err != nil || !found || got.Version != n {
				t.Errorf("%s, %d commits: version %d, %v, %v", name, n, got.Version, found, err)
			}
			must(t, snapshot.Recover(f, want))
			data, err := durable.ReadFile(f, layout.Current, 1000)
			must(t, err)
			if p, err := snapshot.ParsePointer(data); err != nil || p.Version != n {
				t.Errorf("%s: repaired to %d, %v", name, p.Version, err)
			}
		}
	}
}

// A damaged newest record stops the writer; a reader serves the one before.
func TestDamagedCommit(t *testing.T) {
	for _, content := range []string{"", "{", strings.Repeat("x", 100<<10), `{"format":1,"version":2}`} {
		f := durabletest.NewMem()
		history(t, f, 3)
		must(t, f.Remove(layout.Commit(3)))
		must(t, durable.Create(f, layout.Commit(3), durable.Bytes([]byte(content))))
		c, found, err := snapshot.Head(f)
		if err != nil || !found || c.Version != 2 {
			t.Errorf("reader got version %d, %v, %v", c.Version, found, err)
		}
		if _, _, err := snapshot.Last(f); !errors.Is(err, snapshot.ErrDamaged) {
			t.Errorf("writer got %v", err)
		}
	}
}

func TestSealTakesOneNumberOnce(t *testing.T) {
	f := durabletest.NewMem()
	c, m := history(t, f, 2)
	rival := commit(2, snapshot.Commit{SHA256: c.PreviousSHA256}, m, c.ManifestSHA256)
	rival.RunID = "rival"
	if _, err := snapshot.Seal(f, rival, "staging/rival"); !errors.Is(err, snapshot.ErrConflict) {
		t.Errorf("second commit 2: %v", err)
	}
}

// The link was done and its answer was lost: the record that is read back is our own.
func TestSealReadsBackALostAnswer(t *testing.T) {
	mem := durabletest.NewMem()
	c, m := history(t, mem, 1)
	next := commit(2, c, m, c.ManifestSHA256)
	lost := &lostLink{FS: mem}
	if _, err := snapshot.Seal(lost, next, "staging/next"); err != nil || !lost.done {
		t.Errorf("done %v: %v", lost.done, err)
	}
}

type lostLink struct {
	durable.FS
	done bool
}

func (l *lostLink) Link(oldname, newname string) error {
	if err := l.FS.Link(oldname, newname); err != nil {
		return err
	}
	l.done = true
	return errors.New("connection lost")
}

func TestVerifyNamesTheFile(t *testing.T) {
	for name, damage := range map[string]func(durable.FS, string) error{
		"missing": func(f durable.FS, name string) error { return f.Remove(name) },
		"not a regular file": func(f durable.FS, name string) error {
			return errors.Join(f.Remove(name), f.MkdirAll(name))
		},
		"bytes": func(f durable.FS, name string) error { return durable.Overwrite(f, name, []byte("short")) },
		"hash":  func(f durable.FS, name string) error { return durable.Overwrite(f, name, []byte("data of X")) },
	} {
		f := durabletest.NewMem()
		c, m := history(t, f, 1)
		file := c.Dir() + "/fixtures.parquet"
		must(t, damage(f, file))
		err := snapshot.Verify(f, c.Dir(), m)
		if !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenRefusesAnotherManifest(t *testing.T) {
	f := durabletest.NewMem()
	c, _ := history(t, f, 1)
	name := c.Dir() + "/" + layout.ManifestFile
	data, err := durable.ReadFile(f, name, 1<<20)
	must(t, err)
	must(t, durable.Overwrite(f, name, append(data, '\n')))
	if _, err := snapshot.Open(f, c); !errors.Is(err, snapshot.ErrDamaged) {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	f := durabletest.NewMem()
	_, m := history(t, f, 4) // seqs 1, 2-3, 4-6, 7-10
	for after := range uint64(12) {
		want := after + 1
		for row, err := range snapshot.Events(f, m, after) {
			must(t, err)
			if uint64(row.Seq) != want {
				t.Fatalf("after %d: seq %d, want %d", after, row.Seq, want)
			}
			want++
		}
		if want != max(11, after+1) {
			t.Errorf("after %d: ended before %d", after, want)
		}
	}
	m.Changes[2].Last++
	var last error
	for _, err := range snapshot.Events(f, m, 0) {
		last = err
	}
	if !errors.Is(last, snapshot.ErrDamaged) {
		t.Errorf("segment without its last event: %v", last)
	}
}

// The bytes of every header are a format: a change here is a change of format.
func TestGolden(t *testing.T) {
	f := durabletest.NewMem()
	c, _ := history(t, f, 2)
	for name, file := range map[string]string{"manifest.json": c.Dir() + "/" + layout.ManifestFile, "commit.json": layout.Commit(2), "CURRENT": layout.Current} {
		got, err := durable.ReadFile(f, file, 1<<20)
		must(t, err)
		if *update {
			must(t, os.WriteFile("testdata/"+name, got, 0o644))
		}
		want, err := os.ReadFile("testdata/" + name)
		must(t, err)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A header that parses is valid, and encoding and parsing it again gives the same.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"manifest.json", "commit.json", "CURRENT"} {
		data, err := os.ReadFile("testdata/" + name)
		must(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := snapshot.ParseManifest(data); err == nil {
			must(t, m.Validate())
		}
		if c, err := snapshot.ParseCommit(data); err == nil && c.FirstSeq > c.LastSeq+1 {
			t.Error("window the wrong way round")
		}
		if p, err := snapshot.ParsePointer(data); err == nil && p.Version == 0 {
			t.Error("pointer to nothing")
		}
	})
}
