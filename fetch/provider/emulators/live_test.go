package emulators_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
)

// metrics are the counters that a provider with statistics sends unchanged.
var metrics = map[football.Metric]play.Metric{football.Attacks: play.Attacks, football.DangerousAttacks: play.DangerousAttacks,
	football.OnTarget: play.OnTarget, football.OffTarget: play.OffTarget, football.Corners: play.Corners,
	football.YellowCards: play.YellowCards, football.Fouls: play.Fouls, football.Saves: play.Saves,
	football.ThrowIns: play.ThrowIns, football.BallSafe: play.BallSafe}

// TestLiveIsRead: each live adapter reads the feed's report, with every fault of matches:
// score, clock, and counters of both sides in their three states.
func TestLiveIsRead(t *testing.T) {
	for _, name := range emulators.Names() {
		p, _ := all.Lookup(name)
		if p.Live == nil {
			continue
		}
		now := providertest.Noon.Truncate(time.Minute) // when a provider renews the values it does not renew every second
		o := simulator.Options{Seed: 1, InPlay: 100, Quota: 1 << 20, Now: func() time.Time { return now }}
		for _, kind := range []simulator.FaultKind{simulator.Corrected, simulator.Retracted, simulator.Vanish, simulator.Void, simulator.Late, simulator.Stall, simulator.Freeze} {
			o.Faults = append(o.Faults, simulator.Fault{Kind: kind, Rate: 0.9})
		}
		sim, err := emulators.New(p.Name, o)
		if err != nil {
			t.Fatal(err)
		}
		x := &providertest.Exchange{Adapter: p, Handler: sim, Token: sim.Tokens()[0], Clock: o.Now}
		seen := make(map[string]int)
		for range 20 {
			x.Kept = nil
			if asked, err := p.Live.Ask(t.Context(), x, ""); err != nil || !asked.ListingComplete {
				t.Fatalf("%s: %+v, %v", p.Name, asked, err)
			}
			meant := make(map[string]meant.Match)
			for _, m := range sim.InPlay(x.Token) {
				meant[m.ID] = m
				if m.WithoutID {
					meant[input.ByEvent+m.EventID] = m
				}
			}
			for _, payload := range x.Kept {
				sheet, err := p.Live.ReadDetail(payload)
				if p.Live.IsList(payload.Endpoint) {
					sheet, err = p.Live.ReadList(append(x.Kept[:0:0], payload))
				}
				if err != nil || len(sheet.Broken)+len(sheet.Damaged)+len(sheet.Unknown) > 0 {
					t.Fatalf("%s: %v %v %v %v", p.Name, err, sheet.Broken, sheet.Damaged, sheet.Unknown)
				}
				for i := range sheet.Samples {
					s := &sheet.Samples[i]
					m, ok := meant[s.ProviderFixtureID]
					if !ok {
						t.Fatalf("%s: %s is not in play", p.Name, s.ProviderFixtureID)
					}
					compareSample(t, p.Name, s, m, m.Sent(now), seen)
				}
			}
			now = now.Add(5 * time.Minute)
		}
		for _, what := range []string{"sample", "running", "absent", "null", "value"} {
			if seen[what] < 20 && (what != "running" || p.Name != "apifootball") { // it sends no seconds
				t.Errorf("%s: too little was compared: %v", p.Name, seen)
				break
			}
		}
	}
}

func compareSample(t *testing.T, provider string, s *input.Sample, m meant.Match, sent feed.Sent, seen map[string]int) {
	t.Helper()
	seen["sample"]++
	if home, ok := s.Score.Home.Get(); ok != sent.Begun || ok && home != sent.Score[0] || s.Score.Away.Or(0) != sent.Score[1] {
		t.Errorf("%s %s: score %v, sent %v", provider, s.ProviderFixtureID, s.Score, sent.Score)
	}
	shown := time.Duration(s.Clock.Minute.Or(0))*time.Minute + time.Duration(s.Clock.Second.Or(0))*time.Second
	if s.Clock.Running.Or(false) && s.Clock.Second.State() == football.Present {
		seen["running"]++
		if !sent.Clock.Running || shown != sent.Clock.Shown {
			t.Errorf("%s %s: clock %+v, sent %+v", provider, s.ProviderFixtureID, s.Clock, sent.Clock)
		}
	}
	if s.CountersNotAsked || !sent.Begun || len(s.Counters) == 0 {
		return
	}
	read := make(map[football.Metric]football.Counter)
	for _, c := range s.Counters {
		read[c.Metric] = c
	}
	for name, metric := range metrics {
		c := read[name]
		for side, got := range [...]football.Field[football.Number]{c.Home, c.Away} {
			n, state := sent.Value(metric, play.Side(side))
			want := map[feed.State]string{feed.Absent: "absent", feed.Null: "null", feed.Value: fmt.Sprint(n)}[state]
			text := map[football.State]string{football.Missing: "absent", football.Null: "null"}[got.State()]
			if number, ok := got.Get(); ok {
				text, _, _ = strings.Cut(number.Text(), ".")
			}
			switch _, counts := read[name]; {
			case text == want:
			case provider != "betsapi" && (!counts || state == feed.Absent): // not every provider has every counter
			default:
				t.Errorf("%s %s: %s of side %d is %s, sent %s", provider, s.ProviderFixtureID, name, side, text, want)
			}
			if text != "absent" && text != "null" {
				text = "value"
			}
			seen[text]++
		}
	}
}

// TestRepeatable: one seed and one moment give the same bytes, whenever and in whatever order
// they are asked for.
func TestRepeatable(t *testing.T) {
	for _, name := range emulators.Names() {
		now := providertest.Noon
		var sims [2]*simulator.Server
		for i := range sims {
			var err error
			if sims[i], err = emulators.New(name, simulator.Options{Seed: 7, Now: func() time.Time { return now }}); err != nil {
				t.Fatal(err)
			}
			now = providertest.Noon.Add(-3 * time.Hour)
		}
		about := busy
		for _, f := range sims[0].Listed(sims[0].Tokens()[0]) {
			if name != "theoddsapi" && len(sims[0].Meant(sims[0].Tokens()[0], f.ID)) > 0 {
				about = f.ID
			}
		}
		for _, path := range questions[name] {
			ask(t, sims[1], strings.ReplaceAll(path, "%s", about))
		}
		now = providertest.Noon
		for class, path := range questions[name] {
			path = strings.ReplaceAll(path, "%s", about)
			if a, b := ask(t, sims[0], path).Body.Bytes(), ask(t, sims[1], path).Body.Bytes(); !bytes.Equal(a, b) || len(a) < 200 {
				t.Errorf("%s: one seed and one moment gave two answers about %s, or an empty one: %.200s", name, class, a)
			}
		}
	}
}
