package feed

import (
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
)

// metricSet is a bit set of metrics.
type metricSet uint32

func setOf(metrics ...play.Metric) (s metricSet) {
	for _, m := range metrics {
		s |= 1 << m
	}
	return s
}

func (s metricSet) has(m play.Metric) bool { return s&(1<<m) != 0 }

// The feed's report of a fixture depends on its league. The shares are those of
// recorded in-play lists: all fixtures have goals, cards and corners, nearly all have
// attacks and shots, and those of the top leagues have everything.
var (
	metricsAlways   = setOf(play.Corners, play.Goals, play.YellowCards, play.RedCards, play.Penalties, play.Substitutions)
	metricsPressing = setOf(play.Attacks, play.DangerousAttacks, play.OnTarget, play.OffTarget)
	metricsHeld     = setOf(play.Possession)
	metricsSafe     = setOf(play.BallSafe, play.SecondYellows)
	metricsHurt     = setOf(play.Injuries)
	metricsFine     = setOf(play.Fouls, play.Offsides, play.Saves, play.Blocked)
	metricsRich     = setOf(play.ThrowIns, play.GoalKicks, play.FreeKicks, play.Crosses, play.KeyPasses)
	metricsExpected = setOf(play.ExpectedGoals)
)

// metricsReal are those of replayed real matches.
var metricsReal = setOf(play.Attacks, play.DangerousAttacks, play.OnTarget, play.OffTarget, play.Corners, play.Goals, play.YellowCards, play.RedCards, play.Penalties, play.Possession)

// coverages is how many fixtures in a hundred have a set of metrics, by tier from 1.
var coverages = []struct {
	metrics metricSet
	percent [3]int
}{
	{metricsPressing, [3]int{100, 98, 91}},
	{metricsHeld, [3]int{100, 88, 72}},
	{metricsSafe, [3]int{80, 45, 30}},
	{metricsHurt, [3]int{60, 25, 15}},
	{metricsFine, [3]int{85, 25, 5}},
	{metricsRich, [3]int{50, 6, 0}},
	{metricsExpected, [3]int{92, 55, 25}},
}

// covers returns the metrics that the feed ever has of a fixture.
func covers(f competition.Fixture) metricSet {
	if f.Replayed() {
		return metricsReal
	}
	all := metricsAlways
	for i, c := range coverages {
		if c.metrics&(metricsFine|metricsRich|metricsHurt|metricsExpected) != 0 && !f.League.Human() {
			continue
		}
		if f.Lot(100, 71, uint64(i)) < c.percent[f.League.Tier-1] {
			all |= c.metrics
		}
	}
	if !all.has(play.Attacks) { // the detailed metric is never sent without the plain one
		all = metricsAlways
	}
	return all
}
