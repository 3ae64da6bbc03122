package matchpage

import (
	"fmt"

	"mkt/internal/terminal"
	"mkt/publish/football"
)

// Rows of a figure of bars: home above the axis, away below it.
const (
	barsTop    = 10.0
	barsSide   = 52.0
	barsMiddle = barsTop + barsSide
	barsBottom = barsMiddle + barsSide
	barsClock  = barsBottom + 18
	barsEnd    = barsClock + 6
)

// barsFigure shows a number for both sides and every minute of play.
type barsFigure struct {
	Name, About string
	Most        int
	Panels      []barsPanel
	Text        string
	figure
}

// barsPanel is one half of the figure.
type barsPanel struct {
	half
	Bars  []bar
	Ticks []tick
}

// figure has the rows of a figure.
type figure struct{ Top, Middle, Bottom, ClockRow, Left, Width, Height float64 }

// Tall returns the distance from the top to the bottom.
func (f figure) Tall() float64 { return f.Bottom - f.Top }

// bar is one minute. Its state says which of the other fields are valid.
type bar struct {
	X, Width          float64
	Center            float64
	State             football.BucketState
	Fallen            bool // a counter fell: the feed corrected itself
	HomeY, HomeHeight float64
	AwayY, AwayHeight float64
	Title             string

	minute     string
	home, away int
}

func (m *Match) pressure(x *axis) barsFigure {
	var all []minute
	for _, b := range m.Buckets {
		h := halfOfMinute(int(b.Minute))
		all = append(all, minute{half: h, of: int(b.Minute) - 1 - begins[h]/60 + int(b.Added), state: football.BucketState(b.State), home: int(numberOf(b.Home)), away: int(numberOf(b.Away))})
	}
	f := m.figure(x, all)
	f.Name, f.About = "Pressure by minute", "the points that the counters of attacks, shots and corners give"
	if len(all) == 0 {
		f.Text = "No minutes are published: the fixture is outside the detail set, or has not begun."
	}
	return f
}

func (m *Match) figure(x *axis, all []minute) barsFigure {
	f := barsFigure{Most: 1, figure: figure{Top: barsTop, Middle: barsMiddle, Bottom: barsBottom, ClockRow: barsClock, Left: left, Width: width, Height: barsEnd}}
	for _, h := range x.Halves {
		f.Panels = append(f.Panels, barsPanel{half: h, Ticks: x.Ticks(h)})
	}
	counts := map[football.BucketState]int{}
	for _, one := range all {
		f.Most = max(f.Most, one.home, one.away)
		counts[one.state]++
	}
	for _, one := range all {
		if one.half > len(x.Halves) {
			continue
		}
		p := &f.Panels[one.half-1]
		p.Bars = append(p.Bars, m.bar(x, one, f.Most))
	}
	f.Text = fmt.Sprintf("%s with a number, %d of zero, %d missing", terminal.Plural(counts[football.BucketValue], "minute"), counts[football.BucketZero], counts[football.BucketMissing])
	if n := counts[football.BucketNull]; n > 0 {
		f.Text += fmt.Sprintf(", %d sent without a value", n)
	}
	if counts[football.BucketValue] > 0 {
		f.Text += fmt.Sprintf("; the highest number is %d", f.Most)
	}
	f.Text += "."
	return f
}

func (m *Match) bar(x *axis, one minute, most int) bar {
	b := bar{X: x.of(one.half, one.of*60) + 0.6, State: one.state, Fallen: one.fallen, minute: one.name(), home: one.home, away: one.away}
	b.Width = max(1, x.of(one.half, (one.of+1)*60)-b.X-0.6)
	b.Center = b.X + b.Width/2
	b.HomeHeight, b.AwayHeight = barsSide*float64(max(0, one.home))/float64(most), barsSide*float64(max(0, one.away))/float64(most)
	b.HomeY, b.AwayY = barsMiddle-b.HomeHeight, barsMiddle
	name := "minute " + one.name()
	switch one.state {
	case football.BucketValue:
		b.Title = fmt.Sprintf("%s: %s %d, %s %d", name, words(m.Row.Home), one.home, words(m.Row.Away), one.away)
	case football.BucketZero:
		b.Title = name + ": zero"
	case football.BucketNull:
		b.Title = name + ": sent without a value"
	default:
		b.Title = name + ": missing"
	}
	if one.fallen {
		b.Title += "; the feed corrected itself"
	}
	return b
}

// charted are the counters with a figure of their own, if they are sent.
var charted = []football.Metric{football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners}

// counterBars shows how much a counter rose in every minute: the difference between the last
// samples of two minutes, and no number if either has none. It returns false if the archive has
// no value of the counter.
func (m *Match) counterBars(x *axis, metric football.Metric) (barsFigure, bool) {
	var all []minute
	var before *football.Counter // at the end of the previous minute
	beforeAt, sent := lastSample{}, false
	for _, last := range m.lastOfMinutes(x) {
		c := counterOf(&m.Past[last.moment], metric)
		one := minute{half: last.half, of: last.of, state: football.BucketMissing}
		if c != nil {
			sent = true
			if last.follows(beforeAt) || c.State() == football.BucketNull {
				one.rise(before, c)
			}
		}
		all = append(all, one)
		before, beforeAt = c, last
	}
	if !sent {
		return barsFigure{}, false
	}
	f := m.figure(x, missingBetween(all))
	f.Name = metricName(string(metric)) + " by minute"
	f.About = "how much the provider's counter rose in each minute"
	return f, true
}

// lastSample is when, within a minute, the feed reported something for the last time.
type lastSample struct{ half, of, moment int }

// follows reports whether s is in the minute after before's.
func (s lastSample) follows(before lastSample) bool {
	if s.half == before.half {
		return s.of == before.of+1
	}
	return s.half == before.half+1 && s.of == 0 && (before.of+1)*60 >= lasts[before.half]
}

func (m *Match) lastOfMinutes(x *axis) (all []lastSample) {
	for i, p := range x.places {
		fresh := i == 0 || m.Past[i].Fixture.FetchedAt.After(m.Past[i-1].Fixture.FetchedAt)
		if p.half == 0 || !fresh {
			continue
		}
		one := lastSample{p.half, p.second / 60, i}
		switch last := len(all) - 1; {
		case last >= 0 && all[last].half == one.half && all[last].of == one.of:
			all[last] = one
		case last < 0 || all[last].half < one.half || all[last].half == one.half && all[last].of < one.of:
			all = append(all, one)
		}
	}
	return all
}

func counterOf(l *football.Live, metric football.Metric) *football.Counter {
	for i := range l.Counters {
		if c := &l.Counters[i]; c.Metric == metric && c.State() != football.BucketMissing {
			return c
		}
	}
	return nil
}

// missingBetween adds the minutes without a sample.
func missingBetween(all []minute) (filled []minute) {
	half, of := 1, 0
	for _, one := range all {
		for ; half < one.half; half, of = half+1, 0 {
			for ; of*60 < lasts[half]; of++ {
				filled = append(filled, minute{half: half, of: of, state: football.BucketMissing})
			}
		}
		for ; of < one.of; of++ {
			filled = append(filled, minute{half: half, of: of, state: football.BucketMissing})
		}
		filled = append(filled, one)
		of = one.of + 1
	}
	return filled
}
