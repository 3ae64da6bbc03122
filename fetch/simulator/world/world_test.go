package world_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/random"
	"mkt/fetch/simulator/world"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// Neighbouring seeds must not give one world shifted by a step.
func TestNeighbouringSeedsShareNothing(t *testing.T) {
	a, b := world.New(world.Options{Seed: 1, Fixtures: 300}).Fixtures(noon), world.New(world.Options{Seed: 2, Fixtures: 300}).Fixtures(noon)
	same := 0
	for _, f := range a {
		for _, g := range b {
			if f.Home.Number == g.Home.Number && f.Away.Number == g.Away.Number {
				same++
			}
		}
	}
	if same > 60 {
		t.Errorf("%d pairings of 300 are in both worlds", same)
	}
}

// At every moment the world announces its size in fixtures, less a few that are called
// off, in order and each once; a fixture keeps its number, teams and league for good.
func TestFixturesComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 400).Draw(t, "size")
		w := world.New(world.Options{Seed: rapid.Uint64().Draw(t, "seed"), Fixtures: size})
		now := noon.Add(time.Duration(rapid.IntRange(0, 60*24*365).Draw(t, "minute")) * time.Minute)
		later := now.Add(time.Duration(rapid.IntRange(1, 600).Draw(t, "wait")) * time.Minute)
		before := make(map[int64]competition.Fixture)
		ahead := 0
		list := w.Fixtures(now)
		for i, f := range list {
			if _, twice := before[f.Number]; twice {
				t.Fatalf("fixture %d twice", f.Number)
			}
			before[f.Number] = f
			if f.Home.Name == f.Away.Name {
				t.Fatalf("fixture %d: %s plays itself", f.Number, f.Home.Name)
			}
			if i > 0 && f.KickOff.Before(list[i-1].KickOff) {
				t.Fatalf("fixture %d is out of order", f.Number)
			}
			if f.Status == competition.NotStarted {
				ahead++
				if !f.KickOff.After(now) {
					t.Fatalf("fixture %d has not started at %v, after its kick-off %v", f.Number, now, f.KickOff)
				}
			}
		}
		if ahead < size*9/10-2 || ahead > size+size/10+2 {
			t.Fatalf("%d ahead in a world of %d", ahead, size)
		}
		for _, f := range w.Fixtures(later) {
			if b, known := before[f.Number]; known && (b.Home.Name != f.Home.Name || b.Away.Name != f.Away.Name || b.League.Name != f.League.Name) {
				t.Fatalf("fixture %d was %s v %s and is %s v %s", f.Number, b.Home.Name, b.Away.Name, f.Home.Name, f.Away.Name)
			}
		}
	})
}

func TestWorldHoldsEveryKind(t *testing.T) {
	kinds, leagues := make(map[competition.Kind]int), make(map[int]bool)
	statuses := make(map[competition.Status]int)
	w := world.New(world.Options{Seed: 1, Fixtures: 6000})
	for _, f := range w.Fixtures(noon) {
		kinds[f.League.Kind]++
		leagues[f.League.Number] = true
		statuses[f.Status]++
	}
	for _, k := range []competition.Kind{competition.Senior, competition.Women, competition.Youth, competition.Reserves, competition.Cup, competition.Friendly, competition.Esoccer, competition.Simulated} {
		if kinds[k] == 0 {
			t.Errorf("no league of kind %d", k)
		}
	}
	for _, s := range []competition.Status{competition.NotStarted, competition.Ended, competition.Postponed, competition.Cancelled, competition.Withdrawn} {
		if statuses[s] == 0 {
			t.Errorf("no fixture of status %d", s)
		}
	}
	if len(leagues) < 40 {
		t.Errorf("%d leagues, want 40", len(leagues))
	}
}

func TestTeamsOfALeagueDiffer(t *testing.T) {
	names := make(map[string]map[string]int)
	w := world.New(world.Options{Seed: 3, Fixtures: 20000})
	for _, f := range w.Fixtures(noon) {
		for _, team := range []competition.Team{f.Home, f.Away} {
			if names[f.League.Name] == nil {
				names[f.League.Name] = make(map[string]int)
			}
			if n, known := names[f.League.Name][team.Name]; known && n != team.Number {
				t.Errorf("%s: two teams named %s", f.League.Name, team.Name)
			}
			names[f.League.Name][team.Name] = team.Number
		}
	}
}

func TestPricesDriftSlowly(t *testing.T) {
	w := world.New(world.Options{Seed: 1, Fixtures: 50})
	ref := bookmaker.Ref{Market: "MATCH_RESULT", Period: "FT"}
	moved, steps := 0, 0
	for _, f := range w.Fixtures(noon) {
		v, since := bookmaker.Version(f, noon)
		if since.After(noon) || noon.Sub(since) > 21*time.Minute {
			t.Errorf("fixture %d: prices of %v at %v", f.Number, since, noon)
		}
		old := bookmaker.NewPriceList(f, v, since).Market(ref)
		for i := range int64(6) {
			next := bookmaker.NewPriceList(f, v+i+1, since).Market(ref)
			for k, s := range next.Selections {
				a, _ := strconv.ParseFloat(old.Selections[k].Price, 64)
				b, _ := strconv.ParseFloat(s.Price, 64)
				if b > a*1.25+0.05 || a > b*1.25+0.05 {
					t.Errorf("fixture %d: %s jumped from %s to %s", f.Number, s.Outcome, old.Selections[k].Price, s.Price)
				}
				steps++
				if a != b {
					moved++
				}
			}
			old = next
		}
	}
	if moved == 0 || moved == steps {
		t.Errorf("%d of %d prices moved", moved, steps)
	}
}

