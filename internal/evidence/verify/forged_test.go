package verify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// forge rewrites every manifest, commit record and CURRENT that contradict an edited manifest, as
// somebody who may write everything can.
func (h testRoot) forge(t *testing.T, from uint64) {
	t.Helper()
	head, _, err := snapshot.Last(h.root)
	check.Must(t, err)
	previous, manifest := "", ""
	if from > 1 {
		c, err := snapshot.ReadCommit(h.root, from-1)
		check.Must(t, err)
		previous, manifest = c.SHA256, c.ManifestSHA256
	}
	for n := from; n <= head.Version; n++ {
		commit := h.object(t, layout.Commit(n))
		name := layout.Cycle(layout.SnapshotsDir, layout.CycleID(commit["cycle_id"].(string))) + "/" + layout.ManifestFile
		m := h.object(t, name)
		if manifest != "" {
			m["previous_manifest_sha256"] = manifest
		}
		manifest = h.put(t, name, m)
		commit["manifest_sha256"], commit["previous_sha256"] = manifest, previous
		previous = h.put(t, layout.Commit(n), commit)
	}
	data, err := json.MarshalIndent(snapshot.Pointer{Format: snapshot.Format, Version: head.Version, CommitSHA256: previous}, "", "  ")
	check.Must(t, err)
	h.write(t, layout.Current, append(data, '\n'))
	floors, err := retention.ReadWatermarks(h.root)
	check.Must(t, err)
	for _, l := range []*retention.Watermark{floors.Snapshots, floors.Raw, floors.Canonical, floors.Thinned} {
		if l != nil {
			c, err := snapshot.ReadCommit(h.root, l.Version)
			check.Must(t, err)
			l.CommitSHA256 = c.SHA256
		}
	}
	data, err = json.MarshalIndent(floors, "", "  ")
	check.Must(t, err)
	h.write(t, layout.Collected, append(data, '\n'))
}

// A chain that was rewritten as a whole is consistent. Only an earlier hash that was written down
// elsewhere reveals it.
func TestWholeChainRewritten(t *testing.T) {
	h := built(t, markets)
	head := h.verify(t, nil).Head.SHA256
	r := rand.New(rand.NewPCG(1, 1))
	c := h.anyCommit(t, r)
	name := c.Dir() + "/" + layout.ManifestFile
	m := h.object(t, name)
	m["binary_version"] = "another"
	h.put(t, name, m)
	if h.verify(t, nil).Clean {
		t.Fatal("an edit was not found")
	}
	h.forge(t, c.Version)
	if report := h.verify(t, nil); !report.Clean {
		t.Fatalf("the whole chain is new, and: %+v", report.Findings)
	}
	expect(t, h, head, "HEAD_UNKNOWN")
}

// A chain that was cut off looks like an earlier one. Only a hash that was written down reveals it.
func TestChainCut(t *testing.T) {
	h := built(t, markets)
	head, _, err := snapshot.Head(h.root)
	check.Must(t, err)
	before, err := snapshot.ReadCommit(h.root, head.Version-1)
	check.Must(t, err)
	expect(t, h, before.SHA256, "")
	expect(t, h, head.SHA256, "")
	check.Must(t, h.root.Remove(layout.Commit(head.Version)))
	if r := h.verify(t, nil); !has(r, "HEAD_BEHIND") {
		t.Errorf("CURRENT and the state name a newer publication: %+v", r.Findings)
	}
	check.Must(t, h.root.RemoveAll(head.Dir()))
	check.Must(t, h.root.Remove(head.Segment.File))
	check.Must(t, h.root.RemoveAll(layout.StateDir))
	check.Must(t, h.root.Remove(layout.Current))
	check.Must(t, snapshot.WriteCurrent(h.root, before))
	check.Must(t, h.root.Remove(layout.Collected))
	expect(t, h, before.SHA256, "")
	expect(t, h, head.SHA256, "HEAD_UNKNOWN")
	expect(t, h, durable.Hash(nil), "HEAD_UNKNOWN")
}

// expect verifies with an expected hash. It wants a finding with the code, or no HEAD_UNKNOWN if
// code is "".
func expect(t *testing.T, h testRoot, hash, code string) {
	t.Helper()
	r := h.verify(t, func(o *verify.Options) { o.Expect = hash })
	if code == "" && has(r, "HEAD_UNKNOWN") || code != "" && !has(r, code) {
		t.Errorf("want %q: %+v", code, r.Findings)
	}
}

