package snapshot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Publication n of a history is n hours after nine o'clock.
func TestFind(t *testing.T) {
	f := durabletest.NewMem()
	history(t, f, 5)
	for text, want := range map[string]uint64{
		"latest": 5, " Latest ": 5, "latest~0": 5, "latest~1": 4, "latest~4": 1,
		"v1": 1, "V5": 5,
		"20261120T110000Z-market_engine": 2, "20261120T110000Z": 2, "20261120T140000Z-market_engine": 5,
		"2026-11-20T10:00:00Z": 1, "2026-11-20T11:59:59.999Z": 2, "2026-11-20 12:00": 3, "2026-11-20T12:00": 3,
		"2026-11-20 13:30:00": 4, "2026-11-20T15:00:00+02:00": 4, "2026-11-20 15:00+02:00": 4, "2030-01-01 00:00": 5,
	} {
		if c, err := snapshot.Resolve(f, text); err != nil || c.Version != want {
			t.Errorf("%q: version %d, want %d (%v)", text, c.Version, want, err)
		}
	}
}

func TestFindNothing(t *testing.T) {
	f := durabletest.NewMem()
	if _, err := snapshot.Resolve(f, "latest"); !errors.Is(err, snapshot.ErrUnknown) {
		t.Errorf("before the first publication: %v", err)
	}
	history(t, f, 3)
	for text, hint := range map[string]string{
		"latest~3":                       "there are 3, the newest is v3, 20261120T120000Z-market_engine",
		"latest~9223372036854775807":     "there are 3",
		"v4":                             "the newest is v3",
		"20261120T113000Z-market_engine": "the nearest are v2, 20261120T110000Z-market_engine, published 2026-11-20T11:00:00Z and v3",
		"20261120T110000Z-other":         "the nearest are v2",
		"20261120T113000Z":               "the nearest are v2",
		"20251120T113000Z-market_engine": "the first is v1",
		"20271120T113000Z-market_engine": "the newest is v3",
		"2026-11-20T09:59:59Z":           "the first is v1",
	} {
		c, err := snapshot.Resolve(f, text)
		if !errors.Is(err, snapshot.ErrUnknown) || !strings.Contains(err.Error(), hint) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: version %d, %v; want %q", text, c.Version, err, hint)
		}
	}
}

func TestParseMomentRefuses(t *testing.T) {
	for _, text := range []string{"", "latest ~1", "latest~", "latest~-1", "latest~x", "latest~9223372036854775808", "v", "v0", "v-1", "1e3",
		"2026-13-20", "2026-13-20 10:00", "14:05", "20261120T110000Z-", "20261320T110000Z", "tomorrow", "5m ago", "yesterday 18:00"} {
		if m, err := snapshot.ParseMoment(text, time.Time{}); err == nil || !strings.Contains(err.Error(), snapshot.Forms) {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
}

func TestParseMomentTimeOfDay(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("", 7200)) // 22:30 of 28 February in UTC
	for text, want := range map[string]string{
		"14:05": "2026-02-28T14:05:00Z", "14:05:59Z": "2026-02-28T14:05:59Z", "22:30": "2026-02-28T22:30:00Z",
		"90m ago": "2026-02-28T21:00:00Z", "yesterday": "2026-02-27T00:00:00Z", "2026-02-20": "2026-02-20T00:00:00Z", "Yesterday  18:00": "2026-02-27T18:00:00Z",
		"22:30:01": "2026-02-27T22:30:01Z", "23:00Z": "2026-02-27T23:00:00Z", " 00:00 ": "2026-02-28T00:00:00Z",
	} {
		m, err := snapshot.ParseMoment(text, now)
		if at, isTime := m.Time(); err != nil || !isTime || at.Format(time.RFC3339) != want || m.String() != want {
			t.Errorf("%q: %s at %v, want %s (%v)", text, m, at, want, err)
		}
	}
	for _, text := range []string{"24:00", "14:60", "1405", "14", "14:05+02:00", "2:05 pm", "tomorrow", "in 5m"} {
		if m, err := snapshot.ParseMoment(text, now); err == nil {
			t.Errorf("%q: %s", text, m)
		}
	}
}

// A damaged record met in the search is an error that names it.
func TestFindOverDamage(t *testing.T) {
	f := durabletest.NewMem()
	history(t, f, 3)
	must(t, f.Remove(layout.Commit(2)))
	must(t, durable.Create(f, layout.Commit(2), durable.Bytes([]byte("{"))))
	if _, err := snapshot.Resolve(f, "latest~1"); !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), layout.Commit(2)) {
		t.Error(err)
	}
}

func TestIsKept(t *testing.T) {
	f := durabletest.NewMem()
	c, _ := history(t, f, 1)
	if kept, err := snapshot.IsKept(f, c); !kept || err != nil {
		t.Error(kept, err)
	}
	must(t, f.Remove(c.Dir()+"/"+layout.ManifestFile))
	if kept, err := snapshot.IsKept(f, c); kept || !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), layout.ManifestFile) {
		t.Error(kept, err)
	}
	must(t, f.RemoveAll(c.Dir()))
	if kept, err := snapshot.IsKept(f, c); kept || err != nil {
		t.Error(kept, err)
	}
}

// Records come newest first, compacted or not, and a damaged one hides no others.
func TestBackward(t *testing.T) {
	f := durabletest.NewMem()
	const all = layout.PackedCommits + 4
	head, _ := history(t, f, all)
	if packed, err := snapshot.CompactCommits(f, all); packed != layout.PackedCommits || err != nil {
		t.Fatal(packed, err)
	}
	must(t, f.Remove(layout.Commit(all-1)))
	must(t, durable.Create(f, layout.Commit(all-1), durable.Bytes(nil)))
	next := uint64(all)
	for c, err := range snapshot.Backward(f, head) {
		if damaged := next == all-1; c.Version != next || errors.Is(err, snapshot.ErrDamaged) != damaged || !damaged && err != nil {
			t.Fatalf("version %d, want %d: %v", c.Version, next, err)
		}
		if next--; next < 2 {
			break
		}
	}
	if next != 1 {
		t.Errorf("ended before %d", next)
	}
	if c, err := snapshot.Resolve(f, start.Add(7*time.Hour).Format(time.RFC3339)); err != nil || c.Version != 7 {
		t.Errorf("a time in a pack: version %d, %v", c.Version, err)
	}
}

// A moment that was parsed has one of the forms, and its text parses again.
func FuzzParseMoment(f *testing.F) {
	for _, text := range []string{"latest", "latest~2", "v17", "20261120T110000Z-market_engine", "20261120T110000Z", "2026-11-20T10:00:00Z", "2026-11-20 10:00", "14:05", "23:59:59Z", "2h30m ago", "9999999999h ago", "yesterday 18:00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := snapshot.ParseMoment(text, start)
		if err != nil {
			return
		}
		if again, err := snapshot.ParseMoment(m.String(), start); err != nil || again != m {
			t.Errorf("%q: %+v, then %+v, %v", text, m, again, err)
		}
		if at, isTime := m.Time(); isTime && at.Year() > 0 && at.Year() < 10_000 {
			again, err := snapshot.ParseMoment(snapshot.At(at).String(), start)
			if same, _ := again.Time(); err != nil || !same.Equal(at) || again.IsCycle() {
				t.Errorf("%q: %v, as text %v, %v", text, at, same, err)
			}
		}
	})
}
