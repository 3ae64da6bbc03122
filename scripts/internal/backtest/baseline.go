package backtest

import "math"

// dangerousLastTen is the baseline that momentum must beat by a margin.
const dangerousLastTen = "dangerous attack share, last 10 min"

// Predictor answers every question about one match, in order.
type Predictor struct {
	Name   string
	Answer func(m *Match, questions []Question) Answers
}

// Baselines are the simple predictors that momentum is compared with.
func Baselines() []Predictor {
	return []Predictor{
		{"constant 50", func(_ *Match, questions []Question) Answers {
			answers := make(Answers, len(questions))
			for i := range answers {
				answers[i] = 50
			}
			return answers
		}},
		{"possession share, whole match", shareOf(wholeMatch, Possession)},
		{"possession share, last 10 min", shareOf(10*minuteLong, Possession)},
		{"shot share, whole match", shareOf(wholeMatch, OnTarget, OffTarget)},
		{"shot share, last 10 min", shareOf(10*minuteLong, OnTarget, OffTarget)},
		{"dangerous attack share, whole match", shareOf(wholeMatch, DangerousAttack)},
		{dangerousLastTen, shareOf(10*minuteLong, DangerousAttack)},
		{"attack 1, dangerous 3, half-life 5", decayed(5*minuteLong, [kinds]float64{Attack: 1, DangerousAttack: 3})},
	}
}

// wholeMatch is a window no match is longer than.
const wholeMatch = math.MaxInt

// shareOf is home's share of the counted kinds within a window of the match clock, which
// stops between periods. The window is in tenths of a second.
func shareOf(window int, counted ...Kind) func(*Match, []Question) Answers {
	return func(m *Match, questions []Question) Answers {
		return walk(m, questions, func(now int, seen []timed) (home, away float64) {
			var sum [2]float64
			for i := len(seen) - 1; i >= 0 && now-seen[i].at < window; i-- {
				for _, k := range counted {
					if seen[i].Kind == k {
						sum[seen[i].Side] += float64(seen[i].Value)
					}
				}
			}
			return sum[0], sum[1]
		})
	}
}

// decayed is home's share of weighted increments, each worth half after every half-life
// (tenths of a second of the match clock).
func decayed(halfLife float64, weights [kinds]float64) func(*Match, []Question) Answers {
	return func(m *Match, questions []Question) Answers {
		return walk(m, questions, func(now int, seen []timed) (home, away float64) {
			var sum [2]float64
			for _, i := range seen {
				if w := weights[i.Kind]; w != 0 {
					sum[i.Side] += w * math.Exp2(-float64(now-i.at)/halfLife)
				}
			}
			return sum[0], sum[1]
		})
	}
}

// timed is an increment on the match clock, which continues from period to period, in
// tenths of a second.
type timed struct {
	Increment
	at int
}

// sampledAt is the first sample that contains an increment.
func sampledAt(m *Match, i Increment) int {
	return min((i.At+cadence-1)/cadence*cadence, max(i.At, m.Ends[i.Period]))
}

// walk calls parts for every question with the increments sampled by then.
func walk(m *Match, questions []Question, parts func(now int, seen []timed) (home, away float64)) Answers {
	var before [4]int // where each period begins on the match clock
	for p := 1; p < 4; p++ {
		before[p] = before[p-1] + max(0, m.Ends[p-1])
	}
	var seen []timed
	answers := make(Answers, len(questions))
	for i, q := range questions {
		for next := len(seen); next < len(m.Increments); next++ {
			n := m.Increments[next]
			at := sampledAt(m, n)
			if n.Period > q.Period || n.Period == q.Period && at > q.Second*10 {
				break
			}
			seen = append(seen, timed{n, before[n.Period] + at})
		}
		home, away := parts(before[q.Period]+q.Second*10, seen)
		answers[i] = NoNumber
		if home+away > 0 {
			answers[i] = int16(math.RoundToEven(100 * (home / (home + away))))
		}
	}
	return answers
}
