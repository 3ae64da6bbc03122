package live_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

type truth struct {
	half, second int // on the half's own clock
	metric       football.Metric
	side         int
}

// match is an invented match: the lengths of its halves, and its events.
type match struct {
	lengths [2]int
	events  []truth
}

func makeMatch(seed uint64) match {
	r := rand.New(rand.NewPCG(seed, 1))
	m := match{lengths: [2]int{45*60 + r.IntN(300), 45*60 + r.IntN(500)}}
	perMinute := []struct {
		metric football.Metric
		chance float64
	}{{football.Attacks, 1}, {football.DangerousAttacks, .5}, {football.OnTarget, .06}, {football.OffTarget, .09},
		{football.Corners, .06}, {football.YellowCards, .02}, {football.RedCards, .002}, {football.Goals, .02}, {football.Substitutions, .03}}
	for half, length := range m.lengths {
		for second := 1; second < length; second++ {
			for _, kind := range perMinute {
				for side := range 2 {
					if r.Float64() < kind.chance/60 {
						m.events = append(m.events, truth{half, second, kind.metric, side})
					}
				}
			}
		}
	}
	return m
}

// samples polls the match every eight seconds from a minute before kick-off to
// its end, and calls each with what is seen.
func (m *match) samples(each func(half, second int, running bool, s *input.Sample)) {
	at := start
	counts := map[football.Metric]*[2]int{}
	for _, metric := range []football.Metric{football.Attacks, football.Corners, football.DangerousAttacks, football.Goals, football.OffTarget,
		football.OnTarget, football.RedCards, football.Substitutions, football.YellowCards} {
		counts[metric] = new([2]int)
	}
	next := 0
	poll := func(half, second int, running bool) {
		for ; next < len(m.events) && (m.events[next].half < half || m.events[next].half == half && m.events[next].second <= second); next++ {
			counts[m.events[next].metric][m.events[next].side]++
		}
		s := &input.Sample{ProviderFixtureID: "1", RetrievedAt: at, Status: input.InPlay,
			Clock: input.ClockReading{Half: football.Of(half + 1), Minute: football.Of(half*45 + second/60), Second: football.Of(second % 60), Running: football.Of(running)},
			Score: football.Score{Home: football.Of(counts[football.Goals][0]), Away: football.Of(counts[football.Goals][1])}}
		for _, metric := range []football.Metric{football.Attacks, football.Corners, football.DangerousAttacks, football.Goals, football.OffTarget,
			football.OnTarget, football.RedCards, football.Substitutions, football.YellowCards} {
			s.Counters = append(s.Counters, football.Counter{Metric: metric,
				Home: side(fmt.Sprint(counts[metric][0])), Away: side(fmt.Sprint(counts[metric][1]))})
		}
		each(half, second, running, s)
		at = at.Add(8 * time.Second)
	}
	for range 8 {
		poll(0, 0, false)
	}
	for second := 0; second <= m.lengths[0]; second += 8 {
		poll(0, second, true)
	}
	for range 110 {
		poll(1, 0, false)
	}
	for second := 0; second <= m.lengths[1]; second += 8 {
		poll(1, second, true)
	}
	for range 3 {
		poll(1, 45*60, false)
	}
}

// A whole match from before kick-off to the end: every minute's bucket and every
// event of the timeline is what happened, seen at the next poll.
func TestFullMatchMinuteByMinute(t *testing.T) {
	for seed := range uint64(5) {
		m := makeMatch(seed)
		var state *live.State
		var polls [2][]int
		m.samples(func(half, second int, running bool, s *input.Sample) {
			next := live.Fold(state, s)
			state = &next
			promises(t, state)
			if running {
				polls[half] = append(polls[half], second)
			}
		})
		l := state.Live()
		checkBuckets(t, &m, polls, l.Series)
		checkEvents(t, &m, polls, l.Timeline)
		if l.Clock.Phase != football.FullTime || l.Visual.State != football.VisualFullTime {
			t.Errorf("ends in %s, %s", l.Clock.Phase, l.Visual.State)
		}
	}
}

// seenAt returns the poll at which an event shows. An event that shows while the clock
// is stopped belongs to the last poll of its half.
func seenAt(polls []int, second int) int {
	for _, poll := range polls {
		if poll >= second {
			return poll
		}
	}
	return polls[len(polls)-1]
}

