package engine

import "time"

// pace limits how often something may happen: a burst, and then once in an interval. Its
// zero value is ready to use.
type pace struct {
	ahead time.Duration // by how much the past events exceed the rate
	last  time.Duration // when the last one was allowed, on a clock of the caller
}

// take returns how long the next event must wait. If it need not wait, it is counted.
func (p *pace) take(now, every time.Duration, burst int) time.Duration {
	ahead := max(0, p.ahead-(now-p.last)) + every
	if wait := ahead - time.Duration(burst)*every; wait > 0 {
		return wait
	}
	p.ahead, p.last = ahead, now
	return 0
}
