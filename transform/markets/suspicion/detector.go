package suspicion

import (
	"fmt"
	"math"

	"mkt/publish/football"
	"mkt/transform/markets/token"
)

const halfGoal token.Quarters = 2

// pair has the chances of the two outcomes of one line, in one market.
type pair struct {
	question           *question
	market             int
	line               token.Quarters
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

// Detector looks for suspicions. It keeps buffers: one goroutine at a time.
type Detector struct {
	Quotes
	leads  []lead
	pairs  []pair
	counts Counts
	report func(Kind, *football.Market, string)
}

func (s *Detector) note(kind Kind, m *football.Market, format string, seen ...any) {
	s.counts[kind]++
	if s.report != nil {
		s.report(kind, m, fmt.Sprintf(format, seen...))
	}
}
