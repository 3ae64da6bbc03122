package simulator

// stream is a sequence of random numbers from a seed (splitmix64): faster than dice, for
// events that happen one after the other.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

func (s *stream) unit() float64 { return float64(s.next()>>11) / (1 << 53) }

func (s *stream) under(n int) int { return int(s.next() % uint64(n)) }

func (s *stream) between(low, high int) int { return low + s.under(high-low+1) }

func (s *stream) chance(p float64) bool { return s.unit() < p }

// normal returns a number of mean 0 and variance 1, approximated by the sum of four
// uniform ones.
func (s *stream) normal() float64 {
	return (s.unit() + s.unit() + s.unit() + s.unit() - 2) * 1.7320508075688772
}
