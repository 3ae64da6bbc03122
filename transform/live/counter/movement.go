package counter

import (
	"slices"

	"mkt/publish/football"
)

// EventStates are the events that a timeline reports, the most important one last. Of
// several in one sample, that one becomes the state of play.
var EventStates = [...]football.VisualState{football.VisualSubstitution, football.VisualCorner, football.VisualCard,
	football.VisualPenalty, football.VisualGoal}

// Rank returns the place of an event in EventStates, -1 if it is none.
func Rank(s football.VisualState) int { return slices.Index(EventStates[:], s) }

// eventMetrics are the counts that the timeline reports. Goals are those of the
// score.
var eventMetrics = [...]football.Metric{football.Substitutions, football.Corners, football.YellowCards, football.RedCards, football.Penalties, football.Goals}

// countsIn holds, for each of EventStates, the indexes of its counters in eventMetrics.
var countsIn = [len(EventStates)][]int{{0}, {1}, {2, 3}, {4}, {5}}

// Movement is the difference of two samples, never negative.
type Movement struct {
	Attacks, Dangerous, OnTarget, OffTarget, Corners Pair

	// Events are those of the timeline, in the order of EventStates. Undated are those that
	// changed during a gap of their counter: how, but not when.
	Events, Undated [len(EventStates)]change
	// Baseline reports that the two samples cannot be compared: all of the above
	// is zero, except Undated.
	Baseline bool
	// Carried reports whether attacks or dangerous attacks are in both samples.
	// Without them neither momentum nor the pressure per minute is known.
	Carried bool
}

// Rise returns how many events of a kind there were.
func (m *Movement) Rise(event football.VisualState) Pair { return m.Events[Rank(event)].Up }

// Shot reports whether a side shot or scored.
func (m *Movement) Shot(side int) bool {
	return m.OnTarget[side]+m.OffTarget[side]+m.Rise(football.VisualGoal)[side] > 0
}