func has(r verify.Report, code string) bool {
	for _, f := range r.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// Edited rows under a rewritten chain are found by rebuilding them.
func TestDeepFindsRows(t *testing.T) {
	for name, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		h := built(t, of)
		head, _, err := snapshot.Head(h.root)
		check.Must(t, err)
		c, err := snapshot.ReadCommit(h.root, head.Version-1)
		check.Must(t, err)
		m, _ := h.alterRow(t, c, rand.New(rand.NewPCG(2, 2)), true)
		if name == "ticks" {
			h.put(t, c.Dir()+"/"+layout.ManifestFile, asObject(t, m))
			h.forge(t, c.Version)
			if !has(h.verify(t, nil), "FIXTURES_ROOT") {
				t.Error("other rows have the same root")
			}
			m.FixturesRoot = h.liveRoot(t, c.Dir())
			commit := h.object(t, layout.Commit(c.Version))
			commit["fixtures_root"] = m.FixturesRoot
			h.put(t, layout.Commit(c.Version), commit)
		}
		h.put(t, c.Dir()+"/"+layout.ManifestFile, asObject(t, m))
		h.forge(t, c.Version)
		if report := h.verify(t, nil); !report.Clean {
			t.Errorf("%s: the whole chain is new, and: %+v", name, report.Findings)
		}
		if report := h.verify(t, h.deep); !has(report, "PUBLICATION_DIFFERS") {
			t.Errorf("%s: %+v, %v", name, report.Findings, report.Notes)
		}
	}
}

// liveRoot returns the root of the rows in a folder.
func (h testRoot) liveRoot(t *testing.T, dir string) string {
	t.Helper()
	var entries []snapshot.FixtureEntry
	for rows, err := range snapshot.LiveRows(h.root, dir) {
		check.Must(t, err)
		entry, _ := snapshot.LiveEntryOf(rows, nil)
		entries = append(entries, entry)
	}
	return snapshot.FixturesRoot(entries)
}

// An edited answer under a rewritten chain does not give the published rows any more.
func TestDeepFindsAnswers(t *testing.T) {
	h := built(t, markets)
	head, _, err := snapshot.Head(h.root)
	check.Must(t, err)
	dir := layout.Cycle(layout.RawDir, head.CycleID)
	name := h.alterBody(t, dir, func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(`"home"`), []byte(`"hoem"`)) })
	if name == "" {
		t.Fatal("no answer names a home side")
	}
	canonical := layout.Cycle(layout.CanonicalDir, head.CycleID) + "/" + layout.CanonicalFile
	_, sum, err := durable.HashFile(h.root, dir+"/"+layout.RawCycleFile)
	check.Must(t, err)
	o := h.object(t, canonical)
	o["raw_sha256"] = sum
	m := h.object(t, head.Dir()+"/"+layout.ManifestFile)
	m["canonical_sha256"] = h.put(t, canonical, o)
	h.put(t, head.Dir()+"/"+layout.ManifestFile, m)
	commit := h.object(t, layout.Commit(head.Version))
	commit["raw_sha256"], commit["canonical_sha256"] = sum, m["canonical_sha256"]
	h.put(t, layout.Commit(head.Version), commit)
	h.forge(t, head.Version)
	if report := h.verify(t, nil); !report.Clean {
		t.Errorf("the whole chain is new, and: %+v", report.Findings)
	}
	if report := h.verify(t, h.deep); !has(report, "TRANSFORM_DIFFERS") {
		t.Errorf("%+v, %v", report.Findings, report.Notes)
	}
}

// An id of a selection that occurs twice in a fixture is a finding, with its market and fixture. In
// rows of older rules, which made such ids, it is a note.
func TestSelectionTwice(t *testing.T) {
	for version, isFinding := range map[string]bool{football.DerivationVersion: true, "3": false} {
		h := built(t, markets)
		head, _, err := snapshot.Head(h.root)
		check.Must(t, err)
		m, err := snapshot.Open(h.root, head)
		check.Must(t, err)
		var id, market string
		var packed bytes.Buffer
		rows := rewrite(t, h.root, head.Dir()+"/"+layout.MarketsFile, &packed, rand.New(rand.NewPCG(1, 1)), func(row *table.MarketRow) {
			row.DerivationVersion, id, market = version, row.Selections[0].SelectionID, row.MarketID
			row.Selections = append(row.Selections, row.Selections[0])
			row.SelectionCount++
		})
		h.write(t, head.Dir()+"/"+layout.MarketsFile, packed.Bytes())
		for i := range m.Files {
			if m.Files[i].Name == layout.MarketsFile {
				m.Files[i].SHA256, m.Files[i].Bytes = durable.Hash(packed.Bytes()), int64(packed.Len())
			}
		}
		m.Tables["markets"] = rows
		h.put(t, head.Dir()+"/"+layout.ManifestFile, asObject(t, m))
		h.forge(t, head.Version)
		report := h.verify(t, nil)
		said := strings.Join(report.Notes, " ")
		if isFinding {
			said = fmt.Sprint(report.Findings)
		}
		if has(report, "SELECTION_TWICE") != isFinding || report.Clean == isFinding || !strings.Contains(said, id+" in the markets "+market) {
			t.Errorf("rules %s: %+v, %v", version, report.Findings, report.Notes)
		}
	}
}

