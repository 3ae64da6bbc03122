package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// step is one cycle and what the dataset and the events must be after it.
type step struct {
	cycle
	want   map[int]int
	events string
}

func eventText(events []table.EventRow) string {
	var all []string
	for _, e := range events {
		sign := map[string]string{publish.Updated: "+", publish.Removed: "-"}[e.Type]
		all = append(all, fmt.Sprintf("%d%s%s", e.Seq, sign, strings.TrimLeft(strings.TrimPrefix(e.FixtureID, "fx_"), "0")))
	}
	return strings.Join(all, " ")
}

func TestPublish(t *testing.T) {
	for name, steps := range map[string][]step{
		"refreshed, carried, gone": {
			{cycle{refreshed: []int{1, 2, 3}}, map[int]int{1: 1, 2: 1, 3: 1}, "1+1 2+2 3+3"},
			{cycle{refreshed: []int{2}, failed: []int{1}}, map[int]int{1: 1, 2: 2}, "4+2 5-3"},
			{cycle{refreshed: []int{1, 4}, failed: []int{2}}, map[int]int{1: 3, 2: 2, 4: 3}, "6+1 7+4"},
		},
		"a listing that broke off removes nothing": {
			{cycle{refreshed: []int{1, 2}}, map[int]int{1: 1, 2: 1}, "1+1 2+2"},
			{cycle{refreshed: []int{1}, partly: true}, map[int]int{1: 2, 2: 1}, "3+1"},
		},
		"over goes, whatever the listing": {
			{cycle{refreshed: []int{1, 2}}, map[int]int{1: 1, 2: 1}, "1+1 2+2"},
			{cycle{over: []int{2, 9}, partly: true}, map[int]int{1: 1}, "3-2"},
		},
		"nothing new still publishes": {
			{cycle{refreshed: []int{1}}, map[int]int{1: 1}, "1+1"},
			{cycle{failed: []int{1}}, map[int]int{1: 1}, ""},
			{cycle{refreshed: []int{1}}, map[int]int{1: 3}, "2+1"},
		},
		"gone and back": {
			{cycle{refreshed: []int{1}}, map[int]int{1: 1}, "1+1"},
			{cycle{}, map[int]int{}, "2-1"},
			{cycle{refreshed: []int{1}}, map[int]int{1: 3}, "3+1"},
		},
		"without markets": {
			{cycle{bare: []int{1, 2}, refreshed: []int{3}}, map[int]int{1: -1, 2: -1, 3: 1}, "1+1 2+2 3+3"},
			{cycle{bare: []int{1, 2}, refreshed: []int{3}}, map[int]int{1: -1, 2: -1, 3: 2}, "4+3"},
			{cycle{bare: []int{1}, refreshed: []int{2, 3}, edition: 2}, map[int]int{1: -2, 2: 3, 3: 3}, "5+1 6+2 7+3"},
			{cycle{bare: []int{1, 2}, refreshed: []int{3}, edition: 3}, map[int]int{1: -3, 2: 3, 3: 4}, "8+1 9+3"},
			{cycle{failed: []int{1, 2}, over: []int{3}}, map[int]int{1: -3, 2: 3}, "10-3"},
			{cycle{bare: []int{1, 2}, over: []int{3}, edition: 3}, map[int]int{1: -3, 2: 3}, ""},
			{cycle{over: []int{1}, refreshed: []int{2}}, map[int]int{2: 7}, "11-1 12+2"},
			{cycle{}, map[int]int{}, "13-2"},
		},
		"only without markets": {
			{cycle{bare: []int{1, 2}}, map[int]int{1: -1, 2: -1}, "1+1 2+2"},
			{cycle{bare: []int{1, 2}}, map[int]int{1: -1, 2: -1}, ""},
			{cycle{bare: []int{2}}, map[int]int{2: -1}, "3-1"},
			{cycle{bare: []int{1, 2}}, map[int]int{1: -1, 2: -1}, "4+1"},
		},
		"another provider": {
			{cycle{refreshed: upTo(60)}, nil, "*"},
			{cycle{refreshed: []int{77}, provider: "other"}, map[int]int{77: 2}, "*"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := durabletest.NewMem()
			var seen []table.EventRow
			for i, s := range steps {
				s.number = i + 1
				publishCycle(t, f, s.cycle)
				d, err := look(f)
				must(t, err)
				if diff := cmp.Diff(s.want, d.fixtures); s.want != nil && diff != "" {
					t.Errorf("cycle %d: %s", s.number, diff)
				}
				if got := eventText(d.events[len(seen):]); s.events != "*" && got != s.events {
					t.Errorf("cycle %d: events %q, want %q", s.number, got, s.events)
				}
				if diff := cmp.Diff(seen, d.events[:len(seen)]); diff != "" && len(seen) > 0 {
					t.Errorf("cycle %d: old events changed: %s", s.number, diff)
				}
				seen = d.events
			}
		})
	}
}

