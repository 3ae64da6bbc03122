package play

import "mkt/fetch/simulator/random"

// swing is the momentum of a match: two mean-reverting walks with half-lives of about a
// minute and a half and seven minutes. Above 0 favours home.
type swing struct{ fast, slow float64 }

// Shares kept over ten seconds, and steps that give the walks a standard deviation of
// 0.22 and 0.29.
const (
	fastKept, fastStep = 0.926, 0.083
	slowKept, slowStep = 0.9836, 0.0525
)

func (s *swing) step(r *random.Stream) float64 {
	s.fast = s.fast*fastKept + fastStep*r.Normal()
	s.slow = s.slow*slowKept + slowStep*r.Normal()
	return s.fast + s.slow
}
