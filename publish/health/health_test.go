package health_test

import (
	"slices"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// must ends the test if there is an error.
var must = check.Must

func TestRecordCarriesHistoryOn(t *testing.T) {
	f := durabletest.NewMem()
	for i, step := range []struct {
		ok          bool
		fingerprint string
		lastOK      int // index of the run, -1 never
		failures    int
	}{
		{false, "a", -1, 1}, {true, "a", 1, 0}, {false, "a", 1, 1}, {false, "a", 1, 2}, {true, "a", 4, 0},
		{false, "b", -1, 1}, {true, "b", 6, 0},
	} {
		at := start.Add(time.Duration(i) * time.Hour)
		must(t, health.Record(f, health.Run{Step: "fetch", FinishedAt: at, OK: step.ok, CredentialFingerprint: step.fingerprint}))
		run, err := health.Read(f, "fetch")
		must(t, err)
		if run.FailuresInARow != step.failures || (run.LastOKAt == nil) != (step.lastOK < 0) {
			t.Errorf("run %d: %+v", i, run)
		}
		if run.LastOKAt != nil && !run.LastOKAt.Equal(start.Add(time.Duration(step.lastOK)*time.Hour)) {
			t.Errorf("run %d: last ok at %v", i, run.LastOKAt)
		}
	}
}

// No data depends on a state file: a damaged one reads as missing and is replaced.
func TestDamagedStateReadsAsNone(t *testing.T) {
	for _, content := range []string{"", "{", "[]", `{"format":9,"step":"fetch"}`, `{"format":1,"step":"publish"}`} {
		f := durabletest.NewMem()
		must(t, durable.MkdirAllSync(f, "state"))
		must(t, durable.Create(f, "state/fetch.json", durable.Bytes([]byte(content))))
		if run, err := health.Read(f, "fetch"); run != nil || err != nil {
			t.Errorf("%q: %+v, %v", content, run, err)
		}
		must(t, health.Record(f, health.Run{Step: "fetch", OK: true}))
		if run, err := health.Read(f, "fetch"); run == nil || err != nil {
			t.Errorf("%q: not replaced, %v", content, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":1,"step":"fetch","ok":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		mem := durabletest.NewMem()
		must(t, durable.MkdirAllSync(mem, "state"))
		must(t, durable.Create(mem, "state/fetch.json", durable.Bytes(data)))
		if run, err := health.Read(mem, "fetch"); err != nil || run != nil && run.Step != "fetch" {
			t.Errorf("%+v, %v", run, err)
		}
	})
}

func TestFailureIsAlwaysACode(t *testing.T) {
	for _, c := range []struct {
		run  health.Run
		want health.Code
	}{
		{health.Run{OK: true}, ""},
		{health.Run{OK: true, Code: health.CodeListingHeld}, ""},
		{health.Run{Code: health.CodeStorage}, health.CodeStorage},
		{health.Run{}, health.CodeInternal},
		{health.Run{Code: "open /some/path: no such file"}, health.CodeInternal},
	} {
		if got := c.run.Failure(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
	all := health.Codes()
	if slices.Contains(all, "") || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("a code is empty or there twice: %q", all)
	}
}
