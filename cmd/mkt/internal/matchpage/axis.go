package matchpage

import (
	"fmt"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Sizes of every figure, in the units of its view box.
const (
	width      = 1000.0
	left       = 46.0
	right      = 12.0
	breakWidth = 16.0 // between two halves
)

// begins is the second of the match clock at which each half begins, lasts its length without
// stoppage time, in seconds. The index is the half, from 1.
var begins, lasts = func() (begins, lasts [5]int) {
	for half := range begins {
		begins[half] = 60 * football.HalfBegins(half)
		lasts[half] = 60*football.HalfEnds(half) - begins[half]
	}
	return begins, lasts
}()

type half struct {
	Number int
	length int     // seconds on the axis
	known  int     // seconds of it that were played
	From   float64 // x coordinate
	To     float64
}

// axis is the match clock from kick-off, with stoppage time and without breaks.
type axis struct {
	Halves []half
	places []place // of past samples, in time order
}

// place is a point of play; half is 0 outside play and if the clock is unknown.
type place struct{ half, second int }

func placeOf(c *football.Clock) place {
	h := c.Phase.Half()
	minute, known := c.Minute.Get()
	second, _ := c.Second.Get()
	if h == 0 || !known {
		return place{}
	}
	return place{h, max(0, minute*60+second-begins[h])}
}

// axis lays out the halves that were played or will be.
func (m *Match) axis() *axis {
	x := &axis{}
	var seen [5]int
	for i := range m.Past {
		p := placeOf(&m.Past[i].Clock)
		if x.places = append(x.places, p); p.half > 0 {
			seen[p.half] = max(seen[p.half], p.second)
		}
	}
	for i := range m.Timeline {
		p := placeOfEntry(&m.Timeline[i])
		seen[p.half] = max(seen[p.half], p.second)
	}
	for _, b := range m.Buckets {
		if h := halfOfMinute(int(b.Minute)); b.Added > 0 {
			seen[h] = max(seen[h], lasts[h]+60*int(b.Added))
		}
	}
	now := m.halfNow()
	if p := m.placeNow(); p.half > 0 {
		seen[p.half] = max(seen[p.half], p.second)
	}
	last, total := max(2, now), 0
	for n := 1; n <= last; n++ {
		h := half{Number: n, length: max(lasts[n], seen[n]), known: seen[n]}
		if n < now || n == now && m.placeNow().half == 0 && m.Row.ClockPeriod != nil {
			h.known = h.length // the half is over
		}
		total += h.length
		x.Halves = append(x.Halves, h)
	}
	scale := (width - left - right - breakWidth*float64(last-1)) / float64(total)
	at := left
	for i := range x.Halves {
		x.Halves[i].From = at
		at += float64(x.Halves[i].length) * scale
		x.Halves[i].To = at
		at += breakWidth
	}
	return x
}

// of returns the x coordinate of a second of a half.
func (x *axis) of(n, second int) float64 {
	h := x.Halves[min(max(n, 1), len(x.Halves))-1]
	return h.From + (h.To-h.From)*float64(min(max(second, 0), h.length))/float64(h.length)
}

type tick struct {
	X    float64
	Text string
}

// Ticks returns a mark for every fifteenth minute.
func (x *axis) Ticks() (all []tick) {
	for _, h := range x.Halves {
		for s := 0; s <= lasts[h.Number]; s += 15 * 60 {
			text := fmt.Sprintf("%d'", (begins[h.Number]+s)/60)
			if s == 0 && h.Number > 1 {
				text = "" // the half before ends with the same label
			}
			all = append(all, tick{x.of(h.Number, s), text})
		}
	}
	return all
}

// placeNow returns the current place; half is 0 in breaks, after the end, and if unknown.
func (m *Match) placeNow() place {
	if m.Row.ClockPeriod == nil || m.Row.ClockMinute == nil {
		return place{}
	}
	h := football.Phase(*m.Row.ClockPeriod).Half()
	if h == 0 {
		return place{}
	}
	second := int(*m.Row.ClockMinute) * 60
	if m.Row.ClockSecond != nil {
		second += int(*m.Row.ClockSecond)
	}
	return place{h, max(0, second-begins[h])}
}

// halfNow returns the current half, or the last one that was played.
func (m *Match) halfNow() int {
	switch phase := football.Phase(words(m.Row.ClockPeriod)); phase {
	case football.HalfTime:
		return 1
	case football.Shootout:
		return 4
	case football.FullTime, football.Break:
		if m.Row.ClockMinute != nil && *m.Row.ClockMinute >= 105 {
			if phase == football.Break {
				return 3
			}
			return 4
		}
		return 2
	default:
		return max(1, phase.Half())
	}
}

// placeOfEntry returns the place of a timeline entry; half is 0 if unknown.
func placeOfEntry(e *table.LiveTimelineRow) place {
	if e.Half == nil || e.Minute == nil {
		return place{}
	}
	seconds := int(*e.Minute) * 60
	if e.Second != nil {
		seconds += int(*e.Second)
	}
	h := int(*e.Half)
	return place{h, max(0, seconds-begins[h])}
}
