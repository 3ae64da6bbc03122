package emulator

import "mkt/fetch/simulator"

// good is one market that the bookmaker sells, in his own words.
type good struct {
	id, name string
	tabs     []string        // the sections it is shown in, v3 names; the first is where it is loaded
	refs     []simulator.Ref // what it means; several for a market that holds several
	say      spelling
	tier     int     // leagues up to this tier sell it: 3 is all
	form     rowForm // how rows are laid out
	proof    Proof   // what the payload tells about it
	blank    bool    // rows carry an empty handicap, as since 2025
	every    int     // sold on one fixture in so many; 0 is all
	key      string
}

// rowForm is how a market's rows stand.
type rowForm uint8

const (
	asSold    rowForm = iota // as the world sells them
	byHeader                 // a column after the other, told by header: all Over, then all Under
	labelled                 // a table: label rows first, then the price columns without names
	teamTable                // a table of both teams, of which one's prices survive
)

func sells(market, period string) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: period}}
}

func sellsBook(market, period string, b simulator.Book) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: period, Book: b}}
}

func sellsSide(market, side string) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: "FT", Side: side}}
}

func sellsParam(market, period, parameter string) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: period, Parameter: parameter}}
}

var (
	inMain         = []string{"main"}
	inAsianMain    = []string{"asian_lines", "main"}
	inAsianHalf    = []string{"asian_lines", "half"}
	inAsianCorners = []string{"asian_lines", "corners"}
	inAsianCards   = []string{"asian_lines", "cards"}
	inGoals        = []string{"goals"}
	inGoalsMain    = []string{"goals", "main"}
	inGoalsHalf    = []string{"goals", "half"}
	inHalf         = []string{"half"}
	inCorners      = []string{"corners"}
	inCornersHalf  = []string{"corners", "half"}
	inCards        = []string{"cards"}
	inPlayer       = []string{"player"}
	inPlayerMain   = []string{"player", "main"}
	inSpecials     = []string{"specials"}
	inSpecialsHalf = []string{"half", "specials"}
	inMinutes      = []string{"minutes"}
	inMinutesGoals = []string{"goals", "minutes"}
)

const (
	alternative      = simulator.Alternative
	asian            = simulator.Asian
	asianAlternative = simulator.AsianAlternative
)

