package feed

import (
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/random"
)

// Questions for dice, one for each kind of oddity.
const (
	oddCorrected = iota + 80
	oddDisallowed
	oddVanishing
	oddNull
	oddLate
	oddStalled
	oddFrozen
	oddLag
	oddRunsOn
)

// planErrors plans a match's oddities by its lots.
func planErrors(f competition.Fixture, s *play.Script, covered metricSet, o Oddities) *feedErrors {
	b := &feedErrors{covered: covered}
	pace := time.Duration(1)
	if f.League.Minutes < 30 {
		pace = 6 // eSoccer matches are shorter
	}
	plant := func(about uint64, rate float64, sow func(p planter)) {
		p := planter{rng: random.Stream(f.Dice.Of(about)), b: b, script: s, fixture: f, pace: pace}
		if p.rng.Chance(rate) {
			sow(p)
		}
	}
	plant(oddCorrected, o.Corrected, planter.correct)
	plant(oddDisallowed, o.Disallowed, planter.disallow)
	plant(oddVanishing, o.Vanishing, planter.vanish)
	plant(oddNull, o.Null, planter.void)
	plant(oddLate, o.Late, planter.delay)
	plant(oddStalled, o.Stalled, planter.stall)
	if f.Lot(6, oddLag) == 0 {
		b.lag = time.Duration(8+f.Lot(30, oddLag, 1)) * time.Second
	}
	if f.Lot(12, oddRunsOn) == 0 && pace == 1 {
		b.runsOn = time.Duration(40+f.Lot(90, oddRunsOn, 1)) * time.Second
	}
	return b
}

// planter plants the oddities of one kind in a match.
type planter struct {
	rng     random.Stream
	b       *feedErrors
	script  *play.Script
	fixture competition.Fixture
	pace    time.Duration
}

// seconds is a duration of a to b seconds, shorter in a short match.
func (p *planter) seconds(a, b int) time.Duration {
	return max(time.Duration(p.rng.Between(a, b))*time.Second/p.pace, 2*time.Second).Truncate(time.Second)
}

// moment is a time in the match, not at its very beginning.
func (p *planter) moment() time.Duration {
	end := int(p.script.End() / time.Second)
	return time.Duration(p.rng.Between(end/20, end-end/20)) * time.Second
}

// correctable are the metrics that operators get wrong.
var correctable = []play.Metric{play.Attacks, play.DangerousAttacks, play.DangerousAttacks, play.OnTarget, play.OffTarget, play.Corners, play.YellowCards, play.ExpectedGoals}

func (p planter) correct() {
	for range p.rng.Between(1, 3) {
		m := correctable[p.rng.Under(len(correctable))]
		inc, ok := p.increment(m)
		if !ok || !p.b.covered.has(m) {
			continue
		}
		switch p.rng.Under(4) {
		case 0:
			p.alter(Correction{p.span(inc.At+p.seconds(5, 200), 15, 90), m, inc.Side, p.unit(m, inc.Side, inc.At), Invented})
		case 1:
			span := p.span(inc.At, 30, 160)
			if m != play.ExpectedGoals && p.free(m, span) {
				p.alter(Correction{span, m, inc.Side, -1, Swapped})
				p.alter(Correction{span, m, inc.Side.Other(), 1, Swapped})
			}
		default:
			p.alter(Correction{p.span(inc.At+p.seconds(5, 200), 15, 160), m, inc.Side, -p.unit(m, inc.Side, inc.At), Lowered})
		}
	}
}

func (p *planter) span(from time.Duration, low, high int) Span {
	from = from.Truncate(time.Second)
	return Span{from, from + p.seconds(low, high)}
}

// unit is how wrong a metric is.
func (p *planter) unit(m play.Metric, side play.Side, at time.Duration) int {
	if m == play.ExpectedGoals {
		return min(6, p.script.Counts(at).Of(m)[side])
	}
	return 1
}

