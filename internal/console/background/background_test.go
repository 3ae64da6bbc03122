package background

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A console that is open for long keeps a bounded number of values, the newest ones.
func TestBackgroundIsBounded(t *testing.T) {
	all := Reader[int, string]{most: 8}
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
		r.Running = make(chan struct{})
	}
	if r := all.Get(t.Context(), 0, "a", now, nil); r.Running == nil || len(all.kept) > all.most {
		t.Error("more values are being read than are kept")
	}
}

// A value is read once for each mark, beginning with the one before; a failure is told and tried again.
func TestBackgroundReads(t *testing.T) {
	all := Reader[int, string]{most: 8, wait: time.Minute}
	get := func(upTo string, read func(string) (string, error)) Reading[string] {
		return all.Get(t.Context(), 1, upTo, time.Time{}, func(before string, progress func(done, total int)) (string, error) {
			progress(1, 2)
			return read(before)
		})
	}
	must := func(string) (string, error) { panic("not read again") }
	if r := get("a", must); r.Err == nil || !strings.Contains(r.Err.Error(), "it failed") || r.Running != nil {
		t.Errorf("after a panic: %+v", r)
	}
	if r := get("a", func(before string) (string, error) { return before + "1", nil }); r.Value != "1" || r.Err != nil || r.Done != 0 {
		t.Errorf("tried again: %+v", r)
	}
	if r := get("a", must); r.Value != "1" || r.Err != nil {
		t.Errorf("the same mark: %+v", r)
	}
	if r := get("b", func(string) (string, error) { return "", errors.New("no") }); r.Value != "1" || r.Err == nil {
		t.Errorf("a failure: %+v", r)
	}
	if r := get("b", func(before string) (string, error) { return before + "2", nil }); r.Value != "12" || r.Err != nil {
		t.Errorf("the next mark: %+v", r)
	}
}