// catalogue is everything sold, in the order of the tabs. Names, ids and tabs
// are the recorded ones: football v3 of 2020 and raw of 2018 (betsapi.md,
// sections 6.5 and 6.7), with the tables of other sports of 2025 for the forms
// that no football recording shows, and the tables reported of 2026, whose ids
// are not known.
var catalogue = keyed([]good{
	{id: "938", name: "Asian Handicap", tabs: inAsianMain, refs: sellsBook("ASIAN_HANDICAP", "FT", asian), say: sayAsian, tier: 3},
	{id: "10143", name: "Goal Line", tabs: inAsianMain, refs: sellsBook("TOTAL_GOALS", "FT", asian), say: sayGoalLine, tier: 3},
	{id: "50138", name: "Alternative Asian Handicap", tabs: inAsianMain, refs: sellsBook("ASIAN_HANDICAP", "FT", asianAlternative), say: sayAsian, tier: 3, form: byHeader},
	{id: "50139", name: "Alternative Goal Line", tabs: inAsianMain, refs: sellsBook("TOTAL_GOALS", "FT", asianAlternative), say: sayGoalLine, tier: 3, form: byHeader},
	{id: "50137", name: "1st Half Asian Handicap", tabs: inAsianHalf, refs: sellsBook("ASIAN_HANDICAP", "1H", asian), say: sayAsian, tier: 3},
	{id: "50136", name: "1st Half Goal Line", tabs: inAsianHalf, refs: sellsBook("TOTAL_GOALS", "1H", asian), say: sayGoalLine, tier: 3},
	{id: "50265", name: "Alternative 1st Half Asian Handicap", tabs: inAsianHalf, refs: sellsBook("ASIAN_HANDICAP", "1H", asianAlternative), say: sayAsian, tier: 2, form: byHeader},
	{id: "50266", name: "Alternative 1st Half Goal Line", tabs: inAsianHalf, refs: sellsBook("TOTAL_GOALS", "1H", asianAlternative), say: sayGoalLine, tier: 2, form: byHeader},
	{id: "10164", name: "Asian Total Corners", tabs: inAsianCorners, refs: sellsBook("TOTAL_CORNERS", "FT", asian), say: sayGoalLine, tier: 2},
	{id: "10165", name: "Asian Handicap Corners", tabs: inAsianCorners, refs: sells("CORNERS_ASIAN_HANDICAP", "FT"), say: sayAsian, tier: 2},
	{id: "10233", name: "1st Half Asian Corners", tabs: inAsianCorners, refs: sellsBook("TOTAL_CORNERS", "1H", asian), say: sayGoalLine, tier: 2},
	{id: "10166", name: "Asian Total Cards", tabs: inAsianCards, refs: sellsBook("TOTAL_CARDS", "FT", asian), say: sayGoalLine, tier: 1},
	{id: "10239", name: "Asian Handicap Cards", tabs: inAsianCards, refs: sells("CARDS_ASIAN_HANDICAP", "FT"), say: sayAsian, tier: 1},

	{id: "10542", name: "Number of Cards in Match", tabs: inCards, refs: sells("TOTAL_CARDS", "FT"), say: sayTotal, tier: 2},
	{id: "10240", name: "Card Handicap", tabs: inCards, refs: sells("CARDS_HANDICAP_RESULT", "FT"), say: sayEuropean, tier: 1},
	{id: "10241", name: "Alternative Card Handicap", tabs: inCards, refs: sellsBook("CARDS_HANDICAP_RESULT", "FT", alternative), say: sayEuropean, tier: 1, form: byHeader},
	{id: "1183", name: "Time of First Card", tabs: inCards, refs: sells("TIME_OF_FIRST_CARD", "FT"), say: sayBefore("Card"), tier: 1},
	{id: "", name: "First Card Received", tabs: inCards, refs: sellsParam("NTH_CARD", "FT", "1"), say: sayFirstCard, tier: 1, every: 3},
	{id: "10242", name: "Team Cards", tabs: inCards, refs: sells("TEAM_TOTAL_CARDS", "FT"), say: sayTeamTotal, tier: 1},

	{id: "760", name: "Corners", tabs: inCorners, refs: sells("TOTAL_CORNERS_3WAY", "FT"), say: sayTotal, tier: 3},
	{id: "50441", name: "Total Corners", tabs: inCorners, refs: sells("CORNERS_RANGE", "FT"), say: sayCornersBand, tier: 2},
	{id: "10234", name: "Alternative Corners", tabs: inCorners, refs: sellsBook("TOTAL_CORNERS_3WAY", "FT", alternative), say: sayTotal, tier: 2, form: byHeader},
	{id: "10235", name: "Corners 2-Way", tabs: inCorners, refs: sells("TOTAL_CORNERS", "FT"), say: sayTotal, tier: 3},
	{id: "10539", name: "First Half Corners", tabs: inCornersHalf, refs: sells("TOTAL_CORNERS_3WAY", "1H"), say: sayTotal, tier: 2},
	{id: "1175", name: "Corner Match Bet", tabs: inCorners, refs: sells("CORNERS_RESULT", "FT"), say: sayResultTie, tier: 2},
	{id: "10535", name: "Corner Handicap", tabs: inCorners, refs: sells("CORNERS_HANDICAP_RESULT", "FT"), say: sayEuropean, tier: 1},
	{id: "761", name: "Time of First Corner", tabs: inCorners, refs: sells("TIME_OF_FIRST_CORNER", "FT"), say: sayBefore("Corner"), tier: 1},
	{id: "10236", name: "Team Corners", tabs: inCorners, refs: sells("TEAM_TOTAL_CORNERS", "FT"), say: sayTeamTotal, tier: 2},
	{id: "10238", name: "Race to 3 Corners", tabs: inCorners, refs: sellsParam("CORNERS_RACE", "FT", "3"), say: sayRace, tier: 1},
	{id: "10238", name: "Race to 5 Corners", tabs: inCorners, refs: sellsParam("CORNERS_RACE", "FT", "5"), say: sayRace, tier: 1},
	{id: "10238", name: "Race to 7 Corners", tabs: inCorners, refs: sellsParam("CORNERS_RACE", "FT", "7"), say: sayRace, tier: 1},
	{id: "10238", name: "Race to 9 Corners", tabs: inCorners, refs: sellsParam("CORNERS_RACE", "FT", "9"), say: sayRace, tier: 1},
	{id: "", name: "Corners Race", tabs: inCorners, refs: sells("CORNERS_RACE", "FT"), say: sayRaces, tier: 1, every: 3},
	{id: "10519", name: "First Match Corner", tabs: inCorners, refs: sellsParam("NTH_CORNER", "FT", "1"), say: sayResult, tier: 1},
	{id: "10520", name: "Last Match Corner", tabs: inCorners, refs: sells("LAST_CORNER", "FT"), say: sayResult, tier: 1},
	{id: "1181", name: "Multicorners", tabs: inCorners, refs: sells("MULTICORNERS", "FT"), say: sayTotal, tier: 1},

	{id: "981", name: "Goals Over/Under", tabs: inGoalsMain, refs: sells("TOTAL_GOALS", "FT"), say: sayTotal, tier: 3},
	{id: "10202", name: "Alternative Total Goals", tabs: inGoals, refs: sellsBook("TOTAL_GOALS", "FT", alternative), say: sayTotal, tier: 3, form: byHeader},
	{id: "10212", name: "Result / Total Goals", tabs: inGoals, refs: sells("RESULT_AND_TOTAL_GOALS", "FT"), say: sayResultTotal, tier: 3},
	{id: "50405", name: "Total Goals/Both Teams to Score", tabs: inGoals, refs: sells("TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE", "FT"), say: sayTotalBoth, tier: 2},
	{id: "10203", name: "Exact Total Goals", tabs: inGoals, refs: sells("EXACT_GOALS", "FT"), say: sayExact, tier: 3},
	{id: "10536", name: "Number of Goals in Match", tabs: inGoals, refs: sells("GOALS_RANGE", "FT"), say: sayGoalsBand, tier: 3},
	{id: "10150", name: "Both Teams to Score", tabs: inGoalsMain, refs: sells("BOTH_TEAMS_TO_SCORE", "FT"), say: sayYesNo, tier: 3, blank: true},
	{id: "10211", name: "Teams to Score", tabs: inGoals, refs: sells("TEAMS_TO_SCORE", "FT"), say: sayTeams, tier: 3},
	{id: "50424", name: "Both Teams to Score in 1st Half", tabs: inGoalsHalf, refs: sells("BOTH_TEAMS_TO_SCORE", "1H"), say: sayYesNo, tier: 3},
	{id: "50432", name: "Both Teams to Score in 2nd Half", tabs: inGoalsHalf, refs: sells("BOTH_TEAMS_TO_SCORE", "2H"), say: sayYesNo, tier: 3},
	{id: "50435", name: "Both Teams to Score 1st Half - 2nd Half ", tabs: inGoalsHalf, refs: sells("BOTH_TEAMS_TO_SCORE_BY_HALF", "FT"), say: sayBothByHalf, tier: 2},
	{id: "10538", name: "First Half Goals", tabs: inGoalsHalf, refs: sellsBook("TOTAL_GOALS", "1H", alternative), say: sayTotal, tier: 3, form: byHeader},
	{id: "10205", name: "Exact 1st Half Goals", tabs: inGoalsHalf, refs: sells("EXACT_GOALS", "1H"), say: sayExact, tier: 3},
	{id: "1776", name: "Total Goal Minutes", tabs: inGoals, refs: sells("TOTAL_GOAL_MINUTES", "FT"), say: sayMinutes, tier: 1},
	{id: "1178", name: "First Team to Score", tabs: inGoals, refs: sells("FIRST_TEAM_TO_SCORE", "FT"), say: sayFirstTeam("No Goals"), tier: 3},
	{id: "10216", name: "First Goal Method", tabs: inGoals, refs: sells("FIRST_GOAL_METHOD", "FT"), say: sayMethod, tier: 1},
	{id: "10258", name: "Early Goal", tabs: inGoals, refs: sells("EARLY_GOAL", "FT"), say: sayBefore("Goal"), tier: 3},
	{id: "10259", name: "Late Goal", tabs: inGoals, refs: sells("LATE_GOAL", "FT"), say: sayAfter, tier: 3},
	{id: "10541", name: "Time of First Goal Brackets", tabs: inGoals, refs: sells("TIME_OF_FIRST_GOAL", "FT"), say: sayBracket, tier: 2},
	{id: "10209", name: "2nd Half Goals", tabs: inGoalsHalf, refs: sellsBook("TOTAL_GOALS", "2H", alternative), say: sayTotal, tier: 3, form: byHeader},
	{id: "10252", name: "Exact 2nd Half Goals", tabs: inGoalsHalf, refs: sells("EXACT_GOALS", "2H"), say: sayExact, tier: 3},
	{id: "10537", name: "Half With Most Goals", tabs: inGoalsHalf, refs: sells("HIGHEST_SCORING_HALF", "FT"), say: sayHalf, tier: 3},
	{id: "50417", name: "Home Team Highest Scoring Half", tabs: inGoalsHalf, refs: sellsSide("TEAM_HIGHEST_SCORING_HALF", "HOME"), say: ofTeam("HOME", sayHalf), tier: 2},
	{id: "50418", name: "Away Team Highest Scoring Half", tabs: inGoalsHalf, refs: sellsSide("TEAM_HIGHEST_SCORING_HALF", "AWAY"), say: ofTeam("AWAY", sayHalf), tier: 2},
	{id: "10210", name: "Clean Sheet", tabs: inGoals, refs: sells("CLEAN_SHEET", "FT"), say: sayTeamYesNo, tier: 3},
	{id: "10127", name: "Team Total Goals", tabs: inGoals, refs: sells("TEAM_TOTAL_GOALS", "FT"), say: sayTeamTotal, tier: 3},
	{id: "50415", name: "Home Team Exact Goals", tabs: inGoals, refs: sellsSide("TEAM_EXACT_GOALS", "HOME"), say: ofTeam("HOME", sayExact), tier: 2},
	{id: "50416", name: "Away Team Exact Goals", tabs: inGoals, refs: sellsSide("TEAM_EXACT_GOALS", "AWAY"), say: ofTeam("AWAY", sayExact), tier: 2},
	{id: "10214", name: "Time of 1st Team Goal", tabs: inGoals, refs: sells("TIME_OF_FIRST_TEAM_GOAL", "FT"), say: sayTeamBefore, tier: 1},
	{id: "10111", name: "Goals Odd/Even", tabs: inGoals, refs: sells("ODD_EVEN_GOALS", "FT"), say: sayOddEven, tier: 3, blank: true},
	{id: "50406", name: "Home Team Odd/Even Goals", tabs: inGoals, refs: sellsSide("TEAM_ODD_EVEN_GOALS", "HOME"), say: ofTeam("HOME", sayOddEven), tier: 2},
	{id: "50407", name: "Away Team Odd/Even Goals", tabs: inGoals, refs: sellsSide("TEAM_ODD_EVEN_GOALS", "AWAY"), say: ofTeam("AWAY", sayOddEven), tier: 2},
	{id: "10206", name: "1st Half Goals Odd/Even", tabs: inGoalsHalf, refs: sells("ODD_EVEN_GOALS", "1H"), say: sayOddEven, tier: 3},
	{id: "10534", name: "Last Team to Score", tabs: inGoals, refs: sells("LAST_TEAM_TO_SCORE", "FT"), say: sayFirstTeam("No Goal"), tier: 2},
	{id: "10245", name: "First 10 Minutes (00:00 - 09:59)", tabs: inMinutesGoals, refs: sells("TOTAL_GOALS", "0-10"), say: sayFirstMinutes, tier: 3, proof: MayBeRaw},

	{id: "1579", name: "Half Time Result", tabs: inHalf, refs: sells("MATCH_RESULT", "1H"), say: sayResult, tier: 3, blank: true},
	{id: "10257", name: "Half Time Double Chance", tabs: inHalf, refs: sells("DOUBLE_CHANCE", "1H"), say: sayDoubleChance, tier: 3},
	{id: "50425", name: "Half Time Result / Both Teams to Score", tabs: inHalf, refs: sells("RESULT_AND_BOTH_TEAMS_TO_SCORE", "1H"), say: sayResultAnd, tier: 3},
	{id: "50426", name: "Half Time Result / Total Goals", tabs: inHalf, refs: sells("RESULT_AND_TOTAL_GOALS", "1H"), say: sayResultAnd, tier: 2},
	{id: "10540", name: "Half Time Correct Score", tabs: inHalf, refs: sells("CORRECT_SCORE", "1H"), say: sayScore, tier: 3},
	{id: "50264", name: "1st Half Handicap", tabs: inHalf, refs: sells("HANDICAP_RESULT", "1H"), say: sayEuropean, tier: 3},
	{id: "10207", name: "Alternative 1st Half Handicap Result", tabs: inHalf, refs: sellsBook("HANDICAP_RESULT", "1H", alternative), say: sayEuropean, tier: 2, form: byHeader},
	{id: "50419", name: "To Score in Half", tabs: inSpecialsHalf, refs: append(sells("TEAM_TO_SCORE", "1H"), sells("TEAM_TO_SCORE", "2H")...), say: sayToScoreInHalf, tier: 3},
	{id: "10208", name: "2nd Half Result", tabs: inHalf, refs: sells("MATCH_RESULT", "2H"), say: sayResult, tier: 3},
	{id: "50433", name: "2nd Half Goals Odd/Even", tabs: inHalf, refs: sells("ODD_EVEN_GOALS", "2H"), say: sayOddEven, tier: 2},

	{id: "40", name: "Full Time Result", tabs: inMain, refs: sells("MATCH_RESULT", "FT"), say: sayResult, tier: 3, blank: true},
	{id: "10114", name: "Double Chance", tabs: inMain, refs: sells("DOUBLE_CHANCE", "FT"), say: sayDoubleChance, tier: 3, blank: true},
	{id: "43", name: "Correct Score", tabs: inMain, refs: sells("CORRECT_SCORE", "FT"), say: sayScore, tier: 3},
	{id: "42", name: "Half Time/Full Time", tabs: inMain, refs: sells("HALF_TIME_FULL_TIME", "FT"), say: sayHalfTimeFullTime, tier: 3},
	{id: "43", name: "Half Time / Full Time Correct Score", tabs: inMain, refs: sells("HALF_TIME_FULL_TIME_CORRECT_SCORE", "FT"), say: sayDoubleScore, tier: 1},
	{id: "10544", name: "Draw No Bet", tabs: inMain, refs: sells("DRAW_NO_BET", "FT"), say: sayResult, tier: 3, blank: true},
	{id: "50404", name: "Result/Both Teams to Score", tabs: inMain, refs: sells("RESULT_AND_BOTH_TEAMS_TO_SCORE", "FT"), say: sayResultBoth, tier: 3},
	{id: "171", name: "Handicap Result", tabs: inMain, refs: sells("HANDICAP_RESULT", "FT"), say: sayEuropean, tier: 3},
	{id: "10204", name: "Alternative Handicap Result", tabs: inMain, refs: sellsBook("HANDICAP_RESULT", "FT", alternative), say: sayEuropean, tier: 2, form: byHeader},
	{id: "56", name: "Winning Margin", tabs: inMain, refs: sells("WINNING_MARGIN", "FT"), say: sayMargin, tier: 3},
	{id: "10254", name: "Team to Kick Off", tabs: inMain, refs: sells("KICK_OFF", "FT"), say: sayResult, tier: 1},

	{id: "10244", name: "10 Minute Result", tabs: inMinutes, refs: sells("MATCH_RESULT", "0-10"), say: sayResult, tier: 3},

	{id: "45", name: "Goalscorers", tabs: inPlayerMain, refs: scorerRefs, say: sayScorer, tier: 2, every: 2},
	{id: "45", name: "First Goalscorer", tabs: inPlayerMain, refs: sells("GOALSCORER_FIRST", "FT"), say: sayPlayer, tier: 1, every: -2},
	{id: "46", name: "Last Goalscorer", tabs: inPlayerMain, refs: sells("GOALSCORER_LAST", "FT"), say: sayPlayer, tier: 1, every: -2},
	{id: "64", name: "To Score at Any Time", tabs: inPlayerMain, refs: sells("GOALSCORER_ANYTIME", "FT"), say: sayPlayer, tier: 1, every: -2},
	{id: "10217", name: "To Score Two or More Goals", tabs: inPlayerMain, refs: sellsParam("PLAYER_TO_SCORE_N_OR_MORE", "FT", "2"), say: sayPlayer, tier: 1, every: -2},
	{id: "10218", name: "To Score Three or More Goals", tabs: inPlayerMain, refs: sellsParam("PLAYER_TO_SCORE_N_OR_MORE", "FT", "3"), say: sayPlayer, tier: 1, every: -2},
	{id: "", name: "Multi Scorers", tabs: inPlayer, refs: append(sellsParam("PLAYER_TO_SCORE_N_OR_MORE", "FT", "2"), sellsParam("PLAYER_TO_SCORE_N_OR_MORE", "FT", "3")...), say: sayMulti, tier: 2, every: 2, form: labelled},
	{id: "44", name: "Scorecast", tabs: inPlayerMain, refs: sellsParam("GOALSCORER_AND_CORRECT_SCORE", "FT", "FIRST"), say: sayScorecast("first"), tier: 1},
	{id: "10219", name: "Anytime Scorecast", tabs: inPlayerMain, refs: sellsParam("GOALSCORER_AND_CORRECT_SCORE", "FT", "ANYTIME"), say: sayScorecast("anytime"), tier: 1},
	{id: "10221", name: "1st Half Scorecast", tabs: inPlayer, refs: sellsParam("GOALSCORER_AND_CORRECT_SCORE", "1H", "FIRST"), say: sayScorecast("first"), tier: 1},
	{id: "10220", name: "Wincast", tabs: inPlayer, refs: sellsParam("GOALSCORER_AND_RESULT", "FT", "FIRST"), say: sayWincast, tier: 1},
	{id: "10222", name: "Timecast", tabs: inPlayer, refs: sellsParam("GOALSCORER_AND_TIME", "FT", "FIRST"), say: sayTimecast, tier: 1},
	{id: "10151", name: "Team First Goalscorer", tabs: inPlayer, refs: sellsParam("TEAM_GOALSCORER", "FT", "FIRST"), say: sayTeamScorer, tier: 1},
	{id: "10152", name: "Team Last Goalscorer", tabs: inPlayer, refs: sellsParam("TEAM_GOALSCORER", "FT", "LAST"), say: sayTeamScorer, tier: 1, form: teamTable},
	{id: "10253", name: "1st Player Booked", tabs: inPlayer, refs: sells("PLAYER_FIRST_CARDED", "FT"), say: sayPlayer, tier: 1},
	{id: "460", name: "Man of the Match", tabs: inPlayer, refs: sells("PLAYER_OF_THE_MATCH", "FT"), say: sayPlayer, tier: 1, every: 3},
	{id: "50134", name: "Player to be Booked\r\n", tabs: inPlayer, refs: sells("PLAYER_CARDED", "FT"), say: sayPlayer, tier: 1},
	{id: "50135", name: "Player to be Sent Off", tabs: inPlayer, refs: sells("PLAYER_SENT_OFF", "FT"), say: sayPlayer, tier: 1},
	{id: "50538", name: "Player Shots on Target", tabs: inPlayer, refs: sells("PLAYER_SHOTS_ON_TARGET", "FT"), say: sayPlayerTotal, tier: 1},
	{id: "50539", name: "Player Shots", tabs: inPlayer, refs: sells("PLAYER_SHOTS", "FT"), say: sayPlayerTotal, tier: 1},
	{id: "50540", name: "Player Tackles", tabs: inPlayer, refs: sells("PLAYER_TACKLES", "FT"), say: sayPlayerTotal, tier: 1},
	{id: "50541", name: "Player Assists", tabs: inPlayer, refs: sells("PLAYER_ASSISTS", "FT"), say: sayPlayerTotal, tier: 1},
	{id: "50542", name: "Player Passes", tabs: inPlayer, refs: sells("PLAYER_PASSES", "FT"), say: sayPlayerTotal, tier: 1},
	{id: "", name: "Shots On Target Over/Under", tabs: inPlayer, refs: sells("PLAYER_SHOTS_ON_TARGET", "FT"), say: sayPlayerLine, tier: 2, form: byHeader, every: 3},
	{id: "", name: "Shots Over/Under", tabs: inPlayer, refs: sells("PLAYER_SHOTS", "FT"), say: sayPlayerLine, tier: 2, form: byHeader, every: 3},
	{id: "", name: "Player Fouls Committed", tabs: inPlayer, refs: sells("PLAYER_FOULS_COMMITTED", "FT"), say: sayPlayerLine, tier: 1, every: 3},

	{id: "10224", name: "Specials", tabs: inSpecials, refs: specialRefs, say: saySpecial, tier: 3, proof: MayBeRaw},
	{id: "10229", name: "To Score a Penalty", tabs: inSpecials, refs: sells("TEAM_TO_SCORE_PENALTY", "FT"), say: saySentence(" to score a penalty"), tier: 2},
	{id: "10230", name: "To Miss A Penalty", tabs: inSpecials, refs: sells("TEAM_TO_MISS_PENALTY", "FT"), say: saySentence(" to miss a penalty"), tier: 2},
	{id: "50240", name: "A Penalty in the Match", tabs: inSpecials, refs: sells("PENALTY_AWARDED", "FT"), say: sayYesNo, tier: 1},
	{id: "50241", name: "A Red Card in the Match", tabs: inSpecials, refs: sells("RED_CARD", "FT"), say: sayYesNo, tier: 1},
	{id: "10223", name: "Own Goal", tabs: inSpecials, refs: sells("OWN_GOAL", "FT"), say: sayYesNo, tier: 2},
	{id: "10110", name: "Team Performances", tabs: inSpecials, refs: sells("points index", "FT"), say: sayPoints, tier: 1, proof: MustBeRaw},
	{id: "50527", name: "Match Shots on Target", tabs: inSpecials, refs: sells("TOTAL_SHOTS_ON_TARGET", "FT"), say: sayTotal, tier: 1},
	{id: "50528", name: "Match Shots", tabs: inSpecials, refs: sells("TOTAL_SHOTS", "FT"), say: sayTotal, tier: 1},
	{id: "50529", name: "Match Tackles", tabs: inSpecials, refs: sells("TOTAL_TACKLES", "FT"), say: sayTotal, tier: 1},
	{id: "50559", name: "Match Offsides", tabs: inSpecials, refs: sells("TOTAL_OFFSIDES", "FT"), say: sayTotal, tier: 1},
	{id: "50530", name: "Home Team Shots on Target", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_SHOTS_ON_TARGET", "HOME"), say: sayTotal, tier: 1},
	{id: "50530", name: "Away Team Shots on Target", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_SHOTS_ON_TARGET", "AWAY"), say: sayTotal, tier: 1},
	{id: "50532", name: "Home Team Shots", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_SHOTS", "HOME"), say: sayTotal, tier: 1},
	{id: "50532", name: "Away Team Shots", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_SHOTS", "AWAY"), say: sayTotal, tier: 1},
	{id: "50534", name: "Home Team Tackles", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_TACKLES", "HOME"), say: sayTotal, tier: 1},
	{id: "50534", name: "Away Team Tackles", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_TACKLES", "AWAY"), say: sayTotal, tier: 1},
	{id: "50536", name: "Home Team Offsides", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_OFFSIDES", "HOME"), say: sayTotal, tier: 1},
	{id: "50536", name: "Away Team Offsides", tabs: inSpecials, refs: sellsSide("TEAM_TOTAL_OFFSIDES", "AWAY"), say: sayTotal, tier: 1},
	{id: "999001", name: "Touchline Duels", tabs: inSpecials, refs: sells("duel nobody knows", "FT"), say: sayPlayer, tier: 2, proof: MustBeRaw, every: 3},
	{id: "", name: "Match Counts?", tabs: inSpecials, refs: sells("table of unknown counts", "FT"), say: sayUnknownTable, tier: 2, proof: MustBeRaw, every: 4, form: labelled},
})

var scorerRefs = append(append(sells("GOALSCORER_FIRST", "FT"), sells("GOALSCORER_LAST", "FT")...), sells("GOALSCORER_ANYTIME", "FT")...)

var specialRefs = append(append(append(append(
	sells("COME_FROM_BEHIND_AND_WIN", "FT"),
	sells("WIN_TO_NIL", "FT")...),
	sells("WIN_EITHER_HALF", "FT")...),
	sells("WIN_BOTH_HALVES", "FT")...),
	sells("TEAM_TO_SCORE_IN_BOTH_HALVES", "FT")...)

// keyed gives every market the key its name makes.
func keyed(goods []good) []good {
	for i := range goods {
		goods[i].key = marketKey(goods[i].name)
	}
	return goods
}
