package bookmaker

import "math"

// model has the probabilities of everything about the goals of one match: each half's
// goals of each side are independent and Poisson-distributed, and every market on goals
// is a sum over the same table, so two prices differ by no more than the margin.
type model struct {
	home, away float64 // expected goals of the match
	half       [2]half
	full       table // goals of the match, home by away

	htft      [3][3]float64 // result at half-time, at full time
	bothBy    [2][2]float64 // both scored in the first half, in the second (1 = yes)
	richer    [3][3]float64 // by match, home, away: more goals in the first half, in the second, or equal
	winsBoth  [2]float64    // a side wins both halves
	winsOne   [2]float64    // a side wins at least one half
	scoresIn2 [2]float64    // a side scores in both halves
	behind    [2]float64    // a side trails at half-time and wins
	path      [4][4][maxFull][maxFull]float64
}

const (
	maxFull   = 12 // goals of one side are below it
	maxHalf   = 7
	firstHalf = 0.45 // share of the goals
)

type table [maxFull][maxFull]float64

type half struct {
	home, away float64 // expected goals
	t          table
}

func result(home, away int) int {
	switch {
	case home > away:
		return 0
	case home == away:
		return 1
	}
	return 2
}

func newModel(home, away float64) *model {
	m := &model{home: home, away: away}
	for i, share := range [2]float64{firstHalf, 1 - firstHalf} {
		m.half[i] = half{home: home * share, away: away * share}
		m.half[i].t.fill(m.half[i].home, m.half[i].away)
	}
	m.full.fill(home, away)
	m.walk()
	return m
}

func (t *table) fill(home, away float64) {
	h, a := poisson(home), poisson(away)
	for i := range t {
		for j := range t[i] {
			t[i][j] = h[i] * a[j]
		}
	}
}

// sum adds up the probabilities of the scores for which yes holds.
func (t *table) sum(yes func(home, away int) bool) (p float64) {
	for i := range t {
		for j := range t[i] {
			if yes(i, j) {
				p += t[i][j]
			}
		}
	}
	return p
}

// walk adds up everything that depends on both the half-time and the second-half score.
func (m *model) walk() {
	for h1 := range maxHalf {
		for a1 := range maxHalf {
			first := m.half[0].t[h1][a1]
			for h2 := range maxHalf {
				for a2 := range maxHalf {
					m.step(h1, a1, h2, a2, first*m.half[1].t[h2][a2])
				}
			}
		}
	}
}

func (m *model) step(h1, a1, h2, a2 int, p float64) {
	r1, r2, r := result(h1, a1), result(h2, a2), result(h1+h2, a1+a2)
	m.htft[r1][r] += p
	m.bothBy[flag(h1 > 0 && a1 > 0)][flag(h2 > 0 && a2 > 0)] += p
	m.richer[0][result(h1+a1, h2+a2)] += p
	m.richer[1][result(h1, h2)] += p
	m.richer[2][result(a1, a2)] += p
	for side, wins := range [2]int{0, 2} {
		if r1 == wins && r2 == wins {
			m.winsBoth[side] += p
		}
		if r1 == wins || r2 == wins {
			m.winsOne[side] += p
		}
		if r1 == 2-wins && r == wins {
			m.behind[side] += p
		}
	}
	m.scoresIn2[0] += p * float64(flag(h1 > 0 && h2 > 0))
	m.scoresIn2[1] += p * float64(flag(a1 > 0 && a2 > 0))
	if h1 < 4 && a1 < 4 && h1+h2 < maxFull && a1+a2 < maxFull {
		m.path[h1][a1][h1+h2][a1+a2] += p
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// poisson returns the probabilities of 0 to maxFull-1.
func poisson(mean float64) (p [maxFull]float64) {
	p[0] = math.Exp(-mean)
	for i := 1; i < maxFull; i++ {
		p[i] = p[i-1] * mean / float64(i)
	}
	return p
}

// atLeast is the probability of n or more, for counts beyond the table.
func atLeast(n int, mean float64) float64 {
	p, below := math.Exp(-mean), 0.0
	for i := range n {
		below += p
		p *= mean / float64(i+1)
	}
	return max(1-below, 0)
}

func exactly(n int, mean float64) float64 { return atLeast(n, mean) - atLeast(n+1, mean) }

// beats returns the probabilities that one count plus lead is above, equal to and below
// another.
func beats(mean, other, lead float64) (above, level, below float64) {
	p, q := math.Exp(-mean), 0.0
	for i := range 40 {
		q = math.Exp(-other)
		for j := range 40 {
			switch d := float64(i) + lead - float64(j); {
			case d > 0:
				above += p * q
			case d == 0:
				level += p * q
			default:
				below += p * q
			}
			q *= other / float64(j+1)
		}
		p *= mean / float64(i+1)
	}
	return above, level, below
}

func (t *table) results() (p [3]float64) {
	for i := range t {
		for j := range t[i] {
			p[result(i, j)] += t[i][j]
		}
	}
	return p
}

func (t *table) totals() (p [2*maxFull - 1]float64) {
	for i := range t {
		for j := range t[i] {
			p[i+j] += t[i][j]
		}
	}
	return p
}
