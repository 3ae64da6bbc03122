package bookmaker

// pricers has the function that prices each market from the model, by name. It takes the
// period, book, side and parameter from the market it fills.
var pricers = map[string]func(*basis, *Market){
	"MATCH_RESULT":                        priceResult,
	"DOUBLE_CHANCE":                       priceDoubleChance,
	"DRAW_NO_BET":                         priceDrawNoBet,
	"HALF_TIME_FULL_TIME":                 priceHalfTimeFullTime,
	"CORRECT_SCORE":                       priceCorrectScore,
	"HALF_TIME_FULL_TIME_CORRECT_SCORE":   priceDoubleScore,
	"RESULT_AND_BOTH_TEAMS_TO_SCORE":      priceResultAndBoth,
	"RESULT_AND_TOTAL_GOALS":              priceResultAndTotal,
	"WINNING_MARGIN":                      priceMargin,
	"HANDICAP_RESULT":                     priceHandicapResult,
	"ASIAN_HANDICAP":                      priceAsianHandicap,
	"WIN_TO_NIL":                          priceSides(func(s *basis, side int) float64 { return s.winToNil(side) }),
	"WIN_EITHER_HALF":                     priceSides(func(s *basis, side int) float64 { return s.m.winsOne[side] }),
	"WIN_BOTH_HALVES":                     priceSides(func(s *basis, side int) float64 { return s.m.winsBoth[side] }),
	"TEAM_TO_SCORE_IN_BOTH_HALVES":        priceSides(func(s *basis, side int) float64 { return s.m.scoresIn2[side] }),
	"COME_FROM_BEHIND_AND_WIN":            priceSides(func(s *basis, side int) float64 { return s.m.behind[side] * 1.4 }),
	"TEAM_TO_SCORE_PENALTY":               priceSides(func(s *basis, side int) float64 { return 0.11 * s.share(side) * 2 }),
	"TEAM_TO_MISS_PENALTY":                priceSides(func(s *basis, side int) float64 { return 0.035 * s.share(side) * 2 }),
	"KICK_OFF":                            priceKickOff,
	"TOTAL_GOALS":                         priceTotalGoals,
	"TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE": priceTotalAndBoth,
	"EXACT_GOALS":                         priceExactGoals,
	"TEAM_EXACT_GOALS":                    priceTeamExactGoals,
	"GOALS_RANGE":                         priceGoalsRange,
	"BOTH_TEAMS_TO_SCORE":                 priceBoth,
	"BOTH_TEAMS_TO_SCORE_BY_HALF":         priceBothByHalf,
	"TEAMS_TO_SCORE":                      priceTeamsToScore,
	"TEAM_TO_SCORE":                       priceTeamToScore,
	"CLEAN_SHEET":                         priceCleanSheet,
	"TEAM_TOTAL_GOALS":                    priceTeamTotalGoals,
	"ODD_EVEN_GOALS":                      priceOddEven,
	"TEAM_ODD_EVEN_GOALS":                 priceTeamOddEven,
	"HIGHEST_SCORING_HALF":                priceRicherHalf,
	"TEAM_HIGHEST_SCORING_HALF":           priceRicherHalf,
	"FIRST_TEAM_TO_SCORE":                 priceFirstTeam,
	"LAST_TEAM_TO_SCORE":                  priceFirstTeam,
	"FIRST_GOAL_METHOD":                   priceGoalMethod,
	"EARLY_GOAL":                          priceEarlyGoal,
	"LATE_GOAL":                           priceLateGoal,
	"TIME_OF_FIRST_GOAL":                  priceTimeOfFirstGoal,
	"TIME_OF_FIRST_TEAM_GOAL":             priceTimeOfTeamGoal,
	"TOTAL_GOAL_MINUTES":                  priceGoalMinutes,
	"OWN_GOAL":                            priceYesNo(0.07),
	"PENALTY_AWARDED":                     priceYesNo(0.28),
	"RED_CARD":                            priceYesNo(0.17),

	"TOTAL_CORNERS":                priceCount(func(s *basis) [2]float64 { return s.corners }),
	"TOTAL_CARDS":                  priceCount(func(s *basis) [2]float64 { return s.cards }),
	"TOTAL_SHOTS":                  priceCount(func(s *basis) [2]float64 { return s.shots }),
	"TOTAL_SHOTS_ON_TARGET":        priceCount(func(s *basis) [2]float64 { return s.target }),
	"TOTAL_TACKLES":                priceCount(func(s *basis) [2]float64 { return s.tackles }),
	"TOTAL_OFFSIDES":               priceCount(func(s *basis) [2]float64 { return s.offsides }),
	"TEAM_TOTAL_CORNERS":           priceTeamCount(func(s *basis) [2]float64 { return s.corners }),
	"TEAM_TOTAL_CARDS":             priceTeamCount(func(s *basis) [2]float64 { return s.cards }),
	"TEAM_TOTAL_SHOTS":             priceTeamCount(func(s *basis) [2]float64 { return s.shots }),
	"TEAM_TOTAL_SHOTS_ON_TARGET":   priceTeamCount(func(s *basis) [2]float64 { return s.target }),
	"TEAM_TOTAL_TACKLES":           priceTeamCount(func(s *basis) [2]float64 { return s.tackles }),
	"TEAM_TOTAL_OFFSIDES":          priceTeamCount(func(s *basis) [2]float64 { return s.offsides }),
	"TOTAL_CORNERS_3WAY":           priceCorners3Way,
	"CORNERS_RANGE":                priceCornersRange,
	"CORNERS_RESULT":               priceCornersResult,
	"CORNERS_HANDICAP_RESULT":      priceCountHandicap(func(s *basis) [2]float64 { return s.corners }),
	"CARDS_HANDICAP_RESULT":        priceCountHandicap(func(s *basis) [2]float64 { return s.cards }),
	"CORNERS_ASIAN_HANDICAP":       priceCountAsian(func(s *basis) [2]float64 { return s.corners }),
	"CARDS_ASIAN_HANDICAP":         priceCountAsian(func(s *basis) [2]float64 { return s.cards }),
	"CORNERS_RACE":                 priceRace,
	"NTH_CORNER":                   priceOneCorner,
	"NTH_CARD":                     priceFirstCard,
	"LAST_CORNER":                  priceOneCorner,
	"MULTICORNERS":                 priceMulticorners,
	"TIME_OF_FIRST_CORNER":         priceFirstTime(func(s *basis) float64 { return s.corners[0] + s.corners[1] }),
	"TIME_OF_FIRST_CARD":           priceFirstTime(func(s *basis) float64 { return s.cards[0] + s.cards[1] }),
	"GOALSCORER_FIRST":             priceScorerFirst,
	"GOALSCORER_LAST":              priceScorerFirst,
	"GOALSCORER_ANYTIME":           priceScorerAny,
	"PLAYER_TO_SCORE_N_OR_MORE":    priceScorerMulti,
	"TEAM_GOALSCORER":              priceTeamScorer,
	"GOALSCORER_AND_CORRECT_SCORE": priceScorecast,
	"GOALSCORER_AND_RESULT":        priceWincast,
	"GOALSCORER_AND_TIME":          priceTimecast,
	"PLAYER_FIRST_CARDED":          priceFirstCarded,
	"PLAYER_CARDED":                priceCarded(0.17),
	"PLAYER_SENT_OFF":              priceCarded(0.02),
	"PLAYER_OF_THE_MATCH":          priceBest,
	"PLAYER_SHOTS":                 pricePlayerCount(func(s *basis) [2]float64 { return s.shots }),
	"PLAYER_SHOTS_ON_TARGET":       pricePlayerCount(func(s *basis) [2]float64 { return s.target }),
	"PLAYER_TACKLES":               pricePlayerCount(func(s *basis) [2]float64 { return s.tackles }),
	"PLAYER_FOULS_COMMITTED":       pricePlayerCount(func(*basis) [2]float64 { return [2]float64{11.5, 12.5} }),
	"PLAYER_ASSISTS":               pricePlayerCount(func(s *basis) [2]float64 { return [2]float64{s.m.home * 0.7, s.m.away * 0.7} }),
	"PLAYER_PASSES":                pricePlayerCount(func(*basis) [2]float64 { return [2]float64{430, 390} }),
	"points_index":                 pricePointsIndex, // a bookmaker's own: no canonical name
	"duel_nobody_knows":            priceDuel,
	"table_of_unknown_counts":      priceUnknownTable,
}

// priceSides prices one YES for each side.
func priceSides(p func(s *basis, side int) float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		for side, name := range sides {
			m.add(Selection{Outcome: "YES", Side: name}, p(s, side), marginMany)
		}
	}
}

func priceYesNo(p float64) func(*basis, *Market) {
	return func(s *basis, m *Market) {
		p := p * (0.8 + 0.4*s.fixture.Dice.Unit(51, uint64(p*1000)))
		m.add(Selection{Outcome: "YES"}, p, marginMany)
		m.add(Selection{Outcome: "NO"}, 1-p, marginTwo)
	}
}
