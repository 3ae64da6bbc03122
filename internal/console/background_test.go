package console

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A console that is open for long keeps a bounded number of values, the newest ones.
func TestBackgroundIsBounded(t *testing.T) {
	all := background[int, string]{most: 8}
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	first := all.entry(1, now)
	for n := 2; n <= 3*all.most; n++ {
		now = now.Add(time.Second)
		all.entry(n, now)
		if all.entry(1, now) != first {
			t.Fatalf("the value that is looked at all the time was forgotten after %d others", n)
		}
		if len(all.kept) > all.most {
			t.Fatalf("%d values are kept", len(all.kept))
		}
	}
	for _, r := range all.kept {
		r.running = make(chan struct{})
	}
	if r := all.get(t.Context(), 0, "a", now, nil); r.running == nil || len(all.kept) > all.most {
		t.Error("more values are being read than are kept")
	}
}

// A value is read once for each mark, beginning with the one before; a failure is told and tried again.
func TestBackgroundReads(t *testing.T) {
	all := background[int, string]{most: 8, wait: time.Minute}
	get := func(upTo string, read func(string) (string, error)) reading[string] {
		return all.get(t.Context(), 1, upTo, time.Time{}, func(before string, progress func(done, total int)) (string, error) {
			progress(1, 2)
			return read(before)
		})
	}
	must := func(string) (string, error) { panic("not read again") }
	if r := get("a", must); r.err == nil || !strings.Contains(r.err.Error(), "it failed") || r.running != nil {
		t.Errorf("after a panic: %+v", r)
	}
	if r := get("a", func(before string) (string, error) { return before + "1", nil }); r.value != "1" || r.err != nil || r.done != 0 {
		t.Errorf("tried again: %+v", r)
	}
	if r := get("a", must); r.value != "1" || r.err != nil {
		t.Errorf("the same mark: %+v", r)
	}
	if r := get("b", func(string) (string, error) { return "", errors.New("no") }); r.value != "1" || r.err == nil {
		t.Errorf("a failure: %+v", r)
	}
	if r := get("b", func(before string) (string, error) { return before + "2", nil }); r.value != "12" || r.err != nil {
		t.Errorf("the next mark: %+v", r)
	}
}
