package bookmaker

import (
	"math"

	"mkt/fetch/simulator/competition"
)

// part is a player's share of his team's actions; the first of a squad are its forwards.
func part(i int) float64 {
	return [competition.Squad]float64{0.21, 0.16, 0.13, 0.10, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01}[i]
}

// AnyOtherPlayer is the outcome of a row that stands for all players who have no
// row of their own. The vocabulary has no word for it.
const AnyOtherPlayer = "any other player"

func priceScorerFirst(s *basis, m *Market) {
	all := s.m.home + s.m.away
	none := s.m.full[0][0]
	s.eachPlayer(func(name string, side, i int) {
		m.add(Selection{Outcome: "YES", Player: name, Side: sides[side]}, s.mean(side, i)/all*(1-none), marginMany*2)
	})
	m.add(Selection{Outcome: "NO_GOALSCORER"}, none, marginMany)
	if s.fixture.Lot(4, 33) == 0 {
		m.add(Selection{Outcome: AnyOtherPlayer}, 0.04, marginMany)
	}
}

func priceScorerAny(s *basis, m *Market) {
	s.eachPlayer(func(name string, side, i int) {
		m.add(Selection{Outcome: "YES", Player: name, Side: sides[side]}, atLeast(1, s.mean(side, i)), marginMany*2)
	})
}

func priceScorerMulti(s *basis, m *Market) {
	for _, n := range [2]int{2, 3} {
		text := lineText(float64(n))
		if m.Parameter != "" && m.Parameter != text {
			continue
		}
		s.eachPlayer(func(name string, side, i int) {
			if i < 8 {
				m.add(Selection{Outcome: "YES", Player: name, Side: sides[side], Qualifier: text}, max(atLeast(n, s.mean(side, i)), 0.0013), marginMany*2)
			}
		})
	}
}

func priceTeamScorer(s *basis, m *Market) {
	for side, t := range [2]*competition.Team{&s.fixture.Home, &s.fixture.Away} {
		mean := [2]float64{s.m.home, s.m.away}[side]
		for i, name := range t.Players {
			m.add(Selection{Outcome: "YES", Player: name, Side: sides[side]}, part(i)*(1-math.Exp(-mean)), marginMany*2)
		}
		m.add(Selection{Outcome: "NO_GOALSCORER", Side: sides[side]}, math.Exp(-mean), marginMany)
	}
}

// priceScorecast prices a first scorer combined with the score of the period, for the
// forwards and the closest wins of their side.
func priceScorecast(s *basis, m *Market) {
	t, home, away := s.goals(m.Period)
	s.eachPlayer(func(name string, side, i int) {
		if i >= 5 {
			return
		}
		for _, score := range [...][2]int{{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}} {
			h, a := score[0], score[1]
			if side == 1 {
				h, a = a, h
			}
			first := part(i) * [2]float64{home, away}[side] / (home + away)
			if m.Parameter == "ANYTIME" {
				first = atLeast(1, part(i)*float64(score[0]))
			}
			m.add(Selection{Outcome: scores[h][a], Player: name, Side: sides[side]}, first*t[h][a]*1.3, marginMany)
		}
	})
}

func priceWincast(s *basis, m *Market) {
	p := s.m.full.results()
	s.eachPlayer(func(name string, side, i int) {
		if i < 8 {
			m.add(Selection{Outcome: sides[side], Player: name, Side: sides[side]}, s.share(side)*part(i)*p[2*side]*1.5, marginMany)
		}
	})
}

func priceTimecast(s *basis, m *Market) {
	all := s.m.home + s.m.away
	at := func(minute float64) float64 { return math.Exp(-all * minute / played) }
	s.eachPlayer(func(name string, side, i int) {
		if i >= 4 {
			return
		}
		for k, band := range [...]string{"1-20", "21-45", "46+"} {
			p := at([...]float64{0, 20, 45}[k]) - at([...]float64{20, 45, played}[k])
			m.add(Selection{Outcome: band, Player: name, Side: sides[side]}, p*part(i)*s.share(side), marginMany)
		}
	})
}

// priceCarded prices players in reverse order of scoring: defenders foul most.
func priceCarded(p float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		s.eachPlayer(func(name string, side, i int) {
			m.add(Selection{Outcome: "YES", Player: name, Side: sides[side]}, p*(0.5+float64(i)/competition.Squad), marginMany*2)
		})
	}
}

// priceFirstCarded prices the first player carded, and that there is none.
func priceFirstCarded(s *basis, m *Market) {
	priceCarded(0.06)(s, m)
	m.add(Selection{Outcome: "NO_CARD"}, math.Exp(-s.cards[0]-s.cards[1]), marginMany)
}

func priceBest(s *basis, m *Market) {
	p := s.m.full.results()
	s.eachPlayer(func(name string, side, i int) {
		m.add(Selection{Outcome: "YES", Player: name, Side: sides[side]}, part(i)*(p[2*side]+p[1]/2), marginMany*2)
	})
}

// pricePlayerCount prices over and under for two players a side, as recorded.
func pricePlayerCount(mean func(*basis) [2]float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		for side, t := range [2]*competition.Team{&s.fixture.Home, &s.fixture.Away} {
			c := mean(s)[side]
			for i := range min(2, len(t.Players)) {
				line := halfLine(c*part(i) - 0.4)
				p := atLeast(int(line+0.5), c*part(i))
				m.add(Selection{Outcome: "OVER", Line: lineText(line), Player: t.Players[i], Side: sides[side]}, p, marginTwo)
				m.add(Selection{Outcome: "UNDER", Line: lineText(line), Player: t.Players[i], Side: sides[side]}, 1-p, marginTwo)
			}
		}
	}
}

// eachPlayer calls f for every player with markets, forwards of both
// sides first.
func (s *basis) eachPlayer(f func(name string, side, i int)) {
	for i := range competition.Squad {
		for side, t := range [2]*competition.Team{&s.fixture.Home, &s.fixture.Away} {
			if i < len(t.Players) {
				f(t.Players[i], side, i)
			}
		}
	}
}

func (s *basis) mean(side, i int) float64 {
	return [2]float64{s.m.home, s.m.away}[side] * part(i)
}
