package limits

import (
	"context"
	"time"
)

// Every sets the time between two announcements.
func (o Options) Every(d time.Duration) Options {
	o.beat = d
	return o
}

// Beat announces the replica once.
func (s *Shared) Beat(ctx context.Context) error { return s.beat(ctx) }
