package live_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/input"
	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/transform/live"
	"mkt/transform/live/rules"
)

// After every step of any feed, in any order, every promise about a state holds.
func TestInvariantsHoldForAnyFeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var state *live.State
		at := start
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 8, 8, 8, 8, 30, 61, 700, -61, -900}).Draw(t, "later")) * time.Second)
			act := rapid.SampledFrom([]string{"fold", "fold", "fold", "fold", "fold", "pass", "leave"}).Draw(t, "act")
			var before []byte
			if state != nil {
				before = state.Encode(nil)
			}
			s := anySample(t, at)
			next := apply(state, act, s, at)
			again := apply(reread(t, state), act, s, at)
			if !bytes.Equal(next.Encode(nil), again.Encode(nil)) {
				t.Fatal("the step from the stored state differs")
			}
			if state != nil && !bytes.Equal(before, state.Encode(nil)) {
				t.Fatal("the step changed the previous state")
			}
			promises(t, &next)
			keepsBreaks(t, state, &next)
			state = &next
		}
	})
}

// isEvent reports whether a published entry is an event. A shoot-out is PENALTY too, without a side.
func isEvent(e *football.TimelineEntry) bool {
	switch e.State {
	case football.VisualGoal, football.VisualCorner, football.VisualCard, football.VisualSubstitution:
		return true
	case football.VisualPenalty:
		return e.Certainty == football.Exact || e.SideProven != football.SideNone
	}
	return false
}

// keepsBreaks checks that a break, the end or a shoot-out on a timeline is there after the next step as
// well, since the same time, unless the half goes on.
func keepsBreaks(t rapid.TB, before, after *live.State) {
	if before == nil || !before.FirstAt().Equal(after.FirstAt()) || after.At().Before(before.At()) || after.Live().Clock.Phase.Half() != 0 {
		return
	}
	was, is := before.Live().Timeline, after.Live().Timeline
	for i := range was {
		e := &was[i]
		isBreak := e.State == football.VisualHalfTime || e.State == football.VisualFullTime || e.State == football.VisualPenalty && !isEvent(e)
		if isBreak && !slices.ContainsFunc(is, func(a football.TimelineEntry) bool {
			return a.State == e.State && a.SideProven == e.SideProven && !a.At.After(e.At) && !a.Until.Before(e.At)
		}) {
			t.Fatalf("%+v is gone: had %+v\nhas %+v", e, was, is)
		}
	}
}

func apply(state *live.State, act string, s *input.Sample, at time.Time) live.State {
	switch {
	case state == nil || act == "fold":
		return live.Fold(state, s)
	case act == "pass":
		return live.Pass(*state, at)
	}
	return live.Leave(*state, at)
}

func reread(t rapid.TB, s *live.State) *live.State {
	if s == nil {
		return nil
	}
	stored := s.Encode(nil)
	read, err := live.Decode(stored)
	check.Must(t, err)
	if !bytes.Equal(stored, read.Encode(nil)) {
		t.Fatal("the stored state reads back differently")
	}
	return &read
}

func promises(t rapid.TB, s *live.State) {
	l := s.Live()
	m := l.Momentum
	lead := max(m.Home-50, 50-m.Home)
	switch {
	case !m.Available() && (m.Home != 0 || m.Away != 0 || m.Leader != "" || m.Strength != ""):
		t.Fatalf("a number beside a reason: %+v", m)
	case m.Available() && (m.Home+m.Away != 100 || m.Home < 0 || m.Away < 0):
		t.Fatalf("no shares of 100: %+v", m)
	case m.Available() && (lead < 4) != (m.Leader == football.LeaderBalanced):
		t.Fatalf("leader: %+v", m)
	case m.Scope != football.ScopeFixture || m.FeedAge < 0:
		t.Fatalf("scope and age: %+v", m)
	}
	if l.InPlay && l.At.After(l.StaleAt) && (m.Available() || l.Visual.State != football.VisualStale) {
		t.Fatalf("stale at %v, and %+v %+v at %v", l.StaleAt, m, l.Visual, l.At)
	}
	bucketPromises(t, &l)
	timelinePromises(t, &l)
	countPromises(t, &l)
}

