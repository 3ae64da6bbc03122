package rules

import (
	"fmt"

	"mkt/publish/football"
)

// Minute returns the rule for a minute's points or its state.
func Minute(state football.BucketState) string {
	switch state {
	case football.BucketMissing:
		return fmt.Sprintf("attacks and dangerous attacks were not sent, or could not be compared, for more than %d s of the minute", BlindSlack)
	case football.BucketNull:
		return fmt.Sprintf("attacks or dangerous attacks were sent without a value for more than %d s of the minute", BlindSlack)
	}
	return fmt.Sprintf("%d × dangerous attacks + %d × shots + %d × corners that were counted in the minute, and %d × attacks if dangerous attacks are not sent; "+
		"what is first seen while the clock is stopped belongs to the last minute played", PointsDangerous, PointsShot, PointsCorner, PointsAttack)
}

// Of returns the rule for a timeline entry's state and certainty, including its constants.
func Of(state football.VisualState, certainty football.Certainty) string {
	if certainty == football.Exact {
		return fmt.Sprintf("an event of the provider's own list, in its minute; the second is that of the observation. "+
			"A counter that showed it from %d s before the minute to %d s after it is the same event, and later too if the list has exactly as many as the count", EarlyWithin, ConfirmWithin)
	}
	if certainty == football.Unknown && state == football.VisualCalm {
		return "nothing can be said: a baseline, no counter of pressure in two samples running, or the time between events from before the first sample"
	}
	return ofState[state]
}

var ofState = map[football.VisualState]string{
	football.VisualKickOff: fmt.Sprintf("a half that was not played in the sample before is, within its first %d s on the scoreboard, or %d s if the half before was seen",
		KickOffWithin, KickOffAfterHalf),
	football.VisualCalm: fmt.Sprintf("no shot within %d s of match clock, no side under pressure, no dangerous attack within %d s",
		DangerHolds, AttackHolds),
	football.VisualAttack: fmt.Sprintf("a dangerous attack (an attack, where those are not sent) within %d s of match clock, by the side that did it last",
		AttackHolds),
	football.VisualPressure: fmt.Sprintf("the fast part of a side's pressure reaches %g points and %g times the other's; it ends below %g points, or below %g times the other's",
		float64(PressureBegins)/Point, BeginsTimes, float64(PressureEnds)/Point, EndsTimes),
	football.VisualDanger:       fmt.Sprintf("a shot, or two dangerous attacks within %d s, within the last %d s of match clock", DangerWithin, DangerHolds),
	football.VisualCorner:       "the counter corners rose, and has not fallen again",
	football.VisualGoal:         "the score rose, and has not fallen again",
	football.VisualCard:         "the counters yellow_cards or red_cards rose, and have not fallen again",
	football.VisualPenalty:      "the counter penalties rose and has not fallen again, or a shoot-out is on",
	football.VisualSubstitution: "the counter substitutions rose, and has not fallen again",
	football.VisualHalfTime:     "the clock says that the half is over and the next has not begun; the half ended where the clock was last seen to run",
	football.VisualFullTime:     "the provider says that the fixture is over, or the clock that normal time is; it ended where the clock was last seen to run",
	football.VisualStale: fmt.Sprintf("no sample had anything new for %.0f s while the clock ran, or %.0f s while it was stopped",
		StaleAfter.Seconds(), StaleAtRest.Seconds()),
}
