package fetch

import (
	"sync"
	"time"
)

// steady makes of a clock one that does not go back during a run, in UTC and
// whole milliseconds. Safe for concurrent use.
func steady(now func() time.Time) func() time.Time {
	var mu sync.Mutex
	var last time.Time
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if t := now().UTC().Truncate(time.Millisecond); t.After(last) {
			last = t
		}
		return last
	}
}
