package markets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mkt/publish/football"
)

// Suspicion is a kind of oddity in the markets of a fixture. A provider's format may have
// changed, or a mapping may be wrong. It changes no data, because a bookmaker's own mistakes look
// the same. What no bookmaker can mean is not publishable already, see disprove.go.
type Suspicion uint8

const (
	// ExtraSelection: a question with two outcomes has three selections or more.
	ExtraSelection Suspicion = iota
	// LinesOutOfOrder: some neighbouring lines are priced against their order.
	LinesOutOfOrder
	// UnmirroredHandicap: one side of a handicap has a line that no other side has.
	UnmirroredHandicap
	// SwappedLabels: all lines are priced against their order, or another market with the same
	// question has the prices of its outcomes the other way round, or scores and halves make the
	// other side the favourite.
	SwappedLabels
	// OddMargin: no bookmaker asks such a sum of the chances of all outcomes.
	OddMargin
	// OtherFavourite: the favourite differs from the match result's.
	OtherFavourite
	// UnprovenTotal: a total has rows outside its lines, or rows that contradict them.
	UnprovenTotal

	suspicionKinds
)

var suspicionNames = [suspicionKinds]string{"extra_selection", "lines_out_of_order", "unmirrored_handicap", "swapped_labels", "odd_margin", "other_favourite", "unproven_total"}

// String returns the name used in manifests and reports.
func (s Suspicion) String() string { return suspicionNames[s] }

// Suspicions counts suspicious markets, each once for each kind, by kind.
type Suspicions [suspicionKinds]int

// Total returns the sum over all kinds.
func (s *Suspicions) Total() (n int) {
	for _, of := range s {
		n += of
	}
	return n
}

// Add adds others to s.
func (s *Suspicions) Add(others *Suspicions) {
	for kind, n := range others {
		s[kind] += n
	}
}

const halfGoal quarters = 2

// pair has the chances of the two outcomes of one line, in one market.
type pair struct {
	question           *question
	market             int
	line               quarters
	subject, qualifier string
	chance             [2]float64
}

// lead is the favourite according to a market.
type lead struct {
	market int
	leader leader
	home   bool
}

// Suspecter looks for suspicions. It keeps buffers: one goroutine at a time.
type Suspecter struct {
	quotes
	leads  []lead
	pairs  []pair
	counts Suspicions
	report func(Suspicion, *football.Market, string)
}

// Look returns the suspicions about the markets of one fixture. It calls report, which may
// be nil, with each and its evidence.
func (s *Suspecter) Look(markets []football.Market, report func(kind Suspicion, m *football.Market, seen string)) Suspicions {
	s.counts, s.report, s.leads, s.pairs = Suspicions{}, report, s.leads[:0], s.pairs[:0]
	all := questions()
	for i := range markets {
		m := &markets[i]
		if m.Origin != football.Mapped {
			continue
		}
		q := all[m.Canonical]
		if q == nil {
			continue
		}
		if q.outcomes != nil {
			s.market(m, q)
			s.comparePairs(markets, i, q)
		}
		if q.leader != noLeader && len(s.leads) < maxLeads {
			if ratio := s.ratio(m, q); ratio >= clearLead || ratio > 0 && ratio <= 1/clearLead {
				s.leads = append(s.leads, lead{i, q.leader, ratio > 1})
			}
		}
	}
	s.compareLeads(markets)
	return s.counts
}

func (s *Suspecter) note(kind Suspicion, m *football.Market, format string, seen ...any) {
	s.counts[kind]++
	if s.report != nil {
		s.report(kind, m, fmt.Sprintf(format, seen...))
	}
}

// market looks at one market with two or three outcomes.
func (s *Suspecter) market(m *football.Market, q *question) {
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
func (s *Suspecter) unproven(m *football.Market, q *question) {
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
func (s *Suspecter) order(m *football.Market, q *question, last int) {
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
func (s *Suspecter) comparePairs(markets []football.Market, market int, q *question) {
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

// isSwapped reports whether the chances of two pairs agree only if the outcomes of one are
// swapped.
func (p *pair) isSwapped(other *pair) bool {
	first, second := p.chance[0]-other.chance[0], p.chance[1]-other.chance[1]
	return (first >= swapStep && second <= -swapStep || first <= -swapStep && second >= swapStep) &&
		math.Abs(p.chance[0]-other.chance[1]) <= swapStep/2 && math.Abs(p.chance[1]-other.chance[0]) <= swapStep/2
}
