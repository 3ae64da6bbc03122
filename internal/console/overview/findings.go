package overview

import (
	"context"
	"sync"
	"time"

	"mkt/internal/evidence/doctor"
)

// findingsFor is how long the findings of a check are shown before the next check.
const findingsFor = 15 * time.Second

// findings keeps the newest check of the installation.
type findings struct {
	mu     sync.Mutex
	at     time.Time
	report doctor.Report
}

// newest checks the installation, unless it was checked a moment ago.
func (f *findings) newest(ctx context.Context, now time.Time, check func(context.Context) doctor.Report) doctor.Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.IsZero() || now.Sub(f.at) >= findingsFor || now.Before(f.at) {
		if report := check(ctx); ctx.Err() == nil {
			f.report, f.at = report, now
		}
	}
	return f.report
}
