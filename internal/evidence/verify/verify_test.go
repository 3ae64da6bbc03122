package verify_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

func TestClean(t *testing.T) {
	for name, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		h := built(t, of)
		for _, change := range []func(*verify.Options){nil, h.deep} {
			r := h.verify(t, change)
			if !r.Clean || r.Head == nil || r.Checked.Snapshots < 3 || r.Checked.Raw < 4 || r.Checked.Rows == 0 {
				t.Errorf("%s: %+v", name, r)
			}
			if change != nil && r.Checked.Rebuilt < 6 {
				t.Errorf("%s: %d remade; %v", name, r.Checked.Rebuilt, r.Notes)
			}
			t.Logf("%s: %+v %v", name, r.Checked, r.Notes)
		}
	}
}

// A range finds nothing in consistent data, whichever publications it leaves out. A file that nobody
// names is found by the whole.
func TestRanges(t *testing.T) {
	w := dataroot.New(t, football.MarketEngine) // with steps, some of them compacted, some of deleted publications
	for i := range 20 {
		offered := strings.Replace(dataroot.Offered, "1.90", fmt.Sprintf("1.%d", 50+i), 1)
		w.Cycle(time.Duration(i)*time.Hour, nil, dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")), dataroot.Offer("9001", offered))
	}
	last, _, err := snapshot.Head(w.Mem)
	check.Must(t, err)
	_, err = retention.Collect(retention.Options{Root: w.Mem, Now: last.PublishedAt, Policy: retention.Policy{Snapshots: 14, SnapshotAge: time.Hour, CycleAge: 12 * time.Hour}}, last)
	check.Must(t, err)
	check.Must(t, w.Mem.Remove(layout.IDKeyFingerprintFile)) // it belongs into a data root
	for name, h := range map[string]testRoot{"steps": {w.Mem, w.Mem, w.Product}, "markets": built(t, markets), "ticks": built(t, ticks)} {
		head, _, err := snapshot.Head(h.root)
		check.Must(t, err)
		manifest := head.Dir() + "/" + layout.ManifestFile
		sealed := h.read(t, manifest)
		check.Must(t, h.root.Remove(manifest))
		if r := h.verify(t, nil); has(r, "UNKNOWN_FILE") {
			t.Errorf("%s, without the newest manifest: %v", name, r.Findings)
		}
		h.write(t, manifest, sealed)
		var cycles []layout.CycleID // newest first
		for c, err := range snapshot.Backward(h.root, head) {
			check.Must(t, err)
			cycles = append(cycles, c.CycleID)
		}
		for i, from := range cycles {
			for _, to := range []layout.CycleID{from, cycles[i/2], ""} {
				r := h.verify(t, func(o *verify.Options) { o.From, o.To = from, to })
				if !r.Clean || strings.Contains(strings.Join(r.Notes, " "), "next collection") {
					t.Errorf("%s, %s to %s: %v %v", name, from, to, r.Findings, r.Notes)
				}
			}
		}
		for _, dir := range []string{layout.ChangesDir, layout.StepsDir} {
			foreign := layout.Segment(dir, 1, head.LastSeq+1, head.CycleID)
			check.Must(t, h.root.MkdirAll(dir))
			h.write(t, foreign, []byte("PAR1"))
			if r := h.verify(t, nil); !has(r, "UNKNOWN_FILE") {
				t.Errorf("%s: %s is not found: %v", name, foreign, r.Findings)
			}
		}
	}
}

// Every code that is reported has a description, and every code with one is reported.
func TestCodesAreExplained(t *testing.T) {
	sources, err := exec.Command("sh", "-c", "cat $(ls *.go | grep -v _test.go | grep -v finding.go)").Output()
	check.Must(t, err)
	for _, used := range regexp.MustCompile(`"([A-Z]+_[A-Z_]+)"`).FindAllStringSubmatch(string(sources), -1) {
		if _, ok := verify.Codes()[used[1]]; !ok {
			t.Errorf("%s is reported and has no description", used[1])
		}
	}
	for code := range verify.Codes() {
		if !strings.Contains(string(sources), `"`+code+`"`) {
			t.Errorf("%s is never reported", code)
		}
	}
}
