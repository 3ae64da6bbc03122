package reader_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mkt/internal/testing/servetest"
)

func events(t interface{ Fatalf(string, ...any) }, d interface {
	Events(uint64, int, func([]byte)) (uint64, bool, error)
}, after uint64, limit int) (seqs []uint64) {
	for {
		n := 0
		last, more, err := d.Events(after, limit, func(body []byte) {
			var e struct{ Seq uint64 }
			if err := json.Unmarshal(body, &e); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			seqs = append(seqs, e.Seq)
			n++
		})
		if err != nil {
			t.Fatalf("events after %d: %v", after, err)
		}
		if n > limit || more && n != limit || last != after+uint64(n) {
			t.Fatalf("%d events after %d up to %d, limit %d, more %v", n, after, last, limit, more)
		}
		after = last
		if !more {
			return seqs
		}
	}
}

// However the log is divided into segments and pages, every event is returned once and
// in order.
func TestEventsAreGapless(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	list := servetest.Samples("acme", 1300, 0, 1)
	for _, n := range []int{3, 0, 1, 1300, 0, 512, 513, 40} {
		root.Publish(servetest.Content{Fixtures: list[:5], Events: servetest.Updates(list[:n])})
	}
	v := current(t, root.DataDir)
	last := v.Window().LastSeq
	if v.Window().FirstSeq != 1 || last != 3+1+1300+512+513+40 {
		t.Fatalf("window %+v", v.Window())
	}
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.Uint64Range(0, last).Draw(t, "after")
		got := events(t, v, after, rapid.IntRange(1, 900).Draw(t, "limit"))
		var want []uint64
		for seq := after + 1; seq <= last; seq++ {
			want = append(want, seq)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("after %d: %d events, want %d", after, len(got), len(want))
		}
	})
}

func TestWindowMovesOn(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	list := servetest.Samples("acme", 4, 1, 1)
	for range 3 {
		root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	}
	l := open(t, root.DataDir)
	d := refresh(l)
	root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: 2})
	d.Refresh(t.Context())
	v := view(t, d)
	w := v.Window()
	if w.FirstSeq != 9 || w.LastSeq != 16 || w.RetainedFrom == nil {
		t.Errorf("window %+v", w)
	}
	if got := events(t, v, 8, 3); len(got) != 8 || got[0] != 9 {
		t.Errorf("events %v", got)
	}
	if got := events(t, v, 16, 3); len(got) != 0 {
		t.Errorf("events %v after the newest", got)
	}
}

func TestDamagedSegmentIsAnError(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.PublishNext(4, 1)
	v := current(t, root.DataDir)
	must(t, root.FS.Remove(root.Manifest.Changes[0].File))
	if _, _, err := v.Events(0, 10, func([]byte) { t.Error("an event of a missing file") }); err == nil {
		t.Error("no error")
	}
}

// Exactly the events that were read before are cached, whichever page they are on.
func TestEventsCached(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	for version, n := range []int{700, 3, 1100} {
		list := servetest.Samples("acme", n, 1, version+1)
		root.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	}
	v := current(t, root.DataDir)
	read := func(after uint64, limit int) {
		t.Helper()
		_, _, err := v.Events(after, limit, func([]byte) {})
		must(t, err)
	}
	for _, c := range []struct {
		after uint64
		limit int
		want  bool
	}{{0, 10, false}, {511, 2, false}, {690, 20, false}, {1802, 1, false}, {1803, 50, true}, {5000, 50, true}} {
		if got := v.EventsCached(c.after, c.limit); got != c.want {
			t.Errorf("%d after %d: cached is %v before they were read", c.limit, c.after, got)
		}
		read(min(c.after, 1803), c.limit)
		if !v.EventsCached(c.after, c.limit) {
			t.Errorf("%d after %d are not cached although they were read", c.limit, c.after)
		}
	}
	read(0, 1803)
	for after := uint64(0); after < 1810; after += 7 {
		if !v.EventsCached(after, 200) {
			t.Errorf("after %d: not cached although everything was read", after)
		}
	}
}