// A provider or bookmaker that has no market on any fixture does not replace a dataset with
// nothing, unless it is confirmed. With one market it does, as it does with few fixtures.
func TestChangeToNoMarkets(t *testing.T) {
	for name, test := range map[string]struct {
		second  cycle
		accept  bool
		refused bool
	}{
		"bookmaker":              {cycle{bare: upTo(60), bookmaker: "two"}, false, true},
		"provider":               {cycle{bare: upTo(60), provider: "other", bookmaker: "two"}, false, true},
		"confirmed":              {cycle{bare: upTo(60), bookmaker: "two"}, true, false},
		"one market":             {cycle{bare: upTo(59), refreshed: []int{60}, bookmaker: "two"}, false, false},
		"few fixtures":           {cycle{bare: upTo(20), bookmaker: "two"}, false, false},
		"the same bookmaker":     {cycle{bare: upTo(60), bookmaker: "one"}, false, false},
		"prices not fetched":     {cycle{failed: upTo(60), bookmaker: "two"}, false, false},
		"before it was recorded": {cycle{bare: upTo(60)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := durabletest.NewMem()
			publishCycle(t, f, cycle{number: 1, refreshed: upTo(60), bookmaker: "one"})
			test.second.number = 2
			test.second.transform(t, f)
			o := options(f, test.second, "run-2")
			o.AcceptRemovals = test.accept
			_, err := publish.Run(t.Context(), o)
			if refused := errors.Is(err, publish.ErrNoMarkets); refused != test.refused || err != nil && !refused {
				t.Fatalf("%v, refused should be %v", err, test.refused)
			}
			d, err := look(f)
			must(t, err)
			if want := map[bool]uint64{true: 1, false: 2}[test.refused]; d.commit.Version != want {
				t.Errorf("version %d, want %d", d.commit.Version, want)
			}
			state, err := health.Read(f, "publish")
			must(t, err)
			if test.refused && (state.OK || state.Code != health.CodePayloadRejected) {
				t.Errorf("state %+v", state)
			}
		})
	}
}

// A fixture that was carried over keeps its own time. The dataset's time is the newest of
// its fixtures', so that a failed retrieval does not make it newer.
func TestFreshness(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1, 2}})
	second := publishCycle(t, f, cycle{number: 2, failed: []int{1, 2}})
	d, err := look(f)
	must(t, err)
	if want := (cycle{number: 1}).at().Add(time.Minute); !d.manifest.ProviderFetchedAt.Equal(want) {
		t.Errorf("retrieved at %v, want %v", d.manifest.ProviderFetchedAt, want)
	}
	if second.Carried != 2 || second.Refreshed != 0 || second.Events != 0 || second.Version != 2 {
		t.Errorf("%+v", second)
	}
}

// After the clock was set back, fixtures that are carried over were retrieved in the future. The dataset is published
// all the same. They are then at least as old as they were at the publication before, and no time passes without a
// retrieval that makes them newer, also when the clock has caught up.
func TestFreshnessAfterTheClockWasSetBack(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 10, refreshed: []int{1, 2, 3}})
	before, err := look(f)
	must(t, err)
	age := before.commit.PublishedAt.Sub(before.fetched[2])
	for _, c := range []cycle{
		{number: 11, setBack: 3 * time.Hour, refreshed: []int{1, 4}, failed: []int{2, 3}},
		{number: 12, setBack: 3 * time.Hour, failed: []int{1, 2, 4}},
		{number: 20, failed: []int{1, 2, 4}},
	} {
		s := publishCycle(t, f, c)
		d, err := look(f)
		must(t, err)
		first := cycle{number: 11, setBack: 3 * time.Hour}.clock()
		want := map[int]time.Time{1: first.Add(time.Minute), 2: first.Add(2*time.Minute - age), 4: first.Add(time.Minute)}
		if c.number == 11 {
			want[3] = want[2]
		}
		newest := want[1]
		if want[2].After(newest) {
			newest = want[2]
		}
		if diff := cmp.Diff(want, d.fetched); diff != "" || !d.manifest.ProviderFetchedAt.Equal(newest) || s.Fixtures != int64(len(want)) {
			t.Errorf("cycle %d: %+v, retrieved at %s\n%s", c.number, s, d.manifest.ProviderFetchedAt, diff)
		}
		var entries []snapshot.FixtureEntry
		must(t, eachRow(f, d.commit.Dir()+"/"+layout.FixturesFile, func(row *table.FixtureRow) error {
			entries = append(entries, snapshot.EntryOf(row))
			return nil
		}))
		if snapshot.FixturesRoot(entries) != d.manifest.FixturesRoot {
			t.Errorf("cycle %d: the root over the fixtures is not that of the rows", c.number)
		}
	}
}

