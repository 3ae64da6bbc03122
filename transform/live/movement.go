package live

import (
	"slices"

	"mkt/publish/football"
)

// eventStates are the events that a timeline reports, the most important one last. Of
// several in one sample, that one becomes the state of play.
var eventStates = [...]football.VisualState{football.VisualSubstitution, football.VisualCorner, football.VisualCard,
	football.VisualPenalty, football.VisualGoal}

func rank(s football.VisualState) int { return slices.Index(eventStates[:], s) }

// eventMetrics are the counts that the timeline reports. Goals are those of the
// score.
var eventMetrics = [...]football.Metric{football.Substitutions, football.Corners, football.YellowCards, football.RedCards, football.Penalties, football.Goals}

// countsIn holds, for each of eventStates, the indexes of its counters in eventMetrics.
var countsIn = [len(eventStates)][]int{{0}, {1}, {2, 3}, {4}, {5}}

// movement is the difference of two samples, never negative.
type movement struct {
	attacks, dangerous, onTarget, offTarget, corners pair

	// events are those of the timeline, in the order of eventStates. undated are those that
	// changed during a gap of their counter: how, but not when.
	events, undated [len(eventStates)]change
	// baseline reports that the two samples cannot be compared: all of the above
	// is zero, except undated.
	baseline bool
	// carried reports whether attacks or dangerous attacks are in both samples.
	// Without them neither momentum nor the pressure per minute is known.
	carried bool
}

func (m *movement) rise(event football.VisualState) pair { return m.events[rank(event)].up }

func (m *movement) shot(side int) bool {
	return m.onTarget[side]+m.offTarget[side]+m.rise(football.VisualGoal)[side] > 0
}
