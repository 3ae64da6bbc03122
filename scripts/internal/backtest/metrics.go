package backtest

import (
	"math"
	"sort"
)

// NoNumber is the answer for a minute without a number.
const NoNumber = -1

// Answers are a predictor's answers to Questions, in their order: home's share as the
// integer that a client gets, 0 to 100, or [NoNumber]. If a metric needs a number, [NoNumber]
// counts as 50.
type Answers []int16

func (a Answers) at(i int) int {
	if a[i] == NoNumber {
		return 50
	}
	return int(a[i])
}

// histogram counts answers by value: how often home, and how often away, came next.
type histogram struct{ home, away [101]float64 }

func (h *histogram) add(o *histogram, weight float64) {
	for v := range h.home {
		h.home[v] += weight * o.home[v]
		h.away[v] += weight * o.away[v]
	}
}

// wins compares every minute before home's event with every minute before away's. It
// returns the number of pairs in which home's answer is higher, ties counting a half, and
// the number of pairs.
func (h *histogram) wins() (wins, pairs float64) {
	var below, home, away float64
	for v := range h.home {
		wins += h.home[v] * (below + h.away[v]/2)
		below += h.away[v]
		home += h.home[v]
		away += h.away[v]
	}
	return wins, home * away
}

// brier is the sum of (answer/100 - outcome)², and the number of minutes.
func (h *histogram) brier() (sum, n float64) {
	for v := range h.home {
		p := float64(v) / 100
		sum += h.home[v]*(1-p)*(1-p) + h.away[v]*p*p
		n += h.home[v] + h.away[v]
	}
	return sum, n
}

// ordering has a predictor's histograms for one event by match, from which AUC, live AUC
// and Brier follow for any resample.
type ordering struct {
	byMatch []histogram
	strata  [][]int // matches by stratum
}

func newOrdering(matches []Match, questions []Question, answers Answers, outcome func(*Question) Outcome) *ordering {
	o := &ordering{byMatch: make([]histogram, len(matches)), strata: make([][]int, 0, 20)}
	for i := range questions {
		switch q := &questions[i]; outcome(q) {
		case ByHome:
			o.byMatch[q.Match].home[answers.at(i)]++
		case ByAway:
			o.byMatch[q.Match].away[answers.at(i)]++
		}
	}
	for i := range matches {
		for len(o.strata) <= matches[i].Stratum {
			o.strata = append(o.strata, nil)
		}
		o.strata[matches[i].Stratum] = append(o.strata[matches[i].Stratum], i)
	}
	return o
}

// scores are AUC, live AUC and Brier if match i is drawn weights[i] times. Live AUC only
// pairs minutes of different matches of one stratum.
func (o *ordering) scores(weights []float64) (auc, live, brier float64) {
	var all histogram
	var liveWins, livePairs float64
	for _, stratum := range o.strata {
		var sum histogram
		var inWins, inPairs float64
		for _, i := range stratum {
			if weights[i] == 0 {
				continue
			}
			sum.add(&o.byMatch[i], weights[i])
			wins, pairs := o.byMatch[i].wins()
			inWins += weights[i] * weights[i] * wins
			inPairs += weights[i] * weights[i] * pairs
		}
		wins, pairs := sum.wins()
		liveWins += wins - inWins
		livePairs += pairs - inPairs
		all.add(&sum, 1)
	}
	wins, pairs := all.wins()
	errors, n := all.brier()
	return wins / pairs, liveWins / livePairs, errors / n
}

// correlation is Spearman's rank correlation of answers with a share, for any resample.
type correlation struct {
	match, value []int // of each minute that has a share, by share
	share        []float64
}

func newCorrelation(questions []Question, answers Answers, share func(*Question) float64) *correlation {
	var order []int
	for i := range questions {
		if !math.IsNaN(share(&questions[i])) {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return share(&questions[order[a]]) < share(&questions[order[b]]) })
	c := &correlation{}
	for _, i := range order {
		c.match = append(c.match, questions[i].Match)
		c.value = append(c.value, answers.at(i))
		c.share = append(c.share, share(&questions[i]))
	}
	return c
}

func (c *correlation) rho(weights []float64) float64 {
	var count [101]float64
	var n float64
	for i, v := range c.value {
		count[v] += weights[c.match[i]]
		n += weights[c.match[i]]
	}
	var rank [101]float64 // middle rank of each answer, minus the mean rank
	var below, varX float64
	for v, k := range count {
		rank[v] = below + k/2 - n/2
		below += k
		varX += k * rank[v] * rank[v]
	}
	var varY, both float64
	below = 0
	for from := 0; from < len(c.share); {
		to, k, x := from, 0.0, 0.0
		for ; to < len(c.share) && c.share[to] == c.share[from]; to++ {
			w := weights[c.match[to]]
			k += w
			x += w * rank[c.value[to]]
		}
		y := below + k/2 - n/2
		below += k
		varY += k * y * y
		both += x * y
		from = to
	}
	if varX == 0 || varY == 0 {
		return 0
	}
	return both / math.Sqrt(varX*varY)
}