// If every fixture was refreshed after the clock was set back, none is dated anew, and the table is that of the cycle.
func TestTableIsSharedAfterTheClockWasSetBack(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 10, refreshed: []int{1, 2}})
	c := cycle{number: 11, setBack: 3 * time.Hour, refreshed: []int{1, 2}}
	publishCycle(t, f, c)
	d, err := look(f)
	must(t, err)
	same, err := durable.SameFile(f, d.commit.Dir()+"/"+layout.FixturesFile, layout.Cycle(layout.CanonicalDir, c.id())+"/"+layout.FixturesFile)
	must(t, err)
	if !same {
		t.Error("the fixtures are on the disk twice")
	}
}

// A fixture on which the provider offers no markets is as fresh as the listing. One that
// has markets from before keeps them, with their own time.
func TestFreshnessWithoutMarkets(t *testing.T) {
	f := durabletest.NewMem()
	first, third := cycle{number: 1, refreshed: []int{1}, bare: []int{2}}, cycle{number: 3, bare: []int{1, 2}}
	publishCycle(t, f, first)
	publishCycle(t, f, cycle{number: 2, failed: []int{1, 2}})
	s := publishCycle(t, f, third)
	if s.Refreshed != 0 || s.WithoutMarkets != 1 || s.Carried != 1 || s.Removed != 0 || s.Events != 0 || s.Fixtures != 2 || s.Markets != marketsEach || s.LastSeq != 2 {
		t.Errorf("%+v", s)
	}
	d, err := look(f)
	must(t, err)
	if want := first.at().Add(time.Minute); !d.fetched[1].Equal(want) {
		t.Errorf("the one with markets was retrieved at %v, want %v", d.fetched[1], want)
	}
	if want := third.at().Add(time.Second); !d.fetched[2].Equal(want) || !d.manifest.ProviderFetchedAt.Equal(want) {
		t.Errorf("the one without was retrieved at %v, the dataset at %v, want %v", d.fetched[2], d.manifest.ProviderFetchedAt, want)
	}
	if c := d.manifest.Counters; c["fixtures_without_markets"] != 1 || c["fixtures_carried"] != 1 || c["fixtures_refreshed"] != 0 {
		t.Errorf("counters %v", c)
	}
	state, err := health.Read(f, "publish")
	must(t, err)
	if state.Counters["without_markets"] != 1 {
		t.Errorf("state %v", state.Counters)
	}
}

// P10: a listing that shrinks by 60 % with status 200 is held.
func TestListingThatShrinksIsHeld(t *testing.T) {
	for _, c := range []struct {
		before, after int
		held          int
	}{{100, 40, 60}, {100, 79, 21}, {100, 80, 0}, {20, 0, 0}, {21, 0, 21}, {1000, 800, 0}, {1000, 799, 201}} {
		f := durabletest.NewMem()
		publishCycle(t, f, cycle{number: 1, refreshed: upTo(c.before)})
		s := publishCycle(t, f, cycle{number: 2, refreshed: upTo(c.after)})
		if s.Held != c.held || (c.held > 0) != (s.Removed == 0) || s.Refreshed != c.after {
			t.Errorf("%d to %d: %+v", c.before, c.after, s)
		}
		state, err := health.Read(f, "publish")
		must(t, err)
		if (c.held > 0) != (state.Code == "LISTING_HELD") || !state.OK || state.Counters["held"] != int64(c.held) {
			t.Errorf("%d to %d: %+v", c.before, c.after, state)
		}
		d, err := look(f)
		must(t, err)
		if c.held > 0 && len(d.fixtures) != c.before {
			t.Errorf("%d to %d: %d fixtures left", c.before, c.after, len(d.fixtures))
		}
	}
}

