package upstream

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Answers are gathered in pieces, which are used again: a provider that sends too
// much time after time leaves no garbage.
const (
	pieceSize = 256 << 10
	freely    = 4 << 20  // bytes that answers may take together at any time: real ones are 1 to 3 MiB
	headSize  = 32 << 10 // bytes that are kept of an answer that is cut off at the cap
)

// memory is what all answers of a client are gathered in. When they have taken what
// they may take freely, one of them goes on at a time, so that together they take
// little more than the largest one may; and of all clients that share Circuits only
// turnsAtOnce.
type memory struct {
	large  chan struct{} // taken by that one
	shared *turns

	mu    sync.Mutex
	taken int // pieces
	free  [][]byte
}

func newMemory(shared *turns) *memory { return &memory{large: make(chan struct{}, 1), shared: shared} }

// turnsAtOnce is how many clients of a process may have a large answer at a time. An
// account cannot take more than one, so that one whose provider sends much leaves
// some to the others.
const turnsAtOnce = 4

// turns are those of all clients.
type turns struct {
	once sync.Once
	ch   chan struct{}
}

func (t *turns) slots() chan struct{} {
	t.once.Do(func() { t.ch = make(chan struct{}, turnsAtOnce) })
	return t.ch
}

// turn is the right of one answer to be large. It has it until nobody needs the
// answer's bytes any more, not only until they have come.
type turn struct{ memory *memory }

// take waits for a turn.
func (m *memory) take(ctx context.Context) (*turn, error) {
	slots := m.shared.slots()
	select {
	case m.large <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case slots <- struct{}{}:
		return &turn{m}, nil
	case <-ctx.Done():
		<-m.large
		return nil, context.Cause(ctx)
	}
}

// end gives the turn to another answer. That of nil does nothing.
func (t *turn) end() {
	if t != nil {
		<-t.memory.shared.slots()
		<-t.memory.large
	}
}

// gathering is one answer as far as it came.
type gathering struct {
	memory *memory
	pieces [][]byte // the last one is filled next
	total  int64    // bytes
	turn   *turn    // nil while the answer is not large
}

func (m *memory) gather() *gathering { return &gathering{memory: m} }

// grow adds an empty piece, and waits when it is another answer's turn to be large.
func (g *gathering) grow(ctx context.Context, wire *meter) error {
	p := g.memory.piece(g.turn != nil)
	if p == nil {
		wire.held.Add(1)
		turn, err := g.memory.take(ctx)
		if err != nil {
			return err
		}
		wire.held.Add(1)
		g.turn = turn
		p = g.memory.piece(true)
	}
	g.pieces = append(g.pieces, p)
	return nil
}

// piece takes one; nil when answers have taken all that they may, and this one is
// not the large one.
func (m *memory) piece(large bool) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken >= freely/pieceSize && !large {
		return nil
	}
	m.taken++
	if last := len(m.free) - 1; last >= 0 {
		p := m.free[last]
		m.free = m.free[:last]
		return p
	}
	return make([]byte, pieceSize)
}

// fill fills the last piece.
func (g *gathering) fill(r io.Reader) error {
	last := len(g.pieces) - 1
	n, err := fill(r, g.pieces[last])
	g.pieces[last] = g.pieces[last][:n]
	g.total += int64(n)
	return err
}

// whole is a copy of all that came.
func (g *gathering) whole() []byte { return slices.Concat(g.pieces...) }

// head is a copy of its beginning.
func (g *gathering) head() []byte {
	if len(g.pieces) == 0 {
		return nil
	}
	return slices.Clone(g.pieces[0][:min(len(g.pieces[0]), headSize)])
}

// release gives the pieces back: who has the next turn takes these.
func (g *gathering) release() { g.memory.put(g.pieces) }

func (m *memory) put(pieces [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken -= len(pieces)
	for _, p := range pieces {
		m.free = append(m.free, p[:cap(p)])
	}
}
