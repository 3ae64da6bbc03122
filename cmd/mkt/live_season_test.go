package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/simulator"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/simulatortest"
)

// season follows matches through the whole pipeline, as a client sees them.
type season struct {
	*liveSystem
	met     map[string]time.Time // by the provider's fixture id, when it was first listed
	matches map[string]simulator.MeantMatch
	ids     map[string]string // fixture ids
	judged  map[string]bool
	looks   int
}

func newSeason(t *testing.T, o simulator.Options) *season {
	return &season{liveSystem: newLiveSystem(t, time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), o), met: map[string]time.Time{},
		matches: map[string]simulator.MeantMatch{}, ids: map[string]string{}, judged: map[string]bool{}}
}

// look compares what is served with what the provider sends now: clock, score and every counter, in
// three states.
func (s *season) look() {
	s.Helper()
	served := map[string]*liveItem{}
	list := s.list()
	for i := range list {
		served[list[i].Provenance.ProviderFixtureID] = &list[i]
	}
	for _, m := range s.sim.InPlay(s.accepted) {
		id := m.ID
		if m.WithoutID {
			id = input.ByEvent + m.EventID
		}
		item := served[id]
		if !m.Fixture.League.Human() {
			if item != nil {
				s.Errorf("%v: is not played by people, and is served", item)
			}
			continue
		}
		sent := m.Sent(s.now)
		// After the last kick of a shoot-out the feed says the same as during it, until the match has ended.
		inShootout := sent.Shootout != nil
		if phase := sent.Clock.Phase; sent.Status != simulator.InPlay || !m.WithoutTimer && (phase == simulator.Before || phase == simulator.FullTime && !inShootout) {
			if item != nil {
				s.Errorf("%v: has not kicked off or is over at %v, and is listed in play", item, s.now)
			}
			continue
		}
		if m.WithoutTimer && !sent.Begun {
			continue
		}
		if item == nil {
			s.Errorf("%s is in play and not listed at %v", id, s.now)
			continue
		}
		if _, known := s.matches[id]; !known {
			s.met[id], s.matches[id], s.ids[id] = s.now, m, item.FixtureID
		}
		if s.ids[id] != item.FixtureID {
			s.Errorf("%s was %s and is %s", id, s.ids[id], item.FixtureID)
		}
		if period := item.Clock.Period; inShootout && !m.WithoutTimer && (period == nil || *period != "PEN") {
			s.Errorf("%v is in a shoot-out at %v, and its period is %+v", item, s.now, item.Clock)
		}
		s.looks++
		s.compare(item, &m, &sent)
	}
}

func (s *season) compare(item *liveItem, m *simulator.MeantMatch, sent *simulator.Sent) {
	s.Helper()
	var single struct{ Data liveItem }
	s.one(item.FixtureID, "", &single)
	if !sent.Begun {
		return
	}
	if home, away := item.Score.Home, item.Score.Away; home == nil || away == nil || *home != sent.Score[0] || *away != sent.Score[1] {
		s.Errorf("%v at %v: score %s:%s, sent %v", item, s.now, text(home), text(away), sent.Score)
	}
	seconds := int(sent.Clock.Shown / time.Second)
	if c := item.Clock; !m.WithoutTimer && (c.Minute == nil || c.Second == nil || *c.Minute*60+*c.Second != seconds) {
		s.Errorf("%v at %v: clock %s:%s, sent %d s", item, s.now, text(c.Minute), text(c.Second), seconds)
	}
	for name, metric := range countersSent {
		var want [2]string
		for side := range want {
			n, state := sent.Value(metric, simulator.Side(side))
			want[side] = [...]string{simulator.Absent: "absent", simulator.Null: "null", simulator.Value: fmt.Sprint(n)}[state]
		}
		if got := single.Data.Counters[name].sides(); got != want {
			s.Errorf("%v at %v: %s is %v, sent %v", item, s.now, name, got, want)
		}
	}
}

// countersSent are counters that are served unchanged.
var countersSent = map[string]simulator.Metric{"attacks": simulator.Attacks, "dangerous_attacks": simulator.DangerousAttacks,
	"on_target": simulator.OnTarget, "off_target": simulator.OffTarget, "corners": simulator.Corners, "goals": simulator.Goals,
	"yellow_cards": simulator.YellowCards, "red_cards": simulator.RedCards, "penalties": simulator.Penalties, "substitutions": simulator.Substitutions}

// sides describes both sides, states that are not theirs included.
func (c counterSent) sides() (words [2]string) {
	sent, zero, null := false, true, false
	for side, n := range []*json.Number{c.Home, c.Away} {
		switch {
		case n != nil:
			words[side], sent, zero = n.String(), true, zero && n.String() == "0"
		case c.State == "MUNGON" || slices.Contains(c.Absent, [2]string{"home", "away"}[side]):
			words[side] = "absent"
		default:
			words[side], null = "null", true
		}
	}
	want := "MUNGON"
	switch {
	case sent && !zero:
		want = "VLERE"
	case sent:
		want = "ZERO"
	case null:
		want = "NULL"
	}
	if c.State != want {
		words[0] += " as " + c.State
	}
	return words
}

func text(n *int) string {
	if n == nil {
		return "null"
	}
	return strconv.Itoa(*n)
}

