package fetch

import (
	"sync"
	"time"
)

// steady returns a clock that follows now but never goes back, in UTC and whole
// milliseconds. It is safe for concurrent use.
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
