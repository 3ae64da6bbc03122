package backtest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
)

// Metric is one of the figures that a predictor is evaluated by.
type Metric int

const (
	ShotAUC Metric = iota
	ShotAUCLive
	ShotBrier
	PastRho
	Step
	Flip
	Available
	GoalAUC
	GoalAUCLive
	GoalBrier
	DangerRho
	metricCount
)

// metricNames has the names and decimal places of the figures.
var metricNames = [metricCount]struct {
	name   string
	places int
}{
	{"shot AUC", 3}, {"shot AUC live", 3}, {"shot Brier", 4}, {"past rho", 3}, {"step", 2}, {"flip", 3}, {"available", 3},
	{"goal AUC", 3}, {"goal AUC live", 3}, {"goal Brier", 4}, {"danger rho", 3},
}

// String is the name in the table.
func (m Metric) String() string { return metricNames[m].name }

// Figure is a measured value with its 95 % interval. It is NaN if nothing could be
// measured.
type Figure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Figures are a predictor's, by metric.
type Figures [metricCount]Figure

// MarshalJSON writes the figures by name, and null for one that could not be measured.
func (f Figures) MarshalJSON() ([]byte, error) {
	named := map[string]*Figure{}
	for m := range f {
		named[Metric(m).String()] = nil
		if !math.IsNaN(f[m].Value) {
			named[Metric(m).String()] = &f[m]
		}
	}
	return json.Marshal(named)
}

// draws returns how often each resample takes each match. The first takes each once.
func draws(matches, n int, seed uint64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	all := make([][]float64, n+1)
	for i := range all {
		all[i] = make([]float64, matches)
		for j := range all[i] {
			if i == 0 {
				all[i][j] = 1
				continue
			}
			all[i][r.IntN(matches)]++
		}
	}
	return all
}

// drawn are a predictor's scores in every resample, by metric.
type drawn [metricCount][]float64

func score(matches []Match, questions []Question, answers Answers, draws [][]float64) *drawn {
	shot := newOrdering(matches, questions, answers, func(q *Question) Outcome { return q.Shot })
	goal := newOrdering(matches, questions, answers, func(q *Question) Outcome { return q.Goal })
	past := newCorrelation(questions, answers, func(q *Question) float64 { return q.Past })
	danger := newCorrelation(questions, answers, func(q *Question) float64 { return q.Danger })
	calm := newStability(matches, questions, answers)
	var d drawn
	for m := range d {
		d[m] = make([]float64, len(draws))
	}
	for i, weights := range draws {
		d[ShotAUC][i], d[ShotAUCLive][i], d[ShotBrier][i] = shot.scores(weights)
		d[GoalAUC][i], d[GoalAUCLive][i], d[GoalBrier][i] = goal.scores(weights)
		d[PastRho][i], d[DangerRho][i] = past.rho(weights), danger.rho(weights)
		d[Step][i], d[Flip][i], d[Available][i] = calm.scores(weights)
	}
	return &d
}

// figures are the scores with their intervals.
func (d *drawn) figures() (f Figures) {
	for m, scores := range d {
		f[m] = interval(scores)
	}
	return f
}

// less is by how much d exceeds other, resample by resample.
func (d *drawn) less(other *drawn) (f Figures) {
	for m, scores := range d {
		differences := make([]float64, len(scores))
		for i := range scores {
			differences[i] = scores[i] - other[m][i]
		}
		f[m] = interval(differences)
	}
	return f
}

// interval is the first score, and the middle 95 % of the others.
func interval(scores []float64) Figure {
	f := Figure{scores[0], scores[0], scores[0]}
	rest := slices.DeleteFunc(slices.Clone(scores[1:]), math.IsNaN)
	if len(rest) == 0 {
		return f
	}
	slices.Sort(rest)
	at := func(q float64) float64 {
		place := q * float64(len(rest)-1)
		low := int(place)
		high := min(low+1, len(rest)-1)
		return rest[low] + (place-float64(low))*(rest[high]-rest[low])
	}
	f.Low, f.High = at(0.025), at(0.975)
	return f
}
