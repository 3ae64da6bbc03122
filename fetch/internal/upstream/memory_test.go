package upstream

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// Answers that are read at once take together what the largest one may, and little
// more; each comes out as it was sent.
func TestLargeAnswersTakeTurns(t *testing.T) {
	const size = 6 << 20
	bodies := [][]byte{}
	for i := range 4 {
		bodies = append(bodies, append([]byte(`{"n":`), bytes.Repeat([]byte{'0' + byte(i)}, size)...))
	}
	var next atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(bodies[next.Add(1)-1]) })
	b := newBench(t, s.URL, func(o *Options) {
		o.Provider.Budget.MaxBody, o.Limits.Window, o.Limits.Body, o.Limits.Header = 8<<20, 30*time.Second, 30*time.Second, 30*time.Second
	})
	var all sync.WaitGroup
	var got sync.Map
	for range bodies {
		all.Go(func() {
			a, err := b.ask(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			got.Store(string(a.Body), true)
		})
	}
	all.Wait()
	for i, body := range bodies {
		if _, came := got.Load(string(body)); !came {
			t.Errorf("answer %d is another", i)
		}
	}
	if most := freely + 8<<20 + pieceSize; len(b.memory.free)*pieceSize > most || b.memory.taken != 0 {
		t.Errorf("took %d pieces of %d KiB, %d of them still", len(b.memory.free), pieceSize>>10, b.memory.taken)
	}
}

// An answer that waits for its turn is not slow, and gives up with its request.
func TestWaitingForATurn(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(append([]byte("{"), make([]byte, freely)...)) })
	b := newBench(t, s.URL, func(o *Options) {
		o.Provider.Budget.MaxBody, o.Limits.Window, o.Limits.Body, o.Limits.Header = 8<<20, 20*time.Millisecond, 30*time.Second, 30*time.Second
	})
	b.memory.large <- struct{}{} // another's
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.ask(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, provider.ErrUnreachable) || len(b.kept) != 0 {
		t.Errorf("%v, kept %d", err, len(b.kept))
	}
	<-b.memory.large
	if _, err := b.ask(t.Context()); err != nil || b.memory.taken != 0 {
		t.Errorf("%v, %d pieces are taken", err, b.memory.taken)
	}
}

// Nothing is expected of a window in which an answer waited for its turn, be it for
// a part of it only.
func TestPaceOfOneThatWaited(t *testing.T) {
	p := pace{least: 100}
	for i, w := range []struct {
		n, held int64
		slow    bool
	}{
		{150, 0, false},
		{150, 1, false}, // it waits now
		{150, 1, false}, // and all the time
		{160, 2, false}, // until a moment ago
		{260, 2, false},
		{265, 4, false}, // waited in between
		{270, 4, true},
	} {
		if slow := p.isSlow(w.n, w.held); slow != w.slow {
			t.Errorf("window %d: slow %v", i, slow)
		}
	}
}
