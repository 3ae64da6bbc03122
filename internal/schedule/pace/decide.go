package pace

import (
	"slices"
	"time"

	"mkt/internal/cadence"
	"mkt/publish/football"
)

// Job is a product of an account whose cycles are due.
type Job struct {
	Product  football.Product
	Schedule cadence.Schedule // of tenants.yaml
	Cost     float64          // of a cycle, in requests or in the provider's credits
	Before   time.Duration    // the pace until now; 0: as the schedule says
}

// Quota is the rest of a quota, in requests or in the provider's credits, and when it is renewed.
type Quota struct {
	Left   int64
	Until  time.Time
	Window time.Duration // from one renewal to the next
}

// steps are the possible paces of a product, slowest last. Live intelligence is not slower
// than 30 s: a match counts as stale a minute after its newest sample, and one cycle may fail.
// Prices older than a day are of no use.
var steps = map[football.Product][]time.Duration{
	football.LiveIntelligence: {10 * time.Second, 12 * time.Second, 15 * time.Second, 20 * time.Second, 24 * time.Second, 30 * time.Second},
	football.MarketEngine: {time.Minute, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour},
}

// givesWay is the order in which products are slowed down. Live intelligence has by far the
// most cycles, and is slowed down by seconds. Markets follow only if this is not enough.
var givesWay = []football.Product{football.LiveIntelligence, football.MarketEngine}

// Of the quota, a hundredth is kept for repeated requests. A product becomes faster again only if
// a tenth is to spare, because its pace must not alternate.
const (
	retries = 0.01
	spare   = 0.1
)

// decide returns the pace of each job, 0 if its own schedule can be kept, and whether the
// quota carries them all.
func decide(now time.Time, q Quota, jobs []Job) (paces []time.Duration, fits bool) {
	left := float64(q.Left) * (1 - retries)
	paces, fits = slowDown(now, q, left, jobs)
	if !slices.ContainsFunc(jobs, func(j Job) bool { return j.Before > 0 }) {
		return paces, fits
	}
	careful, _ := slowDown(now, q, left*(1-spare), jobs)
	for i, j := range jobs {
		if paces[i] < j.Before {
			paces[i] = min(max(paces[i], careful[i]), j.Before)
		}
	}
	return paces, fits
}

// slowDown slows the jobs down, in the order of givesWay and step by step, until they need
// no more than left. A pace slower than the quota's renewal helps nobody: an unused rest is lost.
func slowDown(now time.Time, q Quota, left float64, jobs []Job) (paces []time.Duration, fits bool) {
	paces = make([]time.Duration, len(jobs))
	need := func() (sum float64) {
		for i, j := range jobs {
			sum += j.Cost * cadence.Ticks(cadence.Slower(j.Schedule, paces[i]), now, q.Until)
		}
		return sum
	}
	if need() <= left {
		return paces, true
	}
	for _, product := range givesWay {
		i := slices.IndexFunc(jobs, func(j Job) bool { return j.Product == product })
		if i < 0 {
			continue
		}
		cadence := cadence.Of(jobs[i].Schedule, now)
		for _, step := range steps[product] {
			if step <= cadence || step > max(q.Window, q.Until.Sub(now)) {
				continue
			}
			paces[i] = step
			if need() <= left {
				return paces, true
			}
		}
	}
	return paces, false
}
