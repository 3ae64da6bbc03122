package offline_test

import (
	"errors"
	"testing"

	"mkt/serve/offline"
)

type rowsOnly struct{}

func (rowsOnly) Columns([]string) error { return nil }
func (rowsOnly) Row([]any) error        { return nil }

// The limit applies to the process, not only to the engine: a row of a million structs is
// refused although the engine itself has enough memory for it.
func TestMemoryOfTheProcess(t *testing.T) {
	aborted := make(chan error, 1)
	o := offline.Options{Memory: 64 << 20, Threads: 1, Abort: func(err error) { aborted <- err }}
	err := offline.Query(t.Context(), o, "SELECT list({a: i, b: i, c: i}) FROM range(400000) t(i)", rowsOnly{})
	select {
	case abort := <-aborted: // a row that is being made cannot be cancelled
		if !errors.Is(abort, offline.ErrMemory) {
			t.Error(abort)
		}
	default:
		if !errors.Is(err, offline.ErrMemory) {
			t.Error(err)
		}
	}
	if err := offline.Query(t.Context(), o, "SELECT sum(i) FROM range(400000) t(i)", rowsOnly{}); err != nil {
		t.Error(err)
	}
}