// A listing that shrinks little by little, complete by its own count each time, is held as well: within a day no more
// than a fifth of the largest dataset goes. A day later as many may go again, and what a person accepted counts no more.
func TestListingThatDwindlesIsHeld(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: upTo(300)})
	left, number := 300, 1
	shrink := func() publish.Summary {
		left, number = left*81/100, number+1
		return publishCycle(t, f, cycle{number: number, refreshed: upTo(left)})
	}
	if s := shrink(); s.Removed != 57 || s.Held != 0 {
		t.Errorf("at first %+v", s)
	}
	for left > 25 {
		if s := shrink(); s.Removed != 0 || s.Held != 243-left {
			t.Errorf("%d are listed: %+v", left, s)
		}
	}
	c := cycle{number: number + 1, refreshed: upTo(left)}
	c.transform(t, f)
	o := options(f, c, "accepted")
	o.AcceptRemovals = true
	if s, err := publish.Run(t.Context(), o); err != nil || s.Fixtures != int64(left) {
		t.Fatalf("accepted: %+v, %v", s, err)
	}
	for _, c := range []struct{ number, listed, held int }{
		{number + 2, 300, 0}, {number + 3, 250, 0}, {number + 4, 239, 11}, {number + 5, 250, 0}, {number + 27, 239, 0}, {number + 28, 201, 0}, {number + 29, 190, 11},
	} {
		if s := publishCycle(t, f, cycle{number: c.number, refreshed: upTo(c.listed)}); s.Held != c.held {
			t.Errorf("%d are listed in cycle %d: %+v", c.listed, c.number, s)
		}
	}
}

// Fixtures that have kicked off leave the listing every Saturday, which is no reason to
// hold it. A person can also accept removals that are held.
func TestRemovalsThatAreExpected(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: upTo(100), kickedOff: true})
	if s := publishCycle(t, f, cycle{number: 2, refreshed: upTo(40)}); s.Held != 0 || s.Removed != 60 {
		t.Errorf("%+v", s)
	}
	c := cycle{number: 3, refreshed: upTo(5)}
	c.transform(t, f)
	o := options(f, c, "run-3")
	o.AcceptRemovals = true
	if s, err := publish.Run(context.Background(), o); err != nil || s.Held != 0 || s.Removed != 35 {
		t.Errorf("%+v, %v", s, err)
	}
}

// P6: the clock is set back one hour between publications; times still rise.
func TestClockThatGoesBack(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	now := start.Add(500 * time.Hour)
	var last time.Time
	steps := 1000
	if testing.Short() {
		steps = 30
	}
	for i := range steps {
		c := cycle{number: i + 1, refreshed: []int{1}}
		c.transform(t, f)
		o := options(f, c, fmt.Sprint("run-", i))
		now = now.Add(-time.Hour)
		o.Now = func() time.Time { return now }
		s, err := publish.Run(context.Background(), o)
		must(t, err)
		if !s.PublishedAt.After(last) {
			t.Fatalf("published at %v after %v", s.PublishedAt, last)
		}
		last = s.PublishedAt
	}
	_, err := look(f)
	must(t, err)
}

// P7: a cycle that is published twice gives no second event, and an older one is refused.
func TestCycleTwiceAndOlderCycle(t *testing.T) {
	f := durabletest.NewMem()
	for n := 1; n <= 9; n += 2 {
		publishCycle(t, f, cycle{number: n, refreshed: []int{n}, partly: true})
	}
	before, err := look(f)
	must(t, err)
	for i := range 100 {
		n := i%9 + 1
		c := cycle{number: n, refreshed: []int{n}}
		s, err := publish.Run(context.Background(), options(f, c, "again"))
		if n%2 == 1 && (err != nil || !s.Already || s.Version != uint64(n/2+1)) {
			t.Errorf("cycle %d again: %+v, %v", n, s, err)
		}
		if n%2 == 0 && !errors.Is(err, publish.ErrOlderCycle) {
			t.Errorf("older cycle %d: %v", n, err)
		}
	}
	after, err := look(f)
	must(t, err)
	if before.commit.SHA256 != after.commit.SHA256 {
		t.Error("something was published")
	}
}

