package simulator

// metricSet is a bit set of metrics.
type metricSet uint32

func setOf(metrics ...Metric) (s metricSet) {
	for _, m := range metrics {
		s |= 1 << m
	}
	return s
}

func (s metricSet) has(m Metric) bool { return s&(1<<m) != 0 }

// The feed's report of a fixture depends on its league. The shares are those of
// recorded in-play lists: all fixtures have goals, cards and corners, nearly all have
// attacks and shots, and those of the top leagues have everything.
var (
	metricsAlways   = setOf(Corners, Goals, YellowCards, RedCards, Penalties, Substitutions)
	metricsPressing = setOf(Attacks, DangerousAttacks, OnTarget, OffTarget)
	metricsHeld     = setOf(Possession)
	metricsSafe     = setOf(BallSafe, SecondYellows)
	metricsHurt     = setOf(Injuries)
	metricsFine     = setOf(Fouls, Offsides, Saves, Blocked)
	metricsRich     = setOf(ThrowIns, GoalKicks, FreeKicks, Crosses, KeyPasses)
	metricsExpected = setOf(ExpectedGoals)
)

// metricsReal are those of replayed real matches.
var metricsReal = setOf(Attacks, DangerousAttacks, OnTarget, OffTarget, Corners, Goals, YellowCards, RedCards, Penalties, Possession)

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
func covers(f Fixture) metricSet {
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
	if !all.has(Attacks) { // the detailed metric is never sent without the plain one
		all = metricsAlways
	}
	return all
}
