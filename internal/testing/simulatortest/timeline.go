package simulatortest

import (
	"slices"
	"time"

	"mkt/fetch/simulator/play"
)

// countedStates are the states whose every event is an entry, because it changed a score or a
// count.
var countedStates = []string{"GOAL", "CARD", "PENALTY"}

// Shape checks the rules of every timeline: it has no gaps, no two equal neighbours,
// and a scoreboard that never goes back.
func (j Judge) Shape(p *Published) {
	place, last := -1, Entry{}
	for n, e := range p.Timeline {
		number := p.Match.Fixture.Number
		if n > 0 && !last.Until.Equal(e.At) {
			j.Errorf("%v: %s holds until %v and %s begins at %v", number, last.State, p.since(last.Until), e.State, p.since(e.At))
		}
		if e.Until.Before(e.At) {
			j.Errorf("%v: %s holds from %v until %v", number, e.State, p.since(e.At), p.since(e.Until))
		}
		known := (e.Certainty == "UNKNOWN") == (last.Certainty == "UNKNOWN")
		if e.State == last.State && e.Side == last.Side && known && !slices.Contains(countedStates, e.State) {
			j.Errorf("%v: %s %s twice, at %v and %v", number, e.State, e.Side, p.since(last.At), p.since(e.At))
		}
		if e.Minute != nil {
			from, to := *e.Minute*60, *e.Minute*60+59
			if e.Second != nil {
				from, to = from+*e.Second, from+*e.Second
			}
			if to < place {
				j.Errorf("%v: the scoreboard of %s runs back from %d to %d s", number, e.State, place, to)
			}
			place = from
		}
		if p.WithoutTimer && e.Certainty != "EXACT" && e.Minute != nil {
			j.Errorf("%v: %s is in minute %d, and no timer is sent", number, e.State, *e.Minute)
		}
		last = e
	}
}

// Listed compares the goals and cards of a timeline with the provider's own list. Each is
// present, EXACT in its minute, whatever the feed did. A withdrawn one is
// absent, and no goal is there twice.
func (j Judge) Listed(p *Published) (t Totals) {
	if p.WithoutTimeline {
		return t
	}
	type event struct{ state, side string }
	found := map[event]int{}
	left := slices.DeleteFunc(slices.Clone(p.Timeline), func(e Entry) bool { return !slices.Contains(countedStates, e.State) || e.Side == "NONE" })
	for _, e := range left {
		found[event{e.State, e.Side}]++
	}
	exact := slices.DeleteFunc(left, func(e Entry) bool { return e.Certainty != "EXACT" })
	listed, late := map[event]int{}, map[event]int{}
	for _, r := range p.Match.Reported() {
		if r.Kind == play.PenaltyMissed { // not all feeds have it
			late[event{"PENALTY", sides[r.Side]}]++
			continue
		}
		what := event{states[r.Kind], sides[r.Side]}
		if !slices.Contains(countedStates, what.state) || r.Withdrawn > 0 {
			continue
		}
		// The last entries may arrive when the match is over.
		if r.Appears > p.since(p.Match.Over)-time.Minute {
			late[what]++
			continue
		}
		listed[what]++
		n := slices.IndexFunc(exact, func(e Entry) bool { return e.State == what.state && e.Side == what.side && p.isIn(e, r.Clock) })
		if n < 0 {
			j.Errorf("%v: %s of %s at %v (%v on the clock) is listed and not EXACT in its minute", p.Match.Fixture.Number, what.state, what.side, r.At, r.Clock.Shown)
			continue
		}
		t.Listed++
		exact = slices.Delete(exact, n, n+1)
	}
	for _, e := range exact {
		if what := (event{e.State, e.Side}); late[what] == 0 {
			j.Errorf("%v: %s of %s at %v is EXACT and not listed", p.Match.Fixture.Number, e.State, e.Side, p.since(e.At))
		}
	}
	for what, n := range found {
		if what.state == "GOAL" && n > listed[what]+late[what] {
			j.Errorf("%v: %d entries for %d goals of %s", p.Match.Fixture.Number, n, listed[what]+late[what], what.side)
		}
	}
	return t
}
