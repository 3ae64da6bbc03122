package raw_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// tickAt archives one small cycle at a time after the first.
func tickAt(t testing.TB, fsys durable.FS, after time.Duration, edit func(*raw.Cycle)) layout.CycleID {
	t.Helper()
	id := layout.NewCycleID(start.Add(after), "market_engine")
	w, err := raw.Create(fsys, id, nil)
	must(t, err)
	for _, body := range []string{fmt.Sprintf(`{"tick":%q}`, id), ""} {
		_, err := w.Add(answer("1"), []byte(body))
		must(t, err)
	}
	_, err = w.Reject(answer("2"), "HTML", []byte("<html>"))
	must(t, err)
	c := header()
	c.Resume = "42"
	if edit != nil {
		edit(&c)
	}
	_, err = w.Seal(c)
	must(t, err)
	return id
}

// hours is a root with cycles in three hours, among them a failed, a damaged and an
// unsealed one.
func hours(t testing.TB) (mem *durabletest.Mem, good []layout.CycleID, damaged, unsealed, now layout.CycleID) {
	t.Helper()
	mem = durabletest.NewMem()
	good = append(good, tickAt(t, mem, 0, nil))
	good = append(good, tickAt(t, mem, 8*time.Second, func(c *raw.Cycle) { c.Outcome, c.Code = raw.Failed, "PAYLOAD_REJECTED" }))
	damaged = tickAt(t, mem, 16*time.Second, nil)
	must(t, mem.Remove(layout.Cycle(layout.RawDir, damaged)+"/"+layout.RawAnswers))
	unsealed = layout.NewCycleID(start.Add(24*time.Second), "market_engine")
	_, err := raw.Create(mem, unsealed, nil)
	must(t, err)
	good = append(good, tickAt(t, mem, time.Hour, nil))
	now = tickAt(t, mem, 2*time.Hour, nil)
	return mem, good, damaged, unsealed, now
}

// archived is everything that can be read of a cycle.
func archived(t testing.TB, fsys durable.FS, id layout.CycleID) (all []any) {
	t.Helper()
	a, err := raw.Open(fsys, id)
	must(t, err)
	all = append(all, a.Cycle())
	for _, r := range a.Responses() {
		body, err := a.Body(r)
		must(t, err)
		all = append(all, r, string(body))
	}
	return all
}

// Compacted cycles read as before, byte for byte; the others stay as they are.
func TestCompact(t *testing.T) {
	mem, good, damaged, unsealed, now := hours(t)
	want := map[layout.CycleID][]any{}
	for _, id := range good {
		want[id] = archived(t, mem, id)
	}
	n, err := raw.Compact(mem, now)
	must(t, err)
	if n != len(good) {
		t.Errorf("%d cycles compacted, want %d", n, len(good))
	}
	for _, id := range good {
		if diff := cmp.Diff(want[id], archived(t, mem, id)); diff != "" {
			t.Error(diff)
		}
	}
	left, err := raw.Cycles(mem)
	must(t, err)
	if !slices.Equal(left, []layout.CycleID{damaged, unsealed, now}) {
		t.Errorf("left %v", left)
	}
	if n, err := raw.Compact(mem, now); err != nil || n != 0 {
		t.Errorf("again: %d, %v", n, err)
	}
	for _, after := range []time.Duration{5 * time.Second, 50 * time.Second} { // between two of an hour, and behind them
		if _, err := raw.Open(mem, layout.NewCycleID(start.Add(after), "market_engine")); !errors.Is(err, raw.ErrNotSealed) {
			t.Errorf("a cycle that never was: %v", err)
		}
	}
	late := tickAt(t, mem, 40*time.Second, nil)
	if n, err := raw.Compact(mem, now); err != nil || n != 0 {
		t.Errorf("one that came later keeps its folder: %d, %v", n, err)
	}
	archived(t, mem, late)
}

// Damage of a compacted file is detected, both between the cycles and in the middle of an
// answer.
func TestCompactDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	large := make([]byte, 1<<20)
	for i := range large {
		large[i] = byte(random.Uint32())
	}
	for name, body := range map[string][]byte{"small": []byte("{}"), "large": large} {
		t.Run(name, func(t *testing.T) {
			mem, good, _, _, now := hours(t)
			id := layout.NewCycleID(start.Add(32*time.Second), "market_engine")
			w, err := raw.Create(mem, id, nil)
			must(t, err)
			_, err = w.Add(answer("1"), body)
			must(t, err)
			_, err = w.Seal(header())
			must(t, err)
			_, err = raw.Compact(mem, now)
			must(t, err)
			pack := layout.RawPack(id)
			whole, err := durable.ReadFile(mem, pack, 4<<20)
			must(t, err)
			for n := range 150 {
				bad := bytes.Clone(whole)
				if n%2 == 0 {
					bad = bad[:random.IntN(len(bad))]
				} else {
					bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
				}
				must(t, durable.Overwrite(mem, pack, bad))
				for _, id := range []layout.CycleID{good[0], id} {
					checkCycleOrCorrupt(t, mem, id)
				}
				if ids, err := raw.Between(mem, time.Time{}, time.Time{}); err != nil && !errors.Is(err, raw.ErrCorrupt) || !slices.Contains(ids, now) {
					t.Errorf("%v are listed, %v", ids, err)
				}
			}
		})
	}
}

