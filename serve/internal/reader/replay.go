package reader

import (
	"context"
	"time"

	"mkt/publish/football"
)

// Refresh refreshes all datasets and waits until what a clock of the past shows now is served. next is
// when it would show another publication, zero if never.
func (l *Library) Refresh(ctx context.Context) (next time.Time) {
	for _, p := range l.served() {
		d, ok := p.(*Dataset)
		if !ok {
			continue
		}
		d.Refresh(ctx)
		if at, _ := d.following(); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// MaxSpeed returns the speed at which loading the publications of markets in the clock's span would
// take a given share of the time, judged by the last load of each dataset; 0 = any.
func (l *Library) MaxSpeed(share float64) float64 {
	var loading time.Duration
	for _, p := range l.served() {
		if d, ok := p.(*Dataset); ok && d.product == football.MarketEngine {
			n, took := d.loadsInSpan()
			loading += time.Duration(n) * took
		}
	}
	if loading == 0 {
		return 0
	}
	from, to := l.o.Clock.Span()
	return share * to.Sub(from).Seconds() / loading.Seconds()
}
