package transform_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/fetch/simulator/simulatortest"
	"mkt/publish/football"
	"mkt/transform/live"
)

// sentMetrics are what a sample of a simulated match has, possession beside them.
var sentMetrics = map[football.Metric]simulator.Metric{football.Attacks: simulator.Attacks, football.DangerousAttacks: simulator.DangerousAttacks,
	football.OnTarget: simulator.OnTarget, football.OffTarget: simulator.OffTarget, football.Corners: simulator.Corners,
	football.YellowCards: simulator.YellowCards, football.RedCards: simulator.RedCards, football.Penalties: simulator.Penalties,
	football.Substitutions: simulator.Substitutions, football.Possession: simulator.Possession}

// halves are the half that a provider calls in each phase: the next one from the
// break before it on.
var halves = map[simulator.Phase]int{simulator.Before: 1, simulator.FirstHalf: 1, simulator.HalfTime: 2, simulator.SecondHalf: 2,
	simulator.BeforeExtra: 3, simulator.ExtraFirst: 3, simulator.ExtraBreak: 4, simulator.ExtraSecond: 4}

// sampleOf is what the feed tells of a match, without its timeline.
func sampleOf(m *simulator.Match, now time.Time) *football.Sample {
	sent := m.Sent(now)
	s := &football.Sample{ProviderFixtureID: "1", ProviderEventID: "1", RetrievedAt: now, Status: football.InPlay}
	if sent.Status == simulator.Ended {
		s.Status = football.Over
	}
	half, known := halves[sent.Clock.Phase]
	if !known {
		half = 5
	}
	if sent.Clock.Phase == simulator.FullTime && !sent.Extra {
		half = 2
	}
	shown := int(sent.Clock.Shown / time.Second)
	s.Clock = football.ClockReading{Half: football.Of(half), Minute: football.Of(shown / 60), Second: football.Of(shown % 60),
		Added: football.Of(sent.Clock.Added), Running: football.Of(sent.Clock.Running)}
	if !sent.Begun {
		return s
	}
	s.Score = football.Score{Home: football.Of(sent.Score[0]), Away: football.Of(sent.Score[1])}
	for metric, of := range sentMetrics {
		home, absent := sentNumber(&sent, of, simulator.Home)
		away, _ := sentNumber(&sent, of, simulator.Away)
		if !absent {
			s.Counters = append(s.Counters, football.Counter{Metric: metric, Home: home, Away: away})
		}
	}
	slices.SortFunc(s.Counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return s
}

func sentNumber(sent *simulator.Sent, m simulator.Metric, side simulator.Side) (f football.Field[football.Number], absent bool) {
	n, state := sent.Value(m, side)
	switch {
	case state == simulator.Absent:
		return f, true
	case state == simulator.Null:
		return football.NullField[football.Number](), false
	case m == simulator.Possession:
		if n, _ = sent.Counts().HomePossession(); side == simulator.Away {
			n = 100 - n
		}
	}
	number, _ := football.ParseNumber(text32(n))
	return football.Of(number), false
}

func text32(n int) string {
	v := int32(n)
	return *text(&v)
}

// playedOut is a match followed from its opening to its end.
func playedOut(m simulator.Match) *simulatortest.Published {
	p := &simulatortest.Published{Match: m, Met: m.Opens, Minutes: map[int]simulatortest.Minute{}, WithoutTimeline: true}
	var state *live.State
	for now := m.Opens; now.Before(m.Over.Add(16 * time.Second)); now = now.Add(8 * time.Second) {
		next := live.Fold(state, sampleOf(&m, now))
		state = &next
	}
	end := state.Live()
	for _, b := range end.Series.Buckets {
		told := b.State == football.BucketValue || b.State == football.BucketZero
		p.Minutes[b.Minute] = simulatortest.Minute{Told: told, Home: b.Home, Away: b.Away}
	}
	for _, e := range end.Timeline {
		p.Timeline = append(p.Timeline, simulatortest.Entry{At: e.At, State: string(e.State), Side: string(e.SideProven), Certainty: string(e.Certainty)})
	}
	return p
}

// tells leaves out matches of which no samples could tell what happened: a counter
// that is swapped back in the very sample in which the other side's rises, and one
// put right just before a break, over which what it fell from is remembered.
func tells(m *simulator.Match) bool {
	const sample, remembered = 10 * time.Second, 3 * time.Minute
	periods, increments := m.Periods(), m.Increments()
	for _, c := range m.Corrections() {
		if c.Why == simulator.Swapped && slices.ContainsFunc(increments, func(i simulator.Increment) bool {
			return i.Metric == c.Metric && (i.At-c.To).Abs() <= sample
		}) {
			return false
		}
		for i, p := range periods[1:] {
			if c.From < p.From && c.To > periods[i].To-remembered {
				return false
			}
		}
	}
	return true
}

// Hundreds of matches whose counters are corrected in every way: nothing is counted
// that did not happen, and nothing for the wrong side.
func TestLiveManyMatches(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	odd := simulator.Oddities{Corrected: 1, Disallowed: 0.1}
	world := simulator.MakeWorld(simulator.WorldOptions{Seed: 5, Fixtures: 40, InPlay: 60, Start: seasonBegins, Oddities: &odd})
	judge := simulatortest.Judge{World: world, Errorf: t.Errorf}
	whole, all := 0, simulatortest.Tally{}
	for round := range rounds {
		for _, m := range world.Live(seasonBegins.Add(time.Duration(round) * 4 * time.Hour)) {
			if m.Fixture.League.Human() && tells(&m) {
				p := playedOut(m)
				all.Add(judge.Play(p))
				all.Add(judge.Incidents(p))
				whole++
			}
		}
	}
	t.Logf("%d matches, %+v", whole, all)
	if whole < 40*rounds || all.Bounded < 300*rounds || all.Minutes < 1500*rounds || all.Found < 200*rounds {
		t.Error("too little was compared")
	}
}
