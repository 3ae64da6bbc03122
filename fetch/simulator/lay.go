package simulator

import (
	"math"
	"strconv"
)

// lays says how each market is priced from the model, by name. A lay reads the
// period, book, side and parameter it needs from the market it fills.
var lays = map[string]func(*Sheet, *Market){
	"MATCH_RESULT":                        layResult,
	"DOUBLE_CHANCE":                       layDoubleChance,
	"DRAW_NO_BET":                         layDrawNoBet,
	"HALF_TIME_FULL_TIME":                 layHalfTimeFullTime,
	"CORRECT_SCORE":                       layCorrectScore,
	"HALF_TIME_FULL_TIME_CORRECT_SCORE":   layDoubleScore,
	"RESULT_AND_BOTH_TEAMS_TO_SCORE":      layResultAndBoth,
	"RESULT_AND_TOTAL_GOALS":              layResultAndTotal,
	"WINNING_MARGIN":                      layMargin,
	"HANDICAP_RESULT":                     layHandicapResult,
	"ASIAN_HANDICAP":                      layAsianHandicap,
	"WIN_TO_NIL":                          laySides(func(s *Sheet, side int) float64 { return s.winToNil(side) }),
	"WIN_EITHER_HALF":                     laySides(func(s *Sheet, side int) float64 { return s.m.winsOne[side] }),
	"WIN_BOTH_HALVES":                     laySides(func(s *Sheet, side int) float64 { return s.m.winsBoth[side] }),
	"TEAM_TO_SCORE_IN_BOTH_HALVES":        laySides(func(s *Sheet, side int) float64 { return s.m.scoresIn2[side] }),
	"COME_FROM_BEHIND_AND_WIN":            laySides(func(s *Sheet, side int) float64 { return s.m.behind[side] * 1.4 }),
	"TEAM_TO_SCORE_PENALTY":               laySides(func(s *Sheet, side int) float64 { return 0.11 * s.share(side) * 2 }),
	"TEAM_TO_MISS_PENALTY":                laySides(func(s *Sheet, side int) float64 { return 0.035 * s.share(side) * 2 }),
	"KICK_OFF":                            layKickOff,
	"TOTAL_GOALS":                         layTotalGoals,
	"TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE": layTotalAndBoth,
	"EXACT_GOALS":                         layExactGoals,
	"TEAM_EXACT_GOALS":                    layTeamExactGoals,
	"GOALS_RANGE":                         layGoalsRange,
	"BOTH_TEAMS_TO_SCORE":                 layBoth,
	"BOTH_TEAMS_TO_SCORE_BY_HALF":         layBothByHalf,
	"TEAMS_TO_SCORE":                      layTeamsToScore,
	"TEAM_TO_SCORE":                       layTeamToScore,
	"CLEAN_SHEET":                         layCleanSheet,
	"TEAM_TOTAL_GOALS":                    layTeamTotalGoals,
	"ODD_EVEN_GOALS":                      layOddEven,
	"TEAM_ODD_EVEN_GOALS":                 layTeamOddEven,
	"HIGHEST_SCORING_HALF":                layRicherHalf,
	"TEAM_HIGHEST_SCORING_HALF":           layRicherHalf,
	"FIRST_TEAM_TO_SCORE":                 layFirstTeam,
	"LAST_TEAM_TO_SCORE":                  layFirstTeam,
	"FIRST_GOAL_METHOD":                   layGoalMethod,
	"EARLY_GOAL":                          layEarlyGoal,
	"LATE_GOAL":                           layLateGoal,
	"TIME_OF_FIRST_GOAL":                  layTimeOfFirstGoal,
	"TIME_OF_FIRST_TEAM_GOAL":             layTimeOfTeamGoal,
	"TOTAL_GOAL_MINUTES":                  layGoalMinutes,
	"OWN_GOAL":                            layYesNo(0.07),
	"PENALTY_AWARDED":                     layYesNo(0.28),
	"RED_CARD":                            layYesNo(0.17),

	"TOTAL_CORNERS":                layCount(func(s *Sheet) [2]float64 { return s.corners }),
	"TOTAL_CARDS":                  layCount(func(s *Sheet) [2]float64 { return s.cards }),
	"TOTAL_SHOTS":                  layCount(func(s *Sheet) [2]float64 { return s.shots }),
	"TOTAL_SHOTS_ON_TARGET":        layCount(func(s *Sheet) [2]float64 { return s.target }),
	"TOTAL_TACKLES":                layCount(func(s *Sheet) [2]float64 { return s.tackles }),
	"TOTAL_OFFSIDES":               layCount(func(s *Sheet) [2]float64 { return s.offsides }),
	"TEAM_TOTAL_CORNERS":           layTeamCount(func(s *Sheet) [2]float64 { return s.corners }),
	"TEAM_TOTAL_CARDS":             layTeamCount(func(s *Sheet) [2]float64 { return s.cards }),
	"TEAM_TOTAL_SHOTS":             layTeamCount(func(s *Sheet) [2]float64 { return s.shots }),
	"TEAM_TOTAL_SHOTS_ON_TARGET":   layTeamCount(func(s *Sheet) [2]float64 { return s.target }),
	"TEAM_TOTAL_TACKLES":           layTeamCount(func(s *Sheet) [2]float64 { return s.tackles }),
	"TEAM_TOTAL_OFFSIDES":          layTeamCount(func(s *Sheet) [2]float64 { return s.offsides }),
	"TOTAL_CORNERS_3WAY":           layCorners3Way,
	"CORNERS_RANGE":                layCornersRange,
	"CORNERS_RESULT":               layCornersResult,
	"CORNERS_HANDICAP_RESULT":      layCountHandicap(func(s *Sheet) [2]float64 { return s.corners }),
	"CARDS_HANDICAP_RESULT":        layCountHandicap(func(s *Sheet) [2]float64 { return s.cards }),
	"CORNERS_ASIAN_HANDICAP":       layCountAsian(func(s *Sheet) [2]float64 { return s.corners }),
	"CARDS_ASIAN_HANDICAP":         layCountAsian(func(s *Sheet) [2]float64 { return s.cards }),
	"CORNERS_RACE":                 layRace,
	"NTH_CORNER":                   layOneCorner,
	"NTH_CARD":                     layFirstCard,
	"LAST_CORNER":                  layOneCorner,
	"MULTICORNERS":                 layMulticorners,
	"TIME_OF_FIRST_CORNER":         layFirstTime(func(s *Sheet) float64 { return s.corners[0] + s.corners[1] }),
	"TIME_OF_FIRST_CARD":           layFirstTime(func(s *Sheet) float64 { return s.cards[0] + s.cards[1] }),
	"GOALSCORER_FIRST":             layScorerFirst,
	"GOALSCORER_LAST":              layScorerFirst,
	"GOALSCORER_ANYTIME":           layScorerAny,
	"PLAYER_TO_SCORE_N_OR_MORE":    layScorerMulti,
	"TEAM_GOALSCORER":              layTeamScorer,
	"GOALSCORER_AND_CORRECT_SCORE": layScorecast,
	"GOALSCORER_AND_RESULT":        layWincast,
	"GOALSCORER_AND_TIME":          layTimecast,
	"PLAYER_FIRST_CARDED":          layFirstCarded,
	"PLAYER_CARDED":                layCarded(0.17),
	"PLAYER_SENT_OFF":              layCarded(0.02),
	"PLAYER_OF_THE_MATCH":          layBest,
	"PLAYER_SHOTS":                 layPlayerCount(func(s *Sheet) [2]float64 { return s.shots }),
	"PLAYER_SHOTS_ON_TARGET":       layPlayerCount(func(s *Sheet) [2]float64 { return s.target }),
	"PLAYER_TACKLES":               layPlayerCount(func(s *Sheet) [2]float64 { return s.tackles }),
	"PLAYER_FOULS_COMMITTED":       layPlayerCount(func(*Sheet) [2]float64 { return [2]float64{11.5, 12.5} }),
	"PLAYER_ASSISTS":               layPlayerCount(func(s *Sheet) [2]float64 { return [2]float64{s.m.home * 0.7, s.m.away * 0.7} }),
	"PLAYER_PASSES":                layPlayerCount(func(*Sheet) [2]float64 { return [2]float64{430, 390} }),
	"points index":                 layPointsIndex, // a bookmaker's own: no canonical name
	"duel nobody knows":            layDuel,
	"table of unknown counts":      layUnknownTable,
}

