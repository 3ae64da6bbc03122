package transform_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
)

// season plays simulated matches through adapter, archive and engine, a cycle
// every eight seconds.
type season struct {
	*testing.T
	sim     *betsapi.Simulator
	token   string
	now     time.Time
	mem     *durabletest.Mem
	archive *raw.Writer
	resume  string
	matches map[string]*followed // by provider fixture id
	last    transform.Summary
}

// followed is what was last published of a fixture.
type followed struct {
	match    betsapi.MeantMatch
	met      time.Time
	row      table.LiveRow
	buckets  []table.LiveBucketRow
	periods  []table.LivePeriodRow
	timeline []table.LiveTimelineRow
}

var seasonBegins = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

func newSeason(t *testing.T, o simulator.Options) *season {
	s := &season{T: t, now: seasonBegins, mem: newMem(), matches: map[string]*followed{}}
	o.Now = func() time.Time { return s.now }
	sim, err := betsapi.NewSimulator(o)
	must(t, err)
	s.sim, s.token = sim, sim.Tokens()[0]
	return s
}

// Get, and what follows, make the season the exchange of its own cycles.
func (s *season) Get(_ context.Context, r provider.Request) (provider.Payload, error) {
	w := httptest.NewRecorder()
	s.sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, r.Path+"?"+r.Query.Encode()+"&token="+s.token, nil))
	if w.Code != http.StatusOK {
		return provider.Payload{}, fmt.Errorf("%s: status %d: %w", r.Endpoint, w.Code, provider.ErrUnreachable)
	}
	entry, err := s.archive.Add(raw.Response{Endpoint: r.Endpoint, Path: r.Path, Query: r.Query, Attempt: 1, Status: 200, FetchedAt: s.now}, w.Body.Bytes())
	return provider.Payload{Number: entry.Number, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: s.now, Body: w.Body.Bytes()}, err
}

func (s *season) Concurrency() int                              { return 1 }
func (s *season) Quota() (provider.Quota, bool)                 { return provider.Quota{}, false }
func (s *season) Now() time.Time                                { return s.now }
func (s *season) Progress(int, int)                             {}
func (s *season) cycle() layout.CycleID                         { return layout.NewCycleID(s.now, "live_intelligence") }
func (s *season) dir(of string) string                          { return layout.Cycle(of, s.cycle()) }
func (s *season) since(m *followed, at time.Time) time.Duration { return at.Sub(m.match.Whistle) }

// tick is one cycle.
func (s *season) tick() {
	s.Helper()
	var err error
	s.archive, err = raw.Create(s.mem, s.cycle(), nil)
	must(s, err)
	asked, err := betsapi.Provider().Live.Ask(s.Context(), s, s.resume)
	must(s, err)
	s.resume = asked.Resume
	_, err = s.archive.Seal(raw.Cycle{ClientID: "acme", Product: football.LiveIntelligence, Provider: "betsapi", StartedAt: s.now, FinishedAt: s.now,
		Outcome: raw.Complete, ListingComplete: asked.ListingComplete, Resume: asked.Resume})
	must(s, err)
	o := options(s.mem, s.mem)
	o.Product, o.Cycle, o.Details = football.LiveIntelligence, s.cycle(), 1000
	o.Now = func() time.Time { return s.now.Add(time.Second) }
	s.last, err = transform.Run(s.Context(), o)
	must(s, err)
	for _, m := range s.sim.InPlay(s.token) {
		id := m.FI
		if m.WithoutFI {
			id = football.ByEvent + m.EventID
		}
		if s.matches[id] == nil && m.Fixture.League.Kind != simulator.Esoccer {
			s.matches[id] = &followed{match: m, met: s.now}
		}
	}
}

