package upstream

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	pieceSize = 256 << 10
	freely    = 4 << 20  // bytes that the answers of a client may take together at any time: real ones are 1 to 3 MiB
	headSize  = 32 << 10 // bytes kept of an answer cut off at the cap

	// largeAtOnce is how many clients of a process may have a large answer at a time.
	// An account cannot take more than one, so one whose provider sends much
	// leaves some to the others.
	largeAtOnce = 4
)

// pieces are the buffers in which answers are gathered. They are used many times: a
// provider that sends too much time after time leaves no garbage.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// memory bounds the memory of all answers of a client. Beyond a free share, one answer at a
// time may grow: together they take little more than the largest allowed answer. Of all
// clients that share [Circuits], only largeAtOnce have such an answer.
type memory struct {
	freely *semaphore.Weighted // pieces
	large  chan struct{}       // taken by the large one
	shared chan struct{}       // by all of the process
}

func newMemory(shared chan struct{}) *memory {
	return &memory{freely: semaphore.NewWeighted(freely / pieceSize), large: make(chan struct{}, 1), shared: shared}
}

// turn is the right of one answer to be large. The answer keeps it until its bytes are
// no longer needed, not only until they were received.
type turn struct{ memory *memory }

// take waits for a turn.
func (m *memory) take(ctx context.Context) (*turn, error) {
	select {
	case m.large <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case m.shared <- struct{}{}:
		return &turn{m}, nil
	case <-ctx.Done():
		<-m.large
		return nil, context.Cause(ctx)
	}
}

// end gives the turn to another answer. A nil turn does nothing.
func (t *turn) end() {
	if t != nil {
		<-t.memory.shared
		<-t.memory.large
	}
}

// gathering is one answer as far as it was received.
type gathering struct {
	memory *memory
	pieces []*[pieceSize]byte
	total  int64 // bytes: all pieces are full but the last one
	freely int64 // how many of the pieces were taken freely
	turn   *turn // nil while the answer is not large
}

// grow adds an empty piece, and waits if it is another answer's turn to be large.
func (g *gathering) grow(ctx context.Context, wire *meter) error {
	switch {
	case g.turn != nil:
	case g.memory.freely.TryAcquire(1):
		g.freely++
	default:
		wire.held.Add(1)
		turn, err := g.memory.take(ctx)
		if err != nil {
			return err
		}
		wire.held.Add(1)
		g.turn = turn
	}
	g.pieces = append(g.pieces, pieces.Get().(*[pieceSize]byte))
	return nil
}

// fill fills the last piece.
func (g *gathering) fill(r io.Reader) error {
	n, err := fill(r, g.pieces[len(g.pieces)-1][:])
	g.total += int64(n)
	return err
}

// first returns a copy of the first bytes, at most n.
func (g *gathering) first(n int64) []byte {
	n = min(n, g.total)
	if n == 0 {
		return nil
	}
	b := make([]byte, 0, n)
	for _, p := range g.pieces {
		b = append(b, p[:min(pieceSize, n-int64(len(b)))]...)
	}
	return b
}

// release gives the pieces back.
func (g *gathering) release() {
	for _, p := range g.pieces {
		pieces.Put(p)
	}
	g.memory.freely.Release(g.freely)
}

// meter counts the received bytes. While it is held nothing is read, and
// nothing is expected.
type meter struct {
	r    io.Reader
	n    atomic.Int64
	held atomic.Int64 // grows when it begins and when it ends: odd while it lasts
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n.Add(int64(n))
	return n, err
}

// fill reads until p is full. Unlike io.ReadFull it keeps a clean end (io.EOF)
// apart from one that comes too early (io.ErrUnexpectedEOF).
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}
