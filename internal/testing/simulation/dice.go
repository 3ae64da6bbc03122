package simulation

import (
	"encoding/binary"
	"time"

	"github.com/cespare/xxhash/v2"
)

// dice is all chance. It comes from the seed and a name, and not from an order. So a run without some of the
// events of another has the others at the same places.
type dice struct{ seed uint64 }

func (d dice) hash(kind, name string) uint64 {
	h := xxhash.New()
	var seed [8]byte
	binary.LittleEndian.PutUint64(seed[:], d.seed)
	h.Write(seed[:])
	h.WriteString(kind)
	h.Write([]byte{0})
	h.WriteString(name)
	return h.Sum64()
}

// roll returns a number from 0 to 1.
func (d dice) roll(kind, name string) float64 {
	return float64(d.hash(kind, name)>>11) / (1 << 53)
}

// pick returns a whole number below n.
func (d dice) pick(kind, name string, n int) int { return int(d.hash(kind, name) % uint64(n)) }

// span returns a time between two others.
func (d dice) span(kind, name string, least, most time.Duration) time.Duration {
	return least + time.Duration(d.roll(kind, name)*float64(most-least))
}
