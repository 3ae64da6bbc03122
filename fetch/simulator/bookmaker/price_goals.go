package bookmaker

import "math"

func totalLines(base, now float64, book Book) []float64 {
	switch book {
	case Main:
		return []float64{base}
	case Asian:
		return []float64{max(math.Round(now*4)/4, 0.5)}
	case Alternative:
		var all []float64
		for l := 0.5; l < 7; l++ {
			if l != base {
				all = append(all, l)
			}
		}
		return all
	default:
		var all []float64
		for l := max(base-1.5, 0.75); l <= base+1.75; l += 0.25 {
			if l != max(math.Round(now*4)/4, 0.5) {
				all = append(all, l)
			}
		}
		return all
	}
}

func priceTotalGoals(s *basis, m *Market) {
	t, home, away := s.goals(m.Period)
	base := s.base.total
	switch {
	case m.Period == "1H":
		base = s.base.halfTotal
	case m.Period == "0-10":
		base = 0.5
	}
	p := t.totals()
	lines := totalLines(base, home+away-0.15, m.Book)
	if m.Period != "FT" && m.Book == Alternative {
		lines = []float64{0.5, 1.5, 2.5, 3.5, 4.5}
	}
	for _, line := range lines {
		m.overUnder(Selection{Line: lineText(line)}, line, func(n int) float64 {
			if n < len(p) {
				return p[n]
			}
			return 0
		})
	}
}

func priceTotalAndBoth(s *basis, m *Market) {
	line := s.base.total
	var p [2][2]float64
	for i := range s.m.full {
		for j := range s.m.full[i] {
			p[flag(float64(i+j) < line)][flag(i == 0 || j == 0)] += s.m.full[i][j]
		}
	}
	for u, name := range [2]string{"OVER", "UNDER"} {
		for b, both := range yesNo {
			m.add(Selection{Outcome: name + "&" + both, Line: lineText(line)}, p[u][b], marginMany)
		}
	}
}

func priceExactGoals(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	p := t.totals()
	last := 7
	if m.Period != "FT" {
		last = 5
	}
	m.counted(Selection{}, last, func(n int) float64 { return p[n] })
}

func priceTeamExactGoals(s *basis, m *Market) {
	mean := s.m.home
	if m.Side == "AWAY" {
		mean = s.m.away
	}
	m.counted(Selection{}, 3, func(n int) float64 { return exactly(n, mean) })
}

func priceGoalsRange(s *basis, m *Market) {
	p := s.m.full.totals()
	m.add(Selection{Outcome: "0-1"}, p[0]+p[1], marginMany)
	m.add(Selection{Outcome: "2-3"}, p[2]+p[3], marginMany)
	m.add(Selection{Outcome: "4+"}, 1-p[0]-p[1]-p[2]-p[3], marginMany)
}

func priceBoth(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	m.yesNo(Selection{}, t.sum(func(h, a int) bool { return h > 0 && a > 0 }))
}

func priceBothByHalf(s *basis, m *Market) {
	for i := 1; i >= 0; i-- {
		for j := 1; j >= 0; j-- {
			m.add(Selection{Outcome: noYes[i] + "/" + noYes[j]}, s.m.bothBy[i][j], marginMany)
		}
	}
}

func priceTeamsToScore(s *basis, m *Market) {
	t := &s.m.full
	m.add(Selection{Outcome: "BOTH"}, t.sum(func(h, a int) bool { return h > 0 && a > 0 }), marginMany)
	m.add(Selection{Outcome: "HOME_ONLY"}, s.winToNil(0), marginMany)
	m.add(Selection{Outcome: "NO_GOAL"}, t[0][0], marginMany)
	m.add(Selection{Outcome: "AWAY_ONLY"}, s.winToNil(1), marginMany)
}

func priceTeamToScore(s *basis, m *Market) {
	_, home, away := s.goals(m.Period)
	for side, mean := range [2]float64{home, away} {
		m.yesNo(Selection{Side: sides[side]}, atLeast(1, mean))
	}
}

func priceCleanSheet(s *basis, m *Market) {
	for side, mean := range [2]float64{s.m.away, s.m.home} {
		m.yesNo(Selection{Side: sides[side]}, exactly(0, mean))
	}
}

func priceTeamTotalGoals(s *basis, m *Market) {
	for side, mean := range [2]float64{s.m.home, s.m.away} {
		for line := 0.5; line < 5; line++ {
			m.overUnder(Selection{Side: sides[side], Line: lineText(line)}, line, func(n int) float64 { return exactly(n, mean) })
		}
	}
}

func priceParity(m *Market, mean float64) {
	odd := (1 - math.Exp(-2*mean)) / 2
	m.add(Selection{Outcome: "ODD"}, odd, marginTwo)
	m.add(Selection{Outcome: "EVEN"}, 1-odd, marginTwo)
}

func priceOddEven(s *basis, m *Market) {
	_, home, away := s.goals(m.Period)
	priceParity(m, home+away)
}

func priceTeamOddEven(s *basis, m *Market) {
	mean := s.m.home
	if m.Side == "AWAY" {
		mean = s.m.away
	}
	priceParity(m, mean)
}

func priceRicherHalf(s *basis, m *Market) {
	p := s.m.richer[0]
	switch m.Side {
	case "HOME":
		p = s.m.richer[1]
	case "AWAY":
		p = s.m.richer[2]
	}
	m.add(Selection{Outcome: "1H"}, p[0], marginMany)
	m.add(Selection{Outcome: "2H"}, p[2], marginMany)
	m.add(Selection{Outcome: "EQUAL"}, p[1], marginMany)
}