// The root over the fixtures is compared with the fixtures, and that of the commit with that of the manifest,
// though all hashes are right.
func TestForgedRoot(t *testing.T) {
	for product, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		h := built(t, of)
		head, _, err := snapshot.Last(h.root)
		check.Must(t, err)
		for _, inCommit := range []bool{false, true} {
			h.root = h.root.PowerCut(1, 0)
			name, record := head.Dir()+"/"+layout.ManifestFile, layout.Commit(head.Version)
			manifest, commit := h.object(t, name), h.object(t, record)
			manifest["fixtures_root"] = durable.Hash([]byte("forged"))
			commit["manifest_sha256"] = h.put(t, name, manifest)
			want := 2
			if inCommit {
				commit["fixtures_root"], want = manifest["fixtures_root"], 1
			}
			h.put(t, record, commit)
			n := 0
			for _, f := range h.verify(t, nil).Findings {
				if f.Code == "FIXTURES_ROOT" && f.File == name {
					n++
				}
			}
			if n != want {
				t.Errorf("%s, also in the commit: %v: %d findings, want %d", product, inCommit, n, want)
			}
		}
	}
}

// A new history that repeats an older dataset than the last, which is damaged, has no events of the
// difference.
func TestNewHistoryFromAnOlderDataset(t *testing.T) {
	r := dataroot.New(t, football.MarketEngine)
	page := dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal"))
	r.Cycle(0, nil, page, dataroot.Offer("9001", dataroot.Offered))
	cycle := r.Cycle(time.Hour, nil, page, dataroot.Offer("9001", strings.ReplaceAll(dataroot.Offered, "1.90", "1.95")))
	for at, dir := range []string{layout.SnapshotsDir, layout.CanonicalDir} { // the two may share the file
		r.Mem.Flip(layout.Cycle(dir, cycle)+"/"+layout.MarketsFile, 100+at)
	}
	s, err := repair.NewHistory(t.Context(), publish.Options{ClientID: "acme", Product: r.Product, Root: r.Mem, Version: "test",
		Now: func() time.Time { return dataroot.Began.Add(2 * time.Hour) }})
	check.Must(t, err)
	if s.Republishes != 1 {
		t.Fatalf("version %d repeats %d", s.Version, s.Republishes)
	}
	for _, f := range (testRoot{root: r.Mem, product: r.Product}).verify(t, nil).Findings {
		if f.Code == "EVENTS_DIFFER" {
			t.Errorf("%+v", f)
		}
	}
}

// The files of a run that was killed before its commit raise no alarm, also after later publications.
func TestRunWithoutACommit(t *testing.T) {
	r := dataroot.New(t, football.MarketEngine)
	price := func(r *dataroot.Root, hour int, odds string) {
		t.Helper()
		r.Cycle(time.Duration(hour)*time.Hour, nil, dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")),
			dataroot.Offer("9001", strings.Replace(dataroot.Offered, `"1.90"`, `"`+odds+`"`, 1)))
	}
	price(r, 0, "1.91")
	killed := dataroot.New(t, football.MarketEngine)
	killed.Mem = r.Mem.PowerCut(1, 1)
	price(killed, 1, "1.92")
	remains := 0
	for _, dir := range []string{layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir} {
		copyNew(t, killed.Mem, r.Mem, dir, &remains)
	}
	for hour := 2; hour < 5; hour++ {
		price(r, hour, "1.9"+string(rune('0'+hour)))
		for _, f := range (testRoot{root: r.Mem, product: football.MarketEngine}).verify(t, nil).Findings {
			if f.File != layout.IDKeyFingerprintFile { // the data root is in the same memory
				t.Errorf("%+v", f)
			}
		}
	}
	if remains < 4 {
		t.Errorf("the killed run left %d files", remains)
	}
}

// copyNew copies the files of a folder that another root does not have.
func copyNew(t testing.TB, from, to *durabletest.Mem, dir string, copied *int) {
	t.Helper()
	entries, err := from.ReadDir(dir)
	check.Must(t, err)
	check.Must(t, durable.MkdirAllSync(to, dir))
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			copyNew(t, from, to, name, copied)
			continue
		}
		if there, err := durable.Exists(to, name); err != nil || there {
			check.Must(t, err)
			continue
		}
		data, err := durable.ReadFile(from, name, 1<<30)
		check.Must(t, err)
		check.Must(t, durable.Create(to, name, durable.Bytes(data)))
		*copied++
	}
}
