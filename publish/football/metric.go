package football

import (
	"strconv"
	"strings"
)

// Metric names a counter of a fixture in play. Those of the closed set below have one
// meaning for every provider; any other counter keeps the provider's name and meaning.
type Metric string

const (
	Attacks          Metric = "attacks"
	DangerousAttacks Metric = "dangerous_attacks"
	OnTarget         Metric = "on_target"  // shots on target, goals included
	OffTarget        Metric = "off_target" // shots off target
	ShotsBlocked     Metric = "shots_blocked"
	Shots            Metric = "shots" // attempts of every kind
	Corners          Metric = "corners"
	CornersFirstHalf Metric = "corners_1h"
	CornersFullTime  Metric = "corners_ft"
	CornersExtraTime Metric = "corners_et"
	Goals            Metric = "goals" // the score in Score may be more recent
	YellowCards      Metric = "yellow_cards"
	RedCards         Metric = "red_cards"
	SecondYellows    Metric = "second_yellow_cards"
	Penalties        Metric = "penalties"
	Substitutions    Metric = "substitutions"
	Possession       Metric = "possession" // percent of the match so far
	BallSafe         Metric = "ball_safe"
	ExpectedGoals    Metric = "xg" // the provider's own
	ThrowIns         Metric = "throw_ins"
	Fouls            Metric = "fouls"
	Offsides         Metric = "offsides"
	Saves            Metric = "saves"
	GoalKicks        Metric = "goal_kicks"
	FreeKicks        Metric = "free_kicks"
	Injuries         Metric = "injuries"
	Crosses          Metric = "crosses"
	CrossingAccuracy Metric = "crossing_accuracy"
	PassingAccuracy  Metric = "passing_accuracy"
	KeyPasses        Metric = "key_passes"
)

// metrics is the closed set.
var metrics = [...]Metric{Attacks, DangerousAttacks, OnTarget, OffTarget, ShotsBlocked, Shots, Corners,
	CornersFirstHalf, CornersFullTime, CornersExtraTime, Goals, YellowCards, RedCards, SecondYellows, Penalties,
	Substitutions, Possession, BallSafe, ExpectedGoals, ThrowIns, Fouls, Offsides, Saves, GoalKicks, FreeKicks,
	Injuries, Crosses, CrossingAccuracy, PassingAccuracy, KeyPasses}

// Metrics lists the closed set.
func Metrics() []Metric { return metrics[:] }

// Number is a counter's value, as the provider wrote it and as a number.
type Number struct {
	text  string
	value float64
}

// ParseNumber parses plain digits with at most one point, at most 18 characters.
func ParseNumber(text string) (Number, bool) {
	if !PlainDecimal(text) {
		return Number{}, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return Number{text, value}, err == nil
}

// Text is the number as the provider wrote it: a plain decimal.
func (n Number) Text() string { return n.text }

// Clone returns a number whose text does not share the payload's memory.
func (n Number) Clone() Number { return Number{strings.Clone(n.text), n.value} }

// Float is its value.
func (n Number) Float() float64 { return n.value }

// Count is its value as a count; false if it is not a whole number.
func (n Number) Count() (int, bool) {
	count := int(n.value)
	return count, n.value < 1e9 && float64(count) == n.value
}

// Counter is one metric of both sides. A metric that was not sent has no Counter, or one with
// both sides missing.
type Counter struct {
	Metric     Metric
	Home, Away Field[Number]
}

// State combines the states of the two sides. It is a value if a side is not zero, else zero if a
// side is zero, else null if a side was sent.
func (c Counter) State() BucketState {
	home, homeSent := c.Home.Get()
	away, awaySent := c.Away.Get()
	switch {
	case home.value != 0 || away.value != 0:
		return BucketValue
	case homeSent || awaySent:
		return BucketZero
	case c.Home.State() == Null || c.Away.State() == Null:
		return BucketNull
	}
	return BucketMissing
}
