package world_test

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

// So many are in play as asked for, at any time, and new ones kick off.
func TestInPlayStaysAtItsSize(t *testing.T) {
	for _, want := range []int{12, 60, 320} {
		w := world.New(world.Options{Seed: 4, Fixtures: 300, InPlay: want})
		seen := make(map[int64]bool)
		for hour := range 8 {
			now := noon.Add(time.Duration(hour) * 47 * time.Minute)
			all := w.Live(now)
			history := 0
			for i := range all {
				m := &all[i]
				seen[m.Fixture.Number] = true
				if s := m.Sent(now); s.Clock.Phase >= play.HalfTime {
					history++
				}
				if now.Before(m.Opens) || !now.Before(m.Leaves) {
					t.Fatalf("listed from %v to %v, at %v", m.Opens, m.Leaves, now)
				}
			}
			if len(all) < want*3/4 || len(all) > want*5/4+4 {
				t.Errorf("%d in play of %d", len(all), want)
			}
			if history < want/5 {
				t.Errorf("of %d, %d past the first half", want, history)
			}
		}
		if len(seen) < 3*want {
			t.Errorf("%d matches in six hours of %d in play", len(seen), want)
		}
	}
}

// A match in play was announced before, under the same number, and its status
// goes from not started over in play to ended.
func TestLiveFixturesAreThoseAnnounced(t *testing.T) {
	w := world.New(world.Options{Seed: 6, Fixtures: 300, InPlay: 40})
	var before []int64
	for _, f := range w.Fixtures(noon.Add(-4 * time.Hour)) {
		before = append(before, f.Number)
	}
	for ago := time.Duration(0); ago < 4*time.Hour; ago += 20 * time.Minute {
		for _, f := range w.Fixtures(noon.Add(-ago)) {
			before = append(before, f.Number)
		}
	}
	for _, m := range w.Live(noon) {
		f := m.Fixture
		if !slices.Contains(before, f.Number) && f.Status != competition.NotStarted {
			t.Errorf("fixture %d is in play and was never announced", f.Number)
		}
		again, known := w.Fixture(f.Number, noon)
		if !known || again.Status != f.Status || again.Home.Name != f.Home.Name {
			t.Errorf("fixture %d: %+v, known %v", f.Number, again, known)
		}
		for at, want := range map[time.Time]competition.Status{m.Fixture.KickOff.Add(-time.Second): competition.NotStarted,
			m.Over.Add(-time.Second): competition.InPlay, m.Over: competition.Ended} {
			if f, _ := w.Fixture(f.Number, at); f.Status != want && !f.Moved {
				t.Errorf("fixture %d at %v: status %d, want %d", f.Number, at, f.Status, want)
			}
		}
	}
}
