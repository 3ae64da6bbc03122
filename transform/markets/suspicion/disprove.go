package suspicion

import (
	"slices"

	"mkt/publish/football"
	"mkt/transform/markets/price"
)

// Disprove marks the rows of a market if their prices contradict the meaning of their labels. The market is
// kept, because the provider sent it.
func (s *Quotes) Disprove(market string, selections []football.Selection) {
	q := questions()[market]
	if q == nil || q.outcomes == nil {
		return
	}
	s.collect(selections, q)
	for i := range s.list {
		k := &s.list[i]
		k.disproved = k.cannotBe(q)
	}
	if q.total || q.handicap {
		s.disproveLines(q)
	}
	for i := range s.list {
		if k := &s.list[i]; k.disproved {
			s.unpublish(selections, q, k)
		}
	}
}

func (s *Quotes) unpublish(selections []football.Selection, q *question, k *quote) {
	for i := range selections {
		sel := &selections[i]
		if sel.Quality.Publishable && slices.Contains(q.outcomes, sel.Selection) && !q.lacksLine(sel) && s.find(q.lineOf(sel), sel) == k {
			price.AddReason(sel, football.AmbiguousShape)
			sel.Quality.Status, sel.Quality.Publishable = football.StatusSuspect, false
		}
	}
}

// disproveLines marks the quotes whose lines the prices contradict by more than the market's margin. With more goals
// asked, over must not become cheaper; with more goals given, the home side must not become dearer. A line goes if it
// contradicts as many others as it agrees with, and all of them if none agrees with another. A handicap of 0 has no
// sign to be wrong.
func (s *Quotes) disproveLines(q *question) {
	slices.SortStableFunc(s.list, compareQuotes)
	for from := 0; from < len(s.list); {
		to := from + 1
		for to < len(s.list) && s.list[to].subject == s.list[from].subject && s.list[to].qualifier == s.list[from].qualifier {
			to++
		}
		disproveLadder(s.list[from:to], q)
		from = to
	}
}

func disproveLadder(ladder []quote, q *question) {
	margin := marginOf(ladder, q)
	right, wrong := make([]int, len(ladder)), make([]int, len(ladder))
	agrees, contradicts := false, false
	for a := range ladder {
		for b := a + 1; b < len(ladder); b++ {
			switch least, most := ladder[a].gains(&ladder[b], q); {
			case least < -margin:
				wrong[a], wrong[b], contradicts = wrong[a]+1, wrong[b]+1, true
			case most > margin:
				right[a], right[b], agrees = right[a]+1, right[b]+1, true
			}
		}
	}
	if !contradicts {
		return
	}
	for i := range ladder {
		k := &ladder[i]
		k.disproved = k.disproved || (!q.handicap || k.line != 0) && (wrong[i] > 0 && wrong[i] >= right[i] || !agrees)
	}
}

// marginOf returns the largest margin of a ladder's lines.
func marginOf(ladder []quote, q *question) float64 {
	margin, known := chanceStep, false
	for i := range ladder {
		if sum, unpriced := ladder[i].sum(q); unpriced == 0 {
			margin, known = max(margin, sum-q.happen), true
		}
	}
	if !known {
		return mostMargin - 1
	}
	return margin
}

// gains returns by how much the outcomes that should become likelier from line k to a higher one do so: the smaller
// and the larger one of the first and the last outcome, 0 where a price is missing.
func (k *quote) gains(higher *quote, q *question) (least, most float64) {
	for _, n := range [2]int{0, len(q.outcomes) - 1} {
		if k.price[n] == 0 || higher.price[n] == 0 {
			continue
		}
		gain := 1/higher.price[n] - 1/k.price[n]
		if q.total == (n == 0) { // this outcome should become less likely
			gain = -gain
		}
		least, most = min(least, gain), max(most, gain)
	}
	return least, most
}
