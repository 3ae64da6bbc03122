package markets

import (
	"fmt"
	"math"

	"mkt/publish/football"
)

const halfGoal quarters = 2

// pair has the chances of the two outcomes of one line, in one market.
type pair struct {
	question           *question
	market             int
	line               quarters
	subject, qualifier string
	chance             [2]float64
}

// isSwapped reports whether the chances of two pairs agree only if the outcomes of one are
// swapped.
func (p *pair) isSwapped(other *pair) bool {
	first, second := p.chance[0]-other.chance[0], p.chance[1]-other.chance[1]
	return (first >= swapStep && second <= -swapStep || first <= -swapStep && second >= swapStep) &&
		math.Abs(p.chance[0]-other.chance[1]) <= swapStep/2 && math.Abs(p.chance[1]-other.chance[0]) <= swapStep/2
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

func (s *Suspecter) note(kind Suspicion, m *football.Market, format string, seen ...any) {
	s.counts[kind]++
	if s.report != nil {
		s.report(kind, m, fmt.Sprintf(format, seen...))
	}
}