func TestNewestCycleIsChosen(t *testing.T) {
	f := durabletest.NewMem()
	o := options(f, cycle{}, "run")
	o.Cycle = ""
	if _, err := publish.Run(context.Background(), o); !errors.Is(err, publish.ErrNoCycle) {
		t.Errorf("nothing there: %v", err)
	}
	for n := 1; n <= 3; n++ {
		c := cycle{number: n, refreshed: []int{n}}
		c.transform(t, f)
	}
	must(t, f.MkdirAll(layout.Cycle(layout.CanonicalDir, cycle{number: 8}.id()))) // without a header, so ignored
	for _, already := range []bool{false, true} {
		s, err := publish.Run(context.Background(), o)
		if err != nil || s.Cycle != (cycle{number: 3}).id() || s.Already != already {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestCheckStopsThePublication(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1}})
	c := cycle{number: 2, refreshed: []int{2}}
	c.transform(t, f)
	o := options(f, c, "run-2")
	o.Check = func(_ context.Context, id layout.CycleID, dir string) error {
		if id != c.id() || !exists(t, f, dir+"/"+layout.ManifestFile) {
			t.Errorf("check of %s in %s", id, dir)
		}
		return errors.New("engine refuses it")
	}
	if _, err := publish.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "engine refuses it") {
		t.Errorf("%v", err)
	}
	d, err := look(f)
	must(t, err)
	if d.commit.Version != 1 || exists(t, f, "staging/run-2") {
		t.Errorf("version %d is visible", d.commit.Version)
	}
}

func TestStopIsBeforeTheCommitOrNotAtAll(t *testing.T) {
	f := durabletest.NewMem()
	c := cycle{number: 1, refreshed: []int{1}}
	c.transform(t, f)
	ctx, cancel := context.WithCancelCause(context.Background())
	o := options(f, c, "run")
	o.Check = func(context.Context, layout.CycleID, string) error { cancel(errors.New("SIGTERM")); return nil }
	if _, err := publish.Run(ctx, o); err == nil || !strings.Contains(err.Error(), "SIGTERM") {
		t.Errorf("stopped run: %v", err)
	}
	if d, err := look(f); err != nil || d.commit.Version != 0 {
		t.Errorf("version %d, %v", d.commit.Version, err)
	}
}

func TestRefusals(t *testing.T) {
	c := cycle{number: 1, refreshed: []int{1}}
	for name, change := range map[string]func(*publish.Options){
		"account":  func(o *publish.Options) { o.ClientID = "../x" },
		"product":  func(o *publish.Options) { o.Product = "other" },
		"cycle":    func(o *publish.Options) { o.Cycle = "20261120T090700Z-live_intelligence" },
		"run id":   func(o *publish.Options) { o.RunID = "a/b" },
		"root":     func(o *publish.Options) { o.Root = nil },
		"stranger": func(o *publish.Options) { o.ClientID = "other" },
		"no cycle": func(o *publish.Options) { o.Cycle = cycle{number: 5}.id() },
	} {
		f := durabletest.NewMem()
		c.transform(t, f)
		o := options(f, c, "run")
		change(&o)
		if _, err := publish.Run(context.Background(), o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// A damaged file stops the run, which names it and publishes nothing.
func TestDamagedInputs(t *testing.T) {
	c := cycle{number: 2, refreshed: []int{1}, failed: []int{2}}
	canonical, published := layout.Cycle(layout.CanonicalDir, c.id()), layout.Cycle(layout.SnapshotsDir, cycle{number: 1}.id())
	for _, name := range []string{
		canonical + "/" + layout.FixturesFile, canonical + "/" + layout.MarketsFile, canonical + "/" + layout.ListingFile, canonical + "/" + layout.CanonicalFile,
		published + "/" + layout.FixturesFile, published + "/" + layout.MarketsFile, published + "/" + layout.ManifestFile, layout.Commit(1),
	} {
		f := durabletest.NewMem()
		publishCycle(t, f, cycle{number: 1, refreshed: []int{1, 2}})
		c.transform(t, f)
		must(t, f.RemoveAll(layout.Cycle(layout.CanonicalDir, cycle{number: 1}.id()))) // nothing can be rebuilt
		must(t, f.Remove(name))
		file, err := f.Create(name)
		must(t, err)
		file.Write([]byte("PAR1 damaged PAR1"))
		_, err = publish.Run(context.Background(), options(f, c, "run"))
		if !errors.Is(err, snapshot.ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if exists(t, f, layout.Commit(2)) {
			t.Errorf("%s: published all the same", name)
		}
	}
}
