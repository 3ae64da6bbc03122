package durabletest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// PowerCut clones the file system as it could be after a power cut at this moment. All synced
// bytes and names survive, and each other name and run of bytes with the probability keep. It may
// be called during a run. The same seed makes the same clone.
func (m *Mem) PowerCut(keep float64, seed uint64) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	cut := cutter{keep, rand.New(rand.NewPCG(seed, 0)), map[*node]*node{}}
	return &Mem{root: cut.clone(m.root), locks: map[string]bool{}}
}

type cutter struct {
	keep   float64
	random *rand.Rand
	done   map[*node]*node // a file with two names stays one file
}

func (c *cutter) lucky() bool { return c.random.Float64() < c.keep }

func (c *cutter) clone(n *node) *node {
	if copied, ok := c.done[n]; ok {
		return copied
	}
	copied := &node{}
	c.done[n] = copied
	if n.names == nil {
		copied.data = c.survivingBytes(n)
		copied.synced = len(copied.data)
		return copied
	}
	copied.names = map[string]*node{}
	for _, name := range c.allNames(n) {
		if survivor := c.survivingName(n, name); survivor != nil {
			copied.names[name] = c.clone(survivor)
		}
	}
	copied.durable = maps.Clone(copied.names)
	return copied
}

// survivingBytes keeps the synced bytes. Of the rest it keeps everything, a part, or a part
// followed by zeros, as on file systems that write the length first.
func (c *cutter) survivingBytes(n *node) []byte {
	data := slices.Clip(n.data[:n.synced]) // shared: existing bytes never change
	rest := n.data[n.synced:]
	if len(rest) == 0 || !c.lucky() {
		return data
	}
	if c.keep >= 1 {
		return append(data, rest...)
	}
	part := c.random.IntN(len(rest) + 1)
	data = append(data, rest[:part]...)
	if c.lucky() {
		data = append(data, make([]byte, len(rest)-part)...)
	}
	return data
}

// survivingName returns the durable or the newer entry of a name; nil if neither
// survives.
func (c *cutter) survivingName(n *node, name string) *node {
	if n.names[name] == n.durable[name] || !c.lucky() {
		return n.durable[name]
	}
	return n.names[name]
}

// allNames lists old and new names in a fixed order.
func (c *cutter) allNames(n *node) []string {
	all := maps.Clone(n.durable)
	maps.Copy(all, n.names)
	return slices.Sorted(maps.Keys(all))
}
