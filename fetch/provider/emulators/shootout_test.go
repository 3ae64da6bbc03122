package emulators_test

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
	"mkt/internal/testing/providertest"
)

// shootoutOf finds a match of a world that ends in a shoot-out, directly after normal
// time or not, and has a kick of either kind.
func shootoutOf(t *testing.T, w *world.World, from time.Time, straight bool) (m feed.Match, during time.Time) {
	t.Helper()
	for at := from; at.Before(from.Add(10 * 24 * time.Hour)); at = at.Add(2 * time.Hour) {
		for _, m := range w.Live(at) {
			periods, kicks := m.Periods(), m.Kicks()
			if len(kicks) > 0 && (len(periods) == 3) == straight && m.Fixture.League.Human() {
				return m, m.Whistle.Add(periods[len(periods)-1].To - time.Second)
			}
		}
	}
	t.Fatal("no shoot-out")
	return m, during
}

// TestShootouts: a shoot-out is read as one, its kicks are no incidents of the match, and
// the score is that of the match.
func TestShootouts(t *testing.T) {
	from := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, name := range []string{"sportmonks", "apifootball", feedName} {
		for _, straight := range []bool{false, true} {
			now := from
			sim, err := emulators.New(name, simulator.Options{Seed: 7, Fixtures: 400, InPlay: -1, Now: func() time.Time { return now },
				Faults: []simulator.Fault{{Kind: simulator.Freeze}, {Kind: simulator.Stall}, {Kind: simulator.Corrected}, {Kind: simulator.Retracted}}})
			if err != nil {
				t.Fatal(err)
			}
			m, during := shootoutOf(t, sim.World(sim.Tokens()[0]), from, straight)
			now = during
			p, _ := all.Lookup(name)
			x := &providertest.Exchange{Adapter: p, Handler: sim, Token: sim.Tokens()[0], Clock: func() time.Time { return now }}
			if _, err := p.Live.Ask(t.Context(), x, ""); err != nil {
				t.Fatal(err)
			}
			list, err := p.Live.ReadList(x.Kept[:1])
			if err != nil {
				t.Fatal(err)
			}
			meant := slices.IndexFunc(sim.InPlay(sim.Tokens()[0]), func(of meant.Match) bool { return of.Fixture.Number == m.Fixture.Number })
			id := sim.InPlay(sim.Tokens()[0])[meant].ID
			at := slices.IndexFunc(list.Samples, func(s input.Sample) bool { return s.ProviderFixtureID == id })
			s := list.Samples[at]
			sent := m.Sent(now)
			minute := 120
			if straight {
				minute = 90
			}
			if !s.Clock.Shootout || s.Clock.Minute.Or(0) != minute || s.Clock.Running.Or(true) || s.Score.Home.Or(-1) != sent.Score[0] || s.Score.Away.Or(-1) != sent.Score[1] || sent.Score[0] != sent.Score[1] {
				t.Errorf("%s, directly after normal time %v: %+v, %+v", name, straight, s.Clock, s.Score)
			}
			goals := 0
			for _, i := range s.Incidents.Or(nil) {
				if i.Kind == input.IncidentGoal {
					goals++
				}
			}
			if goals != sent.Score[0]+sent.Score[1] {
				t.Errorf("%s: %d goals in the list, and the score is %v", name, goals, sent.Score)
			}
			if shot := *sent.Shootout; shot[0] == shot[1] {
				t.Errorf("the shoot-out ended %v", shot)
			}
		}
	}
}

// TestMissedPenalties: a penalty that was missed is an incident, and no goal.
func TestMissedPenalties(t *testing.T) {
	for _, name := range []string{"sportmonks", "apifootball", feedName} {
		now := time.Date(2026, 3, 7, 16, 0, 0, 0, time.UTC)
		sim, err := emulators.New(name, simulator.Options{Seed: 7, Fixtures: 40, InPlay: 150, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		token := sim.Tokens()[0]
		want := map[string]int{}
		for _, m := range sim.InPlay(token) {
			for _, r := range m.Reported() {
				if r.Kind == play.PenaltyMissed && r.Appears <= m.Sent(now).At.Sub(m.Whistle)-15*time.Second && m.Fixture.League.Human() && m.Sent(now).Status == competition.InPlay {
					want[m.ID]++
				}
			}
		}
		p, _ := all.Lookup(name)
		x := &providertest.Exchange{Adapter: p, Handler: sim, Token: token, Clock: func() time.Time { return now }}
		if _, err := p.Live.Ask(t.Context(), x, ""); err != nil {
			t.Fatal(err)
		}
		list, err := p.Live.ReadList(x.Kept[:1])
		if err != nil || len(want) == 0 {
			t.Fatalf("%d missed penalties, %v", len(want), err)
		}
		for _, s := range list.Samples {
			for _, i := range s.Incidents.Or(nil) {
				if i.Kind == input.IncidentPenalty && want[s.ProviderFixtureID] > 0 {
					want[s.ProviderFixtureID]--
				}
			}
		}
		for id, n := range want {
			if n != 0 {
				t.Errorf("%s: %s lacks %d missed penalties", name, id, n)
			}
		}
	}
}

// TestShootoutEndsUnsaid: BetsAPI says the same after the last kick of a shoot-out as during it, until
// the match has ended. That it is over cannot be known before.
func TestShootoutEndsUnsaid(t *testing.T) {
	from := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	now := from
	sim, err := emulators.New("betsapi", simulator.Options{Seed: 7, Fixtures: 400, InPlay: -1, Now: func() time.Time { return now },
		Faults: []simulator.Fault{{Kind: simulator.Freeze}, {Kind: simulator.Stall}, {Kind: simulator.Corrected}, {Kind: simulator.Retracted}}})
	if err != nil {
		t.Fatal(err)
	}
	m, during := shootoutOf(t, sim.World(sim.Tokens()[0]), from, false)
	sampleAt := func(at time.Time) (s input.Sample, sent feed.Sent) {
		now = at
		p, _ := all.Lookup("betsapi")
		x := &providertest.Exchange{Adapter: p, Handler: sim, Token: sim.Tokens()[0], Clock: func() time.Time { return now }}
		if _, err := p.Live.Ask(t.Context(), x, ""); err != nil {
			t.Fatal(err)
		}
		list, err := p.Live.ReadList(x.Kept[:1])
		if err != nil {
			t.Fatal(err)
		}
		inPlay := sim.InPlay(sim.Tokens()[0])
		meant := slices.IndexFunc(inPlay, func(of meant.Match) bool { return of.Fixture.Number == m.Fixture.Number })
		n := slices.IndexFunc(list.Samples, func(s input.Sample) bool { return s.ProviderEventID == inPlay[meant].EventID })
		return list.Samples[n], m.Sent(at)
	}
	before, inShootout := sampleAt(during)
	after, over := sampleAt(during.Add(2 * time.Second))
	if inShootout.Clock.Phase != play.Shootout || over.Clock.Phase != play.FullTime || over.Status != competition.InPlay {
		t.Fatalf("%+v, then %+v", inShootout.Clock, over.Clock)
	}
	if before.Clock != after.Clock || before.Score != after.Score || before.Status != after.Status || after.Status != input.InPlay {
		t.Errorf("during it %+v %+v, after it %+v %+v", before.Clock, before.Score, after.Clock, after.Score)
	}
	if ended, _ := sampleAt(m.Over.Add(time.Second)); ended.Status != input.Over {
		t.Errorf("ended: %+v", ended)
	}
}