// look keeps what was published of every fixture.
func (s *season) look() {
	s.Helper()
	byID := map[string]*followed{}
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

func seasonRows[T table.Row](s *season, name string) (all []T) {
	s.Helper()
	file, err := s.mem.Open(s.dir(layout.CanonicalDir) + "/" + name)
	must(s, err)
	defer file.Close()
	r, err := table.NewReader[T](file, file.Size())
	must(s, err)
	defer r.Close()
	for row, err := range r.All {
		must(s, err)
		all = append(all, *row)
	}
	return all
}

// play goes on for that long; only the newest cycles are kept.
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

// slop is how far a cycle may be behind what happened, with the scoreboard's
// whole seconds.
const slop = 10 * time.Second

// worth is what counts for a minute of play.
var worth = map[simulator.Metric]int{simulator.DangerousAttacks: 2, simulator.OnTarget: 1, simulator.OffTarget: 1, simulator.Corners: 2}

// points are those of one side between two moments of the match.
func (m *followed) points(side simulator.Side, from, to time.Duration) (n int) {
	for _, i := range m.match.Increments() {
		if i.Side == side && i.At > from && i.At <= to && m.match.Covers(i.Metric) {
			n += worth[i.Metric] * int(i.N)
			if i.Metric == simulator.Attacks && !m.match.Covers(simulator.DangerousAttacks) {
				n += int(i.N)
			}
		}
	}
	return n
}

// undisturbed tells that the feed told the truth around a time, and was met
// before it.
func (s *season) undisturbed(m *followed, from, to time.Duration) bool {
	const around = 150 * time.Second
	from, to = from-around, to+around
	disturbs := func(of simulator.Span) bool { return of.From < to && of.To > from }
	for _, c := range m.match.Corrections() {
		if disturbs(c.Span) {
			return false
		}
	}
	for _, g := range m.match.Gaps() {
		if disturbs(g.Span) {
			return false
		}
	}
	for _, stall := range m.match.Stalls() {
		if disturbs(stall) {
			return false
		}
	}
	for at := from; at < to; at += 20 * time.Second {
		when := m.match.Whistle.Add(at)
		if w := s.sim.World(s.token); !w.FeedTime(when).Equal(when) {
			return false
		}
	}
	return s.since(m, m.met) < max(from+around-time.Minute, 0) && !m.match.WithoutTimer
}

// minutes holds every minute of play against what truly happened in it.
func (s *season) minutes(m *followed) (compared int) {
	published := map[int32]table.LiveBucketRow{}
	for _, b := range m.buckets {
		published[b.Minute] = b
	}
	for _, minute := range m.match.Minutes() {
		if !s.undisturbed(m, minute.From, minute.To) {
			continue
		}
		b, there := published[int32(minute.Minute)]
		if !there || b.State != "VALUE" && b.State != "ZERO" {
			s.Errorf("%s minute %d: %q, played from %v to %v", m.row.ProviderFixtureID, minute.Minute, b.State, minute.From, minute.To)
			continue
		}
		compared++
		for side, got := range []*int32{b.Home, b.Away} {
			least := m.points(simulator.Side(side), minute.From+slop, minute.To-slop)
			most := m.points(simulator.Side(side), minute.From-slop, minute.To+slop)
			if int(*got) < least || int(*got) > most {
				s.Errorf("%s minute %d, side %d: %d points, want %d to %d", m.row.ProviderFixtureID, minute.Minute, side, *got, least, most)
			}
		}
	}
	return compared
}

// states are the timeline's words for what the simulator's incidents are.
var states = map[simulator.IncidentKind]string{simulator.Goal: "GOAL", simulator.Corner: "CORNER", simulator.YellowCard: "CARD",
	simulator.RedCard: "CARD", simulator.Substitution: "SUBSTITUTION"}

// counters are what shows such an incident where the feed has no timeline.
var counters = map[simulator.IncidentKind]simulator.Metric{simulator.Corner: simulator.Corners, simulator.YellowCard: simulator.YellowCards,
	simulator.RedCard: simulator.RedCards, simulator.Substitution: simulator.Substitutions}

// incidents holds the timeline against what truly happened: nothing is missing,
// and nothing is told that did not happen.
func (s *season) incidents(m *followed) (found, exact int) {
	sides := []string{"HOME", "AWAY"}
	const patience = 40 * time.Second
	for _, i := range m.match.Incidents() {
		metric, counted := counters[i.Kind]
		if states[i.Kind] == "" || !s.undisturbed(m, i.At, i.At) || counted && !m.match.Covers(metric) && m.match.WithoutTimeline {
			continue
		}
		certainty := ""
		for _, e := range m.timeline {
			after := s.since(m, e.At) - i.At
			if e.State == states[i.Kind] && e.SideProven == sides[i.Side] && after >= -time.Second && after <= patience {
				certainty = e.Certainty
				break
			}
		}
		if certainty == "" {
			s.Errorf("%s: %s of %s at %v is not on the timeline", m.row.ProviderFixtureID, states[i.Kind], sides[i.Side], i.At)
			continue
		}
		if found++; certainty == "EXACT" {
			exact++
		}
	}
	for _, e := range m.timeline {
		at, happened := s.since(m, e.At), false
		if !s.undisturbed(m, at, at) || !strings.Contains("GOAL CORNER CARD SUBSTITUTION", e.State) {
			continue
		}
		for _, i := range m.match.Incidents() {
			happened = happened || states[i.Kind] == e.State && (sides[i.Side] == e.SideProven || e.SideProven == "NONE") && at-i.At >= -time.Second && at-i.At <= patience
		}
		if !happened {
			s.Errorf("%s: %s %s at %v (%s) never happened", m.row.ProviderFixtureID, e.State, e.SideProven, at, e.Certainty)
		}
	}
	return found, exact
}

// Whole matches, eight seconds at a time, from the simulator's answers to rows:
// every minute and every incident is what the simulator says happened, for
// matches whose feed tells the truth, and for the others wherever it does.
func TestLiveSeason(t *testing.T) {
	if testing.Short() {
		t.Skip("plays matches for two hours and a half")
	}
	for _, name := range []string{"truth", "usual"} {
		t.Run(name, func(t *testing.T) {
			o := simulator.Options{Seed: 7, Fixtures: 40, InPlay: 14}
			if name == "truth" {
				for _, kind := range []simulator.FaultKind{simulator.Corrected, simulator.Retracted, simulator.Vanish, simulator.Void, simulator.Late, simulator.Stall, simulator.Freeze} {
					o.Faults = append(o.Faults, simulator.Fault{Kind: kind})
				}
			}
			s := newSeason(t, o)
			s.play(150 * time.Minute)
			whole, minutes, found, exact := 0, 0, 0, 0
			for id, m := range s.matches {
				if m.match.Over.After(s.now) || s.since(m, m.met) > 0 || m.row.FixtureID == "" {
					continue // not seen from whistle to whistle
				}
				whole++
				if m.row.InPlay || word(m.row.ClockPeriod) != "FT" {
					t.Errorf("%s ended at %v: %+v", id, m.match.Over, m.row)
				}
				minutes += s.minutes(m)
				n, e := s.incidents(m)
				found += n
				if !m.match.WithoutTimeline {
					exact += e
				}
			}
			t.Logf("%d whole matches, %d minutes, %d incidents, %d of them exact; last cycle %+v", whole, minutes, found, exact, s.last.Live)
			if whole < 3 || minutes < 200 || found < 50 || exact < found/2 {
				t.Error("too little was compared")
			}
		})
	}
}

var _ provider.Exchange = (*season)(nil)
var _ durable.FS = (*durabletest.Mem)(nil)
