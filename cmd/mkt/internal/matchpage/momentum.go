package matchpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mkt/publish/football"
)

// Rows of the momentum figure, from the top: home's marks, the curve, away's marks, the clock.
const (
	curveTop    = 28.0
	curveHeight = 200.0
	curveBottom = curveTop + curveHeight
	homeMarks   = 13.0
	awayMarks   = curveBottom + 16
	clockRow    = curveBottom + 42
	momentumEnd = clockRow + 10
)

// joinWithin is how far apart, in seconds of the match clock, two moments may be for the curve
// to join them: the age up to which a state is not stale.
const joinWithin = 60

type momentumFigure struct {
	Height  float64
	Halves  []half
	Ticks   []tick
	Levels  []level
	Curves  []curve
	Gaps    []gap
	Marks   []mark
	HasPast bool
	Text    string // a description for screen readers

	Top, Middle, Bottom, CurveHeight, ClockRow float64
	Left, Right                                float64
}

// level is a grid line.
type level struct {
	Y    float64
	Text string
}

// curve is one unbroken curve.
type curve struct {
	Line, Area string // path data; Line is "" for a single moment
	X, Y       float64
	Title      string
	points     []point
}

type point struct{ x, home float64 }

// gap is a stretch of play without momentum.
type gap struct {
	X, Width float64
	Half     int
	From, To int // seconds of the half
	Reason   string
}

// Clock returns the beginning and the end on the match clock.
func (g gap) Clock() string {
	return scoreboard(begins[g.Half]+g.From) + " to " + scoreboard(begins[g.Half]+g.To)
}

func heightOf(home float64) float64 { return curveTop + curveHeight*(100-home)/100 }

func (m *Match) momentum(x *axis) momentumFigure {
	f := momentumFigure{Height: momentumEnd, Halves: x.Halves, Ticks: x.Ticks(), HasPast: len(m.Past) > 0,
		Top: curveTop, Middle: heightOf(50), Bottom: curveBottom, CurveHeight: curveHeight, ClockRow: clockRow, Left: left, Right: width - right}
	for _, home := range []float64{100, 75, 50, 25, 0} {
		f.Levels = append(f.Levels, level{heightOf(home), fmt.Sprint(max(home, 100-home))})
	}
	for i := range x.Halves {
		m.half(x, &x.Halves[i], &f)
	}
	f.Marks = m.marks(x)
	f.Text = m.momentumText(&f)
	return f
}

// half draws one half: moments with a number become curves, the rest of play becomes gaps.
func (m *Match) half(x *axis, h *half, f *momentumFigure) {
	d := drawing{x: x, half: h, figure: f, reasons: map[string]int{}}
	for i, p := range x.places {
		if p.half != h.Number || p.second < d.last {
			continue // a clock that was set back must not draw twice
		}
		if now := &m.Past[i].Momentum; now.Available() {
			d.add(p.second, float64(now.Home))
		} else {
			d.addMissing(p.second, string(now.Reason))
		}
	}
	if now := m.placeNow(); len(m.Past) == 0 && now.half == h.Number && m.Row.MomentumHome != nil && !m.isStale() {
		d.add(now.second, float64(*m.Row.MomentumHome))
	}
	d.end()
	d.gap(h.known)
}

// drawing is the curves and gaps of one half, drawn from left to right.
type drawing struct {
	x      *axis
	half   *half
	figure *momentumFigure

	run         []point // the current curve
	begun, last int     // seconds of the half: of the curve's first point, and of the last number
	reasons     map[string]int
}

// add adds a number: it extends the curve, or begins a new one after a gap.
func (d *drawing) add(second int, home float64) {
	if len(d.run) > 0 && second-d.last > joinWithin {
		d.end()
	}
	if len(d.run) == 0 {
		d.gap(second)
		d.begun = second
	}
	d.run = append(d.run, point{d.x.of(d.half.Number, second), home})
	d.last = second
}

// addMissing adds a moment that has no number. If the last moment is long ago, the time in between
// was not seen at all.
func (d *drawing) addMissing(second int, reason string) {
	d.end()
	if len(d.reasons) == 0 && second-d.last > joinWithin {
		d.gap(second)
		d.last = second
	}
	d.reasons[reason]++
}

func (d *drawing) end() {
	if len(d.run) > 0 {
		kickOff := begins[d.half.Number]
		d.figure.Curves = append(d.figure.Curves, curveOf(d.run, scoreboard(kickOff+d.begun), scoreboard(kickOff+d.last)))
	}
	d.run = nil
}

