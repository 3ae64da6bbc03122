package backtest

import "math"

// stability counts by match how a predictor's number moves.
type stability struct{ byMatch []moves }

type moves struct{ minutes, numbers, steps, stepSum, led, flips float64 }

func newStability(matches []Match, questions []Question, answers Answers) *stability {
	s := &stability{make([]moves, len(matches))}
	match, leader := -1, 0
	for i := range questions {
		q := &questions[i]
		if q.Match != match {
			match, leader = q.Match, 0
		}
		m := &s.byMatch[match]
		m.minutes++
		if answers[i] == NoNumber {
			continue
		}
		m.numbers++
		if q.Second > 60 && answers[i-1] != NoNumber {
			m.steps++
			m.stepSum += math.Abs(float64(answers[i] - answers[i-1]))
		}
		if leader != 0 {
			m.led++
		}
		if now := sign(int(answers[i]) - 50); now != 0 {
			if leader == -now {
				m.flips++
			}
			leader = now
		}
	}
	return s
}

func (s *stability) scores(weights []float64) (step, flip, available float64) {
	var sum moves
	for i, m := range s.byMatch {
		w := weights[i]
		sum.minutes += w * m.minutes
		sum.numbers += w * m.numbers
		sum.steps += w * m.steps
		sum.stepSum += w * m.stepSum
		sum.led += w * m.led
		sum.flips += w * m.flips
	}
	return sum.stepSum / sum.steps, sum.flips / sum.led, sum.numbers / sum.minutes
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}
