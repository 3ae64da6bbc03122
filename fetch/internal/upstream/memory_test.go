package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// isFree reports whether no answer has any of the memory.
func (m *memory) isFree() bool {
	all := m.freely.TryAcquire(freely / pieceSize)
	if all {
		m.freely.Release(freely / pieceSize)
	}
	return all && len(m.large) == 0
}

// Answers read at once take together the memory of the largest allowed one, and little
// more; each arrives as it was sent.
func TestLargeAnswersTakeTurns(t *testing.T) {
	const size = 6 << 20
	bodies := [][]byte{}
	for i := range 4 {
		bodies = append(bodies, append([]byte(`{"n":`), bytes.Repeat([]byte{'0' + byte(i)}, size)...))
	}
	var next atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(bodies[next.Add(1)-1]) })
	b := newBench(t, s.URL, func(o *Options) { o.Provider.Budget.MaxBody = 8 << 20 })
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
	if !b.memory.isFree() {
		t.Error("pieces or turns are still taken")
	}
}

// An answer that waits for its turn is not slow, and gives up with its request.
func TestWaitingForATurn(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(append([]byte("{"), make([]byte, freely)...)) })
	with := func(window time.Duration) *bench {
		return newBench(t, s.URL, func(o *Options) { o.Provider.Budget.MaxBody, o.Limits.Window = 8<<20, window })
	}
	b := with(20 * time.Millisecond)
	other, err := b.memory.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := b.ask(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, provider.ErrUnreachable) || len(b.kept) != 0 {
		t.Errorf("%v, kept %d", err, len(b.kept))
	}
	other.end()
	patient := with(time.Minute) // a busy machine may take its time
	patient.memory = b.memory
	if _, err := patient.ask(t.Context()); err != nil || !b.memory.isFree() {
		t.Errorf("%v, or pieces are still taken", err)
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

// Values are counted before the adapter, which would decode them, sees an answer.
func TestTooManyValues(t *testing.T) {
	many := append([]byte(`{"results":[`), bytes.Repeat([]byte("[],"), 300_000)...)
	url, asked := script(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(append(many, "1]}"...)) })
	b := newBench(t, url, func(o *Options) {
		classify := o.Provider.Classify
		o.Provider.Classify = func(status int, h http.Header, body []byte) provider.Verdict {
			t.Errorf("%d bytes are decoded", len(body))
			return classify(status, h, body)
		}
	})
	_, err := b.ask(t.Context())
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Rejected || refusal.Verdict.Code != codeTooManyValues || asked.Load() != 2 || len(b.kept) != 2 {
		t.Errorf("%v after %d requests, kept %d", err, asked.Load(), len(b.kept))
	}
}

// A run ends when its accepted answers hold more values than it may have.
func TestTooManyValuesInARun(t *testing.T) {
	url, asked := script(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"results":[1,2,3,4,5,6,7,8,9]}`)) })
	b := newBench(t, url, func(o *Options) { o.Limits.Values = 20 })
	var err error
	for range 3 {
		_, err = b.ask(t.Context())
	}
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Code != codeRunTooLarge || asked.Load() != 2 || b.Stopped() == nil || b.Values() != 24 {
		t.Errorf("%v after %d requests with %d values", err, asked.Load(), b.Values())
	}
}

// Of all clients of a process only a few have a large answer at a time, and have it
// until it is kept.
func TestLargeAnswersOfManyClients(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(append([]byte("{"), make([]byte, freely)...)) })
	circuits := &Circuits{}
	var keeping, most, done atomic.Int64
	var all sync.WaitGroup
	for i := range 2 * largeAtOnce {
		b := newBench(t, s.URL, func(o *Options) {
			o.Account, o.Circuits, o.Provider.Budget.MaxBody = fmt.Sprint("account-", i), circuits, 8<<20
		})
		all.Go(func() {
			_, err := b.Get(t.Context(), provider.Request{Endpoint: "tiny/list", Path: "/v1/list"}, func(Answer) error {
				n := keeping.Add(1)
				defer keeping.Add(-1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				time.Sleep(5 * time.Millisecond)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			done.Add(1)
		})
	}
	all.Wait()
	if most.Load() > largeAtOnce || done.Load() != 2*largeAtOnce || len(circuits.large) != 0 {
		t.Errorf("%d at once, %d done, %d turns are taken", most.Load(), done.Load(), len(circuits.large))
	}
}