func checkBuckets(t *testing.T, m *match, polls [2][]int, got football.Series) {
	t.Helper()
	points := map[football.Metric]int{football.DangerousAttacks: 2, football.OnTarget: 1, football.OffTarget: 1, football.Corners: 2}
	type key struct{ minute, added int }
	want := map[key][2]int{}
	minutes := 0
	for half, all := range polls {
		minutes += max(45, all[len(all)-1]/60+1)
		for _, e := range m.events {
			if e.half == half {
				minute := seenAt(all, e.second) / 60
				k := key{half*45 + min(minute, 44) + 1, max(0, minute-44)}
				sum := want[k]
				sum[e.side] += points[e.metric]
				want[k] = sum
			}
		}
	}
	if len(got.Buckets) != minutes {
		t.Fatalf("%d buckets, want %d", len(got.Buckets), minutes)
	}
	for _, b := range got.Buckets {
		k := key{b.Minute, b.Added}
		state := football.BucketValue
		if want[k] == [2]int{} {
			state = football.BucketZero
		}
		if b.State != state || want[k] != [2]int{b.Home, b.Away} {
			t.Errorf("minute %d+%d is %+v, want %v", b.Minute, b.Added, b, want[k])
		}
	}
}

// checkEvents checks that every goal and card has an entry of its own, that every
// corner and substitution is the state at its poll, and that nothing else is
// reported.
func checkEvents(t *testing.T, m *match, polls [2][]int, timeline []football.TimelineEntry) {
	t.Helper()
	states := map[football.Metric]football.VisualState{football.Goals: football.VisualGoal, football.Corners: football.VisualCorner,
		football.YellowCards: football.VisualCard, football.RedCards: football.VisualCard, football.Substitutions: football.VisualSubstitution}
	name := func(place string, state football.VisualState, side football.Side) string {
		return fmt.Sprintf("%s %s %s", place, state, side)
	}
	got, want := map[string]int{}, map[string]int{}
	for i, e := range timeline {
		switch e.State {
		case football.VisualGoal, football.VisualCard, football.VisualKickOff, football.VisualHalfTime, football.VisualFullTime,
			football.VisualCorner, football.VisualSubstitution:
			got[name(place(e), e.State, e.SideProven)]++
		}
		if e.Certainty != football.Inferred || i > 0 && e.Half < timeline[i-1].Half {
			t.Errorf("entry %+v", e)
		}
	}
	last := map[string]int{}
	for _, e := range m.events {
		state, side := states[e.metric], football.Sides()[e.side]
		position := e.half*45*60 + seenAt(polls[e.half], e.second)
		at := reported(e.half, position)
		switch state {
		case football.VisualGoal, football.VisualCard:
			want[name(at, state, side)]++
		case football.VisualCorner, football.VisualSubstitution:
			// One that follows within the time the one before is the state joins it.
			key := name("", state, side)
			if n := name(at, state, side); got[n] > 0 {
				want[n] = 1
			} else if before, met := last[key]; !met || position-before > 24 {
				t.Errorf("%s is not on the timeline", n)
			}
			last[key] = position
		}
	}
	want[name("0:00", football.VisualKickOff, football.SideNone)], want[name("45:00", football.VisualKickOff, football.SideNone)] = 1, 1
	want[name(reported(0, polls[0][len(polls[0])-1]), football.VisualHalfTime, football.SideNone)] = 1
	want[name(reported(1, 45*60+polls[1][len(polls[1])-1]), football.VisualFullTime, football.SideNone)] = 1
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-happened +reported:\n%s", diff)
	}
}

// reported returns how an entry at a position of the scoreboard is reported, in the first
// half (0) or the second.
func reported(half, position int) string {
	if end := (half + 1) * 45; position >= end*60 {
		return fmt.Sprintf("%d+%d:00", end, position/60-end+1)
	}
	return fmt.Sprintf("%d:%02d", position/60, position%60)
}

// Momentum follows play: constant pressure of one side leads to its strong lead
// and fades when it ends.
func TestMomentumFollowsPlay(t *testing.T) {
	var state *live.State
	share := func(minute int) int {
		m := state.Live().Momentum
		if !m.Available() {
			t.Fatalf("minute %d: %s", minute, m.Reason)
		}
		return m.Home
	}
	dangerous, strongest := 0, 0
	for second := 0; second <= 40*60; second += 8 {
		if second > 5*60 && second < 20*60 && second%32 == 0 {
			dangerous++
		}
		next := live.Fold(state, &input.Sample{ProviderFixtureID: "1", Status: input.InPlay, RetrievedAt: start.Add(time.Duration(second) * time.Second),
			Clock:    input.ClockReading{Half: football.Of(1), Minute: football.Of(second / 60), Second: football.Of(second % 60), Running: football.Of(true)},
			Counters: []football.Counter{{Metric: football.DangerousAttacks, Home: side("0"), Away: side(fmt.Sprint(dangerous))}}})
		switch state = &next; second {
		case 5 * 60:
			if share(5) != 50 {
				t.Errorf("nothing happened, and momentum is %d", share(5))
			}
		case 19 * 60:
			strongest = share(19)
			if m := state.Live().Momentum; m.Leader != football.LeaderAway || m.Strength != football.StrengthStrong {
				t.Errorf("under siege: %+v", m)
			}
		case 40 * 60:
			if share(40) <= strongest+5 {
				t.Errorf("twenty quiet minutes took %d to %d", strongest, share(40))
			}
		}
	}
}
