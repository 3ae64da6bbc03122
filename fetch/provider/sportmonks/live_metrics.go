package sportmonks

import (
	"slices"

	"mkt/publish/football"
)

// metricNames are the names of the counters by type_id: those of football.Metrics where
// they mean the same, else the provider's in lower case.
//
// Source: provider notes, section 5, and the provider's list of types (2026).
var metricNames = map[string]football.Metric{
	"34": football.Corners, "41": football.OffTarget, "42": football.Shots, "43": football.Attacks, "44": football.DangerousAttacks,
	"45": football.Possession, "46": football.BallSafe, "47": football.Penalties, "51": football.Offsides, "52": football.Goals,
	"53": football.GoalKicks, "55": football.FreeKicks, "56": football.Fouls, "57": football.Saves, "58": football.ShotsBlocked,
	"59": football.Substitutions, "60": football.ThrowIns, "82": football.PassingAccuracy, "83": football.RedCards, "84": football.YellowCards,
	"85": football.SecondYellows, "86": football.OnTarget, "87": football.Injuries, "98": football.Crosses, "117": football.KeyPasses,
	"5304": football.ExpectedGoals,

	"49": "shots_insidebox", "50": "shots_outsidebox", "54": "goal_attempts", "62": "long_passes", "64": "hit_woodwork", "65": "successful_headers",
	"70": "headers", "77": "challenges", "78": "tackles", "79": "assists", "80": "passes", "81": "successful_passes", "99": "accurate_crosses",
	"100": "interceptions", "106": "duels_won", "108": "dribbled_attempts", "109": "successful_dribbles", "116": "accurate_passes",
	"122": "long_balls", "123": "long_balls_won", "124": "through_balls", "125": "through_balls_won", "580": "big_chances_created",
	"581": "big_chances_missed", "1527": "counter_attacks", "1605": "successful_dribbles_percentage", "27264": "successful_long_passes",
	"27265": "successful_long_passes_percentage",
}

// ownMetricNames returns the names outside football.Metrics, sorted.
func ownMetricNames() (own []string) {
	closed := football.Metrics()
	for _, m := range metricNames {
		if !slices.Contains(closed, m) {
			own = append(own, string(m))
		}
	}
	slices.Sort(own)
	return own
}