// Of a side's events of one kind, no more are on the timeline than its counter says. A red
// card may be counted in place of a yellow one.
func countPromises(t rapid.TB, l *football.Live) {
	limits := map[football.VisualState]map[football.Metric]int{
		football.VisualCorner:       {football.Corners: 1},
		football.VisualSubstitution: {football.Substitutions: 1},
		football.VisualPenalty:      {football.Penalties: 1},
		football.VisualCard:         {football.YellowCards: 1, football.RedCards: 2},
	}
	for state, metrics := range limits {
		limit, known := [2]int{}, true
		for metric, times := range metrics {
			i := slices.IndexFunc(l.Counters, func(c football.Counter) bool { return c.Metric == metric })
			if i < 0 {
				known = false
				break
			}
			for side, f := range []football.Field[football.Number]{l.Counters[i].Home, l.Counters[i].Away} {
				n, ok := f.Get()
				count, isCount := n.Count()
				known = known && ok && isCount
				limit[side] += times * count
			}
		}
		if known {
			countPromise(t, l, state, limit)
		}
	}
	home, okHome := l.Score.Home.Get()
	away, okAway := l.Score.Away.Get()
	if okHome && okAway {
		countPromise(t, l, football.VisualGoal, [2]int{home, away})
	}
}

func countPromise(t rapid.TB, l *football.Live, state football.VisualState, limit [2]int) {
	got := map[football.Side]int{}
	for i := range l.Timeline {
		if e := &l.Timeline[i]; e.State == state && isEvent(e) {
			got[e.SideProven]++
		}
	}
	if got[football.SideHome] > limit[0] || got[football.SideAway] > limit[1] || got[football.SideHome]+got[football.SideAway]+got[football.SideNone] > limit[0]+limit[1] {
		t.Fatalf("%s: %v on the timeline, and the counter says %v: %+v", state, got, limit, l.Timeline)
	}
}

func bucketPromises(t rapid.TB, l *football.Live) {
	last, most := football.Bucket{}, 0
	type sum struct {
		home, away     int
		whole          bool
		minutes, known int
	}
	sums := map[int]*sum{}
	for _, b := range l.Series.Buckets {
		if b.Minute < last.Minute || b.Minute == last.Minute && b.Added != last.Added+1 || b.Minute > last.Minute && b.Added != 0 {
			t.Fatalf("minute %d+%d after %d+%d", b.Minute, b.Added, last.Minute, last.Added)
		}
		if last = b; (b.State == football.BucketValue) != (b.Home+b.Away > 0) || b.Home < 0 || b.Away < 0 {
			t.Fatalf("bucket %+v", b)
		}
		most = max(most, b.Home, b.Away)
		half := 1
		for h, begins := range map[int]int{2: 45, 3: 90, 4: 105} {
			if b.Minute > begins {
				half = max(half, h)
			}
		}
		if sums[half] == nil {
			sums[half] = &sum{whole: true}
		}
		s := sums[half]
		s.home, s.away = s.home+b.Home, s.away+b.Away
		s.minutes++
		if b.State == football.BucketValue || b.State == football.BucketZero {
			s.known++
		}
		s.whole = s.known == s.minutes
	}
	if l.Series.Max != most || l.Series.MaxMinute != last.Minute {
		t.Fatalf("series %d %d, want %d %d", l.Series.Max, l.Series.MaxMinute, most, last.Minute)
	}
	for _, p := range l.Periods {
		s := sums[p.Half]
		if s == nil {
			s = &sum{}
		}
		known := p.State == football.BucketValue || p.State == football.BucketZero
		if known != s.whole || known && (p.Home != s.home || p.Away != s.away) || !known && p.Home+p.Away != 0 {
			t.Fatalf("half %+v, its minutes %+v", p, *s)
		}
		if p.Minutes != s.minutes || p.Known != s.known || p.KnownHome != s.home || p.KnownAway != s.away {
			t.Fatalf("known of half %+v, its minutes %+v", p, *s)
		}
	}
}

