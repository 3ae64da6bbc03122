package simulatortest

import (
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// Totals counts the comparisons.
type Totals struct {
	Minutes  int // that must be exact, and are
	Bounded  int // reported while the feed was disturbed: only checked for invented numbers
	Unseen   int // in stalls and standstills: must have no number
	Found    int // incidents that are on the timeline
	Exact    int // those of Found anchored to the provider's own event
	Listed   int // goals and cards of the provider's list that are EXACT in their minute
	StaleFor int // standstills that the timeline reports
}

// Add adds totals.
func (t *Totals) Add(o Totals) {
	t.Minutes += o.Minutes
	t.Bounded += o.Bounded
	t.Unseen += o.Unseen
	t.Found += o.Found
	t.Exact += o.Exact
	t.Listed += o.Listed
	t.StaleFor += o.StaleFor
}

// worth is the points of a metric in a minute of play.
var worth = map[play.Metric]int{play.DangerousAttacks: 2, play.OnTarget: 1, play.OffTarget: 1, play.Corners: 2}

// worthOf is the points of a metric in this match: attacks count only if dangerous ones
// are never sent.
func (p *Published) worthOf(m play.Metric) int {
	switch {
	case !p.Match.Covers(m):
		return 0
	case m == play.Attacks && !p.Match.Covers(play.DangerousAttacks):
		return 1
	}
	return worth[m]
}

func (p *Published) points(side play.Side, from, to time.Duration) (n int) {
	for _, i := range p.Match.Increments() {
		if i.Side == side && i.At > from && i.At <= to {
			n += p.worthOf(i.Metric) * int(i.N)
		}
	}
	return n
}

// corrected is how many points corrections may add in a time: by a rise that is taken back
// later, and by a counter that recovers after its fall is forgotten. A recovery while the
// other side falls must add none.
func (p *Published) corrected(side play.Side, from, to time.Duration) (n int) {
	for _, c := range p.Match.Corrections() {
		edge := c.From
		if c.By < 0 {
			edge = c.To
		}
		if misleads := c.By > 0 || c.Why != feed.Swapped; misleads && c.Side == side && edge > from && edge <= to {
			n += p.worthOf(c.Metric) * max(c.By, -c.By)
		}
	}
	return n
}

// Play compares every minute of play with the true one. Where the feed was right it has the
// right number; where it was disturbed, no invented number; where it stood still, none.
func (j Judge) Play(p *Published) (t Totals) {
	for _, minute := range p.Match.Minutes() {
		b := p.Minutes[Place{minute.Minute, minute.Added}]
		switch {
		case p.WithoutAttacks || !p.Match.Covers(play.Attacks) && !p.Match.Covers(play.DangerousAttacks):
			if b.Reported {
				j.Errorf("%v minute %d+%d: %+v, and no attacks are sent", p.Match.Fixture.Number, minute.Minute, minute.Added, b)
			}
		case !b.Reported && minute.To-minute.From < tolerance: // the half ended before a sample could show it
		case j.undisturbed(p, minute.From, minute.To):
			t.Minutes++
			j.exact(p, minute, b)
		case j.unreported(p, minute.Span):
			t.Unseen++
			if b.Reported {
				j.Errorf("%v minute %d+%d: %+v, and the feed stood still from %v to %v", p.Match.Fixture.Number, minute.Minute, minute.Added, b, minute.From, minute.To)
			}
		case b.Reported:
			t.Bounded++
			j.bounded(p, minute, b)
		}
	}
	return t
}

func (j Judge) exact(p *Published, minute feed.Minute, b Minute) {
	if !b.Reported {
		j.Errorf("%v minute %d+%d: no number, played from %v to %v", p.Match.Fixture.Number, minute.Minute, minute.Added, minute.From, minute.To)
		return
	}
	for side, got := range []int{b.Home, b.Away} {
		least := p.points(play.Side(side), minute.From+tolerance, minute.To-tolerance)
		most := p.points(play.Side(side), minute.From-tolerance, minute.To+tolerance)
		if got < least || got > most {
			j.Errorf("%v minute %d+%d, side %d: %d points, want %d to %d", p.Match.Fixture.Number, minute.Minute, minute.Added, side, got, least, most)
		}
	}
}

// bounded allows that the points of a short standstill are reported after it.
func (j Judge) bounded(p *Published, minute feed.Minute, b Minute) {
	from, to := minute.From-tolerance, minute.To+tolerance
	if !j.moving(p, feed.Span{From: from - disturbance, To: to}) {
		from -= maxGap + tolerance
	}
	for side, got := range []int{b.Home, b.Away} {
		if most := p.points(play.Side(side), from, to) + p.corrected(play.Side(side), from, to); got < 0 || got > most {
			j.Errorf("%v minute %d+%d, side %d: %d points, and no more than %d happened", p.Match.Fixture.Number, minute.Minute, minute.Added, side, got, most)
		}
	}
}

// unreported reports whether nothing at all was reported about a time: it is within a
// standstill, and not at its edges.
func (j Judge) unreported(p *Published, s feed.Span) bool {
	for at := s.From - tolerance; at <= s.To+tolerance; at += 4 * time.Second {
		if j.standstill(p, at) < maxGap+tolerance {
			return false
		}
	}
	return true
}

// standstill is the length of the standstill at a moment, 0 if there is none.
func (j Judge) standstill(p *Published, at time.Duration) time.Duration {
	for _, stall := range p.Match.Stalls() {
		if at >= stall.From && at < stall.To {
			return stall.To - stall.From
		}
	}
	from := j.World.FeedTime(p.Match.Whistle.Add(at))
	if from.Equal(p.Match.Whistle.Add(at)) {
		return 0
	}
	to := from
	for !j.World.FeedTime(to).After(from) {
		to = to.Add(4 * time.Second)
	}
	return to.Sub(from)
}
