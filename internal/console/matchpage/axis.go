package matchpage

import (
	"fmt"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Sizes of every panel, in the units of its view box. A figure has one panel for each half. All
// have the same scale, because they stand beside each other on a wide page and below each other on
// a phone.
const (
	width = 520.0
	left  = 30.0
	right = 24.0 // for the end of "+12"
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
	known  int     // seconds of it already played
	From   float64 // x coordinate
	Added  float64 // of the beginning of stoppage time
	To     float64
}

// Name returns the name of the half for people.
func (h half) Name() string { return halfName(h.Number) }

// HasAdded reports whether the half has stoppage time.
func (h half) HasAdded() bool { return h.length > lasts[h.Number] }

// AddedWidth returns the width of its stoppage time.
func (h half) AddedWidth() float64 { return h.To - h.Added }

// Begun reports whether any of the half was played.
func (h half) Begun() bool { return h.known > 0 }

// axis is the match clock from kick-off, with stoppage time and without breaks.
type axis struct {
	Halves []half
	places []place // of past samples, in time order
	scale  float64 // units of a second
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

// axis lays out the halves played or still to come.
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
		p, _ := m.placeOfEntry(&m.Timeline[i])
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
	longest := lasts[1]
	for n := 1; n <= max(2, now); n++ {
		h := half{Number: n, length: max(lasts[n], seen[n]), known: seen[n]}
		if n < now || n == now && m.placeNow().half == 0 && m.Row.ClockPeriod != nil {
			h.known = h.length // the half is over
		}
		longest = max(longest, h.length)
		x.Halves = append(x.Halves, h)
	}
	x.scale = (width - left - right) / float64(longest)
	for i := range x.Halves {
		h := &x.Halves[i]
		h.From, h.To = left, left+float64(h.length)*x.scale
		h.Added = left + float64(lasts[h.Number])*x.scale
	}
	return x
}

// of returns the x coordinate of a second of a half, within the half's panel.
func (x *axis) of(n, second int) float64 {
	h := x.Halves[min(max(n, 1), len(x.Halves))-1]
	return left + float64(min(max(second, 0), h.length))*x.scale
}

// tick is a mark on the match clock. One of stoppage time has no text, except the last.
type tick struct {
	X      float64
	Text   string
	Anchor string // of the text: start, middle or end
}

// Ticks returns the marks of a half: every fifteenth minute, and every minute of stoppage time.
func (x *axis) Ticks(h half) (all []tick) {
	for s := 0; s <= lasts[h.Number]; s += 15 * 60 {
		all = append(all, tick{x.of(h.Number, s), fmt.Sprintf("%d'", (begins[h.Number]+s)/60), "middle"})
	}
	added := (h.length - lasts[h.Number] + 59) / 60
	if added > 0 {
		all[len(all)-1].Anchor = "end"
	}
	for n := 1; n <= added; n++ {
		t := tick{X: x.of(h.Number, lasts[h.Number]+60*n), Anchor: "start"}
		if n == added {
			t.Text = fmt.Sprintf("+%d", n)
			if n > 2 {
				t.Anchor = "middle"
			}
		}
		all = append(all, t)
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

// halfNow returns the current half, or the last one played.
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

// placeOfEntry returns the place of a timeline entry; half is 0 if unknown. In stoppage time the
// timeline has only the minute, and in files of older versions not even the minute once the half is
// over. The second is then taken from the archive, if it has one.
func (m *Match) placeOfEntry(e *table.LiveTimelineRow) (p place, exact bool) {
	if e.Half == nil || e.Minute == nil || *e.Half < 1 || int(*e.Half) >= len(begins) {
		return place{}, false
	}
	seconds := int(*e.Minute) * 60
	if e.Second != nil {
		seconds += int(*e.Second)
	}
	h := int(*e.Half)
	p = place{h, max(0, seconds-begins[h])}
	if e.Added != nil {
		p.second += 60 * int(*e.Added-1)
	} else if p.second/60 != lasts[h]/60 || e.Second != nil && *e.Second > 0 {
		return p, true
	}
	for i := range m.Past {
		s := &m.Past[i]
		if at := placeOf(&s.Clock); at.half == h && at.second >= p.second && (e.Added == nil || at.second < p.second+60) && !s.Fixture.FetchedAt.Before(e.At) && s.Fixture.FetchedAt.Sub(e.At) <= joinWithin*time.Second {
			return at, true
		}
	}
	return p, e.Added != nil || m.placeNow().half == h
}

func halfOfMinute(n int) int {
	for h := 4; h > 1; h-- {
		if n*60 > begins[h] {
			return h
		}
	}
	return 1
}

// joinWithin is how far apart, in seconds of the match clock, two moments may be for the curve
// to join them: the age up to which a state is not stale.
const joinWithin = 60

// minuteOf returns the minute of play of an entry as a scoreboard names it: 13', 45+2', or 45+' if
// the minute of stoppage time is unknown. It is "" if the entry has no minute.
func (m *Match) minuteOf(e *table.LiveTimelineRow) string {
	p, exact := m.placeOfEntry(e)
	if p.half == 0 {
		return ""
	}
	if !exact {
		return fmt.Sprintf("%d+'", (begins[p.half]+lasts[p.half])/60)
	}
	one := minute{half: p.half, of: p.second / 60}
	return one.name() + "'"
}

// Minute returns the match clock in short, for a list: 65', 45+2', HT, or "" if it is unknown.
func Minute(r *table.LiveRow) string {
	m := Match{Row: *r}
	if p := m.placeNow(); p.half > 0 {
		one := minute{half: p.half, of: p.second / 60}
		return one.name() + "'"
	}
	if r.ClockPeriod == nil {
		return ""
	}
	return *r.ClockPeriod
}

type minute struct {
	half, of   int // of is the minute of the half, from 0, including stoppage time
	state      football.BucketState
	home, away int
	fallen     bool
}

// name returns the minute as clients see it: 12, 45+2.
func (one *minute) name() string {
	regular := min(one.of, lasts[one.half]/60-1)
	name := fmt.Sprint(begins[one.half]/60 + regular + 1)
	if one.of > regular {
		name += fmt.Sprintf("+%d", one.of-regular)
	}
	return name
}

// rise sets the difference of two counters, for both sides or for neither.
func (one *minute) rise(before, now *football.Counter) {
	if now.State() == football.BucketNull {
		one.state = football.BucketNull
		return
	}
	if before == nil {
		return
	}
	home, okHome := difference(before.Home, now.Home)
	away, okAway := difference(before.Away, now.Away)
	if !okHome || !okAway {
		return
	}
	one.fallen = home < 0 || away < 0
	one.home, one.away = max(0, home), max(0, away)
	one.state = football.BucketZero
	if one.home > 0 || one.away > 0 {
		one.state = football.BucketValue
	}
}

func difference(before, now football.Field[football.Number]) (int, bool) {
	b, okBefore := before.Get()
	n, okNow := now.Get()
	if !okBefore || !okNow {
		return 0, false
	}
	from, whole := b.Count()
	to, wholeNow := n.Count()
	return to - from, whole && wholeNow
}
