package transform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/reading"
	"mkt/transform/tracking"
)

// moments traces a fixture between two ticks, and returns its state at each cycle and the
// number of damaged cycles.
func moments(t testing.TB, root durable.FS, from, to tick, fixture, event string) (all []football.Live, damaged int) {
	t.Helper()
	o := tracking.TraceOptions{Root: root, Fixture: fixture, Event: event, From: began.Add(from.after), To: began.Add(to.after)}
	damaged, err := tracking.Trace(t.Context(), o, func(s *tracking.Step) { all = append(all, s.After.Brief()) })
	must(t, err)
	return all, damaged
}

// steps returns all the steps of a trace that meets no damage.
func steps(t testing.TB, o tracking.TraceOptions) (all []*tracking.Step) {
	t.Helper()
	_, err := tracking.Trace(t.Context(), o, func(s *tracking.Step) { all = append(all, s) })
	must(t, err)
	return all
}

func TestTraceLiveOverDamage(t *testing.T) {
	mem := newMem()
	ticks := minutes(30)
	play(t, mem, ticks...)
	must(t, mem.Remove(layout.Cycle(layout.RawDir, ticks[10].id())+"/"+layout.RawAnswers))
	if all, damaged := moments(t, mem, ticks[0], ticks[29], "9001", "501"); damaged != 1 || len(all) != 29 {
		t.Errorf("%d damaged, %d moments", damaged, len(all))
	}
	if all, _ := moments(t, mem, ticks[0], ticks[29], "77", ""); len(all) != 0 {
		t.Errorf("an unknown fixture: %d moments", len(all))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tracking.Trace(ctx, tracking.TraceOptions{Root: mem, Fixture: "9001"}, func(*tracking.Step) {}); err == nil {
		t.Error("it did not stop when its context was cancelled")
	}
}

// stories are ticks in which successive samples do not identify a fixture by the same id.
func stories() map[string]story {
	unread := `{"id":"1","time_status":"77"},{"id":"2","time_status":"77"}`
	return map[string]story{
		"the identity appears late": {"9001", "501", []tick{at(0, playing("501", "", 0)), at(8, playing("501", "9001", 8)), at(16, playing("501", "", 16))}},
		"another has the identity": {"event:501", "501", []tick{at(0, playing("501", "", 0), playing("502", "9001", 0)),
			at(8, playing("501", "9001", 8), playing("502", "9001", 8))}},
		"the record is replaced": {"9001", "777", []tick{at(0, playing("501", "9001", 0)), at(8, playing("777", "9001", 8)), at(16, playing("777", "9001", 16))}},
		"a list that cannot be read": {"9001", "501", []tick{at(0, playing("501", "9001", 0)), at(8, playing("501", "9001", 8)),
			at(16, playing("501", "9001", 16), unread), at(24, playing("501", "9001", 24))}},
		"no whole list for long": {"9001", "501", []tick{at(0, playing("501", "9001", 0)), broken(300), broken(600), broken(899), broken(920), broken(1000)}},
		"the end of a match":     {"9001", "501", wholeMatch()},
	}
}

// wholeMatch are ticks in which the identity appears late and vanishes, lists lack the fixture, no cycle runs
// for a while, and the match ends.
func wholeMatch() (ticks []tick) {
	for s := 0; s <= 416; s += 8 {
		items := []string{playing("999", "9999", s)}
		switch {
		case s > 280 && s < 380:
			continue
		case s == 0, s == 160, s == 168, s == 416:
		case s == 408:
			items = append(items, item("501", "9001", -1, 0, stats(50, 20)))
		case s < 100, s == 200:
			items = append(items, playing("501", "", s))
		default:
			items = append(items, playing("501", "9001", s))
		}
		ticks = append(ticks, at(s, items...))
	}
	return ticks
}

// story is ticks and one fixture, by its final provider ids.
type story struct {
	fixture, event string
	ticks          []tick
}

func broken(seconds int) tick {
	k := at(seconds, playing("999", "", seconds))
	k.cut = true
	return k
}

// A fixture that is traced alone has at every cycle the state that the pipeline, which tracks all
// fixtures, stored: from the beginning or from the state of any step, and also from a compacted archive.
func TestTraceLiveGivesTheStoredStates(t *testing.T) {
	for name, s := range stories() {
		t.Run(name, func(t *testing.T) {
			mem := newMem()
			var kept []layout.CycleID
			states := map[layout.CycleID][]byte{}
			for _, k := range s.ticks {
				must(t, k.archive(mem))
				if _, err := k.transform(mem); err != nil {
					if !errors.Is(err, reading.ErrQuarantined) {
						t.Fatal(err)
					}
					continue
				}
				for _, row := range liveRows[table.LiveStateRow](t, mem, k, layout.LiveStatesFile) {
					if row.ProviderFixtureID == s.fixture || word(row.ProviderEventID) == s.event {
						kept, states[k.id()] = append(kept, k.id()), row.State
					}
				}
			}
			o := tracking.TraceOptions{Root: mem, Fixture: s.fixture, Event: s.event}
			same := func(how string, o tracking.TraceOptions, want []layout.CycleID) (taken []*tracking.Step) {
				t.Helper()
				if taken = steps(t, o); len(taken) != len(want) {
					t.Errorf("%s: %d steps, the pipeline took %d", how, len(taken), len(want))
				}
				for _, step := range taken {
					if got := step.After.Encode(nil); !bytes.Equal(got, states[step.Cycle]) {
						t.Errorf("%s: %s: another state than the pipeline stored: %+v", how, step.Cycle, step.After.Brief())
					}
				}
				return taken
			}
			for i, step := range same("traced", o, kept) {
				state, rest := step.State(), o
				at, _, err := layout.ParseCycleID(string(step.Cycle))
				must(t, err)
				rest.Start, rest.From = &state, at.Add(time.Second)
				same("continued after "+string(step.Cycle), rest, kept[min(i+1, len(kept)):])
			}
			compact(t, mem)
			same("compacted", o, kept)
		})
	}
}

// A damaged pack is counted, and the cycles outside it are traced.
func TestTraceLiveOverADamagedPack(t *testing.T) {
	mem, ticks := newMem(), minutes(160)
	for _, k := range ticks {
		must(t, k.archive(mem))
	}
	compact(t, mem)
	damage(t, mem, layout.RawPack(ticks[0].id()))
	all, damaged := moments(t, mem, ticks[0], ticks[159], "9001", "501")
	first := 0
	for layout.RawPack(ticks[first].id()) == layout.RawPack(ticks[0].id()) {
		first++
	}
	if damaged != 1 || len(all) != 160-first || first == 0 {
		t.Fatalf("%d damaged, %d moments of %d cycles in whole packs", damaged, len(all), 160-first)
	}
	if at := all[0].At; at.Before(began.Add(ticks[first].after)) || at.After(began.Add(ticks[first].after+time.Second)) {
		t.Errorf("begins at %v", at)
	}
}

// The steps of hundreds of cycles keep the fixture in memory, but not the payloads.
func TestTraceLiveKeepsNoPayload(t *testing.T) {
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
	before := heap()
	kept := steps(t, tracking.TraceOptions{Root: mem, Fixture: "9001", Event: "501", Sources: true})
	if grown := heap() - before; grown > size/3 {
		t.Errorf("%d KiB are kept of %d KiB", grown>>10, size>>10)
	}
	runtime.KeepAlive(kept)
}

func heap() int {
	runtime.GC()
	runtime.GC() // also frees pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The steps of every fixture of a simulated quarter of an hour end in the state that the
// pipeline stored, whether they begin with the first sample or with a state in between.
// Every counter of every sample is in the payload where the trace says.
func TestTraceLiveOfASimulatedSeason(t *testing.T) {
	s := newSeason(t, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14})
	ticks := 80
	if testing.Short() {
		ticks = 20
	}
	for range ticks {
		s.now = s.now.Add(8 * time.Second)
		s.tick()
	}
	cycles, err := raw.Between(s.mem, time.Time{}, time.Time{})
	must(t, err)
	newest := cycles[len(cycles)-1]
	everyone := seasonRows[table.LiveStateRow](s, layout.LiveStatesFile)
	if len(everyone) < 5 {
		t.Fatalf("only %d fixtures", len(everyone))
	}
	digits := 0
	for i, row := range everyone {
		o := tracking.TraceOptions{Root: s.mem, Fixture: row.ProviderFixtureID, Event: *row.ProviderEventID, Sources: true}
		if i%2 == 1 { // from a state in between
			from := len(cycles) / 2
			start, found, err := tracking.Find(s.mem, cycles[from], row.FixtureID)
			must(t, err)
			if found {
				at, _, err := layout.ParseCycleID(string(cycles[from+1]))
				must(t, err)
				o.Start, o.From = &start, at
			}
		}
		taken := steps(t, o)
		last := taken[len(taken)-1]
		if got := last.After.Encode(nil); last.Cycle != newest || !bytes.Equal(got, row.State) {
			t.Errorf("fixture %s: ends in %s with another state than the pipeline stored", row.ProviderFixtureID, last.Cycle)
		}
		for _, step := range taken[max(0, len(taken)-5):] {
			digits += holdsCounters(t, s, step)
		}
	}
	if digits < 100 {
		t.Errorf("only %d counters were looked up", digits)
	}
}

// holdsCounters finds every counter of a step's sample in its payload, and returns how
// many there are.
func holdsCounters(t *testing.T, s *season, step *tracking.Step) (n int) {
	if step.Sample == nil {
		return 0
	}
	a, err := raw.Open(s.mem, step.Cycle)
	must(t, err)
	body, err := a.Body(step.Listed.Response)
	must(t, err)
	tree := providertest.NewTree(body)
	found := map[string]provider.Found{}
	for _, f := range step.Listed.Trace.Of(provider.Subject{Fixture: step.Item}) {
		found[f.Field] = f
	}
	for _, c := range step.Sample.Counters {
		f, ok := found[provider.FieldCounter+string(c.Metric)]
		there, err := tree.At(f.Path)
		if !ok || err != nil || there != f.Text {
			t.Errorf("%s %s: %q at %s, %v", step.Item, c.Metric, there, f.Path, err)
			continue
		}
		for _, side := range []football.Field[football.Number]{c.Home, c.Away} {
			number, sent := side.Get()
			if n++; sent && !bytes.Contains([]byte(there), []byte(number.Text())) {
				t.Errorf("%s %s: %s is not in %s", step.Item, c.Metric, number.Text(), there)
			}
		}
	}
	return n
}