func timelinePromises(t rapid.TB, l *football.Live) {
	var last football.TimelineEntry
	place, added := -1, 0
	for i, e := range l.Timeline {
		if e.At.Before(last.At) || e.Until.Before(e.At) || e.At.After(l.At) || e.Until.After(l.At) {
			t.Fatalf("times of %+v after %+v", e, last)
		}
		if i > 0 && !last.Until.Equal(e.At) {
			t.Fatalf("a hole between %+v and %+v", last, e)
		}
		if !slices.Contains(football.VisualStates(), e.State) || !slices.Contains(football.Certainties(), e.Certainty) ||
			!slices.Contains(football.Sides(), e.SideProven) {
			t.Fatalf("the entry has a value outside the vocabulary: %+v", e)
		}
		if e.State == football.VisualStale && e.Certainty != football.Unknown {
			t.Fatalf("stale and %s", e.Certainty)
		}
		if (e.Certainty == football.Exact) == e.ListedAt.IsZero() {
			t.Fatalf("exact and not listed, or the other way round: %+v", e)
		}
		own := e.State == football.VisualGoal || e.State == football.VisualCard || e.State == football.VisualPenalty
		known := (e.Certainty == football.Unknown) == (last.Certainty == football.Unknown)
		if e.State == last.State && e.SideProven == last.SideProven && known && !own {
			t.Fatalf("equal neighbours %+v and %+v", last, e)
		}
		if minute, ok := e.Minute.Get(); ok {
			now := 60*minute + e.Second.Or(59)
			if now < place || now == place && e.Half == last.Half && e.Added < added {
				t.Fatalf("the scoreboard runs back to %+v, after %d s", e, place)
			}
			if e.Added < 0 || e.Added > 0 && (!slices.Contains([]int{45, 90, 105, 120}, minute) || e.Second.Or(0) != 0) {
				t.Fatalf("stoppage time: %+v", e)
			}
			place, added = 60*minute+e.Second.Or(0), e.Added
		}
		last = e
	}
	if v := l.Visual; v.State != last.State || v.Certainty != last.Certainty || v.SideProven != last.SideProven || !v.Since.Equal(last.At) {
		t.Fatalf("visual %+v, newest entry %+v", l.Visual, last)
	}
}

