package transform_test

import (
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/providertest"
	"mkt/internal/testing/simulatortest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// season plays simulated matches through adapter, archive and engine, a cycle every eight
// seconds.
type season struct {
	*testing.T
	provider provider.Provider
	sim      *simulator.Server
	exchange *providertest.Exchange
	now      time.Time
	mem      *durabletest.Mem
	resume   string
	matches  map[string]*tracked // by provider fixture id
	last     transform.Summary
}

// tracked is the last published state of a fixture.
type tracked struct {
	match    meant.Match
	met      time.Time
	row      table.LiveRow
	buckets  []table.LiveBucketRow
	periods  []table.LivePeriodRow
	timeline []table.LiveTimelineRow
}

var seasonBegins = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

func newSeason(t *testing.T, o simulator.Options) *season { return newSeasonOf(t, betsapi.Name, o) }

func newSeasonOf(t *testing.T, name string, o simulator.Options) *season {
	of, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	s := &season{T: t, provider: of, now: seasonBegins, mem: newMem(), matches: map[string]*tracked{}}
	o.Now = func() time.Time { return s.now }
	sim, err := emulators.New(name, o)
	must(t, err)
	s.sim, s.exchange = sim, &providertest.Exchange{Adapter: of, Handler: sim, Token: sim.Tokens()[0], Clock: o.Now}
	return s
}

func (s *season) cycle() layout.CycleID { return layout.NewCycleID(s.now, "live_intelligence") }

func (s *season) since(m *tracked, at time.Time) time.Duration { return at.Sub(m.match.Whistle) }

func (s *season) tick() {
	s.Helper()
	archive, err := raw.Create(s.mem, s.cycle(), nil)
	must(s, err)
	s.exchange.Archive = archive
	asked, err := s.provider.Live.Ask(s.Context(), s.exchange, s.resume)
	must(s, err)
	s.resume = asked.Resume
	_, err = archive.Seal(raw.Cycle{ClientID: "acme", Product: football.LiveIntelligence, Provider: s.provider.Name, StartedAt: s.now, FinishedAt: s.now,
		Outcome: raw.Complete, ListingComplete: asked.ListingComplete, Resume: asked.Resume})
	must(s, err)
	o := options(s.mem, s.mem)
	o.Product, o.Cycle, o.Details = football.LiveIntelligence, s.cycle(), 1000
	o.Now = func() time.Time { return s.now.Add(time.Second) }
	s.last, err = transform.Run(s.Context(), o)
	must(s, err)
	for _, m := range s.sim.InPlay(s.exchange.Token) {
		id := m.ID
		if m.WithoutID {
			id = input.ByEvent + m.EventID
		}
		if s.matches[id] == nil && m.Fixture.League.Kind != competition.Esoccer {
			s.matches[id] = &tracked{match: m, met: s.now}
		}
	}
}

// look records the published state of every fixture.
func (s *season) look() {
	s.Helper()
	byID := map[string]*tracked{}
	for _, row := range seasonRows[table.LiveRow](s, layout.LiveFile) {
		m := s.matches[row.ProviderFixtureID]
		if m == nil {
			s.Fatalf("%s is none of the simulator's: %+v", row.ProviderFixtureID, row)
		}
		m.row, m.buckets, m.timeline, m.periods = row, nil, nil, nil
		byID[row.FixtureID] = m
	}
	for _, b := range seasonRows[table.LiveBucketRow](s, layout.LiveBucketsFile) {
		byID[b.FixtureID].buckets = append(byID[b.FixtureID].buckets, b)
	}
	for _, e := range seasonRows[table.LiveTimelineRow](s, layout.LiveTimelineFile) {
		byID[e.FixtureID].timeline = append(byID[e.FixtureID].timeline, e)
	}
	for _, p := range seasonRows[table.LivePeriodRow](s, layout.LivePeriodsFile) {
		byID[p.FixtureID].periods = append(byID[p.FixtureID].periods, p)
	}
}

func seasonRows[T table.Row](s *season, name string) []T {
	s.Helper()
	return rowsOf[T](s, s.mem, s.cycle(), name)
}

// play runs cycles for that long; only the newest cycles are kept.
func (s *season) play(length time.Duration) {
	s.Helper()
	for end := s.now.Add(length); s.now.Before(end); s.now = s.now.Add(8 * time.Second) {
		s.tick()
		if s.now.Unix()/8%60 == 0 {
			s.look()
			old := layout.NewCycleID(s.now.Add(-8*time.Second), "live_intelligence")
			for _, dir := range []string{layout.RawDir, layout.CanonicalDir} {
				entries, err := s.mem.ReadDir(dir)
				must(s, err)
				for _, e := range entries {
					if id, ok := layout.ParseCycleDir(e.Name()); ok && id < old {
						must(s, s.mem.RemoveAll(dir+"/"+e.Name()))
					}
				}
			}
		}
	}
	s.now = s.now.Add(-8 * time.Second)
	s.look()
}

func (m *tracked) judged() *simulatortest.Published {
	p := &simulatortest.Published{Match: m.match.Match, Met: m.met, Minutes: map[simulatortest.Place]simulatortest.Minute{},
		WithoutTimer: m.match.WithoutTimer, WithoutTimeline: m.match.WithoutTimeline, WithoutAttacks: m.match.WithoutAttacks,
		CountersLag: m.match.CountersLag}
	for _, b := range m.buckets {
		minute := simulatortest.Minute{Reported: b.State == "VALUE" || b.State == "ZERO"}
		if minute.Reported {
			minute.Home, minute.Away = int(*b.Home), int(*b.Away)
		}
		p.Minutes[simulatortest.Place{Minute: int(b.Minute), Added: int(b.Added)}] = minute
	}
	for _, e := range m.timeline {
		p.Timeline = append(p.Timeline, simulatortest.Entry{At: e.At, Until: e.Until, Minute: wide(e.Minute), Second: wide(e.Second), Added: wide(e.Added),
			State: e.State, Side: e.SideProven, Certainty: e.Certainty})
	}
	return p
}

func wide(n *int32) *int {
	if n == nil {
		return nil
	}
	w := int(*n)
	return &w
}

// Whole matches, from the simulator's answers to rows: every minute and every incident is as the
// simulator says it happened, for matches with a correct feed, and for the others wherever it is
// correct.
func TestLiveSeason(t *testing.T) {
	needs.Time(t, "plays matches for two hours and a half")
	for _, name := range emulators.Names() {
		if p, _ := all.Lookup(name); p.Live != nil {
			t.Run(name, func(t *testing.T) { liveSeason(t, name) })
		}
	}
}

func liveSeason(t *testing.T, of string) {
	for name, rate := range map[string]float64{"truth": 0, "usual": -1, "troubled": 0.6} {
		t.Run(name, func(t *testing.T) {
			o := simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14}
			for _, kind := range simulator.FaultKinds() {
				if kind.OnMatches() && rate >= 0 {
					o.Faults = append(o.Faults, simulator.Fault{Kind: kind, Rate: rate})
				}
			}
			s := newSeasonOf(t, of, o)
			s.play(150 * time.Minute)
			whole, all := 0, simulatortest.Totals{}
			judge := simulatortest.Judge{World: s.sim.World(s.exchange.Token), Errorf: t.Errorf}
			for id, m := range s.matches {
				if m.match.Over.After(s.now) || s.since(m, m.met) > 0 || m.row.FixtureID == "" {
					continue // not tracked from whistle to whistle
				}
				whole++
				unsaid := of == sportmonks.Name && m.match.Leaves.Sub(m.match.Over) < 8*time.Second // no list says that it is over
				if m.row.InPlay || !unsaid && word(m.row.ClockPeriod) != "FT" {
					t.Errorf("%s ended at %v: %+v", id, m.match.Over, m.row)
				}
				p := m.judged()
				all.Add(judge.Play(p))
				all.Add(judge.Incidents(p))
				judge.Shape(p)
				all.Add(judge.Listed(p))
				all.Add(judge.Standstills(p))
			}
			t.Logf("%d whole matches, %+v; last cycle %+v", whole, all, s.last.Live)
			minutes := 200
			if of == apifootball.Name { // no attacks are sent
				minutes = 0
			}
			if whole < 3 || all.Minutes < minutes || all.Found < 50 || all.Exact < all.Found/3 {
				t.Error("too little was compared")
			}
			if name == "troubled" && (all.Bounded < minutes/2 || all.Unseen < minutes/40 || all.StaleFor < 2) {
				t.Error("too little trouble was compared")
			}
		})
	}
}

var _ durable.FS = (*durabletest.Mem)(nil)
