package transform_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/identity"
)

// at is a tick a number of seconds after the first.
func at(seconds int, items ...string) tick {
	return tick{after: time.Duration(seconds) * time.Second, items: items}
}

// clockAt is the clock of a match that was at 20:00 at the first tick.
func clockAt(seconds int) (minute, second int) { return (1200 + seconds) / 60, (1200 + seconds) % 60 }

func playing(event, fi string, seconds int) string {
	minute, second := clockAt(seconds)
	return item(event, fi, minute, second, stats(30+seconds/10, 10+seconds/20))
}

// minted returns the ids of fixtures, by the provider's.
func minted(ids ...string) map[string]string {
	m, all := identity.NewMinter(identity.Key{1, 2, 3}, "betsapi"), map[string]string{}
	for _, id := range ids {
		all[string(m.Fixture(id).FixtureID())] = id
	}
	return all
}

// The market engine's identity is used for good as soon as it is known, and for one
// fixture only.
func TestLiveIdentity(t *testing.T) {
	for _, c := range []struct {
		name  string
		ticks []tick
		want  string // provider fixture id/event id, "+" if tracked before
	}{
		{"it appears", []tick{at(0, playing("501", "", 0)), at(8, playing("501", "9001", 8))}, "9001/501+"},
		{"it vanishes", []tick{at(0, playing("501", "9001", 0)), at(8, playing("501", "", 8))}, "9001/501+"},
		{"it changes", []tick{at(0, playing("501", "9001", 0)), at(8, playing("501", "9002", 8))}, "9001/501+"},
		{"it appears, vanishes and changes", []tick{at(0, playing("501", "", 0)), at(8, playing("501", "9001", 8)), at(16, playing("501", "", 16)), at(24, playing("501", "9009", 24))}, "9001/501+"},
		{"the record is replaced", []tick{at(0, playing("501", "9001", 0)), at(8, playing("777", "9001", 8))}, "9001/777+"},
		{"two records claim it", []tick{at(0, playing("501", "9001", 0)), at(8, playing("500", "9001", 8), playing("501", "9001", 8))}, "9001/501+ event:500/500"},
		{"two new records claim it", []tick{at(0, playing("502", "9001", 0), playing("501", "9001", 0))}, "9001/502 event:501/501"},
		{"it appears where another has it", []tick{at(0, playing("501", "", 0), playing("502", "9001", 0)), at(8, playing("501", "9001", 8), playing("502", "9001", 8))}, "9001/502+ event:501/501+"},
		{"it appears where one has it that is not listed", []tick{at(0, playing("501", "", 0), playing("502", "9001", 0)), at(8, playing("501", "9001", 8))}, "9001/501+"},
		{"it goes back and forth between two", []tick{at(0, playing("501", "9001", 0), playing("502", "9002", 0)), at(8, playing("501", "9002", 8), playing("502", "9001", 8))}, "9001/501+ 9002/502+"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := newMem()
			play(t, mem, c.ticks...)
			last := c.ticks[len(c.ticks)-1]
			ids := minted("9001", "9002", "9009", "event:500", "event:501", "event:502")
			got := map[string]bool{}
			for _, row := range liveRows[table.LiveRow](t, mem, last, layout.LiveFile) {
				if ids[row.FixtureID] != row.ProviderFixtureID {
					t.Errorf("%s is minted from %s, not from %s", row.FixtureID, ids[row.FixtureID], row.ProviderFixtureID)
				}
				id := row.ProviderFixtureID + "/" + word(row.ProviderEventID)
				for _, e := range liveRows[table.LiveTimelineRow](t, mem, last, layout.LiveTimelineFile) {
					if e.FixtureID == row.FixtureID && e.Ordinal == 0 && e.At.Before(row.FreshAt) {
						id += "+"
					}
				}
				got[id] = true
			}
			for id := range strings.FieldsSeq(c.want) {
				if !got[id] {
					t.Errorf("%s is missing of %v", id, got)
				}
				delete(got, id)
			}
			if len(got) > 0 {
				t.Errorf("too much: %v", got)
			}
		})
	}
}

