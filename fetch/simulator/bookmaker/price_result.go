package bookmaker

import (
	"math"
	"strconv"
)

func priceResult(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	for i, p := range t.results() {
		m.add(Selection{Outcome: results[i]}, p, marginTwo+0.015)
	}
}

func priceDoubleChance(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	p := t.results()
	m.add(Selection{Outcome: "1X"}, p[0]+p[1], marginMany)
	m.add(Selection{Outcome: "X2"}, p[1]+p[2], marginMany)
	m.add(Selection{Outcome: "12"}, p[0]+p[2], marginMany)
}

func priceDrawNoBet(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	p := t.results()
	m.add(Selection{Outcome: "HOME"}, p[0]/(p[0]+p[2]), marginTwo)
	m.add(Selection{Outcome: "AWAY"}, p[2]/(p[0]+p[2]), marginTwo)
}

func priceHalfTimeFullTime(s *basis, m *Market) {
	for i, first := range results {
		for j, full := range results {
			m.add(Selection{Outcome: first + "/" + full}, s.m.htft[i][j], marginMany)
		}
	}
}

// scores are formatted once: they are needed a thousand times a fixture.
var scores = func() (all [maxFull][maxFull]string) {
	for i := range all {
		for j := range all[i] {
			all[i][j] = strconv.Itoa(i) + "-" + strconv.Itoa(j)
		}
	}
	return all
}()

// priceCorrectScore prices home wins, then draws, then away wins, as the bookmaker
// does.
func priceCorrectScore(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	for want := range 3 {
		for win := range 8 {
			for lose := 0; lose <= win; lose++ {
				home, away := win, lose
				if want == 2 {
					home, away = lose, win
				}
				if result(home, away) == want {
					m.add(Selection{Outcome: scores[home][away]}, t[home][away], marginMany)
				}
			}
		}
	}
}

func priceDoubleScore(s *basis, m *Market) {
	for h1 := range 4 {
		for a1 := range 4 {
			for h := h1; h < 5; h++ {
				for a := a1; a < 5; a++ {
					m.add(Selection{Outcome: scores[h1][a1] + "/" + scores[h][a]}, s.m.path[h1][a1][h][a], marginMany)
				}
			}
		}
	}
}

func priceResultAndBoth(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	var p [3][2]float64
	for i := range t {
		for j := range t[i] {
			p[result(i, j)][flag(i == 0 || j == 0)] += t[i][j]
		}
	}
	for b, both := range yesNo {
		for r, name := range results {
			m.add(Selection{Outcome: name + "&" + both}, p[r][b], marginMany)
		}
	}
}

func priceResultAndTotal(s *basis, m *Market) {
	t, home, away := s.goals(m.Period)
	line := halfLine(home + away - 0.1)
	var p [2][3]float64
	for i := range t {
		for j := range t[i] {
			p[flag(float64(i+j) < line)][result(i, j)] += t[i][j]
		}
	}
	for u, name := range [2]string{"OVER", "UNDER"} {
		for r, res := range results {
			m.add(Selection{Outcome: res + "&" + name, Line: lineText(line)}, p[u][r], marginMany)
		}
	}
}

func priceMargin(s *basis, m *Market) {
	for side, name := range sides {
		for by := 1; by <= 4; by++ {
			text := name + "_" + strconv.Itoa(by)
			if by == 4 {
				text += "+"
			}
			p := s.m.full.sum(func(h, a int) bool {
				d := h - a
				if side == 1 {
					d = -d
				}
				return d == by || by == 4 && d > 4
			})
			m.add(Selection{Outcome: text}, p, marginMany)
		}
	}
	m.add(Selection{Outcome: "SCORE_DRAW"}, s.m.full.sum(func(h, a int) bool { return h == a && h > 0 }), marginMany)
	m.add(Selection{Outcome: "NO_GOAL"}, s.m.full[0][0], marginMany)
}

func priceKickOff(_ *basis, m *Market) {
	m.add(Selection{Outcome: "HOME"}, 0.5, marginTwo)
	m.add(Selection{Outcome: "AWAY"}, 0.5, marginTwo)
}

// europeanLines returns the home handicaps of a book: the main one gives the weaker side
// at least a goal, the others are around it.
func europeanLines(base float64, book Book) []float64 {
	line := math.Round(base)
	if line == 0 {
		line = -1
		if base > 0 {
			line = 1
		}
	}
	if book == Main {
		return []float64{line}
	}
	var around []float64
	for _, d := range [...]float64{-2, -1, 1, 2, 3} {
		if line+d != 0 {
			around = append(around, line+d)
		}
	}
	return around
}

func priceHandicapResult(s *basis, m *Market) {
	t, _, _ := s.goals(m.Period)
	base := s.base.handicap
	if m.Period == "1H" {
		base = s.base.halfHandicap
	}
	for _, line := range europeanLines(base, m.Book) {
		var p [3]float64
		for i := range t {
			for j := range t[i] {
				p[result(i+int(line), j)] += t[i][j]
			}
		}
		if min(p[0], p[2]) < 0.004 {
			continue
		}
		for r, name := range results {
			m.add(Selection{Outcome: name, Line: signedText(line)}, p[r], marginMany)
		}
	}
}

// asianLines returns the home handicaps of a book: the main one is where the sides are
// closest to even now, the others are in quarters around a base that does not move.
func asianLines(base, now float64, book Book) []float64 {
	main := math.Round(now*4) / 4
	if book != AsianAlternative {
		return []float64{main}
	}
	var around []float64
	for d := -1.75; d <= 1.75; d += 0.25 {
		if base+d != main {
			around = append(around, base+d)
		}
	}
	return around
}

func priceAsianHandicap(s *basis, m *Market) {
	t, home, away := s.goals(m.Period)
	base := s.base.handicap
	if m.Period == "1H" {
		base = s.base.halfHandicap
	}
	var diff [2*maxFull - 1]float64 // index: home lead + maxFull - 1
	for i := range t {
		for j := range t[i] {
			diff[i-j+maxFull-1] += t[i][j]
		}
	}
	for _, line := range asianLines(base, away-home, m.Book) {
		var win, push [2]float64
		for k, l := range quarters(line) {
			for d, p := range diff {
				switch lead := float64(d-maxFull+1) + l; {
				case lead > 0:
					win[k] += p
				case lead == 0:
					push[k] += p
				}
			}
		}
		m.twoSides(line, even(win, push))
	}
}
