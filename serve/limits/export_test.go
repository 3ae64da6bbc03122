package limits

import "time"

// Every sets the time between two announcements.
func (o Options) Every(d time.Duration) Options {
	o.beat = d
	return o
}
