package bookmaker

import (
	"math"

	"mkt/fetch/simulator/competition"
)

// basis is what the prices of a fixture are computed from, at one version.
type basis struct {
	fixture                competition.Fixture
	m                      *model
	corners, cards         [2]float64 // expected, by side
	shots, target, tackles [2]float64
	offsides               [2]float64
	base                   baseLines
}

// baseLines are the lines around which alternatives are priced. They do not move with the
// prices, so the set of lines stays the same.
type baseLines struct{ total, handicap, halfTotal, halfHandicap float64 }

func newBasis(f competition.Fixture, version int64) *basis {
	s := &basis{fixture: f}
	edge := f.Edge()
	home, away := f.ExpectedGoals()
	s.base = baseLines{
		total:        halfLine(home + away - 0.1),
		handicap:     math.Round((away-home)*2) / 2,
		halfTotal:    halfLine((home + away) * firstHalf),
		halfHandicap: math.Round((away-home)*firstHalf*2) / 2,
	}
	at := float64(version) * 0.3
	s.m = newModel(home*(1+0.07*f.Dice.Wave(at, 41)), away*(1+0.07*f.Dice.Wave(at, 42)))
	s.corners[0], s.corners[1] = competition.Split(10.2, edge*0.3)
	s.cards[1], s.cards[0] = competition.Split(3.9, edge*0.12)
	s.shots[0], s.shots[1] = competition.Split(24, edge*0.28)
	s.target[0], s.target[1] = competition.Split(8.6, edge*0.3)
	s.tackles[1], s.tackles[0] = competition.Split(33, edge*0.05)
	s.offsides[0], s.offsides[1] = competition.Split(4.2, edge*0.1)
	return s
}

// goals returns the table of a period's goals and the means of both sides.
func (s *basis) goals(period string) (t *table, home, away float64) {
	switch period {
	case "1H":
		return &s.m.half[0].t, s.m.half[0].home, s.m.half[0].away
	case "2H":
		return &s.m.half[1].t, s.m.half[1].home, s.m.half[1].away
	case "0-10":
		t = new(table)
		home, away = s.m.home*0.085, s.m.away*0.085
		t.fill(home, away)
		return t, home, away
	default:
		return &s.m.full, s.m.home, s.m.away
	}
}

// share is a side's share of the goals.
func (s *basis) share(side int) float64 {
	return [2]float64{s.m.home, s.m.away}[side] / (s.m.home + s.m.away)
}

func (s *basis) winToNil(side int) float64 {
	return s.m.full.sum(func(h, a int) bool {
		return side == 0 && h > 0 && a == 0 || side == 1 && a > 0 && h == 0
	})
}
