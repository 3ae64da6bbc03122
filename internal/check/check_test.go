package check

import (
	"testing"
	"time"
)

// A wait ends after its limit, and on a busy machine after the time in which nothing else waited.
func TestIsOver(t *testing.T) {
	for _, c := range []struct {
		passed, waited time.Duration
		want           bool
	}{
		{9 * time.Second, 0, false},
		{11 * time.Second, 0, true},
		{11 * time.Second, 2 * time.Second, false},
		{13 * time.Second, 2 * time.Second, true},
		{99 * time.Second, 200 * time.Second, false},
		{101 * time.Second, 200 * time.Second, true},
	} {
		if got := isOver(10*time.Second, c.passed, c.waited); got != c.want {
			t.Errorf("%v after %v, of which others waited %v", got, c.passed, c.waited)
		}
	}
}

func TestSomeWaited(t *testing.T) {
	const text = "some avg10=68.56 avg60=84.72 avg300=86.63 total=3002145522\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=17\n"
	if got, want := someWaited(text), 3002145522*time.Microsecond; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := someWaited(""); got != 0 {
		t.Errorf("%v of a machine that does not say it", got)
	}
}