// checkCycleOrCorrupt checks that a cycle of a compacted file either is unchanged or returns
// ErrCorrupt.
func checkCycleOrCorrupt(t *testing.T, fsys durable.FS, id layout.CycleID) {
	t.Helper()
	a, err := raw.Open(fsys, id)
	if err != nil {
		if !errors.Is(err, raw.ErrCorrupt) && !errors.Is(err, raw.ErrNotSealed) {
			t.Errorf("%v", err)
		}
		return
	}
	for _, r := range a.Responses() {
		body, err := a.Body(r)
		if err == nil && durable.Hash(body) != r.SHA256 {
			t.Error("a wrong body")
		}
		if err != nil && !errors.Is(err, raw.ErrCorrupt) {
			t.Error(err)
		}
	}
}

// Killed at every operation with a power cut: nothing is lost, and the next run ends with
// the same result as an uninterrupted one.
func TestCompactKilledAtEveryOperation(t *testing.T) {
	base, good, damaged, unsealed, now := hours(t)
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k++ {
			mem := base.PowerCut(1, 1)
			_, killed := raw.Compact(durabletest.Wrap(mem, durabletest.KillAt(k)), now)
			after := mem.PowerCut(keep, uint64(k))
			for range 2 {
				for _, id := range append(good[:len(good):len(good)], now) {
					archived(t, after, id)
				}
				_, err := raw.Compact(after, now)
				must(t, err)
			}
			left, err := raw.Cycles(after)
			must(t, err)
			if !slices.Equal(left, []layout.CycleID{damaged, unsealed, now}) {
				t.Fatalf("keep %v, operation %d: left %v", keep, k, left)
			}
			if killed == nil {
				break
			}
		}
	}
}

// The last begun cycle is known without listing, and also if the state file is missing.
func TestProgress(t *testing.T) {
	mem := durabletest.NewMem()
	if _, known, err := raw.LastBegun(mem); known || err != nil {
		t.Error(known, err)
	}
	first, second := tickAt(t, mem, 0, nil), tickAt(t, mem, 8*time.Second, nil)
	tickAt(t, mem, 16*time.Second, func(c *raw.Cycle) { c.Outcome, c.Code = raw.Failed, "PAYLOAD_REJECTED" })
	_, err := raw.Create(mem, layout.NewCycleID(start.Add(24*time.Second), "market_engine"), nil)
	must(t, err)
	check := func(what string) {
		t.Helper()
		newest, found, err := raw.Newest(mem)
		if err != nil || !found || newest.CycleID != second || newest.Previous != first || newest.Resume != "42" {
			t.Errorf("%s: %+v, %v, %v", what, newest, found, err)
		}
	}
	check("by the file")
	if at, known, err := raw.LastBegun(mem); !known || err != nil || !at.Equal(start.Add(24*time.Second)) {
		t.Error(at, known, err)
	}
	for _, garbage := range []string{"", "{}", `{"format":1,"begun":"x"}`, `{"format":2,"begun":"20261120T090700Z-market_engine"}`} {
		must(t, durable.Overwrite(mem, "state/raw.json", []byte(garbage)))
		check("by list, since the file is " + garbage)
	}
	if n, err := raw.Recover(mem); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// Cycles are found by their time, compacted or not, and a walk reads the same as Open.
func TestBetween(t *testing.T) {
	mem, good, damaged, _, now := hours(t)
	all := append(slices.Clone(good[:2]), damaged, good[2], now)
	for _, state := range []string{"in folders", "compacted"} {
		t.Run(state, func(t *testing.T) {
			if state == "compacted" {
				_, err := raw.Compact(mem, now)
				must(t, err)
			}
			for _, c := range []struct {
				from, to time.Time
				want     []layout.CycleID
			}{
				{time.Time{}, time.Time{}, all},
				{start.Add(8 * time.Second), start.Add(time.Hour), all[1:4]},
				{start.Add(8*time.Second + 300*time.Millisecond), start.Add(16 * time.Second), all[1:3]},
				{start.Add(3 * time.Hour), time.Time{}, nil},
				{time.Time{}, start.Add(-time.Second), nil},
			} {
				got, err := raw.Between(mem, c.from, c.to)
				must(t, err)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("from %v to %v (-want +got)\n%s", c.from, c.to, diff)
				}
			}
			walk := raw.NewWalk(mem)
			for _, id := range good {
				a, err := walk.Open(id)
				must(t, err)
				r := a.Responses()[0]
				body, err := a.Body(r)
				must(t, err)
				file, member := a.Place(r)
				if string(body) != fmt.Sprintf(`{"tick":%q}`, id) || member == "" || file != layout.RawPack(id) && file != layout.Cycle(layout.RawDir, id)+"/"+layout.RawAnswers {
					t.Errorf("%s: %s in %s %s", id, body, file, member)
				}
			}
			if _, err := walk.Open("20200101T000000Z-market_engine"); !errors.Is(err, raw.ErrNotSealed) {
				t.Errorf("a cycle that is not there: %v", err)
			}
		})
	}
}
