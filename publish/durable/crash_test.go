package durable_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

// Each writing function, also after an earlier success, with what a reader may find.
var verbs = []struct {
	name  string
	do    func(durable.FS) error
	whole bool // a reader never sees part of the content
}{
	{"create", func(f durable.FS) error { return durable.Create(f, "d/x", durable.Bytes([]byte("content"))) }, false},
	{"create again", func(f durable.FS) error { return durable.CreateAgain(f, "d/x", durable.Bytes([]byte("content"))) }, true},
	{"overwrite", func(f durable.FS) error { return durable.Overwrite(f, "d/x", []byte("content")) }, true},
}

// After a power cut at any operation of any writing function, what was acknowledged is
// intact, and if the function promises it nothing partial is ever visible.
func TestVerbsUnderPowerCuts(t *testing.T) {
	for _, verb := range verbs {
		for _, keep := range []float64{0, 0.5, 1} {
			for seed := range uint64(10) {
				t.Run(fmt.Sprintf("%s/%v/%d", verb.name, keep, seed), func(t *testing.T) {
					for k := 1; ; k++ {
						mem := durabletest.NewMem()
						must(t, durable.MkdirAllSync(mem, "d"))
						err := verb.do(durabletest.Wrap(mem, durabletest.KillAt(k)))
						data, missing := durable.ReadFile(mem.PowerCut(keep, seed), "d/x", 100)
						if err == nil && string(data) != "content" {
							t.Fatalf("operation %d: acknowledged, then %q %v", k, data, missing)
						}
						if verb.whole && missing == nil && string(data) != "content" {
							t.Fatalf("operation %d: %q was seen", k, data)
						}
						if err == nil {
							return
						}
					}
				})
			}
		}
	}
}

// The harness itself is tested: it must catch a forgotten sync.
func TestPowerCutsCatchAForgottenSync(t *testing.T) {
	for _, verb := range verbs {
		for _, kind := range []durabletest.Kind{durabletest.Sync, durabletest.SyncDir} {
			mem := durabletest.NewMem()
			must(t, durable.MkdirAllSync(mem, "d"))
			must(t, verb.do(durabletest.Wrap(mem, func(op durabletest.Op) error {
				if op.Kind == kind {
					return durabletest.ErrLeftOut
				}
				return nil
			})))
			if data, err := durable.ReadFile(mem.PowerCut(0, 1), "d/x", 100); err == nil && string(data) == "content" {
				t.Errorf("%s without %s survived", verb.name, kind)
			}
		}
	}
}

func TestParentsAreSynced(t *testing.T) {
	mem := durabletest.NewMem()
	must(t, mem.MkdirAll("a/b")) // a killed run left it unsynced
	must(t, durable.MkdirAllSync(mem, "a/b/c"))
	if _, err := mem.PowerCut(0, 1).Stat("a/b/c"); err != nil {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	for _, verb := range verbs {
		for k := 1; ; k++ {
			mem := durabletest.NewMem()
			must(t, mem.MkdirAll("d"))
			err := verb.do(durabletest.Wrap(mem, durabletest.FullAt(k)))
			if err == nil {
				break
			}
			if !errors.Is(err, durable.ErrNoSpace) || !strings.Contains(err.Error(), "free space") {
				t.Errorf("%s, full at operation %d: %v", verb.name, k, err)
			}
		}
	}
}
