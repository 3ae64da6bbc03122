package matchpage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Rows of the momentum figure, from the top: labels of the home side, the curve, labels of the away
// side, the clock.
const (
	labelRow    = 17.0
	curveHeight = 210.0
	edge        = 8.0
)

type momentumFigure struct {
	Panels  []momentumPanel
	Levels  []level
	Most    int // points above 50 at the end of the axis
	HasPast bool
	Text    string // a description for screen readers
	figure
}

// momentumPanel is one half of the figure.
type momentumPanel struct {
	half
	Ticks  []tick
	Curves []curve
	Gaps   []gap
	Marks  []mark
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

type point struct {
	second int // of the half
	x      float64
	home   float64
}

// gap is a stretch of play without momentum.
type gap struct {
	X, Width float64
	Half     int
	From, To int // seconds of the half
	Reason   string
	Unread   bool // whether there is momentum is not known yet
}

// Clock returns the beginning and the end on the match clock.
func (g gap) Clock() string {
	return scoreboard(begins[g.Half]+g.From) + " to " + scoreboard(begins[g.Half]+g.To)
}

// gaps returns the gaps of all halves.
func (f *momentumFigure) gaps() (all []gap) {
	for _, p := range f.Panels {
		all = append(all, p.Gaps...)
	}
	return all
}

func (m *Match) momentum(x *axis) momentumFigure {
	f := momentumFigure{HasPast: len(m.Past) > 0}
	for i := range x.Halves {
		f.Panels = append(f.Panels, m.half(x, &x.Halves[i]))
	}
	f.scale()
	rows := map[string]int{}
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Marks = m.marks(x, p)
		for _, k := range p.Marks {
			rows[k.row()] = max(rows[k.row()], k.Row+1)
		}
	}
	f.Left, f.Width = left, width
	f.Top = edge + labelRow*float64(rows["home"])
	f.Middle, f.Bottom = f.Top+curveHeight/2, f.Top+curveHeight
	f.ClockRow = f.Bottom + labelRow*float64(rows["away"]) + 18
	f.Height = f.ClockRow + 6
	for _, n := range []int{f.Most, f.Most / 2, 0, -f.Most / 2, -f.Most} {
		f.Levels = append(f.Levels, level{f.heightOf(float64(50 + n)), fmt.Sprint(50 + max(n, -n))})
	}
	for i := range f.Panels {
		f.Panels[i].draw(&f)
	}
	f.Text = m.momentumText(&f)
	return f
}

// scale chooses the end of the axis, to let the curve use its height: the largest lead, rounded
// up to an even number, and at least ten, because a smaller lead must not look large.
func (f *momentumFigure) scale() {
	lead := 0.0
	for _, p := range f.Panels {
		for _, c := range p.Curves {
			for _, one := range c.points {
				lead = max(lead, math.Abs(one.home-50))
			}
		}
	}
	f.Most = min(50, max(10, 2*int(math.Ceil(lead/2))))
}

func (f *momentumFigure) heightOf(home float64) float64 {
	return f.Middle - curveHeight/2*(home-50)/float64(f.Most)
}

// half gathers one half: moments with a number become curves, the rest of play becomes gaps.
func (m *Match) half(x *axis, h *half) momentumPanel {
	p := momentumPanel{half: *h, Ticks: x.Ticks(*h)}
	d := drawing{x: x, half: h, panel: &p, reasons: map[string]int{}}
	for i, at := range x.places {
		if at.half != h.Number || at.second < d.last {
			continue // a clock set back must not draw twice
		}
		if now := &m.Past[i].Momentum; now.Available() {
			d.add(at.second, float64(now.Home))
		} else {
			d.addMissing(at.second, string(now.Reason))
		}
	}
	if now := m.placeNow(); len(m.Past) == 0 && now.half == h.Number && m.Row.MomentumHome != nil && !m.isStale() {
		d.add(now.second, float64(*m.Row.MomentumHome))
	}
	d.end()
	d.gap(h.known)
	if m.Tracing != "" {
		for i := range p.Gaps {
			if p.Gaps[i].Reason == notSeen {
				p.Gaps[i].Reason, p.Gaps[i].Unread = "not read from the archive yet", true
			}
		}
	}
	return p
}

// drawing is the curves and gaps of one half, gathered from left to right.
type drawing struct {
	x     *axis
	half  *half
	panel *momentumPanel

	run     []point // the current curve
	last    int     // second of the half of the last number
	reasons map[string]int
}

// add adds a number: it extends the curve, or begins a new one after a gap.
func (d *drawing) add(second int, home float64) {
	if len(d.run) > 0 && second-d.last > joinWithin {
		d.end()
	}
	if len(d.run) == 0 {
		d.gap(second)
	}
	d.run = append(d.run, point{second, d.x.of(d.half.Number, second), home})
	d.last = second
}

