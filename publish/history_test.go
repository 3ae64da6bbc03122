package publish_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mkt/publish"
	"mkt/publish/durable/durabletest"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// After any cycles the dataset is that of a simple model, every event appears once and
// never changes, seq has no gap, and a consumer that applies the log has the dataset.
func TestRandomHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := durabletest.NewMem()
		model, events, follower := map[int]int{}, map[int64]table.EventRow{}, map[string]bool{}
		for number := 1; number <= rapid.IntRange(1, 8).Draw(rt, "cycles"); number++ {
			c := drawCycle(rt, number)
			publishCycle(t, f, c)
			before := maps.Clone(model)
			c.model(model)
			d, err := look(f)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(model, d.fixtures); diff != "" {
				rt.Fatalf("cycle %d: %s", number, diff)
			}
			for _, e := range d.events {
				if old, known := events[e.Seq]; known && cmp.Diff(old, e) != "" {
					rt.Fatalf("seq %d changed", e.Seq)
				}
				if _, known := events[e.Seq]; !known {
					follower[e.FixtureID] = e.Type == publish.Updated
				}
				events[e.Seq] = e
			}
			maps.DeleteFunc(follower, func(_ string, there bool) bool { return !there })
			checkFollower(rt, follower, d)
			checkEvents(rt, d, before, number)
		}
	})
}

func drawCycle(t *rapid.T, number int) cycle {
	c := cycle{number: number, partly: rapid.Bool().Draw(t, "partly"), edition: rapid.IntRange(1, 2).Draw(t, "edition")}
	c.drawFixtures(func() int { return rapid.IntRange(0, 6).Draw(t, "fate") })
	return c
}

// drawFixtures decides by draws from 0 to 6 what happens to each of twelve fixtures.
func (c *cycle) drawFixtures(draw func() int) {
	for n := range 12 {
		switch draw() {
		case 0, 1:
			c.refreshed = append(c.refreshed, n)
		case 2:
			c.failed = append(c.failed, n)
		case 3:
			c.over = append(c.over, n)
		case 4, 5:
			c.bare = append(c.bare, n)
		}
	}
}

// model computes the dataset in a few lines. With 12 fixtures no listing is held.
func (c cycle) model(all map[int]int) {
	for n := range all {
		if slices.Contains(c.over, n) || !c.partly && !slices.Contains(slices.Concat(c.failed, c.refreshed, c.bare), n) {
			delete(all, n)
		}
	}
	for _, n := range c.refreshed {
		all[n] = c.number
	}
	for _, n := range c.bare {
		if all[n] <= 0 {
			all[n] = -c.edition
		}
	}
}

func checkFollower(t *rapid.T, follower map[string]bool, d dataset) {
	for n := range d.fixtures {
		if !follower[fixtureID(n)] {
			t.Fatalf("fixture %d never had an event", n)
		}
	}
	if len(follower) != len(d.fixtures) {
		t.Fatalf("the log leads to %v, the dataset is %v", follower, d.fixtures)
	}
}

// checkEvents checks that the newest segment has an event for exactly the fixtures that
// were refreshed, listed for the first time or with changed values without markets, or
// removed.
func checkEvents(t *rapid.T, d dataset, before map[int]int, number int) {
	want := map[string]string{}
	for n, seen := range d.fixtures {
		if seen == number || seen < 0 && before[n] != seen {
			want[fixtureID(n)] = publish.Updated
		}
	}
	for n := range before {
		if _, still := d.fixtures[n]; !still {
			want[fixtureID(n)] = publish.Removed
		}
	}
	got := map[string]string{}
	if s := d.commit.Segment; s != nil {
		for _, e := range d.events[s.First-d.commit.FirstSeq:] {
			got[e.FixtureID] = e.Type
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("cycle %d has events: %s", number, diff)
	}
}

// A consumer that resumes from any seq gets the complete rest of the log.
func TestResumeAnywhere(t *testing.T) {
	f := durabletest.NewMem()
	for n := 1; n <= 5; n++ {
		publishCycle(t, f, cycle{number: n, refreshed: upTo(n)})
	}
	d, err := look(f)
	must(t, err)
	for after := range d.commit.LastSeq + 1 {
		next := after
		for e, err := range snapshot.Events(f, d.manifest, after) {
			must(t, err)
			if next++; e.Seq != int64(next) {
				t.Fatalf("after %d: seq %d", after, e.Seq)
			}
		}
		if next != d.commit.LastSeq {
			t.Fatal(fmt.Sprint("after ", after, ": ended at ", next))
		}
	}
}