// The prices of a full market add up to a little more than certainty, and lines and
// halves agree with the match: all come from one model.
func TestPricesAddUp(t *testing.T) {
	whole := []bookmaker.Ref{
		{Market: "MATCH_RESULT", Period: "FT"}, {Market: "MATCH_RESULT", Period: "1H"}, {Market: "MATCH_RESULT", Period: "0-10"},
		{Market: "DRAW_NO_BET", Period: "FT"}, {Market: "TOTAL_GOALS", Period: "FT"}, {Market: "ASIAN_HANDICAP", Period: "FT", Book: bookmaker.Asian},
		{Market: "HANDICAP_RESULT", Period: "FT"}, {Market: "BOTH_TEAMS_TO_SCORE", Period: "2H"}, {Market: "EXACT_GOALS", Period: "FT"},
		{Market: "HALF_TIME_FULL_TIME", Period: "FT"}, {Market: "TEAMS_TO_SCORE", Period: "FT"}, {Market: "TOTAL_CORNERS_3WAY", Period: "FT"},
		{Market: "CORNERS_RACE", Period: "FT", Parameter: "5"}, {Market: "TIME_OF_FIRST_GOAL", Period: "FT"}, {Market: "HIGHEST_SCORING_HALF", Period: "FT"},
		{Market: "WINNING_MARGIN", Period: "FT"}, {Market: "CORNERS_RESULT", Period: "FT"}, {Market: "GOALS_RANGE", Period: "FT"},
	}
	w := world.New(world.Options{Seed: 5, Fixtures: 60})
	for _, f := range w.Fixtures(noon) {
		v, since := bookmaker.Version(f, noon)
		sheet := bookmaker.NewPriceList(f, v, since)
		for _, r := range whole {
			sum := 0.0
			m := sheet.Market(r)
			for _, s := range m.Selections {
				p, err := strconv.ParseFloat(s.Price, 64)
				if err != nil || p <= 1 {
					t.Fatalf("%v: price %q", r, s.Price)
				}
				sum += 1 / p
			}
			if len(m.Selections) > 0 && (sum < 1.005 || sum > 1.45) {
				t.Errorf("%s v %s: %v adds up to %.3f: %v", f.Home.Name, f.Away.Name, r, sum, m.Selections)
			}
		}
	}
}

func TestTokenSeedsDiffer(t *testing.T) {
	if random.TextSeed(1, "a") == random.TextSeed(1, "b") || random.TextSeed(1, "a") == random.TextSeed(2, "a") {
		t.Error("seeds of two texts are one")
	}
	if token := simulator.Token(1); len(token) < 16 || strings.Count(token, "-") != 1 || token != simulator.Token(1) {
		t.Errorf("token %q", token)
	}
}

// A team plays one match at a time, also a club that two leagues have.
func TestOneMatchAtATime(t *testing.T) {
	for seed := range uint64(5) {
		w := world.New(world.Options{Seed: seed, Fixtures: 300, InPlay: 12})
		for day := range 10 {
			now := noon.Add(time.Duration(day) * 24 * time.Hour)
			played := map[string]competition.Fixture{}
			all := w.Fixtures(now)
			slices.SortFunc(all, func(a, b competition.Fixture) int { return a.KickOff.Compare(b.KickOff) })
			for _, f := range all {
				for _, team := range []competition.Team{f.Home, f.Away} {
					before, ok := played[team.Name]
					if played[team.Name] = f; ok && f.KickOff.Sub(before.KickOff) < 2*time.Hour && f.League.Minutes >= 45 {
						t.Errorf("seed %d: %s plays at %v and at %v", seed, team.Name, before.KickOff, f.KickOff)
					}
				}
			}
		}
	}
}

// A world may open with a few fixtures; the others are announced a minute later, and none of the first is gone.
func TestOpening(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 7, 0, time.UTC)
	w := world.New(world.Options{Seed: 3, Fixtures: 100, Opening: 10, Start: start})
	whole := world.New(world.Options{Seed: 3, Fixtures: 100, Start: start})
	few, later := w.Fixtures(start), w.Fixtures(start.Add(time.Minute))
	if len(few) >= 20 || len(later) != len(whole.Fixtures(start.Add(time.Minute))) {
		t.Errorf("%d fixtures at first, then %d", len(few), len(later))
	}
	for _, f := range few {
		if !slices.ContainsFunc(later, func(l competition.Fixture) bool { return l.Number == f.Number }) {
			t.Errorf("fixture %d is gone", f.Number)
		}
	}
}
