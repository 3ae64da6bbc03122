package reader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// A look-up also fetches the chunks of waiting requests, up to a limit, so they need no look-up
// of their own. A chunk missing for one of them is missing for it alone.
func TestLookUpsAreShared(t *testing.T) {
	t.Parallel()
	e := engineWith(t, 20)
	requests := map[string]*wanted{
		"the same chunk":     {table: marketChunks, numbers: []int{3}},
		"two chunks":         {table: marketChunks, numbers: []int{7, 5}},
		"too many chunks":    {table: marketChunks, numbers: sequence(0, maxAhead)},
		"a missing chunk":    {table: marketChunks, numbers: []int{20}},
		"of another table":   {table: fixtureChunks, numbers: []int{3}},
		"that does not wait": {table: marketChunks, numbers: []int{4}},
	}
	for name, w := range requests {
		if e.ahead.add(w); name == "that does not wait" {
			e.ahead.remove(w)
		}
	}
	holds := func(ctx context.Context, numbers ...int) error {
		found, err := e.fetch(ctx, marketChunks, numbers, nil)
		for i, no := range numbers {
			if err == nil && string(found[i]) != fmt.Sprint("chunk ", no) {
				t.Errorf("chunk %d: %q", no, found[i])
			}
		}
		return err
	}
	must(t, holds(t.Context(), 3))

	over, cancel := context.WithCancel(t.Context())
	cancel() // from here on, only fetched chunks can be returned
	for name, want := range map[string]error{"the same chunk": nil, "two chunks": nil,
		"too many chunks": context.Canceled, "a missing chunk": context.Canceled, "that does not wait": context.Canceled} {
		w := requests[name]
		if err := holds(over, w.numbers...); !errors.Is(err, want) {
			t.Errorf("a request for %s: %v, want %v", name, err, want)
		}
	}
	for _, w := range e.ahead.waiting {
		if w != requests["of another table"] && w != requests["too many chunks"] {
			t.Errorf("chunks %v are still to be fetched ahead", w.numbers)
		}
	}
	if err := holds(t.Context(), 19, 20); !errors.Is(err, errChunk) {
		t.Errorf("a missing chunk: %v", err)
	}
}

// A client that requests the first pages of fixtures one after the other, more or less, causes a query for
// several of them, whatever else is requested in between.
func TestFollowingChunksAreFetchedAhead(t *testing.T) {
	t.Parallel()
	const fixtures, without = 60, 7 // one has no markets
	x := &index{fetched: make([]int64, fixtures)}
	for n := range fixtures {
		x.first, x.counts = append(x.first, uint32(n*chunkRows)), append(x.counts, 40)
	}
	x.counts[without] = 0
	v := &View{index: x, engine: engineWith(t, fixtures)}
	first := func(ctx context.Context, n int) error {
		r := v.rangeOf(Fixture{n: n}, MarketFilter{}, "", 50)
		found, err := v.engine.fetch(ctx, marketChunks, r.chunks(), r.following)
		if err == nil && string(found[0]) != fmt.Sprint("chunk ", n) {
			t.Errorf("fixture %d: %q", n, found[0])
		}
		return err
	}
	over, cancel := context.WithCancel(t.Context())
	cancel() // the chunks fetched before can still be returned
	for _, n := range []int{40, 3, 50, 5, 30, 4} {
		if err := first(over, n); !errors.Is(err, context.Canceled) {
			t.Errorf("fixture %d was fetched ahead: %v", n, err)
		}
		must(t, first(t.Context(), n))
	}
	must(t, first(t.Context(), 6))
	for n := 6; n <= 6+maxAhead; n++ {
		if n != without {
			must(t, first(over, n))
		}
	}
	for _, n := range []int{6 + maxAhead + 1, 41, 51, 31, 2} {
		if err := first(over, n); !errors.Is(err, context.Canceled) {
			t.Errorf("fixture %d was fetched ahead: %v", n, err)
		}
	}
	for _, n := range []int{56, 57, 58, 59} { // up to the last one
		must(t, first(t.Context(), n))
	}
}

// engineWith returns an engine with so many chunks of markets, which is closed at the end of the test.
func engineWith(t *testing.T, chunks int) *engine {
	path := filepath.Join(t.TempDir(), "pages.duckdb")
	must(t, build(t.Context(), path, func(a *appenders) error {
		for no := range chunks {
			if err := a.marketChunk.AppendRow(chunkKey(no), fmt.Append(nil, "chunk ", no)); err != nil {
				return err
			}
		}
		return nil
	}))
	e, err := openEngine(path, minEngineMemory)
	must(t, err)
	t.Cleanup(e.close)
	return e
}

func sequence(from, n int) (list []int) {
	for i := range n {
		list = append(list, from+i)
	}
	return list
}