// increment returns a random increment of a metric.
func (p *planter) increment(m play.Metric) (play.Increment, bool) {
	var all []play.Increment
	for _, inc := range p.script.Increments {
		if inc.Metric == m {
			all = append(all, inc)
		}
	}
	if len(all) == 0 {
		return play.Increment{}, false
	}
	return all[p.rng.Under(len(all))], true
}

// alter adds a correction unless there is one of the metric nearby.
func (p *planter) alter(c Correction) {
	if c.Why == Swapped || p.free(c.Metric, c.Span) {
		p.b.corrections = append(p.b.corrections, c)
	}
}

func (p *planter) free(m play.Metric, s Span) bool {
	for _, c := range p.b.corrections {
		if c.Metric == m && s.From < c.To && c.From < s.To {
			return false
		}
	}
	return s.To < p.script.End()
}

// disallow shows a shot as a goal for a while, if no true goal is near.
func (p planter) disallow() {
	for range 8 {
		inc, ok := p.increment(play.OnTarget)
		if !ok {
			return
		}
		quiet := Span{inc.At - 2*time.Minute, inc.At + 4*time.Minute}
		if p.scored(quiet) {
			continue
		}
		span := p.span(inc.At+p.seconds(2, 6), 35, 110)
		if !p.free(play.Goals, span) {
			continue
		}
		p.alter(Correction{span, play.Goals, inc.Side, 1, Disallowed})
		scorer := play.Starter([2]competition.Team{p.fixture.Home, p.fixture.Away}[inc.Side], &p.rng)
		goal := play.Incident{At: span.From, Kind: play.Goal, Side: inc.Side, Player: scorer, Method: "Shot"}
		p.b.retracted = append(p.b.retracted, retraction{goal, span.To})
		return
	}
}

func (p *planter) scored(s Span) bool {
	for _, inc := range p.script.Increments {
		if inc.Metric == play.Goals && s.holds(inc.At) {
			return true
		}
	}
	return false
}

// groups are metrics that go missing together.
var groups = [][]play.Metric{{play.Attacks}, {play.DangerousAttacks}, {play.OnTarget}, {play.OffTarget}, {play.Corners}, {play.Possession}, {play.ExpectedGoals},
	{play.Attacks, play.DangerousAttacks}, {play.OnTarget, play.OffTarget}, {play.Attacks, play.DangerousAttacks, play.OnTarget, play.OffTarget, play.Possession}, everything}

var everything = func() (all []play.Metric) {
	for m := range play.Metrics {
		all = append(all, m)
	}
	return all
}()

func (p planter) vanish() {
	for range p.rng.Between(1, 2) {
		p.gap(groups[p.rng.Under(len(groups))], p.span(p.moment(), 40, 300), Gap{Sides: [2]bool{true, true}})
	}
}

// void removes the value of a metric for a time, as often of one side as of both.
func (p planter) void() {
	sides := [...][2]bool{{true, true}, {true, true}, {true, false}, {false, true}}[p.rng.Under(4)]
	p.gap(groups[p.rng.Under(len(groups)-1)], p.span(p.moment(), 30, 240), Gap{Null: true, Sides: sides})
}

func (p planter) delay() {
	names := [...][]play.Metric{{play.Possession}, {play.ExpectedGoals}, {play.Attacks, play.DangerousAttacks, play.OnTarget, play.OffTarget, play.Possession}}
	p.gap(names[p.rng.Under(len(names))], Span{-24 * time.Hour, p.moment() / 2}, Gap{Sides: [2]bool{true, true}})
}

func (p *planter) gap(metrics []play.Metric, span Span, g Gap) {
	for _, m := range metrics {
		g.Span, g.Metric = span, m
		p.b.gaps = append(p.b.gaps, g)
	}
}

func (p planter) stall() {
	p.b.stalls = append(p.b.stalls, p.span(p.moment(), 45, 420))
}
