package transform

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"

	"mkt/fetch/raw"
	"mkt/transform/bounds"
	"mkt/transform/reading"
	"mkt/transform/spool"
)

// Memory bounds the memory of all runs of a process together, in bytes. A run reserves its need
// before it reads the first payload, and waits until it is free. A nil *Memory bounds nothing. It
// is safe for concurrent use.
type Memory struct {
	size int64
	left *semaphore.Weighted
}

// NewMemory returns a Memory of a number of bytes.
func NewMemory(bytes int64) *Memory {
	return &Memory{bytes, semaphore.NewWeighted(bytes)}
}

// Hold waits until a number of bytes is free, and reserves them until release is called. If more
// are requested than exist, it reserves all of them. If stopping is closed, Hold stops waiting
// and returns [context.Canceled]. stopping may be nil.
func (m *Memory) Hold(ctx context.Context, stopping <-chan struct{}, bytes int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	held := make(chan struct{})
	defer close(held)
	go func() {
		select {
		case <-stopping:
			cancel()
		case <-held:
		}
	}()
	bytes = min(max(bytes, 0), m.size)
	if err := m.left.Acquire(ctx, bytes); err != nil {
		return nil, fmt.Errorf("waiting for memory: %w", context.Cause(ctx))
	}
	return func() { m.left.Release(bytes) }, nil
}

// The need of a run. It holds the payloads being read, the rows of all fixtures up to a bound
// until the last payload is read, and a row group while it writes. It was measured with cycles of
// up to 2.5 million selections (140 bytes for each value being read), and with artificial answers
// of a large need (250).
const (
	bytesPerRun   = 16 << 20
	bytesPerValue = 256     // of the answers being read at the same time
	mostOfAnswer  = 1 << 19 // values of one answer
	rowsPerValue  = 16      // bytes
	bytesAValue   = 10      // of the payload, if the cycle does not record its values; real ones have 14
)

// need estimates the memory for transforming a cycle, if workers answers are read at the same
// time.
func need(c raw.Cycle, workers int) (bytes int64, err error) {
	values, known := c.Counters[raw.CounterValues]
	if !known {
		values = c.Counters["response_bytes"] / bytesAValue
	}
	if values > bounds.MostValues {
		return 0, fmt.Errorf("%w: its answers have %d values, more than the limit of %d", reading.ErrQuarantined, values, bounds.MostValues)
	}
	return bytesPerRun + min(values, int64(workers)*mostOfAnswer)*bytesPerValue + min(values*rowsPerValue, 2*spool.MaxBuffered), nil
}