func anySample(t *rapid.T, at time.Time) *input.Sample {
	s := &input.Sample{ProviderFixtureID: "77", ProviderEventID: "e", RetrievedAt: at,
		Status: rapid.SampledFrom([]input.PlayStatus{input.InPlay, input.InPlay, input.InPlay, input.InPlay, input.Halted, input.Over, input.Off, input.NotStarted}).Draw(t, "status"),
		Home:   anyField(rapid.SampledFrom([]string{"", "Rød/Hvid", strings.Repeat("x", 2000)})).Draw(t, "home"),
		Clock: input.ClockReading{
			Half:    anyField(rapid.IntRange(-1, 6)).Draw(t, "half"),
			Minute:  anyField(rapid.SampledFrom([]int{-1, 0, 44, 45, 46, 89, 90, 91, 105, 120, 1 << 40})).Draw(t, "minute"),
			Second:  anyField(rapid.IntRange(-1, 61)).Draw(t, "second"),
			Running: anyField(rapid.Bool()).Draw(t, "running"),

			Shootout: rapid.IntRange(0, 3).Draw(t, "shoot-out") == 0,
		},
		Score: football.Score{Home: anyField(rapid.IntRange(0, 3)).Draw(t, "home goals"), Away: anyField(rapid.IntRange(0, 3)).Draw(t, "away goals")},
	}
	if rapid.Bool().Draw(t, "observed") {
		s.ObservedAt = football.Of(at.Add(-time.Duration(rapid.IntRange(-5, 30).Draw(t, "lag")) * time.Second))
	}
	for _, metric := range []football.Metric{football.Attacks, football.Corners, football.DangerousAttacks, football.OnTarget, football.Possession, football.RedCards, football.Penalties, football.OffTarget, "unheard_of", football.ExpectedGoals, football.YellowCards} {
		if rapid.IntRange(0, 9).Draw(t, "sent") > 0 {
			s.Counters = append(s.Counters, football.Counter{Metric: metric, Home: anyNumber(t), Away: anyNumber(t)})
		}
	}
	if s.Clock.Shootout && rapid.Bool().Draw(t, "no penalty yet") {
		s.Counters = append(slices.DeleteFunc(s.Counters, func(c football.Counter) bool { return c.Metric == football.Penalties }),
			football.Counter{Metric: football.Penalties, Home: side("0"), Away: side("0")})
	}
	slices.SortFunc(s.Counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	if rapid.Bool().Draw(t, "listed") {
		s.Incidents = football.Of(rapid.SliceOfN(rapid.Custom(anyIncident), 0, 4).Draw(t, "incidents"))
	}
	return s
}

func anyField[T any](value *rapid.Generator[T]) *rapid.Generator[football.Field[T]] {
	return rapid.Custom(func(t *rapid.T) football.Field[T] {
		switch rapid.IntRange(0, 6).Draw(t, "state") {
		case 0:
			return football.Field[T]{}
		case 1:
			return football.NullField[T]()
		}
		return football.Of(value.Draw(t, "value"))
	})
}

func anyNumber(t *rapid.T) football.Field[football.Number] {
	text := anyField(rapid.SampledFrom([]string{"0", "1", "2", "3", "5", "0.50", "50", "99", "123456789"})).Draw(t, "number")
	if v, ok := text.Get(); ok {
		return side(v)
	}
	return map[football.State]football.Field[football.Number]{football.Null: side("_"), football.Missing: side("-")}[text.State()]
}

func anyIncident(t *rapid.T) input.Incident {
	return input.Incident{ID: rapid.StringMatching(`[0-9]{1,2}`).Draw(t, "id"),
		Kind:   rapid.SampledFrom([]input.IncidentKind{input.IncidentGoal, input.IncidentCorner, input.IncidentRedCard, "OTHER"}).Draw(t, "kind"),
		Minute: rapid.IntRange(0, 120).Draw(t, "minute"), Added: rapid.IntRange(0, 9).Draw(t, "added"),
		Side: rapid.SampledFrom(football.Sides()).Draw(t, "side")}
}

// A feed that does not move is stale, however many events it lists.
func TestStaleWithCountlessEvents(t *testing.T) {
	var known []input.Incident
	for n := range 1000 {
		known = append(known, input.Incident{ID: fmt.Sprint(n), Kind: input.IncidentCorner, Minute: 10, Side: football.SideHome})
	}
	var state *live.State
	for seconds := 0; seconds <= 80; seconds += 8 {
		s := &input.Sample{ProviderFixtureID: "77", RetrievedAt: start.Add(time.Duration(seconds) * time.Second), Status: input.InPlay,
			Clock: input.ClockReading{Half: football.Of(1), Minute: football.Of(10), Second: football.Of(0)}, Incidents: football.Of(known)}
		next := live.Fold(state, s)
		state = &next
	}
	if l := state.Live(); l.Visual.State != football.VisualStale || l.Momentum.Reason != football.FeedStale {
		t.Errorf("after 80 s: %+v, %s", l.Visual, l.Momentum.Reason)
	}
}

func TestExpired(t *testing.T) {
	state := step(t, nil, "0 1:20:00 ss=0-0")
	if state.Expired(start.Add(time.Hour)) {
		t.Error("a fixture in play has expired")
	}
	state = live.Leave(state, start.Add(time.Minute))
	state = live.Leave(state, start.Add(10*time.Minute))
	for after, want := range map[time.Duration]bool{rules.Linger: false, rules.Linger + time.Minute: true} {
		if got := state.Expired(start.Add(after)); got != want {
			t.Errorf("%v after the fixture left play: expired is %v", after, got)
		}
	}
	if live.Tracks(nil, &input.Sample{Status: input.Over}) || !live.Tracks(&state, &input.Sample{Status: input.Over}) {
		t.Error("an ended fixture is tracked only if it has a state")
	}
}
