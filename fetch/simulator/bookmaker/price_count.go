package bookmaker

import (
	"math"
	"strconv"
)

// priceCount prices over and under of a count: the main line only.
func priceCount(mean func(*basis) [2]float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		c := mean(s)
		all := c[0] + c[1]
		if m.Period == "1H" {
			all *= 0.48
		}
		line := halfLine(all - 0.2)
		if m.Book == Asian {
			line = max(math.Round((all-0.1)*2)/2, 0.5)
		}
		m.overUnder(Selection{Line: lineText(line)}, line, func(n int) float64 { return exactly(n, all) })
	}
}

// priceTeamCount prices the count for the side of the market, or for both sides.
func priceTeamCount(mean func(*basis) [2]float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		for side, c := range mean(s) {
			if m.Side != "" && m.Side != sides[side] {
				continue
			}
			row := Selection{}
			if m.Side == "" {
				row.Side = sides[side]
			}
			line := halfLine(c - 0.2)
			row.Line = lineText(line)
			m.overUnder(row, line, func(n int) float64 { return exactly(n, c) })
		}
	}
}

func priceCorners3Way(s *basis, m *Market) {
	mean := s.corners[0] + s.corners[1]
	if m.Period == "1H" {
		mean *= 0.48
	}
	middle := int(math.Round(mean))
	lines := []int{middle}
	if m.Book == Alternative {
		lines = nil
		for l := middle - 4; l <= middle+4; l++ {
			if l != middle {
				lines = append(lines, l)
			}
		}
	}
	for _, l := range lines {
		text := strconv.Itoa(l)
		m.add(Selection{Outcome: "OVER", Line: text}, atLeast(l+1, mean), marginMany)
		m.add(Selection{Outcome: "EXACTLY", Line: text}, exactly(l, mean), marginMany)
		m.add(Selection{Outcome: "UNDER", Line: text}, 1-atLeast(l, mean), marginMany)
	}
}

func priceCornersRange(s *basis, m *Market) {
	mean := s.corners[0] + s.corners[1]
	m.add(Selection{Outcome: "0-5"}, 1-atLeast(6, mean), marginMany)
	for from := 6; from <= 12; from += 3 {
		p := atLeast(from, mean) - atLeast(from+3, mean)
		m.add(Selection{Outcome: strconv.Itoa(from) + "-" + strconv.Itoa(from+2)}, p, marginMany)
	}
	m.add(Selection{Outcome: "15+"}, atLeast(15, mean), marginMany)
}

func priceCornersResult(s *basis, m *Market) {
	h, d, a := beats(s.corners[0], s.corners[1], 0)
	for i, p := range [3]float64{h, d, a} {
		m.add(Selection{Outcome: results[i]}, p, marginMany)
	}
}

func priceCountHandicap(mean func(*basis) [2]float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		c := mean(s)
		for _, line := range europeanLines(c[1]-c[0], m.Book) {
			h, d, a := beats(c[0], c[1], line)
			if min(h, a) < 0.02 {
				continue
			}
			for i, p := range [3]float64{h, d, a} {
				m.add(Selection{Outcome: results[i], Line: signedText(line)}, p, marginMany)
			}
		}
	}
}

func priceCountAsian(mean func(*basis) [2]float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		c := mean(s)
		line := math.Round((c[1]-c[0])*2) / 2
		h, d, _ := beats(c[0], c[1], line)
		m.twoSides(line, h/(1-d))
	}
}

// priceRace prices which side first has as many corners as the parameter says, or as each
// of a few targets without one.
func priceRace(s *basis, m *Market) {
	all := s.corners[0] + s.corners[1]
	home := s.corners[0] / all
	for _, n := range [...]int{3, 5, 7, 9} {
		target := strconv.Itoa(n)
		switch m.Parameter {
		case target:
			target = ""
		case "":
		default:
			continue
		}
		h, a := raceTo(n, home, all), raceTo(n, 1-home, all)
		m.add(Selection{Outcome: "HOME", Qualifier: target}, h, marginMany)
		m.add(Selection{Outcome: "AWAY", Qualifier: target}, a, marginMany)
		m.add(Selection{Outcome: "NEITHER", Qualifier: target}, 1-h-a, marginMany)
	}
}

// raceTo is the probability that a side with this share of all corners reaches n first.
func raceTo(n int, share, all float64) (p float64) {
	ways := math.Pow(share, float64(n))
	for k := range n {
		p += ways * atLeast(n+k, all)
		ways *= (1 - share) * float64(n+k) / float64(k+1)
	}
	return p
}

func priceOneCorner(s *basis, m *Market) {
	home := s.corners[0] / (s.corners[0] + s.corners[1])
	m.add(Selection{Outcome: "HOME"}, home, marginTwo)
	m.add(Selection{Outcome: "AWAY"}, 1-home, marginTwo)
}

// priceFirstCard prices which side is shown the first card, and that neither is.
func priceFirstCard(s *basis, m *Market) {
	all := s.cards[0] + s.cards[1]
	none := math.Exp(-all)
	m.add(Selection{Outcome: "HOME"}, (1-none)*s.cards[0]/all, marginMany)
	m.add(Selection{Outcome: "NONE"}, none, marginMany)
	m.add(Selection{Outcome: "AWAY"}, (1-none)*s.cards[1]/all, marginMany)
}

func priceMulticorners(s *basis, m *Market) {
	mean := s.corners[0] + s.corners[1]
	m.Selections = append(m.Selections,
		Selection{Outcome: "OVER", Line: lineText(halfLine(mean * mean / 4.2)), Price: "1.83"},
		Selection{Outcome: "UNDER", Line: lineText(halfLine(mean * mean / 4.2)), Price: "1.83"})
}

func pricePointsIndex(s *basis, m *Market) {
	for _, side := range sides {
		m.add(Selection{Outcome: "under", Side: side, Line: "70"}, 0.45, marginMany)
		m.add(Selection{Outcome: "between", Side: side, Line: "70-80"}, 0.2, marginMany)
		m.add(Selection{Outcome: "over", Side: side, Line: "80"}, 0.35, marginMany)
	}
}

// priceDuel prices a market whose name is in no table.
func priceDuel(s *basis, m *Market) {
	for i := range min(3, len(s.fixture.Home.Players), len(s.fixture.Away.Players)) {
		m.add(Selection{Outcome: "home", Player: s.fixture.Home.Players[i]}, 0.48, marginMany)
		m.add(Selection{Outcome: "away", Player: s.fixture.Away.Players[i]}, 0.52, marginMany)
	}
}

func priceUnknownTable(s *basis, m *Market) {
	for i, what := range [...]string{"Throw-ins", "Goal Kicks", "Substitutions"} {
		line := lineText([...]float64{38.5, 14.5, 8.5}[i])
		p := 0.42 + 0.16*s.fixture.Dice.Unit(61, uint64(i))
		m.add(Selection{Outcome: "over", Line: line, Player: what}, p, marginTwo)
		m.add(Selection{Outcome: "under", Line: line, Player: what}, 1-p, marginTwo)
	}
}
