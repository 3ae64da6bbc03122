package betsapi

import (
	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/publish/football"
)

// liveFields are the members of an item of events/inplay or event/view that have
// been seen; others are counted.
var liveFields = decode.Set("id", "sport_id", "time", "time_status", "league", "home", "away", "ss",
	"scores", "stats", "timer", "events", "bet365_id", "o_home", "o_away",
	"extra", "has_lineup", "inplay_created_at", "inplay_updated_at", "confirmed_at")

// playStatuses say where a fixture stands by its time_status.
var playStatuses = map[string]input.PlayStatus{
	api.StatusNotStarted: input.NotStarted, api.StatusInPlay: input.InPlay, api.StatusToBeFixed: input.NotStarted,
	api.StatusEnded: input.Over, api.StatusPostponed: input.Off, api.StatusCancelled: input.Off, api.StatusWalkover: input.Off,
	api.StatusInterrupted: input.Halted, api.StatusAbandoned: input.Off, api.StatusRetired: input.Off,
	api.StatusSuspended: input.Halted, api.StatusDecided: input.Off, api.StatusRemoved: input.Off,
}

// metricNames are the provider's metrics in the closed set's words; the others
// keep the provider's name.
//
// Source: provider notes, section 8.2, as of 2026.
var metricNames = map[string]football.Metric{
	"attacks": football.Attacks, "dangerous_attacks": football.DangerousAttacks, "on_target": football.OnTarget,
	"off_target": football.OffTarget, "shots_blocked": football.ShotsBlocked, "corners": football.Corners,
	"corner_h": football.CornersFirstHalf, "corner_f": football.CornersFullTime, "corner_ot": football.CornersExtraTime,
	"goals": football.Goals, "yellowcards": football.YellowCards, "redcards": football.RedCards,
	"yellowred_cards": football.SecondYellows, "penalties": football.Penalties, "substitutions": football.Substitutions,
	"possession_rt": football.Possession, "ball_safe": football.BallSafe, "xg": football.ExpectedGoals,
	"throwins": football.ThrowIns, "fouls": football.Fouls, "offsides": football.Offsides, "saves": football.Saves,
	"goalkicks": football.GoalKicks, "freekicks": football.FreeKicks, "injuries": football.Injuries,
	"crosses": football.Crosses, "crossing_accuracy": football.CrossingAccuracy, "passing_accuracy": football.PassingAccuracy,
	"key_passes": football.KeyPasses,
}

// ownMetrics have been seen and have no word in the closed set.
var ownMetrics = decode.Set("goalattempts", "action_areas")

// canonicalMetrics are the words of the closed set: the provider's own metric of
// the same name would not mean the same.
var canonicalMetrics = func() map[football.Metric]bool {
	set := make(map[football.Metric]bool)
	for _, m := range football.Metrics() {
		set[m] = true
	}
	return set
}()
