package transform_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	played "mkt/fetch/simulator/play"
	invented "mkt/fetch/simulator/world"
	"mkt/internal/testing/simulatortest"
	"mkt/publish/football"
	"mkt/transform/live"
)

// sentMetrics are the metrics of a sample of a simulated match, besides possession.
var sentMetrics = map[football.Metric]played.Metric{football.Attacks: played.Attacks, football.DangerousAttacks: played.DangerousAttacks,
	football.OnTarget: played.OnTarget, football.OffTarget: played.OffTarget, football.Corners: played.Corners,
	football.YellowCards: played.YellowCards, football.RedCards: played.RedCards, football.Penalties: played.Penalties,
	football.Substitutions: played.Substitutions, football.Possession: played.Possession}

// halves are the half that a provider reports in each phase; in a break it is the next
// one.
var halves = map[played.Phase]int{played.Before: 1, played.FirstHalf: 1, played.HalfTime: 2, played.SecondHalf: 2,
	played.BeforeExtra: 3, played.ExtraFirst: 3, played.ExtraBreak: 4, played.ExtraSecond: 4}

// sampleOf is the feed's report about a match, without its timeline.
func sampleOf(m *feed.Match, now time.Time) *input.Sample {
	sent := m.Sent(now)
	s := &input.Sample{ProviderFixtureID: "1", ProviderEventID: "1", RetrievedAt: now, Status: input.InPlay}
	if sent.Status == competition.Ended {
		s.Status = input.Over
	}
	half, known := halves[sent.Clock.Phase]
	if !known {
		half = 5
	}
	if sent.Clock.Phase == played.FullTime && !sent.Extra && sent.Shootout == nil {
		half = 2
	}
	shown := int(sent.Clock.Shown / time.Second)
	s.Clock = input.ClockReading{Half: football.Of(half), Minute: football.Of(shown / 60), Second: football.Of(shown % 60),
		Added: football.Of(sent.Clock.Added), Running: football.Of(sent.Clock.Running)}
	if !sent.Begun {
		return s
	}
	s.Score = football.Score{Home: football.Of(sent.Score[0]), Away: football.Of(sent.Score[1])}
	for metric, of := range sentMetrics {
		home, absent := sentNumber(&sent, of, played.Home)
		away, _ := sentNumber(&sent, of, played.Away)
		if !absent {
			s.Counters = append(s.Counters, football.Counter{Metric: metric, Home: home, Away: away})
		}
	}
	slices.SortFunc(s.Counters, func(a, b football.Counter) int { return strings.Compare(string(a.Metric), string(b.Metric)) })
	return s
}