// A fixture that ends is kept for a while, marked, then removed.
func TestLiveLeaves(t *testing.T) {
	over := func(seconds int) tick { return at(seconds, item("501", "9001", -1, 0, stats(50, 20))) }
	t.Run("over", func(t *testing.T) {
		mem := newMem()
		play(t, mem, at(0, playing("501", "9001", 0)), at(8, playing("501", "9001", 8)))
		if s := play(t, mem, over(16)); s.Live.Left != 1 || s.Live.InPlay != 0 || s.Fixtures != 1 {
			t.Errorf("%+v", s)
		}
		row := liveRow(t, mem, over(16), "501")
		if row.InPlay || word(row.ClockPeriod) != "FT" || row.StaleAt != nil || word(row.UnavailableReason) != "NOT_IN_PLAY" || word(row.VisualState) != "FULL_TIME" {
			t.Errorf("%+v", row)
		}
		if s := play(t, mem, at(100), at(900)); s.Fixtures != 1 || s.Live.Gone != 0 {
			t.Errorf("after 14 minutes %+v", s)
		}
		if s := play(t, mem, at(917)); s.Fixtures != 0 || s.Live.Gone != 1 {
			t.Errorf("after 15 minutes %+v", s)
		}
	})
	t.Run("never met in play", func(t *testing.T) {
		mem := newMem()
		if s := play(t, mem, over(0)); s.Fixtures != 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("missing", func(t *testing.T) {
		mem := newMem()
		play(t, mem, at(0, playing("501", "9001", 0), playing("502", "", 0)))
		if s := play(t, mem, at(8, playing("502", "", 8)), at(16, playing("502", "", 16))); s.Live.InPlay != 2 || s.Live.Left != 0 {
			t.Errorf("one slip of the list: %+v", s)
		}
		if row := liveRow(t, mem, at(16), "501"); !row.ProviderFetchedAt.Equal(began.Add(300*time.Millisecond)) || !row.At.Equal(began.Add(16300*time.Millisecond)) {
			t.Errorf("%+v", row)
		}
		if s := play(t, mem, at(24, playing("502", "", 24))); s.Live.InPlay != 1 || s.Live.Left != 1 {
			t.Errorf("missing for good: %+v", s)
		}
		if s := play(t, mem, at(32, playing("501", "9001", 32), playing("502", "", 32))); s.Live.InPlay != 2 {
			t.Errorf("back again: %+v", s)
		}
	})
	t.Run("another is listed twice", func(t *testing.T) {
		for name, twice := range map[string]func(s int) string{
			"the same":    func(s int) string { return playing("502", "", s) },
			"other teams": func(s int) string { return strings.Replace(playing("502", "", s), `"Home 502"`, `"Home 504"`, 1) },
			"a new state": func(s int) string {
				return strings.Replace(playing("503", "", s), `"time_status":"1"`, `"time_status":"77"`, 1)
			},
		} {
			mem := newMem()
			play(t, mem, at(0, playing("501", "9001", 0), playing("502", "", 0), playing("503", "", 0)))
			for s := 8; s <= 32; s += 8 {
				items := []string{playing("502", "", s), twice(s)}
				if name != "a new state" {
					items = append(items, playing("503", "", s))
				}
				got := play(t, mem, at(s, items...))
				if want := map[bool]int{true: 3, false: 2}[s < 24]; got.Live.InPlay != want {
					t.Errorf("%s, after %d s: %+v", name, s, got.Live)
				}
			}
		}
	})
	t.Run("missing since the clock was set back", func(t *testing.T) {
		mem := newMem()
		play(t, mem, at(0, playing("501", "9001", 0), playing("502", "", 0)))
		for s := 8; s <= 40; s += 8 {
			k := at(s, playing("502", "", s))
			k.back = time.Hour
			got := play(t, mem, k)
			if row := liveRow(t, mem, k, "501"); s < 32 && (word(row.VisualState) != "STALE" || word(row.UnavailableReason) != "FEED_STALE" || row.StaleAt.After(row.At) ||
				row.FreshAt.After(row.At) || row.ProviderFetchedAt.After(row.At) || !row.At.Equal(began.Add(time.Duration(s)*time.Second+300*time.Millisecond-time.Hour))) {
				t.Errorf("after %d s: %+v", s, row)
			} else if !row.ProviderFetchedAt.Equal(row.FreshAt) {
				t.Errorf("after %d s: retrieved at %s, and no list had it since the clock was set back; newest sample %s", s, row.ProviderFetchedAt, row.FreshAt)
			}
			if inPlay := map[bool]int{true: 2, false: 1}[s < 32]; got.Live.InPlay != inPlay {
				t.Errorf("after %d s: %+v", s, got.Live)
			}
		}
	})
	t.Run("missing before the clock was set back", func(t *testing.T) {
		mem := newMem()
		play(t, mem, at(0, playing("501", "9001", 0)))
		for s := 60; s <= 208; s += 74 {
			k := at(s)
			if k.cut = true; s == 208 { // 8 s after the retrieval, if only the time between was wrong
				k.back = 200 * time.Second
			}
			play(t, mem, k)
		}
		if row := liveRow(t, mem, at(208), "501"); !row.InPlay || !row.ProviderFetchedAt.Equal(row.FreshAt) || row.StaleAt.After(row.At) {
			t.Errorf("%+v", row)
		}
	})
	t.Run("missing from lists that are not whole", func(t *testing.T) {
		mem := newMem()
		play(t, mem, at(0, playing("501", "9001", 0), playing("502", "", 0)))
		for s := 8; s < 900; s += 60 {
			k := at(s, playing("502", "", s))
			k.cut = true
			if got := play(t, mem, k); got.Live.InPlay != 2 {
				t.Fatalf("after %d s: %+v", s, got.Live)
			}
		}
		row := liveRow(t, mem, at(848), "501")
		if word(row.UnavailableReason) != "FEED_STALE" || word(row.VisualState) != "STALE" || word(row.VisualCertainty) != "UNKNOWN" {
			t.Errorf("%+v", row)
		}
		k := at(908, playing("502", "", 908))
		k.cut = true
		if s := play(t, mem, k); s.Live.InPlay != 1 || s.Live.Left != 1 {
			t.Errorf("silent for 15 minutes: %+v", s.Live)
		}
	})
}

// A list that lacks too many fixtures at once ends none of them.
func TestLiveHeld(t *testing.T) {
	mem := newMem()
	listed := func(seconds, n int) tick {
		k := at(seconds)
		for i := range n {
			k.items = append(k.items, playing(fmt.Sprint(500+i), fmt.Sprint(9000+i), seconds))
		}
		return k
	}
	play(t, mem, listed(0, 60))
	for s := 8; s <= 40; s += 8 {
		if got := play(t, mem, listed(s, 24)); got.Live.InPlay != 60 || got.Live.Left != 0 || (got.Live.Held > 0) != (s >= 24) {
			t.Fatalf("after %d s: %+v", s, got.Live)
		}
	}
	if s := play(t, mem, listed(80, 24)); s.Live.InPlay != 60 || s.Live.Momentum != 0 && liveRow(t, mem, listed(80, 0), "550").MomentumHome != nil {
		t.Errorf("%+v", s.Live)
	}
	if s := play(t, mem, listed(904, 24)); s.Live.InPlay != 24 || s.Live.Left != 36 {
		t.Errorf("after 15 minutes it is so: %+v", s.Live)
	}
	few := newMem()
	play(t, few, listed(0, 60))
	if s := play(t, few, listed(24, 41)); s.Live.InPlay != 41 || s.Live.Held != 0 {
		t.Errorf("some are gone: %+v", s.Live)
	}
}

// If no cycle ran for longer than a state may be old, the timeline says so from the
// moment it was too old, and nothing is invented for the time without samples.
func TestLiveDarkness(t *testing.T) {
	mem := newMem()
	for s := 0; s <= 160; s += 8 {
		play(t, mem, at(s, playing("501", "9001", s)))
	}
	if row := liveRow(t, mem, at(160), "501"); row.MomentumHome == nil {
		t.Fatalf("%+v", row)
	}
	play(t, mem, at(400, playing("501", "9001", 400)))
	row := liveRow(t, mem, at(400), "501")
	if word(row.UnavailableReason) != "INSUFFICIENT_SAMPLES" || row.StaleAt.Before(row.At) {
		t.Errorf("after the darkness %+v", row)
	}
	entries := liveRows[table.LiveTimelineRow](t, mem, at(400), layout.LiveTimelineFile)
	n := len(entries)
	stale, now := entries[n-2], entries[n-1]
	if stale.State != "STALE" || !stale.At.Equal(began.Add(220300*time.Millisecond)) || now.State != "CALM" || now.Certainty != "UNKNOWN" {
		t.Errorf("%+v", entries)
	}
	for _, b := range liveRows[table.LiveBucketRow](t, mem, at(400), layout.LiveBucketsFile) {
		if b.Minute >= 25 && b.Minute <= 26 && b.State != "MISSING" {
			t.Errorf("minute %d of the darkness: %+v", b.Minute, b)
		}
	}
}

// The detail set is bounded, and takes the fixtures farthest from 50/50 first.
func TestLiveDetailSet(t *testing.T) {
	mem := newMem()
	var last tick
	for s := 0; s <= 200; s += 8 {
		last = at(s)
		minute, second := clockAt(s)
		for i := range 60 { // the higher the number, the stronger is home
			attacks := fmt.Sprintf(`"stats":{"attacks":["%d","9"],"dangerous_attacks":["%d","%d"]}`, 10+i*s/100, 5+i*s/400, 5+s/40)
			last.items = append(last.items, item(fmt.Sprint(500+i), fmt.Sprint(9000+i), minute, second, attacks))
		}
		play(t, mem, last)
	}
	ranked := map[int32]table.LiveRow{}
	for _, row := range liveRows[table.LiveRow](t, mem, last, layout.LiveFile) {
		if (row.DetailRank == nil) != (row.SeriesMax == nil) {
			t.Errorf("%+v", row)
		}
		if row.DetailRank != nil {
			ranked[*row.DetailRank] = row
		}
	}
	distance := func(rank int) int32 {
		row := ranked[int32(rank)]
		return max(*row.MomentumHome, *row.MomentumAway) - 50
	}
	for rank := 2; rank <= 50; rank++ {
		if distance(rank) > distance(rank-1) {
			t.Errorf("rank %d is %d from neutral, the one before %d", rank, distance(rank), distance(rank-1))
		}
	}
	detailed := map[string]bool{}
	for _, b := range liveRows[table.LiveBucketRow](t, mem, last, layout.LiveBucketsFile) {
		detailed[b.FixtureID] = true
	}
	if len(ranked) != 50 || len(detailed) != 50 || distance(1) <= distance(50) {
		t.Errorf("%d ranked, %d with minutes, %d to %d from neutral", len(ranked), len(detailed), distance(1), distance(50))
	}
}
