package simulatortest

import (
	"slices"
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// states are the states of the timeline that report each kind of incident.
var states = map[play.IncidentKind]string{play.Goal: "GOAL", play.Corner: "CORNER", play.YellowCard: "CARD",
	play.RedCard: "CARD", play.Substitution: "SUBSTITUTION"}

var incidentStates = []string{"GOAL", "CORNER", "CARD", "SUBSTITUTION"}

// counters are the metrics that show an incident if the feed has no timeline.
var counters = map[play.IncidentKind]play.Metric{play.Corner: play.Corners, play.YellowCard: play.YellowCards,
	play.RedCard: play.RedCards, play.Substitution: play.Substitutions}

var sides = []string{"HOME", "AWAY"}

// Incidents compares the timeline with the true match. Where the feed was right,
// nothing is missing and nothing false is reported; an event hidden by a correction or a
// standstill is not invented later.
func (j Judge) Incidents(p *Published) (t Totals) {
	for _, i := range p.Match.Incidents() {
		metric, counted := counters[i.Kind]
		if states[i.Kind] == "" || !j.undisturbed(p, i.At, i.At) || counted && !p.Match.Covers(metric) && p.WithoutTimeline {
			continue
		}
		n := slices.IndexFunc(p.Timeline, func(e Entry) bool {
			// An incident soon after another of its kind is part of the same entry.
			return e.State == states[i.Kind] && e.Side == sides[i.Side] && p.since(e.At) <= i.At+maxDelay+p.CountersLag && p.since(e.Until) >= i.At-time.Second
		})
		if n < 0 {
			j.Errorf("%v: %s of %s at %v is not on the timeline", p.Match.Fixture.Number, states[i.Kind], sides[i.Side], i.At)
			continue
		}
		if t.Found++; p.Timeline[n].Certainty == "EXACT" {
			t.Exact++
		}
	}
	for _, e := range p.Timeline {
		if slices.Contains(incidentStates, e.State) && !j.happened(p, e) {
			j.Errorf("%v: %s %s at %v (%s) never happened", p.Match.Fixture.Number, e.State, e.Side, p.since(e.At), e.Certainty)
		}
	}
	return t
}

// happened reports whether an entry is about a true event just before, or about a claim of
// the feed: a disallowed goal, a corrected counter.
func (j Judge) happened(p *Published, e Entry) bool {
	at := p.since(e.At)
	late := maxDelay + p.CountersLag
	if !j.moving(p, feed.Span{From: at - disturbance, To: at + tolerance}) {
		late += maxGap + disturbance // reported after a delay, within the minutes in which events are still reported
	}
	if e.Certainty == "EXACT" {
		return slices.ContainsFunc(p.Match.Reported(), func(r feed.Reported) bool {
			return states[r.Kind] == e.State && (e.Side == "NONE" || e.Side == sides[r.Side]) && p.isIn(e, r.Clock)
		})
	}
	near := func(of time.Duration) bool { return at-of >= -time.Second && at-of <= late }
	onSide := func(s play.Side) bool { return e.Side == "NONE" || e.Side == sides[s] }
	for _, i := range p.Match.Incidents() {
		if states[i.Kind] == e.State && onSide(i.Side) && near(i.At) {
			return true
		}
	}
	for _, r := range p.Match.Reported() {
		if r.Withdrawn > 0 && states[r.Kind] == e.State && onSide(r.Side) && near(r.At) {
			return true
		}
	}
	for _, c := range p.Match.Corrections() {
		if stateOf(c.Metric) != e.State {
			continue
		}
		// While sides are swapped, the side of an event is not known.
		isSwapped := c.Why == feed.Swapped && at >= c.From-tolerance && at <= c.To+tolerance
		if isSwapped || onSide(c.Side) && (near(c.From) || near(c.To)) {
			return true
		}
	}
	return false
}

func stateOf(m play.Metric) string {
	if m == play.Goals {
		return states[play.Goal]
	}
	for kind, metric := range counters {
		if metric == m {
			return states[kind]
		}
	}
	return ""
}

// Standstills checks that the timeline reports every standstill during play that lasted
// longer than values remain valid.
func (j Judge) Standstills(p *Published) (t Totals) {
	for _, stall := range p.Match.Stalls() {
		wide := feed.Span{From: stall.From - tolerance, To: stall.To + tolerance}
		if stall.To-stall.From < maxGap+2*tolerance || !playing(p, wide) || p.WithoutTimer || p.since(p.Met) > stall.From-2*tolerance || !j.feedMoves(p, wide) {
			continue
		}
		t.StaleFor++
		if !slices.ContainsFunc(p.Timeline, func(e Entry) bool {
			at := p.since(e.At)
			return e.State == "STALE" && e.Certainty == "UNKNOWN" && at >= stall.From+maxGap-tolerance && at <= stall.To+tolerance
		}) {
			j.Errorf("%v: stood still from %v to %v, and the timeline does not say so", p.Match.Fixture.Number, stall.From, stall.To)
		}
	}
	return t
}

func playing(p *Published, during feed.Span) bool {
	for _, half := range p.Match.Periods() {
		if half.Phase.Playing() && during.From > half.From && during.To < half.To {
			return true
		}
	}
	return false
}

// isIn reports whether an entry is in the minute of a clock. Stoppage time is reported as the
// end of its half, and its minute in Added.
func (p *Published) isIn(e Entry, c play.Clock) bool {
	if e.Minute == nil {
		return false
	}
	minute, added := int(c.Shown/time.Minute), 0
	for _, half := range p.Match.Periods() {
		if end := int((half.Base + half.Length) / time.Minute); half.Phase == c.Phase && minute >= end {
			minute, added = end, minute-end+1
		}
	}
	if e.Added == nil {
		return *e.Minute == minute && added == 0
	}
	return *e.Minute == minute && *e.Added == added
}
