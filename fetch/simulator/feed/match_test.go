package feed_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// clean is a world whose feed is always right.
func clean(seed uint64) *world.World {
	return world.New(world.Options{Seed: seed, Fixtures: 300, Oddities: new(feed.Oddities)})
}

// troubled is one whose every match suffers everything.
func troubled(seed uint64) *world.World {
	return world.New(world.Options{Seed: seed, Fixtures: 300,
		Oddities: &feed.Oddities{Corrected: 1, Disallowed: 1, Vanishing: 1, Null: 1, Late: 1, Stalled: 1, Frozen: 1}})
}

func matches(w *world.World, n int) []feed.Match {
	var all []feed.Match
	for number := int64(4000); len(all) < n; number++ {
		all = append(all, w.Match(fixtureOf(w, number)))
	}
	return all
}

// fixtureOf is a fixture as it stands at its own kick-off.
func fixtureOf(w *world.World, number int64) competition.Fixture {
	f, _ := w.Fixture(number, noon)
	return f
}

func TestSameSeedSameMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, number := rapid.Uint64().Draw(t, "seed"), rapid.Int64Range(4000, 4900).Draw(t, "number")
		a, b := troubled(seed), troubled(seed)
		m, n := a.Match(fixtureOf(a, number)), b.Match(fixtureOf(b, number))
		later := m.Whistle.Add(time.Duration(rapid.IntRange(0, 9000).Draw(t, "second")) * time.Second)
		n.Sent(later.Add(-time.Hour)) // in another order
		n.Sent(later.Add(time.Hour))
		if !reflect.DeepEqual(m.Sent(later), n.Sent(later)) || !reflect.DeepEqual(m.Minutes(), n.Minutes()) || !reflect.DeepEqual(m.Reported(), n.Reported()) {
			t.Errorf("fixture %d of seed %d was played twice in two ways", number, seed)
		}
	})
}

func TestClockOfAFullMatch(t *testing.T) {
	shootouts, extras := 0, 0
	for i, m := range matches(clean(3), 300) {
		if i > 12 && len(m.Periods()) == 2 {
			continue
		}
		var last feed.Sent
		started := make(map[play.Phase]time.Time)
		end := m.Over.Add(time.Minute)
		for now := m.Opens; now.Before(end); now = now.Add(time.Second) {
			s := m.Sent(now)
			c := s.Clock
			if _, known := started[c.Phase]; !known {
				started[c.Phase] = now
				if c.Phase < last.Clock.Phase {
					t.Fatalf("%v after %v", c.Phase, last.Clock.Phase)
				}
			} else if last.Clock.Phase == c.Phase && c.Shown < last.Clock.Shown && c.Phase != play.HalfTime {
				t.Fatalf("%v: the clock went back from %v to %v", c.Phase, last.Clock.Shown, c.Shown)
			}
			if c.Running && c.Phase.Playing() && last.Clock.Phase == c.Phase && last.Clock.Shown+time.Second != c.Shown {
				t.Fatalf("%v: %v a second after %v", c.Phase, c.Shown, last.Clock.Shown)
			}
			if s.Begun != (c.Phase != play.Before) || (s.First != nil) != (c.Phase >= play.HalfTime) {
				t.Fatalf("%v: begun %v, first half over %v", c.Phase, s.Begun, s.First != nil)
			}
			last = s
		}
		half := time.Duration(m.Fixture.League.Minutes) * time.Minute / 2
		rest := started[play.SecondHalf].Sub(started[play.HalfTime])
		first := started[play.HalfTime].Sub(started[play.FirstHalf])
		human := m.Fixture.League.Kind != competition.Esoccer
		if first < half || first > half+6*time.Minute || human && (rest < 14*time.Minute || rest > 17*time.Minute) {
			t.Errorf("first half of %v, break of %v", first, rest)
		}
		if last.Clock.Phase != play.FullTime || last.Clock.Running || last.Status != competition.Ended {
			t.Errorf("at the end: %+v, status %d", last.Clock, last.Status)
		}
		want := 2 * half
		if !started[play.ExtraFirst].IsZero() {
			extras++
			want = 120 * time.Minute
		}
		if !started[play.Shootout].IsZero() {
			shootouts++
		}
		if last.Clock.Shown != want {
			t.Errorf("%s ended at %v", m.Fixture.League.Name, last.Clock.Shown)
		}
	}
	if extras == 0 || shootouts == 0 {
		t.Errorf("%d matches with extra time, %d with a shoot-out", extras, shootouts)
	}
}