// addMissing adds a moment without a number. If the last moment is long ago, the time in between
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
		d.panel.Curves = append(d.panel.Curves, curve{points: d.run})
	}
	d.run = nil
}

// gap adds the stretch from the last number to a second of the half, unless it is only the time
// between two samples.
func (d *drawing) gap(to int) {
	if to-d.last > joinWithin || to > d.last && len(d.reasons) > 0 {
		g := gap{X: d.x.of(d.half.Number, d.last), Half: d.half.Number, From: d.last, To: to, Reason: reasonOf(mostOf(d.reasons))}
		g.Width = d.x.of(d.half.Number, to) - g.X
		d.panel.Gaps = append(d.panel.Gaps, g)
	}
	clear(d.reasons)
}

// mostOf returns the most frequent reason, "" if there is none.
func mostOf(reasons map[string]int) (most string) {
	for reason, n := range reasons {
		if most == "" || n > reasons[most] || n == reasons[most] && reason < most {
			most = reason
		}
	}
	return most
}

// draw gives curves and marks their places in the frame of the figure.
func (p *momentumPanel) draw(f *momentumFigure) {
	for i := range p.Curves {
		p.Curves[i].draw(f, begins[p.Number])
	}
	for i := range p.Marks {
		k := &p.Marks[i]
		if k.Y = f.Middle; k.known {
			k.Y = f.heightOf(k.home)
		}
		k.LabelY, k.LineY = f.Top-5-labelRow*float64(k.Row), f.Top-2-labelRow*float64(k.Row)
		if k.row() == "away" {
			k.LabelY, k.LineY = f.Bottom+14+labelRow*float64(k.Row), f.Bottom+3+labelRow*float64(k.Row)
		}
	}
}

func (c *curve) draw(f *momentumFigure, kickOff int) {
	first, last := c.points[0], c.points[len(c.points)-1]
	c.X, c.Y = first.x, f.heightOf(first.home)
	low, high := first.home, first.home
	for _, p := range c.points {
		low, high = min(low, p.home), max(high, p.home)
	}
	c.Title = fmt.Sprintf("%s: home %.0f", scoreboard(kickOff+first.second), low)
	if len(c.points) == 1 {
		return
	}
	c.Title = fmt.Sprintf("%s to %s: home %.0f to %.0f", scoreboard(kickOff+first.second), scoreboard(kickOff+last.second), low, high)
	var line strings.Builder
	for i, p := range c.points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&line, "%s%.1f %.1f", command, p.x, f.heightOf(p.home))
	}
	c.Line = line.String()
	c.Area = fmt.Sprintf("%sL%.1f %.1fL%.1f %.1fZ", c.Line, last.x, f.Middle, first.x, f.Middle)
}

// momentumText describes the figure for screen readers.
func (m *Match) momentumText(f *momentumFigure) string {
	if !f.HasPast {
		return "No earlier momentum is archived: only the newest moment is drawn."
	}
	played, without := 0, 0
	counts := map[string]int{}
	for _, p := range f.Panels {
		played += p.known
		for _, k := range p.Marks {
			counts[k.Kind]++
		}
	}
	for _, g := range f.gaps() {
		without += g.To - g.From
	}
	var list []string
	for _, kind := range []string{"goal", "red-card", "yellow-card", "card", "penalty", "corner"} {
		if n := counts[kind]; n > 0 {
			list = append(list, fmt.Sprintf("%d × %s", n, strings.ReplaceAll(kind, "-", " ")))
		}
	}
	return fmt.Sprintf("Momentum is known for %d of %d minutes of play%s.", (played-without+30)/60, (played+30)/60, strings.TrimSuffix("; marked: "+strings.Join(list, ", "), "; marked: "))
}

// mark is an event on the curve. An important one has a label above or below the figure.
type mark struct {
	X, Y          float64
	Kind          string // goal, yellow-card, red-card, card (of unknown colour), penalty, corner
	Side          string // home, away, none
	Class         string // its certainty
	Title         string
	Label         string // "" for a corner
	LabelX        float64
	Anchor        string
	Row           int // of the label, from 0, counted from the curve; -1 without one
	LabelY, LineY float64
	home          float64 // momentum at its moment
	known         bool    // whether there is any
}

// row returns the side on which its label is.
func (k *mark) row() string {
	if k.Side == "away" {
		return "away"
	}
	return "home"
}

var kinds = map[string]string{string(football.VisualGoal): "goal", string(football.VisualCard): "card", string(football.VisualPenalty): "penalty", string(football.VisualCorner): "corner"}

