package backtest

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// season draws a few matches of a few strata, their questions and answers.
func season(t *rapid.T) ([]Match, []Question, Answers) {
	matches := make([]Match, rapid.IntRange(2, 5).Draw(t, "matches"))
	var questions []Question
	var answers Answers
	for i := range matches {
		matches[i].Stratum = rapid.IntRange(0, 2).Draw(t, "stratum")
		for minute := range rapid.IntRange(1, 8).Draw(t, "minutes") {
			questions = append(questions, Question{Match: i, Second: 60 * (minute + 1),
				Shot: Outcome(rapid.IntRange(-1, 1).Draw(t, "shot")),
				Past: rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, math.NaN()}).Draw(t, "past")})
			answers = append(answers, int16(rapid.SampledFrom([]int{NoNumber, 0, 40, 50, 60, 100}).Draw(t, "answer")))
		}
	}
	return matches, questions, answers
}

// AUC, live AUC and Brier agree with their definitions, pair by pair; a match drawn twice
// counts twice.
func TestOrderingByItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		matches, questions, answers := season(t)
		weights := make([]float64, len(matches))
		for i := range weights {
			weights[i] = float64(rapid.IntRange(0, 2).Draw(t, "weight"))
		}
		auc, live, brier := newOrdering(matches, questions, answers, func(q *Question) Outcome { return q.Shot }).scores(weights)
		var wins, pairs, liveWins, livePairs, errors, n float64
		for i, a := range questions {
			w := weights[a.Match]
			if a.Shot != Nobody {
				errors += w * math.Pow(float64(answers.at(i))/100-float64(a.Shot), 2)
				n += w
			}
			for j, b := range questions {
				if a.Shot != ByHome || b.Shot != ByAway {
					continue
				}
				both := w * weights[b.Match]
				win := both * (float64(sign(answers.at(i)-answers.at(j))) + 1) / 2
				wins, pairs = wins+win, pairs+both
				if a.Match != b.Match && matches[a.Match].Stratum == matches[b.Match].Stratum {
					liveWins, livePairs = liveWins+win, livePairs+both
				}
			}
		}
		same(t, "auc", auc, wins/pairs)
		same(t, "live auc", live, liveWins/livePairs)
		same(t, "brier", brier, errors/n)
	})
}

// rho is Pearson's correlation of the ranks.
func TestRhoByItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		matches, questions, answers := season(t)
		var x, y []float64
		for i := range questions {
			if !math.IsNaN(questions[i].Past) {
				x, y = append(x, float64(answers.at(i))), append(y, questions[i].Past)
			}
		}
		weights := make([]float64, len(matches))
		for i := range weights {
			weights[i] = 1
		}
		got := newCorrelation(questions, answers, func(q *Question) float64 { return q.Past }).rho(weights)
		want := pearson(ranks(x), ranks(y))
		if math.IsNaN(want) {
			want = 0
		}
		same(t, "rho", got, want)
	})
}

func ranks(x []float64) []float64 {
	r := make([]float64, len(x))
	for i := range x {
		for j := range x {
			switch {
			case x[j] < x[i]:
				r[i]++
			case x[j] == x[i]:
				r[i] += 0.5
			}
		}
	}
	return r
}

func pearson(x, y []float64) float64 {
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(x))
	}
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

func same(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) < 1e-9) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

func TestStability(t *testing.T) {
	answers := Answers{NoNumber, 60, 50, 40, 70, 55}
	questions := make([]Question, len(answers))
	for i := range questions {
		questions[i].Second = 60 * (i + 1)
	}
	questions[4].Second, questions[5].Second = 60, 120 // the second half
	step, flip, available := newStability(make([]Match, 1), questions, answers).scores([]float64{1})
	if want := (10 + 10 + 15) / 3.0; step != want {
		t.Errorf("step %v, want %v: only within a half, only between numbers", step, want)
	}
	if want := 2 / 4.0; flip != want {
		t.Errorf("flip %v, want %v: 50 is no leader, and the last one is remembered", flip, want)
	}
	if want := 5 / 6.0; available != want {
		t.Errorf("available %v, want %v", available, want)
	}
}
