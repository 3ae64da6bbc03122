package simulation

import (
	"slices"
	"testing"
	"time"
)

// Shrink runs worlds in processes of a test binary, and returns the result of the shortest history found that
// breaks the same invariant as failed does, the result of o: fewer of its events happen. It tries to leave out
// parts of them, smaller ones each time, until the time is over.
func Shrink(t *testing.T, binary string, o Options, failed Result, until time.Time) Result {
	o.Quiet = true
	best := failed
	try := func(events []string) bool {
		o.Only = map[string]bool{}
		for _, e := range events {
			o.Only[e] = true
		}
		r := InProcess[Result](t, binary, o)
		if r.Invariant != failed.Invariant || len(r.Events) > len(best.Events) {
			return false
		}
		best = r
		return true
	}
	for part := max(1, (len(best.Events)+1)/2); time.Now().Before(until) && len(best.Events) > 0; {
		reduced := false
		for at := 0; at < len(best.Events) && time.Now().Before(until); {
			before := len(best.Events)
			without := slices.Delete(slices.Clone(best.Events), at, min(at+part, before))
			if try(without) && len(best.Events) < before {
				reduced = true
			} else {
				at += part
			}
		}
		switch {
		case part > 1:
			part = (part + 1) / 2
		case !reduced:
			return best
		}
	}
	return best
}
