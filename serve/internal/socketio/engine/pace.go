package engine

import "time"

// pace bounds how often something may happen: a burst, and then one in so long. Its
// zero value has had nothing.
type pace struct {
	ahead time.Duration // by how much what happened so far runs ahead
	last  time.Duration // when the last one was let through, on a clock of the caller's
}

// take is how long the next one has to wait. If it need not wait, it counts.
func (p *pace) take(now, every time.Duration, burst int) time.Duration {
	ahead := max(0, p.ahead-(now-p.last)) + every
	if wait := ahead - time.Duration(burst)*every; wait > 0 {
		return wait
	}
	p.ahead, p.last = ahead, now
	return 0
}
