package transform_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/identity"
	"mkt/transform/live/rules"
	"mkt/transform/reading"
	"mkt/transform/tracking"
)

// From payloads to rows: clock, score, counters, momentum, timeline and minutes of a
// fixture, no momentum of one without counters, and the same id as in the market engine.
func TestLiveRun(t *testing.T) {
	mem, ticks := newMem(), minutes(30)
	first := play(t, mem, ticks[0])
	if first.Live.Baselines != 2 || first.Live.InPlay != 2 || first.Live.Momentum != 0 {
		t.Errorf("first %+v", first.Live)
	}
	early := liveRow(t, mem, ticks[0], "501")
	if word(early.UnavailableReason) != "INSUFFICIENT_SAMPLES" || early.MomentumHome != nil || word(early.VisualState) != "CALM" {
		t.Errorf("the first sample is a baseline: %+v", early)
	}
	s := play(t, mem, ticks[1:]...)
	if s.Fixtures != 2 || s.Live.Sampled != 2 || s.Live.Momentum != 1 || s.Live.Baselines != 0 {
		t.Errorf("last %+v", s)
	}
	last := ticks[29]
	row := liveRow(t, mem, last, "501")
	if want := string(identity.NewMinter(identity.Key{1, 2, 3}, "betsapi").Fixture("9001").FixtureID()); row.FixtureID != want {
		t.Errorf("fixture %s, in the market engine %s", row.FixtureID, want)
	}
	got := strings.Join([]string{word(row.ClockPeriod), word(row.ClockMinute), word(row.ClockSecond), word(row.ClockAdded), word(row.ClockRunning),
		word(row.ScoreHome), word(row.ScoreAway), word(row.MomentumLeader), word(row.MomentumScope), word(row.UnavailableReason), word(row.DetailRank)}, " ")
	if got != "1H 13 52 0 true 1 0 HOME FIXTURE - 1" || *row.MomentumHome+*row.MomentumAway != 100 || *row.MomentumHome < 55 {
		t.Errorf("%s, momentum %s", got, word(row.MomentumHome))
	}
	at := began.Add(last.after + 300*time.Millisecond)
	if !row.FreshAt.Equal(at) || !row.ProviderFetchedAt.Equal(at) || !row.StaleAt.Equal(at.Add(time.Minute)) || !row.InPlay {
		t.Errorf("times %v %v %v", row.FreshAt, row.ProviderFetchedAt, row.StaleAt)
	}
	bare := liveRow(t, mem, last, "502")
	if word(bare.UnavailableReason) != "COUNTERS_NOT_PROVIDED" || *bare.DetailRank != 2 {
		t.Errorf("without counters: %+v", bare)
	}
	var counters []string
	for _, c := range liveRows[table.LiveCounterRow](t, mem, last, layout.LiveCountersFile) {
		counters = append(counters, fmt.Sprintf("%s %s %s/%s %v", c.Metric, c.State, word(c.HomeText), word(c.AwayText), c.Absent))
	}
	want := []string{"attacks VALUE 49/24 []", "dangerous_attacks VALUE 19/6 []", "on_target VALUE 1/0 []", "red_cards ZERO 0/0 []", "xg VALUE -/0.05 []"}
	if diff := cmp.Diff(want, counters); diff != "" {
		t.Error(diff)
	}
	if entries := liveRows[table.LiveTimelineRow](t, mem, last, layout.LiveTimelineFile); len(entries) < 2 || entries[0].Ordinal != 0 {
		t.Errorf("timeline %+v", entries)
	}
	buckets := map[string]int{}
	for _, b := range liveRows[table.LiveBucketRow](t, mem, last, layout.LiveBucketsFile) {
		buckets[b.State]++
		if (b.Home != nil) != (b.State == "VALUE" || b.State == "ZERO") {
			t.Errorf("minute %d: %s with %s", b.Minute, b.State, word(b.Home))
		}
	}
	if buckets["VALUE"] < 3 || buckets["MISSING"] < 10 {
		t.Errorf("minutes %v", buckets)
	}
	if periods := liveRows[table.LivePeriodRow](t, mem, last, layout.LivePeriodsFile); len(periods) == 0 || periods[0].Half != 1 {
		t.Errorf("periods %+v", periods)
	}
	m, _, err := snapshot.OpenCanonical(mem, last.id())
	must(t, err)
	if m.PreviousCycle != ticks[28].id() || !m.ProviderFetchedAt.Equal(at) || m.Counters["in_play"] != 2 || m.DerivationVersion != rules.Version {
		t.Errorf("header %+v", m)
	}
}