// Counters of a clean feed are the true counts, and never fall.
func TestFeedWithoutOdditiesIsTrue(t *testing.T) {
	for _, m := range matches(clean(5), 12) {
		var before play.Counts
		for now := m.Whistle; now.Before(m.Over); now = now.Add(7 * time.Second) {
			s, truth := m.Sent(now), m.True(now)
			if m.GoalsLag() == 0 && *s.Counts() != truth || s.Score != truth.Score() {
				t.Fatalf("%v after the whistle: sent %v, true %v", now.Sub(m.Whistle), *s.Counts(), truth)
			}
			for side := range truth {
				for metric := range truth[side] {
					if truth[side][metric] < before[side][metric] {
						t.Fatalf("%v fell", play.Metric(metric))
					}
				}
			}
			before = truth
		}
	}
}

// Whatever falls was planted: a troubled feed is the truth of the moment it
// stands at, with the corrections of that moment.
func TestEveryFallIsPlanted(t *testing.T) {
	w := troubled(5)
	falls := make(map[feed.Reason]int)
	for _, m := range matches(w, 60) {
		for _, c := range m.Corrections() {
			falls[c.Why]++
		}
		for now := m.Whistle.Add(time.Minute); now.Before(m.Over); now = now.Add(11 * time.Second) {
			s := m.Sent(now)
			want := m.True(s.At)
			at := s.At.Sub(m.Whistle)
			for _, c := range m.Corrections() {
				if at >= c.From && at < c.To {
					want[c.Side][c.Metric] += int32(c.By)
				}
			}
			if m.GoalsLag() > 0 { // behind the score
				if s.Score != want.Score() {
					t.Fatalf("score %v, want %v", s.Score, want.Score())
				}
				for side := range want {
					want[side][play.Goals] = s.Counts()[side][play.Goals]
				}
			}
			if *s.Counts() != want {
				t.Fatalf("%v after the whistle: sent %v, want %v", at, *s.Counts(), want)
			}
		}
		if s := m.Sent(m.Over.Add(time.Hour)); s.Score != finalOf(m) {
			t.Errorf("ended %v, was %v", s.Score, finalOf(m))
		}
	}
	for _, why := range []feed.Reason{feed.Lowered, feed.Invented, feed.Swapped, feed.Disallowed} {
		if falls[why] < 5 {
			t.Errorf("%d corrections of the kind %v", falls[why], why)
		}
	}
}

func finalOf(m feed.Match) [2]int {
	truth := m.True(m.Over)
	return truth.Score()
}

func TestStalls(t *testing.T) {
	w := troubled(2)
	for _, m := range matches(w, 20) {
		for _, stall := range m.Stalls() {
			first := m.Sent(m.Whistle.Add(stall.From))
			for at := stall.From; at < stall.To; at += time.Second {
				if now := m.Whistle.Add(at); !reflect.DeepEqual(m.Sent(now), first) && w.FeedTime(now).Equal(now) {
					t.Fatalf("moved within a stall, %v after its beginning", at-stall.From)
				}
			}
		}
	}
	stood := 0
	for now := noon; now.Before(noon.Add(6 * time.Hour)); now = now.Add(time.Second) {
		if at := w.FeedTime(now); !at.Equal(now) {
			stood++
			if at.After(now) || now.Sub(at) > 3*time.Minute || !w.FeedTime(at).Equal(at) {
				t.Fatalf("the feed of %v at %v", at, now)
			}
		}
	}
	if stood < 12*60 || stood > 12*170 {
		t.Errorf("the feed stood for %d seconds in 6 hours, with a stall each half", stood)
	}
	held := world.New(world.Options{Start: noon, Oddities: new(feed.Oddities), Frozen: []feed.Span{{From: time.Minute, To: 3 * time.Minute}}})
	for after, want := range map[time.Duration]time.Duration{59 * time.Second: 59 * time.Second, 2 * time.Minute: time.Minute, 3 * time.Minute: 3 * time.Minute} {
		if got := held.FeedTime(noon.Add(after)); !got.Equal(noon.Add(want)) {
			t.Errorf("after %v the feed reports %v", after, got.Sub(noon))
		}
	}
}

