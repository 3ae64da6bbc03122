package explain_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/evidence/explain"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// TestLive explains live values. The golden file was read and checked by a person.
func TestLive(t *testing.T) {
	w := dataroot.Play(t)
	id := dataroot.Rows[table.LiveRow](w, layout.LiveFile)[0].FixtureID
	var b strings.Builder
	for _, value := range []string{"", "/momentum", "/minute/12", "/minute/12/home", "/minute/40", "/timeline", "/timeline/2", "/counter/corners", "/counter/saves", "/score", "/clock"} {
		r, err := explained(w, snapshot.Newest, id+value)
		check.Must(t, err)
		if r.Kind != "live" {
			t.Errorf("%s: a %s", value, r.Kind)
		}
		write(&b, r)
	}
	golden(t, "testdata/live.txt", b.String())
	if _, err := explained(w, snapshot.Newest, id+"/timeline/99"); !errors.Is(err, explain.ErrUnknown) {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// TestLiveCompacted: the explanation is the same after the samples were compacted, and from the
// samples alone after the snapshot was deleted.
func TestLiveCompacted(t *testing.T) {
	w := dataroot.Play(t)
	id := dataroot.Rows[table.LiveRow](w, layout.LiveFile)[0].FixtureID
	text := func(at snapshot.Moment) string {
		var b strings.Builder
		for _, value := range []string{"/minute/12", "/timeline", "/momentum"} {
			r, err := explained(w, at, id+value)
			check.Must(t, err)
			for i := range r.Sources {
				r.Sources[i].File, r.Sources[i].Member = "", "" // its place changed
			}
			r.Notes = nil
			write(&b, r)
		}
		return b.String()
	}
	before := text(snapshot.Newest)
	n, err := raw.Compact(w.Mem, layout.NewCycleID(dataroot.Began.Add(2*time.Hour), string(w.Product)))
	if err != nil || n != 24 {
		t.Fatalf("%d rolled up: %v", n, err)
	}
	if after := text(snapshot.Newest); after != before {
		t.Errorf("packed it is\n%s\nand was\n%s", after, before)
	}
	c, _, err := snapshot.Head(w.Mem)
	check.Must(t, err)
	check.Must(t, w.Mem.RemoveAll(c.Dir()))
	r, err := explained(w, snapshot.Newest, id+"/minute/12")
	check.Must(t, err)
	if len(r.Values) != 1 || r.Values[0].Value == "" || !strings.Contains(r.Notes[0], "deleted by retention") {
		t.Errorf("without the snapshot: %+v", r)
	}
}
