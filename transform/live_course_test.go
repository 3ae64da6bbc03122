package transform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// stories are ticks that are not followed by looking at one sample after the other.
func stories() map[string]story {
	unread := `{"id":"1","time_status":"77"},{"id":"2","time_status":"77"}`
	return map[string]story{
		"the identity appears late": {"9001", "501", []tick{at(0, playing("501", "", 0)), at(8, playing("501", "9001", 8)), at(16, playing("501", "", 16))}},
		"another has the identity": {"event:501", "501", []tick{at(0, playing("501", "", 0), playing("502", "9001", 0)),
			at(8, playing("501", "9001", 8), playing("502", "9001", 8))}},
		"the record is replaced": {"9001", "777", []tick{at(0, playing("501", "9001", 0)), at(8, playing("777", "9001", 8)), at(16, playing("777", "9001", 16))}},
		"a list that is not believed": {"9001", "501", []tick{at(0, playing("501", "9001", 0)), at(8, playing("501", "9001", 8)),
			at(16, playing("501", "9001", 16), unread), at(24, playing("501", "9001", 24))}},
		"no whole list for long": {"9001", "501", []tick{at(0, playing("501", "9001", 0)), broken(300), broken(600), broken(899), broken(920), broken(1000)}},
	}
}

// story is what becomes of one fixture, known by the provider's ids in the end.
type story struct {
	fixture, event string
	ticks          []tick
}

// broken is a tick whose list breaks off, without the fixture.
func broken(seconds int) tick {
	k := at(seconds, playing("999", "", seconds))
	k.cut = true
	return k
}

// A fixture that is followed alone has at every cycle the very state that the
// pipeline kept, which follows them all.
func TestRetraceLiveAsThePipeline(t *testing.T) {
	for name, s := range stories() {
		t.Run(name, func(t *testing.T) {
			mem := newMem()
			o := transform.LiveOptions{Root: mem, Provider: betsapi.Provider(), Fixture: s.fixture, Event: s.event}
			kept := map[layout.CycleID][]byte{}
			for _, k := range s.ticks {
				must(t, k.archive(mem))
				o.Cycles = append(o.Cycles, k.id())
				if _, err := k.transform(mem); err != nil {
					if !errors.Is(err, transform.ErrQuarantined) {
						t.Fatal(err)
					}
					continue
				}
				for _, row := range liveRows[table.LiveStateRow](t, mem, k, layout.LiveStatesFile) {
					if row.ProviderFixtureID == s.fixture || word(row.ProviderEventID) == s.event {
						kept[k.id()] = row.State
					}
				}
			}
			steps, err := transform.RetraceLive(t.Context(), o)
			must(t, err)
			if len(steps) != len(kept) {
				t.Errorf("%d steps, the pipeline took %d", len(steps), len(kept))
			}
			for _, step := range steps {
				if got := step.After.Encode(nil); !bytes.Equal(got, kept[step.Cycle]) {
					t.Errorf("%s: another state than was kept: %+v", step.Cycle, step.After.Brief())
				}
			}
		})
	}
}

// A pack that is damaged is counted, and what is beside it is followed.
func TestTraceLiveOverADamagedPack(t *testing.T) {
	mem, ticks := newMem(), minutes(160)
	for _, k := range ticks {
		must(t, k.archive(mem))
	}
	rollUp(t, mem)
	damage(t, mem, layout.RawPack(ticks[0].id()))
	found, err := transform.TraceLive(context.Background(), transform.TraceOptions{Root: mem, ProviderFixtureID: "9001", ProviderEventID: "501",
		From: began, To: began.Add(ticks[159].after)})
	must(t, err)
	first := 0
	for layout.RawPack(ticks[first].id()) == layout.RawPack(ticks[0].id()) {
		first++
	}
	if found.Damaged != 1 || len(found.Moments) != 160-first || first == 0 {
		t.Fatalf("%d damaged, %d moments of %d cycles in whole packs", found.Damaged, len(found.Moments), 160-first)
	}
	if at := found.Moments[0].At; at.Before(began.Add(ticks[first].after)) || at.After(began.Add(ticks[first].after+time.Second)) {
		t.Errorf("begins at %v", at)
	}
}

// What is kept of hundreds of cycles is of the fixture, not all that was said of
// others beside it.
func TestCourseKeepsNoPayload(t *testing.T) {
	mem, ticks, size := newMem(), minutes(60), 0
	for i := range ticks {
		for n := range 250 {
			ticks[i].items = append(ticks[i].items, playing(fmt.Sprint(1000+n), "", i))
		}
		for _, item := range ticks[i].items {
			size += len(item)
		}
		must(t, ticks[i].archive(mem))
	}
	cycles, err := raw.Between(mem, time.Time{}, time.Time{})
	must(t, err)
	for name, follow := range map[string]func() any{
		"traced": func() any { return trace(t, mem, ticks[0], ticks[59], "9001", "501") },
		"retraced": func() any {
			steps, err := transform.RetraceLive(t.Context(), transform.LiveOptions{Root: mem, Provider: betsapi.Provider(), Fixture: "9001", Event: "501", Cycles: cycles})
			must(t, err)
			return steps
		},
	} {
		before := heap()
		kept := follow()
		if grown := heap() - before; grown > size/3 {
			t.Errorf("%s: %d KiB are kept of %d KiB", name, grown>>10, size>>10)
		}
		runtime.KeepAlive(kept)
	}
}

// heap is how many bytes are in use.
func heap() int {
	runtime.GC()
	runtime.GC() // also what pools held on to
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