func TestMinutesAddUp(t *testing.T) {
	for _, m := range matches(clean(8), 40) {
		var sum play.Counts
		last := feed.Minute{}
		for _, minute := range m.Minutes() {
			if minute.Minute < last.Minute || minute.Minute == last.Minute && minute.Added != last.Added+1 || minute.Minute > last.Minute && minute.Added != 0 {
				t.Fatalf("minute %d+%d after %d+%d", minute.Minute, minute.Added, last.Minute, last.Added)
			}
			last = minute
			for side := range sum {
				for metric := range sum[side] {
					sum[side][metric] += minute.Counts[side][metric]
				}
			}
			before, after := m.True(m.Whistle.Add(minute.From-time.Second)), m.True(m.Whistle.Add(minute.To-time.Second))
			if minute.To-minute.From == time.Minute && after[0][play.Corners]-before[0][play.Corners] != minute.Counts[0][play.Corners] {
				t.Fatalf("minute %d holds %d corners", minute.Minute, minute.Counts[0][play.Corners])
			}
		}
		if sum != m.True(m.Over) {
			t.Fatalf("minutes add up to %v, the match to %v", sum, m.True(m.Over))
		}
	}
}

// A match has about the counts of professional ones, and the goals expected by the prices.
func TestMatchesAreFootball(t *testing.T) {
	bands := map[play.Metric][2]float64{
		play.Attacks: {90, 130}, play.DangerousAttacks: {38, 56}, play.OnTarget: {3.5, 5.5}, play.OffTarget: {4, 7.5},
		play.Corners: {4, 6}, play.YellowCards: {1.4, 2.4}, play.RedCards: {0.04, 0.2}, play.Penalties: {0.08, 0.25},
		play.Substitutions: {2, 5}, play.Fouls: {8, 15}, play.Possession: {14_000, 21_000}, play.ExpectedGoals: {90, 180},
	}
	var sum play.Counts
	expected, played := 0.0, 0
	for _, m := range matches(clean(1), 700) {
		if !m.Fixture.League.Human() || len(m.Periods()) > 2 {
			continue
		}
		played++
		expected += m.Fixture.League.Goals
		for side, counts := range m.True(m.Over) {
			for metric, n := range counts {
				sum[side][metric] += n
			}
		}
	}
	for metric, band := range bands {
		if mean := float64(sum[0][metric]+sum[1][metric]) / 2 / float64(played); mean < band[0] || mean > band[1] {
			t.Errorf("%v: %.2f a side, want %v", metric, mean, band)
		}
	}
	if goals := float64(sum[0][play.Goals] + sum[1][play.Goals]); math.Abs(goals/expected-1) > 0.08 {
		t.Errorf("%.0f goals in %d matches, prices expect %.0f", goals, played, expected)
	}
}

// Every event is dated in a half, also one at its very end, and a goal that is taken back.
func TestEventsAreOfAHalf(t *testing.T) {
	for _, m := range matches(troubled(5), 400) {
		for _, r := range m.Reported() {
			if !r.Clock.Phase.Playing() {
				t.Errorf("%v: %+v at %+v", m.Fixture, r.Incident, r.Clock)
			}
		}
	}
}
