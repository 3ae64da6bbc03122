package overview

import (
	"fmt"
	"time"

	"mkt/internal/cadence"
	"mkt/internal/console/frame"
	"mkt/internal/schedule/cyclestate"
)

// strip draws 24 hours as bars, four units wide and up to stripHeight high. A page may have hundreds of
// strips, so each kind of bar is one path.
type strip struct {
	Words             string // the day in words; "" if nothing is known of it
	Link              string
	Good, Bad, Failed string // the paths: hours in order, hours too late, hours with failed steps
}

const stripHeight = 16

// bar adds the bar of an hour, of a share of the height, to a path.
func bar(path *string, hour int, share float64) {
	*path += fmt.Sprintf("M%d %dv-%.0fh3V%[2]dz", 4*hour, stripHeight, max(1, min(1, share)*stripHeight))
}

// dayStrip draws the longest time without new data in each hour. A full bar is the time from which
// a cycle is overdue.
func dayStrip(l *productLine, d *cyclestate.Day, every time.Duration) strip {
	s := strip{Link: l.Cycles}
	for i, h := range d {
		share := 0.0
		if every > 0 {
			share = float64(h.Wait) / float64(cadence.OverdueAfter*every)
		}
		switch {
		case h.Wait == 0 && h.Published == 0:
		case share > 1:
			bar(&s.Bad, i, share)
		default:
			bar(&s.Good, i, share)
		}
		if h.Failed > 0 {
			s.Failed += fmt.Sprintf("M%d 0h3v3h-3z", 4*i)
		}
	}
	published, failed, wait := d.Sums()
	if published+failed == 0 {
		return strip{}
	}
	s.Words = frame.Plural(published, "cycle")
	if failed > 0 {
		s.Words += ", " + frame.Plural(failed, "step") + " failed"
	}
	if wait > 0 {
		s.Words += ", at most " + frame.Span(wait) + " without new data"
	}
	return s
}

// quotaStrip draws the share of the quota that was left in each hour.
func quotaStrip(l *productLine, d *cyclestate.Day) (s strip) {
	least := int64(-1)
	for i, h := range d {
		if h.Left == nil || h.Limit == nil || *h.Limit <= 0 {
			continue
		}
		if least < 0 || *h.Left < least {
			least = *h.Left
		}
		if *h.Left > 0 {
			bar(&s.Good, i, float64(*h.Left)/float64(*h.Limit))
		} else {
			bar(&s.Bad, i, 1)
		}
	}
	if least < 0 {
		return strip{}
	}
	s.Link, s.Words = l.Cycles, fmt.Sprintf("at least %s left of the quota", frame.Count(least))
	return s
}