var (
	results = [3]string{"HOME", "DRAW", "AWAY"}
	sides   = [2]string{"HOME", "AWAY"}
	yesNo   = [2]string{"YES", "NO"}
	noYes   = [2]string{"NO", "YES"}
)

// goals returns the table of a period's goals and their means.
func (s *Sheet) goals(period string) (t *table, home, away float64) {
	switch period {
	case "1H":
		return &s.m.half[0].t, s.m.half[0].home, s.m.half[0].away
	case "2H":
		return &s.m.half[1].t, s.m.half[1].home, s.m.half[1].away
	case "0-10":
		t = new(table)
		home, away = s.m.home*0.085, s.m.away*0.085
		t.fill(home, away)
		return t, home, away
	default:
		return &s.m.full, s.m.home, s.m.away
	}
}

// share is a side's part in the goals.
func (s *Sheet) share(side int) float64 {
	return [2]float64{s.m.home, s.m.away}[side] / (s.m.home + s.m.away)
}

// laySides prices one yes for each side.
func laySides(p func(s *Sheet, side int) float64) func(*Sheet, *Market) {
	return func(s *Sheet, m *Market) {
		for side, name := range sides {
			m.add(Selection{Outcome: "YES", Side: name}, p(s, side), marginMany)
		}
	}
}

func layYesNo(p float64) func(*Sheet, *Market) {
	return func(s *Sheet, m *Market) {
		p := p * (0.8 + 0.4*s.Fixture.dice.unit(51, uint64(p*1000)))
		m.add(Selection{Outcome: "YES"}, p, marginMany)
		m.add(Selection{Outcome: "NO"}, 1-p, marginTwo)
	}
}

// lineText writes a line of a total: "2.5", "2", "2.25".
func lineText(l float64) string {
	return strconv.FormatFloat(l, 'f', -1, 64)
}

// signedText writes a handicap: "+0.75", "-1", "0".
func signedText(l float64) string {
	if l > 0 {
		return "+" + lineText(l)
	}
	return lineText(l + 0) // no minus zero
}

// even is a probability as two-way bets with the stake back see it: the price
// at which such a bet is fair, as 1/price. win and push are those of the two
// halves of a stake.
func even(win, push [2]float64) float64 {
	back := 2 - push[0] - push[1]
	if back <= 0 {
		return 0
	}
	return (win[0] + win[1]) / back
}

// quarters returns the two lines that a quarter line's stake is split over.
func quarters(l float64) [2]float64 {
	if math.Mod(math.Abs(l)*4, 2) == 0 {
		return [2]float64{l, l}
	}
	return [2]float64{l - 0.25, l + 0.25}
}
