package raw_test

import (
	"errors"
	"fmt"
	"testing"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

// archive writes a small cycle as a run does, including the recovery.
func archive(fsys durable.FS) error {
	if _, err := raw.Recover(fsys); err != nil {
		return err
	}
	w, err := raw.Create(fsys, first, nil)
	if err != nil {
		return err
	}
	for _, body := range []string{"one", "two"} {
		if _, err := w.Add(answer(body), []byte(body)); err != nil {
			return err
		}
	}
	if _, err := w.Reject(answer("three"), "HTML", []byte("<html>")); err != nil {
		return err
	}
	_, err = w.Seal(header())
	return err
}

// whole returns an error unless the cycle is either missing or complete.
func whole(fsys durable.FS) (sealed bool, err error) {
	a, err := raw.Open(fsys, first)
	if errors.Is(err, raw.ErrNotSealed) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list := a.Responses()
	if len(list) != 3 {
		return true, fmt.Errorf("%d responses", len(list))
	}
	for _, r := range list {
		if _, err := a.Body(r); err != nil {
			return true, err
		}
	}
	return true, nil
}

// Killed at every operation with a power cut: the cycle is complete or missing, acknowledged
// files are there, and the next run succeeds.
func TestKilledAtEveryOperation(t *testing.T) {
	for _, keep := range []float64{0, 0.5, 1} {
		for k := 1; ; k++ {
			mem := durabletest.NewMem()
			done := archive(durabletest.Wrap(mem, durabletest.KillAt(k)))
			after := mem.PowerCut(keep, uint64(k))
			sealed, err := whole(after)
			if err != nil || done == nil && !sealed {
				t.Fatalf("keep %v, operation %d: sealed %v, acknowledged %v: %v", keep, k, sealed, done == nil, err)
			}
			if !sealed {
				must(t, archive(after))
				if sealed, err := whole(after); !sealed || err != nil {
					t.Fatalf("keep %v, operation %d: second run: sealed %v: %v", keep, k, sealed, err)
				}
			}
			if done == nil {
				break
			}
		}
	}
}

func TestDiskFullAtEveryOperation(t *testing.T) {
	for k := 1; ; k++ {
		mem := durabletest.NewMem()
		done := archive(durabletest.Wrap(mem, durabletest.FullAt(k)))
		if done == nil {
			return
		}
		if !errors.Is(done, durable.ErrNoSpace) {
			t.Errorf("operation %d: %v, want ErrNoSpace", k, done)
		}
		if _, err := whole(mem); err != nil {
			t.Errorf("operation %d: %v", k, err)
		}
	}
}

// The harness itself is tested: it must catch a forgotten sync.
func TestHarnessCatchesLeftOutSyncs(t *testing.T) {
	for _, kind := range []durabletest.Kind{durabletest.Sync, durabletest.SyncDir} {
		mem := durabletest.NewMem()
		must(t, archive(durabletest.Wrap(mem, func(op durabletest.Op) error {
			if op.Kind == kind {
				return durabletest.ErrLeftOut
			}
			return nil
		})))
		if sealed, err := whole(mem.PowerCut(0, 1)); sealed && err == nil {
			t.Errorf("without %s all survived", kind)
		}
	}
}
