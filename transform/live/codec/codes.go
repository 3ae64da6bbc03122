// Package codec encodes the parts of a stored state: numbers, texts, fields, and the values of closed
// sets as codes. Each part of a state writes and reads its own section with it.
package codec

import (
	"slices"

	"mkt/publish/football"
)

// Codes of the closed sets in a stored state: a value is stored as its index. A code never
// changes its meaning and is never used again, whatever the order of the values in package
// football. A new value gets the next code; an older build refuses a state with it. Codes are
// few where several share a byte: a visual state has four bits, a certainty and a side
// two each.
var (
	PhaseCodes = codes[football.Phase]{
		0: football.NoPhase,
		1: football.FirstHalf,
		2: football.HalfTime,
		3: football.SecondHalf,
		4: football.Break,
		5: football.ExtraFirstHalf,
		6: football.ExtraSecondHalf,
		7: football.Shootout,
		8: football.FullTime,
	}
	VisualCodes = codes[football.VisualState]{
		0:  football.VisualKickOff,
		1:  football.VisualCalm,
		2:  football.VisualAttack,
		3:  football.VisualPressure,
		4:  football.VisualDanger,
		5:  football.VisualCorner,
		6:  football.VisualGoal,
		7:  football.VisualCard,
		8:  football.VisualPenalty,
		9:  football.VisualSubstitution,
		10: football.VisualHalfTime,
		11: football.VisualFullTime,
		12: football.VisualStale,
	}
	CertaintyCodes = codes[football.Certainty]{0: football.Exact, 1: football.Inferred, 2: football.Unknown}
	SideCodes      = codes[football.Side]{0: football.SideHome, 1: football.SideAway, 2: football.SideNone}
	// A counter has its code plus one. A metric outside the closed set has 0 and its name.
	MetricCodes = codes[football.Metric]{
		0:  football.Attacks,
		1:  football.DangerousAttacks,
		2:  football.OnTarget,
		3:  football.OffTarget,
		4:  football.ShotsBlocked,
		5:  football.Shots,
		6:  football.Corners,
		7:  football.CornersFirstHalf,
		8:  football.CornersFullTime,
		9:  football.CornersExtraTime,
		10: football.Goals,
		11: football.YellowCards,
		12: football.RedCards,
		13: football.SecondYellows,
		14: football.Penalties,
		15: football.Substitutions,
		16: football.Possession,
		17: football.BallSafe,
		18: football.ExpectedGoals,
		19: football.ThrowIns,
		20: football.Fouls,
		21: football.Offsides,
		22: football.Saves,
		23: football.GoalKicks,
		24: football.FreeKicks,
		25: football.Injuries,
		26: football.Crosses,
		27: football.CrossingAccuracy,
		28: football.PassingAccuracy,
		29: football.KeyPasses,
	}
)

type codes[T comparable] []T

func (c codes[T]) Of(value T) int { return slices.Index(c, value) }
