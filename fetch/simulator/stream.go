package simulator

// stream is a sequence of numbers made of a seed (splitmix64), for what happens
// one after the other: quicker than asking dice for each.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

// unit returns the next number in [0, 1).
func (s *stream) unit() float64 { return float64(s.next()>>11) / (1 << 53) }

// under returns the next number in [0, n).
func (s *stream) under(n int) int { return int(s.next() % uint64(n)) }

// between returns the next number from low to high, both included.
func (s *stream) between(low, high int) int { return low + s.under(high-low+1) }

// chance reports whether something of that probability happens.
func (s *stream) chance(p float64) bool { return s.unit() < p }

// normal returns a number of mean 0 and variance 1, near enough: four uniform
// ones added up.
func (s *stream) normal() float64 {
	return (s.unit() + s.unit() + s.unit() + s.unit() - 2) * 1.7320508075688772
}
