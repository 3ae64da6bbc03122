package transform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/provider"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// moments traces a fixture between two ticks, and returns its state at each cycle and the
// number of damaged cycles.
func moments(t testing.TB, root durable.FS, from, to tick, fixture, event string) (all []football.Live, damaged int) {
	t.Helper()
	o := transform.LiveTraceOptions{Root: root, Fixture: fixture, Event: event, From: began.Add(from.after), To: began.Add(to.after)}
	damaged, err := transform.TraceLive(t.Context(), o, func(s *transform.LiveStep) { all = append(all, s.After.Brief()) })
	must(t, err)
	return all, damaged
}

// steps returns all the steps of a trace that meets no damage.
func steps(t testing.TB, o transform.LiveTraceOptions) (all []*transform.LiveStep) {
	t.Helper()
	_, err := transform.TraceLive(t.Context(), o, func(s *transform.LiveStep) { all = append(all, s) })
	must(t, err)
	return all
}

// published formats the columns that a row and a football.Live share.
func published(r *table.LiveRow) string {
	return fmt.Sprint(r.At.UTC(), r.FreshAt.UTC(), r.InPlay, word(r.StaleAt), word(r.ClockPeriod), word(r.ClockMinute), word(r.ClockSecond), word(r.ScoreHome),
		word(r.MomentumHome), word(r.MomentumLeader), word(r.UnavailableReason), word(r.VisualState))
}

// Tracing one fixture through the archive gives at every cycle the state published then:
// when its identity appears late, when lists lack it, when no cycle ran, and when the
// match ends; also from a compacted archive.
func TestTraceLive(t *testing.T) {
	mem := newMem()
	var ticks []tick
	add := func(seconds int, items ...string) {
		ticks = append(ticks, at(seconds, append(items, playing("999", "9999", seconds))...))
	}
	add(0)
	for s := 8; s <= 400; s += 8 {
		fi := "9001"
		if s < 100 || s == 200 {
			fi = ""
		}
		if s == 160 || s == 168 {
			add(s)
			continue
		}
		if s > 280 && s < 380 {
			continue // no cycle ran
		}
		add(s, playing("501", fi, s))
	}
	add(408, item("501", "9001", -1, 0, stats(50, 20)))
	add(416)
	play(t, mem, ticks...)
	last := ticks[len(ticks)-1]
	check := func(when string) {
		t.Helper()
		all, damaged := moments(t, mem, ticks[0], last, "9001", "501")
		if len(all) != len(ticks)-1 || damaged != 0 {
			t.Fatalf("%s: %d moments of %d cycles, %d damaged", when, len(all), len(ticks), damaged)
		}
		numbers := 0
		for i, m := range all {
			row := table.LiveOf(&m, m.Fixture.FetchedAt, 0)
			want := liveRow(t, mem, ticks[i+1], "501")
			if want == nil {
				t.Fatalf("%s: not published at %v", when, ticks[i+1].after)
			}
			if diff := cmp.Diff(published(want), published(&row)); diff != "" {
				t.Errorf("%s, %v: %s", when, ticks[i+1].after, diff)
			}
			if m.Momentum.Available() {
				numbers++
			}
		}
		if numbers < 10 {
			t.Errorf("%s: %d moments with momentum", when, numbers)
		}
	}
	check("in folders")
	compact(t, mem)
	check("compacted")
	if all, _ := moments(t, mem, ticks[0], last, "77", ""); len(all) != 0 {
		t.Errorf("an unknown fixture: %d moments", len(all))
	}
}

// A trace that continues from a step's state gives the same steps as one that did not stop,
// wherever it stopped.
func TestTraceLiveContinues(t *testing.T) {
	mem := newMem()
	var ticks []tick
	for s := 0; s <= 400; s += 8 {
		items := []string{playing("501", "9001", s)}
		if s == 160 || s == 168 {
			items = nil
		}
		ticks = append(ticks, at(s, append(items, playing("999", "9999", s))...))
	}
	play(t, mem, ticks...)
	o := transform.LiveTraceOptions{Root: mem, Fixture: "9001", Event: "501"}
	whole := steps(t, o)
	for _, stop := range []int{0, 1, 19, 20, 21, len(whole) - 2} {
		state := whole[stop].State()
		rest := o
		rest.Start, rest.From = &state, began.Add(ticks[stop+len(ticks)-len(whole)].after+time.Second)
		continued := steps(t, rest)
		if len(continued) != len(whole)-stop-1 {
			t.Fatalf("stopped at %d: %d steps more, want %d", stop, len(continued), len(whole)-stop-1)
		}
		for i, step := range continued {
			if want, got := whole[stop+1+i].After.Brief(), step.After.Brief(); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Fatalf("stopped at %d, %s: %+v, want %+v", stop, step.Cycle, got, want)
			}
		}
	}
}

func TestTraceLiveOverDamage(t *testing.T) {
	mem := newMem()
	ticks := minutes(30)
	play(t, mem, ticks...)
	must(t, mem.Remove(layout.Cycle(layout.RawDir, ticks[10].id())+"/"+layout.RawAnswers))
	if all, damaged := moments(t, mem, ticks[0], ticks[29], "9001", "501"); damaged != 1 || len(all) != 29 {
		t.Errorf("%d damaged, %d moments", damaged, len(all))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := transform.TraceLive(ctx, transform.LiveTraceOptions{Root: mem, Fixture: "9001"}, func(*transform.LiveStep) {}); err == nil {
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
	}
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

// A fixture that is traced alone has at every cycle the state that the pipeline, which
// tracks all fixtures, stored.
func TestTraceLiveGivesTheStoredStates(t *testing.T) {
	for name, s := range stories() {
		t.Run(name, func(t *testing.T) {
			mem := newMem()
			kept := map[layout.CycleID][]byte{}
			for _, k := range s.ticks {
				must(t, k.archive(mem))
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
			taken := steps(t, transform.LiveTraceOptions{Root: mem, Fixture: s.fixture, Event: s.event})
			if len(taken) != len(kept) {
				t.Errorf("%d steps, the pipeline took %d", len(taken), len(kept))
			}
			for _, step := range taken {
				if got := step.After.Encode(nil); !bytes.Equal(got, kept[step.Cycle]) {
					t.Errorf("%s: another state than the pipeline stored: %+v", step.Cycle, step.After.Brief())
				}
			}
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
	kept := steps(t, transform.LiveTraceOptions{Root: mem, Fixture: "9001", Event: "501", Sources: true})
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
		o := transform.LiveTraceOptions{Root: s.mem, Fixture: row.ProviderFixtureID, Event: *row.ProviderEventID, Sources: true}
		if i%2 == 1 { // from a state in between
			from := len(cycles) / 2
			start, found, err := transform.FindLiveState(s.mem, cycles[from], row.FixtureID)
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
func holdsCounters(t *testing.T, s *season, step *transform.LiveStep) (n int) {
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
