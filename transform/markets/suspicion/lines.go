package suspicion

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

// market looks at one market with two or three outcomes.
func (s *Detector) market(m *football.Market, q *question) {
	s.collect(m.Selections, q)
	last := len(q.outcomes) - 1
	extra, lone, margin := false, false, false
	for i := range s.list {
		k := &s.list[i]
		if last == 1 && k.rows > 2 && !extra {
			extra = true
			s.note(ExtraSelection, m, "%s: %d selections", k.name(q), k.rows)
		}
		if q.handicap && !lone && (!k.met[0] || !k.met[1] && !k.met[2]) {
			lone = true
			s.note(UnmirroredHandicap, m, "%s: one side alone", k.name(q))
		}
		if sum, odd := k.margin(q); odd && !margin {
			margin = true
			s.note(OddMargin, m, "%s: the chances of %v at %v sum to %.2f", k.name(q), q.outcomes, k.price[:last+1], sum)
		}
	}
	if q.total || q.handicap {
		s.order(m, q, last)
	}
	if q.total {
		s.unproven(m, q)
	}
}

// unproven looks for a row of a total whose words, line or prices do not fit the others. A two-way line whose prices are
// in the wrong order is another suspicion.
func (s *Detector) unproven(m *football.Market, q *question) {
	for i := range m.Selections {
		sel := &m.Selections[i]
		if slices.Contains(sel.Quality.Reasons, football.AmbiguousShape) && (len(q.outcomes) == 3 || !slices.Contains(q.outcomes, sel.Selection)) {
			s.note(UnprovenTotal, m, "%s is not proven", strings.TrimSpace(sel.Selection+" "+sel.Line))
			return
		}
	}
}

// order compares the prices of neighbouring lines: with more goals asked, over must become
// dearer; with more goals given, the home side must become cheaper.
func (s *Detector) order(m *football.Market, q *question, last int) {
	slices.SortStableFunc(s.list, compareQuotes)
	right, wrong := 0, 0
	var first [3]int // outcome and quotes of the first wrong pair
	for _, n := range [2]int{0, last} {
		before := -1
		for i := range s.list {
			k := &s.list[i]
			if k.price[n] == 0 {
				continue
			}
			if before >= 0 && s.list[before].subject == k.subject && s.list[before].qualifier == k.qualifier {
				gain := 1/k.price[n] - 1/s.list[before].price[n]
				if q.total == (n == 0) { // this outcome becomes less likely
					gain = -gain
				}
				switch {
				case gain > chanceStep:
					right++
				case gain < -chanceStep:
					if wrong++; wrong == 1 {
						first = [3]int{n, before, i}
					}
				}
			}
			before = i
		}
	}
	if wrong == 0 {
		return
	}
	kind := LinesOutOfOrder
	if right == 0 {
		kind = SwappedLabels
	}
	a, b := &s.list[first[1]], &s.list[first[2]]
	s.note(kind, m, "%s at %v is %v, at %v it is %v", q.outcomes[first[0]], a.name(q), a.price[first[0]], b.name(q), b.price[first[0]])
}

// comparePairs compares the collected lines of a market with two outcomes with earlier markets of
// the same question.
func (s *Detector) comparePairs(markets []football.Market, market int, q *question) {
	m := &markets[market]
	before, swapped := len(s.pairs), false
	for i := range s.list {
		k := &s.list[i]
		if len(q.outcomes) != 2 || k.price[0] == 0 || k.price[1] == 0 || len(s.pairs) == maxPairs {
			continue
		}
		now := pair{q, market, k.line, k.subject, k.qualifier, [2]float64{1 / k.price[0], 1 / k.price[1]}}
		for n := 0; n < before && !swapped; n++ {
			other := &s.pairs[n]
			if other.question == q && other.line == k.line && other.subject == k.subject && other.qualifier == k.qualifier &&
				markets[other.market].Period == m.Period && now.isSwapped(other) {
				swapped = true
				s.note(SwappedLabels, m, "%s: %v are at %v, and %s has them the other way round", k.name(q), q.outcomes, k.price[:2], markets[other.market].Key)
			}
		}
		s.pairs = append(s.pairs, now)
	}
}