// Absent, null, zero and value stay distinct from the payload to the row, and are counted
// separately.
func TestLiveThreeStates(t *testing.T) {
	spellings := map[string]string{"null": `""`, "zero": `"0"`, "value": `"0.50"`}
	rapid.Check(t, func(r *rapid.T) {
		sent := rapid.SampledFrom([]string{"null", "zero", "value"})
		metrics := []string{"attacks", "corners", "fouls", "xg", "saves"}
		want := map[string][2]string{}
		var pairs []string
		for _, m := range rapid.SliceOfDistinct(rapid.SampledFrom(metrics), rapid.ID[string]).Draw(r, "metrics") {
			home, away := sent.Draw(r, "home"), sent.Draw(r, "away")
			pair := spellings[home] + "," + spellings[away]
			if rapid.Bool().Draw(r, "one side only") {
				away, pair = "absent", spellings[home]
			}
			want[m] = [2]string{home, away}
			pairs = append(pairs, fmt.Sprintf("%q:[%s]", m, pair))
		}
		clock := rapid.SampledFrom([]string{`"timer":{"tm":10,"ts":0,"tt":"1","md":0}`, `"timer":{"tm":"","ts":null,"tt":"1","md":0}`, `"x":1`}).Draw(r, "clock")
		score := rapid.SampledFrom([]string{`"ss":"0-2"`, `"ss":null`, `"y":1`}).Draw(r, "score")
		mem := newMem()
		k := tick{items: []string{`{"id":"501","sport_id":"1","time_status":"1","home":{"name":"Home 501"},` + score + "," + clock + `,"stats":{` + strings.Join(pairs, ",") + `}}`}}
		play(t, mem, k)
		got := map[string][2]string{}
		for _, c := range liveRows[table.LiveCounterRow](t, mem, k, layout.LiveCountersFile) {
			got[c.Metric] = [2]string{stateOf(c.HomeText, c.Absent, "home"), stateOf(c.AwayText, c.Absent, "away")}
			if joined := joinedState(got[c.Metric]); c.State != joined {
				r.Fatalf("%s %v: %s, want %s", c.Metric, got[c.Metric], c.State, joined)
			}
			if (c.Home == nil) != (c.HomeText == nil) || c.Home != nil && *c.Home != map[string]float64{"0": 0, "0.50": 0.5}[*c.HomeText] {
				r.Fatalf("%s: %v beside %s", c.Metric, word(c.Home), word(c.HomeText))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
		row := liveRow(t, mem, k, "501")
		for name, c := range map[string]struct {
			value *int32
			spec  string
		}{"clock_minute": {row.ClockMinute, clock}, "score_home": {row.ScoreHome, score}} {
			state := stateOf(text(c.value), row.Absent, name)
			want := "absent"
			switch {
			case strings.Contains(c.spec, "null"):
				want = "null"
			case strings.Contains(c.spec, "0-2"):
				want = "zero"
			case strings.Contains(c.spec, ":10"):
				want = "value"
			}
			if state != want {
				r.Fatalf("%s of %s is %s, want %s", name, c.spec, state, want)
			}
		}
		if !slices.Contains(row.Absent, "away") || !slices.Contains(row.Absent, "starts_at") {
			r.Fatalf("absent %v", row.Absent)
		}
		m, _, err := snapshot.OpenCanonical(mem, k.id())
		must(t, err)
		counted := map[string]int64{}
		for _, pair := range want {
			counted[pair[1]]++
		}
		n := m.Tables["live_counters"].Columns["away"]
		if n.Absent != counted["absent"] || n.Null != counted["null"] || n.Zero != counted["zero"] || n.Value != counted["value"] {
			r.Fatalf("counted %+v of %v", n, counted)
		}
	})
}

func text(n *int32) *string {
	if n == nil {
		return nil
	}
	s := fmt.Sprint(*n)
	return &s
}

func stateOf(value *string, absent []string, name string) string {
	switch {
	case value == nil && slices.Contains(absent, name):
		return "absent"
	case value == nil:
		return "null"
	case *value == "0":
		return "zero"
	}
	return "value"
}

func joinedState(sides [2]string) string {
	for _, s := range []string{"value", "zero", "null"} {
		if sides[0] == s || sides[1] == s {
			return strings.ToUpper(s)
		}
	}
	return "MISSING"
}

// Every cycle can be transformed again, not only the last, with the same result.
func TestLiveAgain(t *testing.T) {
	mem, ticks := newMem(), minutes(12)
	play(t, mem, ticks...)
	want := canonicalFiles(t, mem)
	for _, k := range []tick{ticks[11], ticks[0], ticks[5]} {
		if _, err := k.transform(mem); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, canonicalFiles(t, mem)); diff != "" {
		t.Error("done again, another result")
	}
	for _, k := range ticks[3:] {
		must(t, mem.RemoveAll(layout.Cycle(layout.CanonicalDir, k.id())))
	}
	for _, k := range ticks[3:] {
		if _, err := k.transform(mem); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, canonicalFiles(t, mem)); diff != "" {
		t.Error("lost and done again, another result")
	}
	must(t, mem.RemoveAll(layout.Cycle(layout.CanonicalDir, ticks[4].id())))
	if _, err := ticks[5].transform(mem); !errors.Is(err, tracking.ErrNoPrevious) {
		t.Errorf("without what it began from: %v", err)
	}
}

// A cycle commits to each of its fixtures. One of a build that did not gets the same bytes again.
func TestLiveRoot(t *testing.T) {
	mem, ticks := newMem(), minutes(3)
	play(t, mem, ticks...)
	for i, k := range ticks {
		dir := layout.Cycle(layout.CanonicalDir, k.id())
		m, _, err := snapshot.OpenCanonical(mem, k.id())
		must(t, err)
		var entries []snapshot.FixtureEntry
		for rows, err := range snapshot.LiveRows(mem, dir) {
			must(t, err)
			entry, _ := snapshot.LiveEntryOf(rows, nil)
			entries = append(entries, entry)
		}
		if len(entries) != 2 || m.FixturesRoot != snapshot.FixturesRoot(entries) {
			t.Errorf("tick %d, %d fixtures: root %s", i, len(entries), m.FixturesRoot)
		}
		m.FixturesRoot = ""
		must(t, mem.Remove(dir+"/"+layout.CanonicalFile))
		_, err = snapshot.CreateManifest(mem, dir, m)
		must(t, err)
	}
	want := canonicalFiles(t, mem)
	for _, k := range ticks {
		if _, err := k.transform(mem); err != nil {
			t.Errorf("%s: %v", k.id(), err)
		}
	}
	if diff := cmp.Diff(want, canonicalFiles(t, mem)); diff != "" {
		t.Error("done again, another result")
	}
}

// A cycle that was fetched but not transformed is transformed by the next run, so that
// its samples are not lost.
func TestLiveMakesUp(t *testing.T) {
	ticks := minutes(12)
	uninterrupted, mem := newMem(), newMem()
	play(t, uninterrupted, ticks...)
	for i, k := range ticks {
		must(t, k.archive(mem))
		if i == 4 || i == 5 || i == 9 {
			continue // killed before its turn
		}
		_, err := k.transform(mem)
		must(t, err)
	}
	want, got := canonicalFiles(t, uninterrupted), canonicalFiles(t, mem)
	for name := range want {
		if strings.HasSuffix(name, ".json") {
			delete(want, name) // contains the time of processing
			delete(got, name)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	for name := range want {
		if want[name] != got[name] {
			t.Errorf("%s is another", name)
		}
	}
}

// A cycle that cannot be read is skipped permanently. Of several in a row none reads those before it
// again; the next readable one continues from before them.
func TestLiveUnreadableInARow(t *testing.T) {
	mem, ticks := newMem(), minutes(9)
	play(t, mem, ticks[:3]...)
	again := 0
	w := durabletest.Wrap(mem, func(op durabletest.Op) error {
		if op.Kind == durabletest.Open && strings.HasPrefix(op.Name, layout.Cycle(layout.RawDir, ticks[3].id())+"/"+layout.RawAnswers) {
			again++
		}
		return nil
	})
	for i, k := range ticks[3:8] {
		k.body = `{"success":1,"results":[{"id":"1"` // cut
		must(t, k.archive(mem))
		if _, err := k.transform(w); !errors.Is(err, reading.ErrQuarantined) {
			t.Errorf("unreadable: %v", err)
		}
		if again != 1 {
			t.Errorf("after %d of them the first was read %d times", i+1, again)
		}
	}
	s := play(t, mem, ticks[8])
	m, _, err := snapshot.OpenCanonical(mem, ticks[8].id())
	must(t, err)
	if s.Live.Baselines != 0 || m.PreviousCycle != ticks[2].id() {
		t.Errorf("%+v after %s", s.Live, m.PreviousCycle)
	}
}

// Killed at every operation with a power cut: the next run ends with the same result as
// an uninterrupted one.
func TestLiveKilledAtEveryOperation(t *testing.T) {
	ticks := minutes(4)
	uninterrupted := newMem()
	play(t, uninterrupted, ticks...)
	want := canonicalFiles(t, uninterrupted)
	base := newMem()
	play(t, base, ticks[:2]...)
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k += thin {
			mem := base.PowerCut(1, 1)
			killed := func() error {
				w := durabletest.Wrap(mem, durabletest.KillAt(k))
				if err := ticks[2].archive(w); err != nil {
					return err
				}
				_, err := ticks[2].transform(w)
				return err
			}()
			after := mem.PowerCut(keep, uint64(k))
			if _, err := raw.Recover(after); err != nil {
				t.Fatal(err)
			}
			if sealed, err := raw.Sealed(after, ticks[2].id()); err != nil {
				t.Fatal(err)
			} else if !sealed {
				must(t, ticks[2].archive(after))
			}
			_, err := ticks[2].transform(after)
			must(t, err)
			play(t, after, ticks[3])
			if diff := cmp.Diff(want, canonicalFiles(t, after)); diff != "" {
				t.Fatalf("keep %v, operation %d (%v): another result", keep, k, killed)
			}
			if killed == nil {
				break
			}
		}
	}
}

// No run lists cycles: there are thousands a day.
func TestLiveListsNothing(t *testing.T) {
	mem, ticks := newMem(), minutes(5)
	play(t, mem, ticks[:3]...)
	w := durabletest.Wrap(mem, func(op durabletest.Op) error {
		if op.Kind == durabletest.ReadDir && (op.Name == layout.RawDir || op.Name == layout.CanonicalDir) {
			t.Errorf("%s is listed", op.Name)
		}
		return nil
	})
	play(t, w, ticks[3:]...)
	if newest, found, err := raw.Newest(w); err != nil || !found || newest.CycleID != ticks[4].id() {
		t.Errorf("newest %v %v %v", newest.CycleID, found, err)
	}
}

// Canonical cycles that were thinned out are rebuilt from compacted raw cycles, up to the
// requested one.
func TestLiveAfterCompaction(t *testing.T) {
	mem, ticks := newMem(), minutes(60)
	play(t, mem, ticks...)
	want := canonicalFiles(t, mem)
	n := compact(t, mem)
	for _, k := range ticks[1:] {
		must(t, mem.RemoveAll(layout.Cycle(layout.CanonicalDir, k.id())))
	}
	if _, err := ticks[50].transform(mem); err != nil || n != 60 {
		t.Fatal(n, err)
	}
	got := canonicalFiles(t, mem)
	if len(got) != len(want)/60*51 {
		t.Errorf("%d files, want those of 51 cycles", len(got))
	}
	for name, data := range got {
		if strings.HasSuffix(name, ".parquet") && data != want[name] {
			t.Errorf("%s is another", name)
		}
	}
}
