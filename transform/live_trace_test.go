package transform_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

func trace(t testing.TB, root durable.FS, from, to tick, fixture, event string) transform.Trace {
	t.Helper()
	found, err := transform.TraceLive(context.Background(), transform.TraceOptions{Root: root, ProviderFixtureID: fixture, ProviderEventID: event, From: began.Add(from.after), To: began.Add(to.after)})
	must(t, err)
	return found
}

// published is what a row says that a moment says, too.
func published(r *table.LiveRow) string {
	return fmt.Sprint(r.At.UTC(), r.FreshAt.UTC(), r.InPlay, word(r.StaleAt), word(r.ClockPeriod), word(r.ClockMinute), word(r.ClockSecond), word(r.ScoreHome),
		word(r.MomentumHome), word(r.MomentumLeader), word(r.UnavailableReason), word(r.VisualState))
}

// Following one fixture through the archive gives at every cycle what was
// published then: through an identity that appears late, slips of the list,
// darkness, and the end; and the same when the archive was rolled up.
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
		found := trace(t, mem, ticks[0], last, "9001", "501")
		if len(found.Moments) != len(ticks)-1 || found.Damaged != 0 {
			t.Fatalf("%s: %d moments of %d cycles, %d damaged", when, len(found.Moments), len(ticks), found.Damaged)
		}
		numbers := 0
		for i, m := range found.Moments {
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
	rollUp(t, mem)
	check("rolled up")
	if found := trace(t, mem, ticks[0], last, "77", ""); len(found.Moments) != 0 {
		t.Errorf("a fixture that never was: %d moments", len(found.Moments))
	}
}

// A cycle that cannot be read is counted and passed by.
func TestTraceLiveOverDamage(t *testing.T) {
	mem := newMem()
	ticks := minutes(30)
	play(t, mem, ticks...)
	must(t, mem.Remove(layout.Cycle(layout.RawDir, ticks[10].id())+"/responses/000001.zst"))
	found := trace(t, mem, ticks[0], ticks[29], "9001", "501")
	if found.Damaged != 1 || len(found.Moments) != 29 {
		t.Errorf("%d damaged, %d moments", found.Damaged, len(found.Moments))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := transform.TraceLive(ctx, transform.TraceOptions{Root: mem, ProviderFixtureID: "9001", From: began, To: began.Add(ticks[29].after)}); err == nil {
		t.Error("went on when it was to stop")
	}
}
