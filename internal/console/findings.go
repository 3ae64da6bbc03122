package console

import (
	"context"
	"sync"
	"time"

	"mkt/internal/evidence/doctor"
)

// findingsFor is how long the findings of a check are shown before the next check.
const findingsFor = 15 * time.Second

// findingsCache keeps the newest check of the installation.
type findingsCache struct {
	mu     sync.Mutex
	at     time.Time
	report doctor.Report
}

// findings checks the installation, unless it was checked a moment ago.
func (c *Console) findings(ctx context.Context) doctor.Report {
	f := &c.findingsCache
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := c.Now(); f.at.IsZero() || now.Sub(f.at) >= findingsFor || now.Before(f.at) {
		if report := c.Doctor(ctx); ctx.Err() == nil {
			f.report, f.at = report, now
		}
	}
	return f.report
}
