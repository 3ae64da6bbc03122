package fetch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// intact checks that every sealed cycle can be read to its last byte, and
// returns how many there are.
func intact(t *testing.T, fsys durable.FS) int {
	t.Helper()
	ids, err := raw.Cycles(fsys)
	must(t, err)
	sealed := 0
	for _, id := range ids {
		a, err := raw.Open(fsys, id)
		if errors.Is(err, raw.ErrNotSealed) {
			continue
		}
		must(t, err)
		for _, r := range a.Responses() {
			_, err := a.Body(r)
			must(t, err)
		}
		sealed++
	}
	return sealed
}

// Killed at every file operation, then the power fails: an older cycle stays,
// the new one is whole or not there, and the next run of it ends well.
func TestKilledAtEveryOperation(t *testing.T) {
	b := newBench(t, answers(t, nil), tiny())
	before := b.clock.Add(-time.Hour)
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k++ {
			mem := durabletest.NewMem()
			o := b.options
			o.Root, o.Now = mem, func() time.Time { return before }
			_, err := fetch.Run(t.Context(), o)
			must(t, err)

			o.Now = func() time.Time { return before.Add(time.Hour) }
			o.Root = durabletest.Wrap(mem, durabletest.KillAt(k))
			s, done := fetch.Run(t.Context(), o)
			after := mem.PowerCut(keep, uint64(k))
			if n := intact(t, after); n < 1 || done == nil && n != 2 {
				t.Fatalf("keep %v, operation %d: %d cycles, %v", keep, k, n, done)
			}
			if _, err := health.Read(after, "fetch"); err != nil {
				t.Fatalf("keep %v, operation %d: state: %v", keep, k, err)
			}

			o.Root, o.Cycle = after, s.Cycle
			if _, err := fetch.Run(t.Context(), o); err != nil || intact(t, after) != 2 {
				t.Fatalf("keep %v, operation %d: next run: %v, %d cycles", keep, k, err, intact(t, after))
			}
			if done == nil {
				break
			}
		}
	}
}

func TestDiskFullAtEveryOperation(t *testing.T) {
	b := newBench(t, answers(t, nil), tiny())
	for k := 1; ; k++ {
		mem := durabletest.NewMem()
		o := b.options
		o.Root = durabletest.Wrap(mem, durabletest.FullAt(k))
		s, err := fetch.Run(t.Context(), o)
		if err == nil {
			if s.Outcome != raw.Complete {
				t.Errorf("operation %d: %+v", k, s)
			}
			return
		}
		if !errors.Is(err, durable.ErrNoSpace) {
			t.Errorf("operation %d: %v", k, err)
		}
		intact(t, mem)
		o.Root = mem
		if _, err := fetch.Run(t.Context(), o); err != nil {
			t.Errorf("operation %d: after space was freed: %v", k, err)
		}
	}
}

// A full disk stops the asking: nothing is asked that cannot be kept.
func TestFullDiskStopsAsking(t *testing.T) {
	b := newBench(t, answers(t, nil), tiny())
	written := 0
	b.options.Root = durabletest.Wrap(durabletest.NewMem(), func(op durabletest.Op) error {
		if op.Kind == durabletest.Write && op.Name == layout.Cycle(layout.RawDir, "20261120T090700Z-market_engine")+"/"+layout.RawAnswers {
			if written++; written == 2 {
				return durable.NoSpace(string(op.Kind), op.Name)
			}
		}
		return nil
	})
	s, err := b.run(t.Context())
	if !errors.Is(err, durable.ErrNoSpace) || b.usage.Load() != 2 {
		t.Errorf("%v after %d requests", err, b.usage.Load())
	}
	if sealed, _ := raw.Sealed(b.options.Root, s.Cycle); sealed || b.state().Code != "STORAGE" {
		t.Errorf("sealed %v, state %+v", sealed, b.state())
	}
}

// An interrupted run leaves no cycle and no state. The next one quarantines the files it
// left, and may fetch the same cycle.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	interrupt := func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}
	b := newBench(t, answers(t, map[string]http.HandlerFunc{"/odds2": interrupt}), tiny())
	s, err := b.run(ctx)
	if !errors.Is(err, context.Canceled) || b.state() != nil {
		t.Errorf("%v, state %+v", err, b.state())
	}
	if sealed, _ := raw.Sealed(b.options.Root, s.Cycle); sealed {
		t.Error("sealed")
	}
	b.options.Tenant.BaseURL, b.options.Cycle = answers(t, nil), s.Cycle
	next, err := b.run(t.Context())
	if err != nil || next.Recovered != 1 || next.Outcome != raw.Complete {
		t.Errorf("%+v, %v", next, err)
	}
}

// A run that waits when the process is to stop leaves no cycle and no state either.
func TestStopping(t *testing.T) {
	stopping := make(chan struct{})
	fault := func(w http.ResponseWriter, _ *http.Request) {
		close(stopping)
		io.WriteString(w, `{"error":"fault"}`)
	}
	b := newBench(t, answers(t, map[string]http.HandlerFunc{"/odds2": fault}), tiny())
	b.options.Stopping, b.options.Limits.Wait, b.options.Limits.MaxWait, b.options.Limits.Run = stopping, time.Minute, time.Minute, time.Hour
	s, err := b.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "interrupted") || b.state() != nil {
		t.Errorf("%v, state %+v", err, b.state())
	}
	if sealed, _ := raw.Sealed(b.options.Root, s.Cycle); sealed {
		t.Error("sealed")
	}
}