// marks returns the events of a half. The most important ones are last and so drawn on top.
func (m *Match) marks(x *axis, p *momentumPanel) (all []mark) {
	scores := m.scores()
	for i := range m.Timeline {
		e := &m.Timeline[i]
		kind, ok := kinds[e.State]
		if isShootout := kind == "penalty" && e.SideProven == string(football.SideNone) && e.Certainty != string(football.Exact); !ok || isShootout {
			continue
		}
		if kind == "card" {
			kind = m.card(e)
		}
		at, _ := m.placeOfEntry(e)
		if at.half != p.Number {
			continue // of another half, or its place on the match clock is unknown
		}
		k := mark{X: x.of(at.half, at.second), Kind: kind, Side: strings.ToLower(e.SideProven), Class: strings.ToLower(e.Certainty), Row: -1,
			Title: fmt.Sprintf("%s %s, %s, %s", m.minuteOf(e), strings.ReplaceAll(kind, "-", " "), m.side(e.SideProven), strings.ToLower(e.Certainty))}
		if kind != "corner" {
			k.Label = strings.TrimSpace(m.minuteOf(e) + " " + scores[i])
		}
		k.home, k.known = p.at(at.second)
		all = append(all, k)
	}
	arrange(all)
	weight := []string{"corner", "yellow-card", "card", "red-card", "penalty", "goal"}
	slices.SortStableFunc(all, func(a, b mark) int { return slices.Index(weight, a.Kind) - slices.Index(weight, b.Kind) })
	return all
}

// card returns the kind of mark of a card. Its colour is that of the counter of its side with the
// nearest rise. A red card after a second yellow one raises both.
func (m *Match) card(e *table.LiveTimelineRow) string {
	kind, nearest := "card", time.Duration(joinWithin)*time.Second
	for i := 1; i < len(m.Past); i++ {
		apart := m.Past[i].Fixture.FetchedAt.Sub(e.At).Abs()
		if apart > nearest {
			continue
		}
		for _, c := range []struct {
			kind   string
			metric football.Metric
		}{{"yellow-card", football.YellowCards}, {"red-card", football.RedCards}} {
			if rose(counterOf(&m.Past[i-1], c.metric), counterOf(&m.Past[i], c.metric), football.Side(e.SideProven)) {
				kind, nearest = c.kind, apart
			}
		}
	}
	return kind
}

// rose reports whether the counter of a side rose, or of any side if it is none.
func rose(before, now *football.Counter, side football.Side) bool {
	if before == nil || now == nil {
		return false
	}
	home, _ := difference(before.Home, now.Home)
	away, _ := difference(before.Away, now.Away)
	return home > 0 && side != football.SideAway || away > 0 && side != football.SideHome
}

// arrange gives every label a row in which it overlaps no other.
func arrange(marks []mark) {
	const letter = 9.0              // of a goal on a phone, the widest
	taken := map[string][]float64{} // the end of the last label of each row
	order := make([]*mark, 0, len(marks))
	for i := range marks {
		if marks[i].Label != "" {
			order = append(order, &marks[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *mark) int { return cmp.Compare(a.X, b.X) })
	for _, k := range order {
		w := letter * float64(len([]rune(k.Label)))
		from := min(max(left, k.X-w/2), width-w)
		k.Anchor, k.LabelX = "middle", from+w/2
		rows := taken[k.row()]
		k.Row = slices.IndexFunc(rows, func(end float64) bool { return end <= from })
		if k.Row < 0 {
			k.Row, rows = len(rows), append(rows, 0)
		}
		rows[k.Row] = from + w + letter/2
		taken[k.row()] = rows
	}
}

// at returns the momentum of the last moment up to a second of the half; false if the curve has
// none within reach.
func (p *momentumPanel) at(second int) (home float64, known bool) {
	for _, c := range p.Curves {
		for _, one := range c.points {
			if one.second <= second && second-one.second <= joinWithin {
				home, known = one.home, true
			}
		}
	}
	return home, known
}

// scores returns the score after each goal of the timeline, by its index. It is counted, and only
// if the timeline has as many goals of both sides as the score: otherwise a goal was missed or
// withdrawn, and nothing is returned.
func (m *Match) scores() map[int]string {
	home, away := 0, 0
	all := map[int]string{}
	for i := range m.Timeline {
		e := &m.Timeline[i]
		if e.State != string(football.VisualGoal) {
			continue
		}
		switch football.Side(e.SideProven) {
		case football.SideHome:
			home++
		case football.SideAway:
			away++
		}
		all[i] = fmt.Sprintf("%d–%d", home, away)
	}
	if r := &m.Row; r.ScoreHome == nil || r.ScoreAway == nil || int(*r.ScoreHome) != home || int(*r.ScoreAway) != away {
		return nil
	}
	return all
}