// published returns a match as a client has it at the end.
func (s *season) published(id string) *simulatortest.Published {
	s.Helper()
	m := s.matches[id]
	p := &simulatortest.Published{Match: m.Match, Met: s.met[id], Minutes: map[simulatortest.Place]simulatortest.Minute{},
		WithoutTimer: m.WithoutTimer, WithoutTimeline: m.WithoutTimeline}
	var stats liveNumbers
	s.one(s.ids[id], "/stats", &stats)
	for _, k := range stats.Data.Series.Kova {
		minute := simulatortest.Minute{Reported: k.State == "VLERE" || k.State == "ZERO"}
		if minute.Reported != (k.H != nil && k.A != nil) {
			s.Errorf("%s minute %d: %+v", id, k.TM, k)
			continue
		}
		if minute.Reported {
			minute.Home, minute.Away = *k.H, *k.A
		}
		p.Minutes[simulatortest.Place{Minute: k.TM, Added: k.Added}] = minute
	}
	var line liveLine
	s.one(s.ids[id], "/timeline", &line)
	for _, e := range line.Data.Timeline {
		p.Timeline = append(p.Timeline, simulatortest.Entry{At: e.At, Until: e.Until, Minute: e.Minute, Second: e.Second, Added: e.Added,
			State: e.State, Side: e.SideProven, Certainty: e.Certainty})
	}
	return p
}

// judge compares every match that just ended with what happened in it.
func (s *season) judge(t *testing.T) (whole int, all simulatortest.Totals) {
	s.Helper()
	judge := simulatortest.Judge{World: s.sim.World(s.accepted), Errorf: t.Errorf}
	for id, m := range s.matches {
		// A match is listed from its kick-off, and looked at every 40 s.
		if m.Over.After(s.now) || s.met[id].After(m.Whistle.Add(time.Minute)) || s.judged[id] {
			continue // not seen as a whole, or not over
		}
		whole++
		s.judged[id] = true
		p := s.published(id)
		all.Add(judge.Play(p))
		all.Add(judge.Incidents(p))
		judge.Shape(p)
		all.Add(judge.Listed(p))
		all.Add(judge.Standstills(p))
	}
	return whole, all
}

// Whole matches through the whole pipeline: every minute the client reads what the provider sends
// at that moment, and at the end what really happened. Short mode plays only some minutes.
func TestLiveSeason(t *testing.T) {
	length, rates := 150*time.Minute, map[string]float64{"truth": 0, "troubled": 0.6}
	if testing.Short() {
		length, rates = 8*time.Minute, map[string]float64{"troubled": 0.6}
	}
	for name, rate := range rates {
		t.Run(name, func(t *testing.T) {
			o := simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14}
			for _, kind := range simulator.FaultKinds() {
				if kind.OnMatches() {
					o.Faults = append(o.Faults, simulator.Fault{Kind: kind, Rate: rate})
				}
			}
			s := newSeason(t, o)
			whole, all := 0, simulatortest.Totals{}
			s.play(length, 40*time.Second, func() {
				s.look()
				n, tally := s.judge(t)
				whole += n
				all.Add(tally)
			})
			t.Logf("%d looks at fixtures, %d whole matches, %+v", s.looks, whole, all)
			if s.looks < 80 || !testing.Short() && (whole < 3 || all.Minutes+all.Bounded < 200 || all.Found < 30) {
				t.Error("too little was compared")
			}
		})
	}
}

// shootout finds the seed of a world with a match that is about to begin, goes to extra time and
// penalties, and is still listed when it is over.
func shootout(t *testing.T, begins time.Time) (seed uint64, m simulator.Match) {
	t.Helper()
	for seed = 1; seed < 2000; seed++ {
		world := simulator.MakeWorld(simulator.WorldOptions{Seed: seed, Fixtures: 60, InPlay: 8, Start: begins})
		for _, m := range world.Live(begins) {
			periods := m.Periods()
			listed := m.Leaves.After(m.Over.Add(30 * time.Second))
			if listed && m.Whistle.After(begins.Add(time.Minute)) && len(periods) == 5 && periods[4].Phase == simulator.Shootout {
				return seed, m
			}
		}
	}
	t.Fatal("no match goes to penalties")
	return 0, m
}

// A match with both halves of extra time and penalties.
func TestLiveShootout(t *testing.T) {
	needs.Time(t, "plays a match of almost three hours")
	begins := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	seed, m := shootout(t, begins)
	s := newSeason(t, simulator.Options{Seed: seed, Fixtures: 60, InPlay: 8, Faults: calm()})
	phases := map[string]bool{}
	id, whole, all := "", 0, simulatortest.Totals{}
	s.play(m.Over.Sub(begins)+2*time.Minute, 40*time.Second, func() {
		s.look()
		n, tally := s.judge(t)
		whole += n
		all.Add(tally)
		for provider, other := range s.matches {
			if other.Fixture.Number == m.Fixture.Number {
				id = provider
			}
		}
		if s.ids[id] == "" {
			return // it has not kicked off
		}
		var single struct{ Data liveItem }
		if s.one(s.ids[id], "", &single); single.Data.Clock.Period != nil {
			phases[*single.Data.Clock.Period] = true
		}
	})
	t.Logf("%s: %v; %d whole matches, %+v", id, phases, whole, all)
	for _, phase := range []string{"1H", "HT", "2H", "ET_1H", "ET_2H", "PEN", "FT"} {
		if !phases[phase] {
			t.Errorf("period %s was never reported", phase)
		}
	}
	var stats liveNumbers
	s.one(s.ids[id], "/stats", &stats)
	for _, period := range []string{"pjesa_1", "pjesa_2", "shtesa_1", "shtesa_2"} {
		if got := stats.Data.Periods[period]; got.State != "VLERE" {
			t.Errorf("%s is %+v", period, got)
		}
	}
	minute := 0
	for _, k := range stats.Data.Series.Kova {
		if k.Added > 0 { // stoppage time of the minute before
			continue
		}
		if minute++; k.TM != minute {
			t.Errorf("minute %d is where %d should be", k.TM, minute)
		}
	}
	if minute != 120 {
		t.Errorf("%d minutes", minute)
	}
	if !s.judged[id] {
		t.Error("the match was not held against what happened")
	}
}