func sentNumber(sent *feed.Sent, m played.Metric, side played.Side) (f football.Field[football.Number], absent bool) {
	n, state := sent.Value(m, side)
	switch {
	case state == feed.Absent:
		return f, true
	case state == feed.Null:
		return football.NullField[football.Number](), false
	case m == played.Possession:
		if n, _ = sent.Counts().HomePossession(); side == played.Away {
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

// lastMinutes is the last minute of each half before stoppage time.
var lastMinutes = map[played.Phase]int{played.FirstHalf: 45, played.SecondHalf: 90, played.ExtraFirst: 105, played.ExtraSecond: 120}

// listOf is the provider's own list of events at a moment.
func listOf(m *feed.Match, now time.Time) []input.Incident {
	kinds := map[played.IncidentKind]input.IncidentKind{played.Goal: input.IncidentGoal, played.Corner: input.IncidentCorner,
		played.YellowCard: input.IncidentYellowCard, played.RedCard: input.IncidentRedCard, played.Substitution: input.IncidentSubstitution}
	list := []input.Incident{}
	for n, event := range m.Reported() {
		at := now.Sub(m.Whistle)
		kind, ok := kinds[event.Kind]
		if !ok || at < event.Appears || event.Withdrawn > 0 && at >= event.Withdrawn {
			continue
		}
		minute := int(event.Clock.Shown/time.Minute) + 1
		last := lastMinutes[event.Clock.Phase]
		list = append(list, input.Incident{ID: text32(n), Kind: kind, Minute: min(minute, last), Added: max(0, minute-last), Side: football.Sides()[event.Side]})
	}
	return list
}

// playedOut is a match tracked from a moment to its end. Every listed-th sample has the
// provider's own list of events; 0 means never.
func playedOut(m feed.Match, from time.Time, listed int) *simulatortest.Published {
	p := &simulatortest.Published{Match: m, Met: from, Minutes: map[simulatortest.Place]simulatortest.Minute{}, WithoutTimeline: listed == 0}
	var state *live.State
	for n, now := 0, from; now.Before(m.Over.Add(16 * time.Second)); n, now = n+1, now.Add(8*time.Second) {
		s := sampleOf(&m, now)
		if listed > 0 && n%listed == 0 {
			s.Incidents = football.Of(listOf(&m, now))
		}
		next := live.Fold(state, s)
		state = &next
	}
	end := state.Live()
	for _, b := range end.Series.Buckets {
		known := b.State == football.BucketValue || b.State == football.BucketZero
		p.Minutes[simulatortest.Place{Minute: b.Minute, Added: b.Added}] = simulatortest.Minute{Reported: known, Home: b.Home, Away: b.Away}
	}
	for _, e := range end.Timeline {
		p.Timeline = append(p.Timeline, entryOf(e))
	}
	return p
}

func entryOf(e football.TimelineEntry) simulatortest.Entry {
	out := simulatortest.Entry{At: e.At, Until: e.Until, State: string(e.State), Side: string(e.SideProven), Certainty: string(e.Certainty)}
	if minute, ok := e.Minute.Get(); ok {
		out.Minute = &minute
	}
	if second, ok := e.Second.Get(); ok {
		out.Second = &second
	}
	if e.Added > 0 {
		out.Added = &e.Added
	}
	return out
}

// isVisible reports false for matches whose samples cannot show the whole truth: a counter
// swapped back in the very sample in which the other side's rises, and one corrected just
// before a break, during which its value before the fall is remembered.
func isVisible(m *feed.Match) bool {
	const sample, remembered = 10 * time.Second, 3 * time.Minute
	periods, increments := m.Periods(), m.Increments()
	for _, c := range m.Corrections() {
		if c.Why == feed.Swapped && slices.ContainsFunc(increments, func(i played.Increment) bool {
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

// In hundreds of matches whose counters are corrected in every way, nothing is counted
// that did not happen, and nothing for the wrong side.
func TestLiveManyMatches(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	odd := feed.Oddities{Corrected: 1, Disallowed: 0.1}
	world := invented.New(invented.Options{Seed: 5, Fixtures: 40, InPlay: 60, Start: seasonBegins, Oddities: &odd})
	judge := simulatortest.Judge{World: world, Errorf: t.Errorf}
	whole, all := 0, simulatortest.Totals{}
	for round := range rounds {
		for _, m := range world.Live(seasonBegins.Add(time.Duration(round) * 4 * time.Hour)) {
			if m.Fixture.League.Human() && isVisible(&m) {
				p := playedOut(m, m.Opens, 0)
				all.Add(judge.Play(p))
				all.Add(judge.Incidents(p))
				judge.Shape(p)
				all.Add(judge.Listed(p))
				whole++
			}
		}
	}
	t.Logf("%d matches, %+v", whole, all)
	if whole < 40*rounds || all.Bounded < 300*rounds || all.Minutes < 1500*rounds || all.Found < 200*rounds {
		t.Error("too little was compared")
	}
}

// Whatever the feed does and whenever tracking begins, every goal and card of the
// provider's own list is on the timeline, EXACT in its minute, and none is there twice or
// has been withdrawn.
func TestLiveListsAreKept(t *testing.T) {
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	odd := feed.Oddities{Corrected: 0.5, Disallowed: 0.6, Vanishing: 0.3, Stalled: 0.5, Null: 0.3}
	world := invented.New(invented.Options{Seed: 9, Fixtures: 40, InPlay: 60, Start: seasonBegins, Oddities: &odd})
	judge := simulatortest.Judge{World: world, Errorf: t.Errorf}
	all := simulatortest.Totals{}
	for round := range rounds {
		for n, m := range world.Live(seasonBegins.Add(time.Duration(round) * 4 * time.Hour)) {
			if !m.Fixture.League.Human() {
				continue
			}
			joined := m.Whistle.Add(time.Duration(n%7) * 17 * time.Minute)
			p := playedOut(m, joined, 1+n%4)
			judge.Shape(p)
			all.Add(judge.Listed(p))
		}
	}
	t.Logf("%+v", all)
	if all.Listed < 150*rounds {
		t.Error("too little was compared")
	}
}
