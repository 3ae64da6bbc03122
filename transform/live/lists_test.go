package live_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

type scored struct {
	at, side    int // seconds of play
	shown       int // when the score has it
	listed      int // when the provider's list has it
	taken       int // when score and list take it back, 0 for never
	otherSideTo int // until when the score has it with the other side, 0 for never
}

type feed struct {
	name       string
	joined     int    // when the first sample is
	stall      [2]int // seconds in which the feed stands still
	slow       int    // how many seconds later the list may be
	distort    func(r *rand.Rand, g *scored)
	farBetween bool // no two goals within four minutes
}

// The goals on the timeline are those of the match, each once, in its minute and
// on its side, whatever the feed did on the way; and every entry that a client saw
// keeps its place on the scoreboard, but for one observed just behind the minute of
// a goal that was dated later.
func TestGoalsOfAnyFeed(t *testing.T) {
	for _, f := range []feed{
		{name: "clean"},
		{name: "joined late", joined: 1400},
		{name: "stalled", stall: [2]int{900, 1180}},
		{name: "late lists", slow: 100},
		{name: "disallowed", farBetween: true, distort: func(r *rand.Rand, g *scored) { g.taken = g.listed + 10 + r.IntN(80) }},
		{name: "wrong side", farBetween: true, distort: func(r *rand.Rand, g *scored) { g.otherSideTo = g.shown + 20 + r.IntN(100) }},
	} {
		t.Run(f.name, func(t *testing.T) {
			for seed := range uint64(60) {
				f.play(t, seed)
			}
		})
	}
}

func (f *feed) goals(r *rand.Rand) (goals []scored) {
	for at := 60; ; {
		at += r.IntN(700)
		if f.farBetween {
			at += 240
		}
		if at > 2400 {
			return goals
		}
		g := scored{at: at, side: r.IntN(2), shown: at + r.IntN(20), listed: at + r.IntN(60) + f.slow}
		if f.distort != nil && r.IntN(2) == 0 {
			f.distort(r, &g)
		}
		goals = append(goals, g)
	}
}

func (f *feed) play(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	goals := f.goals(r)
	var state *live.State
	attacks, clocks := [2]int{}, map[int64]int{}
	for now := f.joined + r.IntN(8); now < 2690; now += 8 {
		at := now
		if now >= f.stall[0] && now < f.stall[1] {
			at = f.stall[0]
		} else {
			attacks[r.IntN(2)] += r.IntN(2)
		}
		s := f.sample(goals, attacks, at)
		s.RetrievedAt = start.Add(time.Duration(now) * time.Second)
		clocks[s.RetrievedAt.UnixMilli()] = at
		next := live.Fold(state, s)
		if state = &next; now%64 < 8 {
			promises(t, state)
		}
	}
	var want, got []string
	for _, g := range goals {
		if g.taken == 0 {
			want = append(want, fmt.Sprintf("%s %d EXACT", football.Sides()[g.side], g.at/60))
		}
	}
	for _, e := range state.Live().Timeline {
		minute, second := e.Minute.Or(-1), e.Second.Or(-1)
		clock, ok := clocks[e.At.UnixMilli()]
		switch away := clock - 60*minute - second; {
		case e.State == football.VisualGoal:
			got = append(got, fmt.Sprintf("%s %d %s", e.SideProven, minute, e.Certainty))
		case ok && e.State != football.VisualStale && away != 0 && (away < 0 || away > 60 || clock%60 > 30):
			t.Errorf("seed %d: %+v stands %d s from the scoreboard", seed, e, away)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("seed %d: want %v\ngot %v\n%+v", seed, want, got, goals)
	}
}

func (f *feed) sample(goals []scored, attacks [2]int, at int) *input.Sample {
	var score [2]int
	var list []input.Incident
	for n, g := range goals {
		if g.taken != 0 && at >= g.taken {
			continue
		}
		if side := g.side; at >= g.shown {
			if at < g.otherSideTo {
				side = 1 - side
			}
			score[side]++
		}
		if at >= g.listed {
			list = append(list, input.Incident{ID: fmt.Sprint(n), Kind: input.IncidentGoal, Minute: g.at/60 + 1, Side: football.Sides()[g.side]})
		}
	}
	return &input.Sample{ProviderFixtureID: "77", Status: input.InPlay,
		Clock:     input.ClockReading{Half: football.Of(1), Minute: football.Of(at / 60), Second: football.Of(at % 60), Running: football.Of(true)},
		Score:     football.Score{Home: football.Of(score[0]), Away: football.Of(score[1])},
		Counters:  []football.Counter{{Metric: football.DangerousAttacks, Home: side(fmt.Sprint(attacks[0])), Away: side(fmt.Sprint(attacks[1]))}},
		Incidents: football.Of(list)}
}

// Stoppage time is before the next half: a goal in minute 46 comes after a corner in minute 45+2, also without a
// scoreboard, where the list alone says in which order things happened.
func TestStoppageTimeIsBeforeTheNextHalf(t *testing.T) {
	s := &input.Sample{ProviderFixtureID: "77", RetrievedAt: start, Status: input.InPlay, Score: football.Score{Home: football.Of(1), Away: football.Of(0)},
		Incidents: football.Of([]input.Incident{
			{ID: "1", Kind: input.IncidentCorner, Minute: 45, Added: 2, Side: football.SideHome},
			{ID: "2", Kind: input.IncidentGoal, Minute: 46, Side: football.SideHome},
		})}
	state := live.Fold(nil, s)
	var got []string
	for _, e := range state.Live().Timeline {
		if e.Certainty == football.Exact {
			got = append(got, fmt.Sprintf("%s %d %d %d", e.State, e.Half, e.Minute.Or(-1), e.Added))
		}
	}
	if want := []string{"CORNER 1 45 2", "GOAL 2 45 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A goal of a half that no sample showed is dated by that half, also in the shoot-out after it.
func TestGoalOfAHalfThatWasMissed(t *testing.T) {
	var state *live.State
	for _, s := range []struct {
		at, half, minute int
		goals            []input.Incident
	}{
		{at: 0, half: 3, minute: 100},
		{at: 1800, half: 5, minute: 120, goals: []input.Incident{{ID: "1", Kind: input.IncidentGoal, Minute: 112, Side: football.SideHome}}},
	} {
		next := live.Fold(state, &input.Sample{ProviderFixtureID: "77", RetrievedAt: start.Add(time.Duration(s.at) * time.Second), Status: input.InPlay,
			Clock:     input.ClockReading{Half: football.Of(s.half), Minute: football.Of(s.minute), Second: football.Of(0), Running: football.Of(s.half < 5)},
			Score:     football.Score{Home: football.Of(len(s.goals)), Away: football.Of(len(s.goals))},
			Incidents: football.Of(s.goals)})
		state = &next
	}
	for _, e := range state.Live().Timeline {
		if e.State == football.VisualGoal && (e.Half != 4 || e.Minute.Or(-1) != 111 || e.Added != 0) {
			t.Errorf("%+v", e)
		}
	}
	if state.Live().Clock.Phase != football.Shootout {
		t.Errorf("phase %s", state.Live().Clock.Phase)
	}
}
