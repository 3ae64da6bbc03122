package reader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// A look-up also fetches what waiting requests need, up to a limit, so that they need none of
// their own. What is missing for one of them is missing for it alone.
func TestLookUpsAreShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pages.duckdb")
	must(t, build(t.Context(), path, func(a *appenders) error {
		for no := range 20 {
			if err := a.marketChunk.AppendRow(chunkKey(no), fmt.Append(nil, "chunk ", no)); err != nil {
				return err
			}
		}
		return nil
	}))
	e, err := openEngine(path, minEngineMemory)
	must(t, err)
	defer e.close()
	requests := map[string]*wanted{
		"the same chunk":     {table: marketChunks, numbers: []int{3}},
		"two chunks":         {table: marketChunks, numbers: []int{7, 5}},
		"too many chunks":    {table: marketChunks, numbers: []int{8, 9, 10, 11, 12, 13}},
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
		found, err := e.fetch(ctx, marketChunks, numbers)
		for i, no := range numbers {
			if err == nil && string(found[i]) != fmt.Sprint("chunk ", no) {
				t.Errorf("chunk %d: %q", no, found[i])
			}
		}
		return err
	}
	must(t, holds(t.Context(), 3))

	over, cancel := context.WithCancel(t.Context())
	cancel() // from here on, only what was fetched can be returned
	for name, want := range map[string]error{"the same chunk": nil, "two chunks": nil,
		"too many chunks": context.Canceled, "a missing chunk": context.Canceled, "that does not wait": context.Canceled} {
		w := requests[name]
		if err := holds(context.WithValue(over, wantedKey{}, w), w.numbers...); !errors.Is(err, want) {
			t.Errorf("a request for %s: %v, want %v", name, err, want)
		}
	}
	if len(e.ahead.waiting) != 1 || e.ahead.waiting[0] != requests["of another table"] {
		t.Errorf("%d requests wait", len(e.ahead.waiting))
	}
	if err := holds(t.Context(), 19, 20); !errors.Is(err, errChunk) {
		t.Errorf("a missing chunk: %v", err)
	}
}
