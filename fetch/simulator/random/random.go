// Package random has the random numbers of the simulated world. They depend only on a seed and
// on what is asked, so every machine computes the same world, in any order.
package random

import "math"

// Dice returns random numbers that depend only on the seed and the question: any
// part of the world can be computed without the rest.
type Dice uint64

// Of returns 64 well-mixed bits for the question (splitmix64 over its parts).
func (d Dice) Of(parts ...uint64) uint64 {
	h := mix(uint64(d) + 0x9e3779b97f4a7c15)
	for _, p := range parts {
		h = mix(h + 0x9e3779b97f4a7c15 + p)
	}
	return mix(h)
}

func (d Dice) Unit(parts ...uint64) float64 {
	return float64(d.Of(parts...)>>11) / (1 << 53)
}

func (d Dice) Under(n int, parts ...uint64) int {
	return int(d.Of(parts...) % uint64(n))
}

// Wave is a slow movement around 0, within about ±1: three sines with phases of their
// own, so neighbouring steps have similar values.
func (d Dice) Wave(step float64, parts ...uint64) float64 {
	h := Dice(d.Of(parts...))
	sum := 0.0
	for i, pace := range [3]float64{0.11, 0.37, 0.83} {
		sum += math.Sin(step*pace*(0.7+0.6*h.Unit(uint64(i), 1))+2*math.Pi*h.Unit(uint64(i), 2)) / float64(i+1)
	}
	return sum / 1.83
}

func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// TextSeed turns a text, such as a token, into a seed.
func TextSeed(seed uint64, text string) uint64 {
	h := seed ^ 0xcbf29ce484222325
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return mix(h)
}

// Stream is a sequence of random numbers from a seed (splitmix64): faster than dice, for
// events that happen one after the other.
type Stream uint64

func (s *Stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

func (s *Stream) Unit() float64 { return float64(s.next()>>11) / (1 << 53) }

func (s *Stream) Under(n int) int { return int(s.next() % uint64(n)) }

func (s *Stream) Between(low, high int) int { return low + s.Under(high-low+1) }

func (s *Stream) Chance(p float64) bool { return s.Unit() < p }

// Normal returns a number of mean 0 and variance 1, approximated by the sum of four
// uniform ones.
func (s *Stream) Normal() float64 {
	return (s.Unit() + s.Unit() + s.Unit() + s.Unit() - 2) * 1.7320508075688772
}