// gap adds the stretch from the last number to a second of the half, unless it is only the time
// between two samples.
func (d *drawing) gap(to int) {
	if to-d.last > joinWithin || to > d.last && len(d.reasons) > 0 {
		g := gap{X: d.x.of(d.half.Number, d.last), Half: d.half.Number, From: d.last, To: to, Reason: cmp.Or(mostOf(d.reasons), notSeen)}
		g.Width = d.x.of(d.half.Number, to) - g.X
		d.figure.Gaps = append(d.figure.Gaps, g)
	}
	clear(d.reasons)
}

// notSeen is why a stretch of play has no momentum if no cycle says why.
const notSeen = "not seen"

// mostOf returns the most frequent reason, "" if there is none.
func mostOf(reasons map[string]int) (most string) {
	for reason, n := range reasons {
		if most == "" || n > reasons[most] || n == reasons[most] && reason < most {
			most = reason
		}
	}
	return most
}

func curveOf(run []point, from, to string) curve {
	c := curve{points: run, X: run[0].x, Y: heightOf(run[0].home), Title: from}
	low, high := run[0].home, run[0].home
	for _, p := range run {
		low, high = min(low, p.home), max(high, p.home)
	}
	c.Title = fmt.Sprintf("%s: home %.0f", from, low)
	if len(run) == 1 {
		return c
	}
	c.Title = fmt.Sprintf("%s to %s: home %.0f to %.0f", from, to, low, high)
	var line strings.Builder
	for i, p := range run {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&line, "%s%.1f %.1f", command, p.x, heightOf(p.home))
	}
	c.Line = line.String()
	c.Area = fmt.Sprintf("%sL%.1f %.1fL%.1f %.1fZ", c.Line, run[len(run)-1].x, heightOf(50), run[0].x, heightOf(50))
	return c
}

// momentumText describes the figure for screen readers.
func (m *Match) momentumText(f *momentumFigure) string {
	if !f.HasPast {
		return "No earlier momentum is archived: only the newest moment is drawn."
	}
	played, without := 0, 0
	for _, h := range f.Halves {
		played += h.known
	}
	for _, g := range f.Gaps {
		without += g.To - g.From
	}
	counts := map[string]int{}
	for _, k := range f.Marks {
		counts[k.Kind]++
	}
	var list []string
	for _, kind := range []string{"goal", "card", "penalty", "corner"} {
		if n := counts[kind]; n > 0 {
			list = append(list, fmt.Sprintf("%d × %s", n, kind))
		}
	}
	return fmt.Sprintf("Momentum is known for %d of %d minutes of play%s.", (played-without+30)/60, (played+30)/60, strings.TrimSuffix("; marked: "+strings.Join(list, ", "), "; marked: "))
}

// mark is an event, drawn in its side's row.
type mark struct {
	X, Y  float64
	Kind  string // goal, card, penalty, corner
	Side  string // home, away, none
	Class string // its certainty
	Title string
}

var kinds = map[string]string{string(football.VisualGoal): "goal", string(football.VisualCard): "card", string(football.VisualPenalty): "penalty", string(football.VisualCorner): "corner"}

// marks returns the events to mark. The most important ones are last, so that they are on top.
func (m *Match) marks(x *axis) (all []mark) {
	for i := range m.Timeline {
		e := &m.Timeline[i]
		kind, ok := kinds[e.State]
		if !ok {
			continue
		}
		p := placeOfEntry(e)
		if p.half == 0 {
			continue // its place on the match clock is unknown
		}
		k := mark{X: x.of(p.half, p.second), Kind: kind, Side: strings.ToLower(e.SideProven), Class: strings.ToLower(e.Certainty),
			Title: fmt.Sprintf("%s %s, %s, %s", clockOf(*e), kind, m.side(e.SideProven), strings.ToLower(e.Certainty))}
		switch k.Side {
		case "home":
			k.Y = homeMarks
		case "away":
			k.Y = awayMarks
		default:
			k.Y = heightOf(50)
		}
		all = append(all, k)
	}
	weight := []string{"corner", "card", "penalty", "goal"}
	slices.SortStableFunc(all, func(a, b mark) int { return slices.Index(weight, a.Kind) - slices.Index(weight, b.Kind) })
	return all
}

func (m *Match) side(side string) string {
	switch football.Side(side) {
	case football.SideHome:
		return words(m.Row.Home)
	case football.SideAway:
		return words(m.Row.Away)
	}
	return "side not proven"
}
