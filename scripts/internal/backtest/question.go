package backtest

import "math"

// Horizons of the questions, in tenths of a second.
const (
	minuteLong    = 600
	shotHorizon   = 5 * minuteLong
	goalHorizon   = 10 * minuteLong
	dangerHorizon = 5 * minuteLong
)

// Question is one full minute of play, at which every predictor is asked for home's
// share, with the outcome.
type Question struct {
	Match  int // index
	Period int // 0 to 3
	Second int // 60, 120, … on the period's clock

	Shot   Outcome // who shoots next, within 5 minutes of the same period
	Goal   Outcome // who scores next, within 10 minutes of the same period
	Danger float64 // home's share of the danger of the next 5 minutes; NaN if there was none
	Past   float64 // home's share of the danger of the last 5 minutes; NaN if there was none
}

// Outcome of a question.
type Outcome int8

const (
	Nobody Outcome = -1
	ByAway Outcome = 0
	ByHome Outcome = 1
)

// danger is the weight of each kind in danger.
var danger = [kinds]float64{OnTarget: 3, OffTarget: 1.5, DangerousAttack: 0.5, Corner: 0.5}

// Questions lists the full minutes of play of the matches, in order: in each
// period the seconds 60, 120, … up to the last one not after its last event.
func Questions(matches []Match) []Question {
	var all []Question
	for i := range matches {
		m := &matches[i]
		for period, end := range m.Ends {
			for at := minuteLong; at <= end; at += minuteLong {
				all = append(all, pose(m, i, period, at))
			}
		}
	}
	return all
}

func pose(m *Match, match, period, at int) Question {
	q := Question{Match: match, Period: period, Second: at / 10, Shot: Nobody, Goal: Nobody}
	var after, before [2]float64
	for _, i := range m.Increments {
		if i.Period != period {
			continue
		}
		if i.At <= at {
			if i.At > at-dangerHorizon {
				before[i.Side] += danger[i.Kind]
			}
			continue
		}
		if i.At <= at+dangerHorizon {
			after[i.Side] += danger[i.Kind]
		}
		if (i.Kind == OnTarget || i.Kind == OffTarget) && q.Shot == Nobody && i.At <= at+shotHorizon {
			q.Shot = by(i.Side)
		}
		if i.Kind == Goal && q.Goal == Nobody && i.At <= at+goalHorizon {
			q.Goal = by(i.Side)
		}
	}
	q.Danger, q.Past = share(after), share(before)
	return q
}

func by(side int) Outcome {
	if side == 0 {
		return ByHome
	}
	return ByAway
}

// share is home's share of the two, NaN if both are 0.
func share(of [2]float64) float64 {
	if of[0]+of[1] == 0 {
		return math.NaN()
	}
	return of[0] / (of[0] + of[1])
}
