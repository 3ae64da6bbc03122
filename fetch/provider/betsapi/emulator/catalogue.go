package emulator

import "mkt/fetch/simulator"

// market is one market that the bookmaker offers, in his own words.
type market struct {
	id, name string
	tabs     []string        // the sections that show it, by their v3 names; it is loaded in the first
	refs     []simulator.Ref // what it means; several if it holds several markets
	spell    spelling
	tier     int             // leagues up to this tier have it: 3 is all
	form     rowForm         // the layout of its rows
	proof    simulator.Proof // what the payload proves about it
	blank    bool            // rows have an empty handicap, as they do since 2025
	every    int             // offered on one fixture in this many; 0 is all
	key      string
}

// rowForm is the layout of a market's rows.
type rowForm uint8

const (
	asIs      rowForm = iota // in the order of the world
	byHeader                 // one column after the other, with a header each: all Over, then all Under
	labelled                 // a table: the label rows first, then the columns of prices without names
	teamTable                // a table of both teams that has the prices of one
)

func refTo(market, period string) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: period}}
}

func refToBook(market, period string, b simulator.Book) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: period, Book: b}}
}

func refToSide(market, side string) []simulator.Ref {
	return []simulator.Ref{{Market: market, Period: "FT", Side: side}}
}

func refToParameter(market, period, parameter string) []simulator.Ref {
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

// catalogue is every market on offer, in the order of the tabs. Names, ids and tabs
// are the recorded ones: football v3 of 2020 and raw of 2018 (betsapi.md,
// sections 6.5 and 6.7), with the tables of other sports of 2025 for the forms
// that no football recording shows, and the tables reported of 2026, whose ids
// are not known.
var catalogue = keyed([]market{
	{id: "938", name: "Asian Handicap", tabs: inAsianMain, refs: refToBook("ASIAN_HANDICAP", "FT", asian), spell: spellAsian, tier: 3},
	{id: "10143", name: "Goal Line", tabs: inAsianMain, refs: refToBook("TOTAL_GOALS", "FT", asian), spell: spellGoalLine, tier: 3},
	{id: "50138", name: "Alternative Asian Handicap", tabs: inAsianMain, refs: refToBook("ASIAN_HANDICAP", "FT", asianAlternative), spell: spellAsian, tier: 3, form: byHeader},
	{id: "50139", name: "Alternative Goal Line", tabs: inAsianMain, refs: refToBook("TOTAL_GOALS", "FT", asianAlternative), spell: spellGoalLine, tier: 3, form: byHeader},
	{id: "50137", name: "1st Half Asian Handicap", tabs: inAsianHalf, refs: refToBook("ASIAN_HANDICAP", "1H", asian), spell: spellAsian, tier: 3},
	{id: "50136", name: "1st Half Goal Line", tabs: inAsianHalf, refs: refToBook("TOTAL_GOALS", "1H", asian), spell: spellGoalLine, tier: 3},
	{id: "50265", name: "Alternative 1st Half Asian Handicap", tabs: inAsianHalf, refs: refToBook("ASIAN_HANDICAP", "1H", asianAlternative), spell: spellAsian, tier: 2, form: byHeader},
	{id: "50266", name: "Alternative 1st Half Goal Line", tabs: inAsianHalf, refs: refToBook("TOTAL_GOALS", "1H", asianAlternative), spell: spellGoalLine, tier: 2, form: byHeader},
	{id: "10164", name: "Asian Total Corners", tabs: inAsianCorners, refs: refToBook("TOTAL_CORNERS", "FT", asian), spell: spellGoalLine, tier: 2},
	{id: "10165", name: "Asian Handicap Corners", tabs: inAsianCorners, refs: refTo("CORNERS_ASIAN_HANDICAP", "FT"), spell: spellAsian, tier: 2},
	{id: "10233", name: "1st Half Asian Corners", tabs: inAsianCorners, refs: refToBook("TOTAL_CORNERS", "1H", asian), spell: spellGoalLine, tier: 2},
	{id: "10166", name: "Asian Total Cards", tabs: inAsianCards, refs: refToBook("TOTAL_CARDS", "FT", asian), spell: spellGoalLine, tier: 1},
	{id: "10239", name: "Asian Handicap Cards", tabs: inAsianCards, refs: refTo("CARDS_ASIAN_HANDICAP", "FT"), spell: spellAsian, tier: 1},

	{id: "10542", name: "Number of Cards in Match", tabs: inCards, refs: refTo("TOTAL_CARDS", "FT"), spell: spellTotal, tier: 2},
	{id: "10240", name: "Card Handicap", tabs: inCards, refs: refTo("CARDS_HANDICAP_RESULT", "FT"), spell: spellEuropean, tier: 1},
	{id: "10241", name: "Alternative Card Handicap", tabs: inCards, refs: refToBook("CARDS_HANDICAP_RESULT", "FT", alternative), spell: spellEuropean, tier: 1, form: byHeader},
	{id: "1183", name: "Time of First Card", tabs: inCards, refs: refTo("TIME_OF_FIRST_CARD", "FT"), spell: spellBefore("Card"), tier: 1},
	{id: "", name: "First Card Received", tabs: inCards, refs: refToParameter("NTH_CARD", "FT", "1"), spell: spellFirstCard, tier: 1, every: 3},
	{id: "10242", name: "Team Cards", tabs: inCards, refs: refTo("TEAM_TOTAL_CARDS", "FT"), spell: spellTeamTotal, tier: 1},

	{id: "760", name: "Corners", tabs: inCorners, refs: refTo("TOTAL_CORNERS_3WAY", "FT"), spell: spellTotal, tier: 3},
	{id: "50441", name: "Total Corners", tabs: inCorners, refs: refTo("CORNERS_RANGE", "FT"), spell: spellCornersBand, tier: 2},
	{id: "10234", name: "Alternative Corners", tabs: inCorners, refs: refToBook("TOTAL_CORNERS_3WAY", "FT", alternative), spell: spellTotal, tier: 2, form: byHeader},
	{id: "10235", name: "Corners 2-Way", tabs: inCorners, refs: refTo("TOTAL_CORNERS", "FT"), spell: spellTotal, tier: 3},
	{id: "10539", name: "First Half Corners", tabs: inCornersHalf, refs: refTo("TOTAL_CORNERS_3WAY", "1H"), spell: spellTotal, tier: 2},
	{id: "1175", name: "Corner Match Bet", tabs: inCorners, refs: refTo("CORNERS_RESULT", "FT"), spell: spellResultTie, tier: 2},
	{id: "10535", name: "Corner Handicap", tabs: inCorners, refs: refTo("CORNERS_HANDICAP_RESULT", "FT"), spell: spellEuropean, tier: 1},
	{id: "761", name: "Time of First Corner", tabs: inCorners, refs: refTo("TIME_OF_FIRST_CORNER", "FT"), spell: spellBefore("Corner"), tier: 1},
	{id: "10236", name: "Team Corners", tabs: inCorners, refs: refTo("TEAM_TOTAL_CORNERS", "FT"), spell: spellTeamTotal, tier: 2},
	{id: "10238", name: "Race to 3 Corners", tabs: inCorners, refs: refToParameter("CORNERS_RACE", "FT", "3"), spell: spellRace, tier: 1},
	{id: "10238", name: "Race to 5 Corners", tabs: inCorners, refs: refToParameter("CORNERS_RACE", "FT", "5"), spell: spellRace, tier: 1},
	{id: "10238", name: "Race to 7 Corners", tabs: inCorners, refs: refToParameter("CORNERS_RACE", "FT", "7"), spell: spellRace, tier: 1},
	{id: "10238", name: "Race to 9 Corners", tabs: inCorners, refs: refToParameter("CORNERS_RACE", "FT", "9"), spell: spellRace, tier: 1},
	{id: "", name: "Corners Race", tabs: inCorners, refs: refTo("CORNERS_RACE", "FT"), spell: spellRaces, tier: 1, every: 3},
	{id: "10519", name: "First Match Corner", tabs: inCorners, refs: refToParameter("NTH_CORNER", "FT", "1"), spell: spellResult, tier: 1},
	{id: "10520", name: "Last Match Corner", tabs: inCorners, refs: refTo("LAST_CORNER", "FT"), spell: spellResult, tier: 1},
	{id: "1181", name: "Multicorners", tabs: inCorners, refs: refTo("MULTICORNERS", "FT"), spell: spellTotal, tier: 1},

	{id: "981", name: "Goals Over/Under", tabs: inGoalsMain, refs: refTo("TOTAL_GOALS", "FT"), spell: spellTotal, tier: 3},
	{id: "10202", name: "Alternative Total Goals", tabs: inGoals, refs: refToBook("TOTAL_GOALS", "FT", alternative), spell: spellTotal, tier: 3, form: byHeader},
	{id: "10212", name: "Result / Total Goals", tabs: inGoals, refs: refTo("RESULT_AND_TOTAL_GOALS", "FT"), spell: spellResultTotal, tier: 3},
	{id: "50405", name: "Total Goals/Both Teams to Score", tabs: inGoals, refs: refTo("TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE", "FT"), spell: spellTotalBoth, tier: 2},
	{id: "10203", name: "Exact Total Goals", tabs: inGoals, refs: refTo("EXACT_GOALS", "FT"), spell: spellExact, tier: 3},
	{id: "10536", name: "Number of Goals in Match", tabs: inGoals, refs: refTo("GOALS_RANGE", "FT"), spell: spellGoalsBand, tier: 3},
	{id: "10150", name: "Both Teams to Score", tabs: inGoalsMain, refs: refTo("BOTH_TEAMS_TO_SCORE", "FT"), spell: spellYesNo, tier: 3, blank: true},
	{id: "10211", name: "Teams to Score", tabs: inGoals, refs: refTo("TEAMS_TO_SCORE", "FT"), spell: spellTeams, tier: 3},
	{id: "50424", name: "Both Teams to Score in 1st Half", tabs: inGoalsHalf, refs: refTo("BOTH_TEAMS_TO_SCORE", "1H"), spell: spellYesNo, tier: 3},
	{id: "50432", name: "Both Teams to Score in 2nd Half", tabs: inGoalsHalf, refs: refTo("BOTH_TEAMS_TO_SCORE", "2H"), spell: spellYesNo, tier: 3},
	{id: "50435", name: "Both Teams to Score 1st Half - 2nd Half ", tabs: inGoalsHalf, refs: refTo("BOTH_TEAMS_TO_SCORE_BY_HALF", "FT"), spell: spellBothByHalf, tier: 2},
	{id: "10538", name: "First Half Goals", tabs: inGoalsHalf, refs: refToBook("TOTAL_GOALS", "1H", alternative), spell: spellTotal, tier: 3, form: byHeader},
	{id: "10205", name: "Exact 1st Half Goals", tabs: inGoalsHalf, refs: refTo("EXACT_GOALS", "1H"), spell: spellExact, tier: 3},
	{id: "1776", name: "Total Goal Minutes", tabs: inGoals, refs: refTo("TOTAL_GOAL_MINUTES", "FT"), spell: spellMinutes, tier: 1},
	{id: "1178", name: "First Team to Score", tabs: inGoals, refs: refTo("FIRST_TEAM_TO_SCORE", "FT"), spell: spellFirstTeam("No Goals"), tier: 3},
	{id: "10216", name: "First Goal Method", tabs: inGoals, refs: refTo("FIRST_GOAL_METHOD", "FT"), spell: spellMethod, tier: 1},
	{id: "10258", name: "Early Goal", tabs: inGoals, refs: refTo("EARLY_GOAL", "FT"), spell: spellBefore("Goal"), tier: 3},
	{id: "10259", name: "Late Goal", tabs: inGoals, refs: refTo("LATE_GOAL", "FT"), spell: spellAfter, tier: 3},
	{id: "10541", name: "Time of First Goal Brackets", tabs: inGoals, refs: refTo("TIME_OF_FIRST_GOAL", "FT"), spell: spellBracket, tier: 2},
	{id: "10209", name: "2nd Half Goals", tabs: inGoalsHalf, refs: refToBook("TOTAL_GOALS", "2H", alternative), spell: spellTotal, tier: 3, form: byHeader},
	{id: "10252", name: "Exact 2nd Half Goals", tabs: inGoalsHalf, refs: refTo("EXACT_GOALS", "2H"), spell: spellExact, tier: 3},
	{id: "10537", name: "Half With Most Goals", tabs: inGoalsHalf, refs: refTo("HIGHEST_SCORING_HALF", "FT"), spell: spellHalf, tier: 3},
	{id: "50417", name: "Home Team Highest Scoring Half", tabs: inGoalsHalf, refs: refToSide("TEAM_HIGHEST_SCORING_HALF", "HOME"), spell: ofTeam("HOME", spellHalf), tier: 2},
	{id: "50418", name: "Away Team Highest Scoring Half", tabs: inGoalsHalf, refs: refToSide("TEAM_HIGHEST_SCORING_HALF", "AWAY"), spell: ofTeam("AWAY", spellHalf), tier: 2},
	{id: "10210", name: "Clean Sheet", tabs: inGoals, refs: refTo("CLEAN_SHEET", "FT"), spell: spellTeamYesNo, tier: 3},
	{id: "10127", name: "Team Total Goals", tabs: inGoals, refs: refTo("TEAM_TOTAL_GOALS", "FT"), spell: spellTeamTotal, tier: 3},
	{id: "50415", name: "Home Team Exact Goals", tabs: inGoals, refs: refToSide("TEAM_EXACT_GOALS", "HOME"), spell: ofTeam("HOME", spellExact), tier: 2},
	{id: "50416", name: "Away Team Exact Goals", tabs: inGoals, refs: refToSide("TEAM_EXACT_GOALS", "AWAY"), spell: ofTeam("AWAY", spellExact), tier: 2},
	{id: "10214", name: "Time of 1st Team Goal", tabs: inGoals, refs: refTo("TIME_OF_FIRST_TEAM_GOAL", "FT"), spell: spellTeamBefore, tier: 1},
	{id: "10111", name: "Goals Odd/Even", tabs: inGoals, refs: refTo("ODD_EVEN_GOALS", "FT"), spell: spellOddEven, tier: 3, blank: true},
	{id: "50406", name: "Home Team Odd/Even Goals", tabs: inGoals, refs: refToSide("TEAM_ODD_EVEN_GOALS", "HOME"), spell: ofTeam("HOME", spellOddEven), tier: 2},
	{id: "50407", name: "Away Team Odd/Even Goals", tabs: inGoals, refs: refToSide("TEAM_ODD_EVEN_GOALS", "AWAY"), spell: ofTeam("AWAY", spellOddEven), tier: 2},
	{id: "10206", name: "1st Half Goals Odd/Even", tabs: inGoalsHalf, refs: refTo("ODD_EVEN_GOALS", "1H"), spell: spellOddEven, tier: 3},
	{id: "10534", name: "Last Team to Score", tabs: inGoals, refs: refTo("LAST_TEAM_TO_SCORE", "FT"), spell: spellFirstTeam("No Goal"), tier: 2},
	{id: "10245", name: "First 10 Minutes (00:00 - 09:59)", tabs: inMinutesGoals, refs: refTo("TOTAL_GOALS", "0-10"), spell: spellFirstMinutes, tier: 3, proof: simulator.MayBeRaw},

	{id: "1579", name: "Half Time Result", tabs: inHalf, refs: refTo("MATCH_RESULT", "1H"), spell: spellResult, tier: 3, blank: true},
	{id: "10257", name: "Half Time Double Chance", tabs: inHalf, refs: refTo("DOUBLE_CHANCE", "1H"), spell: spellDoubleChance, tier: 3},
	{id: "50425", name: "Half Time Result / Both Teams to Score", tabs: inHalf, refs: refTo("RESULT_AND_BOTH_TEAMS_TO_SCORE", "1H"), spell: spellResultAnd, tier: 3},
	{id: "50426", name: "Half Time Result / Total Goals", tabs: inHalf, refs: refTo("RESULT_AND_TOTAL_GOALS", "1H"), spell: spellResultAnd, tier: 2},
	{id: "10540", name: "Half Time Correct Score", tabs: inHalf, refs: refTo("CORRECT_SCORE", "1H"), spell: spellScore, tier: 3},
	{id: "50264", name: "1st Half Handicap", tabs: inHalf, refs: refTo("HANDICAP_RESULT", "1H"), spell: spellEuropean, tier: 3},
	{id: "10207", name: "Alternative 1st Half Handicap Result", tabs: inHalf, refs: refToBook("HANDICAP_RESULT", "1H", alternative), spell: spellEuropean, tier: 2, form: byHeader},
	{id: "50419", name: "To Score in Half", tabs: inSpecialsHalf, refs: append(refTo("TEAM_TO_SCORE", "1H"), refTo("TEAM_TO_SCORE", "2H")...), spell: spellToScoreInHalf, tier: 3},
	{id: "10208", name: "2nd Half Result", tabs: inHalf, refs: refTo("MATCH_RESULT", "2H"), spell: spellResult, tier: 3},
	{id: "50433", name: "2nd Half Goals Odd/Even", tabs: inHalf, refs: refTo("ODD_EVEN_GOALS", "2H"), spell: spellOddEven, tier: 2},

	{id: "40", name: "Full Time Result", tabs: inMain, refs: refTo("MATCH_RESULT", "FT"), spell: spellResult, tier: 3, blank: true},
	{id: "10114", name: "Double Chance", tabs: inMain, refs: refTo("DOUBLE_CHANCE", "FT"), spell: spellDoubleChance, tier: 3, blank: true},
	{id: "43", name: "Correct Score", tabs: inMain, refs: refTo("CORRECT_SCORE", "FT"), spell: spellScore, tier: 3},
	{id: "42", name: "Half Time/Full Time", tabs: inMain, refs: refTo("HALF_TIME_FULL_TIME", "FT"), spell: spellHalfTimeFullTime, tier: 3},
	{id: "43", name: "Half Time / Full Time Correct Score", tabs: inMain, refs: refTo("HALF_TIME_FULL_TIME_CORRECT_SCORE", "FT"), spell: spellDoubleScore, tier: 1},
	{id: "10544", name: "Draw No Bet", tabs: inMain, refs: refTo("DRAW_NO_BET", "FT"), spell: spellResult, tier: 3, blank: true},
	{id: "50404", name: "Result/Both Teams to Score", tabs: inMain, refs: refTo("RESULT_AND_BOTH_TEAMS_TO_SCORE", "FT"), spell: spellResultBoth, tier: 3},
	{id: "171", name: "Handicap Result", tabs: inMain, refs: refTo("HANDICAP_RESULT", "FT"), spell: spellEuropean, tier: 3},
	{id: "10204", name: "Alternative Handicap Result", tabs: inMain, refs: refToBook("HANDICAP_RESULT", "FT", alternative), spell: spellEuropean, tier: 2, form: byHeader},
	{id: "56", name: "Winning Margin", tabs: inMain, refs: refTo("WINNING_MARGIN", "FT"), spell: spellMargin, tier: 3},
	{id: "10254", name: "Team to Kick Off", tabs: inMain, refs: refTo("KICK_OFF", "FT"), spell: spellResult, tier: 1},

	{id: "10244", name: "10 Minute Result", tabs: inMinutes, refs: refTo("MATCH_RESULT", "0-10"), spell: spellResult, tier: 3},

	{id: "45", name: "Goalscorers", tabs: inPlayerMain, refs: scorerRefs, spell: spellScorer, tier: 2, every: 2},
	{id: "45", name: "First Goalscorer", tabs: inPlayerMain, refs: refTo("GOALSCORER_FIRST", "FT"), spell: spellPlayer, tier: 1, every: -2},
	{id: "46", name: "Last Goalscorer", tabs: inPlayerMain, refs: refTo("GOALSCORER_LAST", "FT"), spell: spellPlayer, tier: 1, every: -2},
	{id: "64", name: "To Score at Any Time", tabs: inPlayerMain, refs: refTo("GOALSCORER_ANYTIME", "FT"), spell: spellPlayer, tier: 1, every: -2},
	{id: "10217", name: "To Score Two or More Goals", tabs: inPlayerMain, refs: refToParameter("PLAYER_TO_SCORE_N_OR_MORE", "FT", "2"), spell: spellPlayer, tier: 1, every: -2},
	{id: "10218", name: "To Score Three or More Goals", tabs: inPlayerMain, refs: refToParameter("PLAYER_TO_SCORE_N_OR_MORE", "FT", "3"), spell: spellPlayer, tier: 1, every: -2},
	{id: "", name: "Multi Scorers", tabs: inPlayer, refs: append(refToParameter("PLAYER_TO_SCORE_N_OR_MORE", "FT", "2"), refToParameter("PLAYER_TO_SCORE_N_OR_MORE", "FT", "3")...), spell: spellMulti, tier: 2, every: 2, form: labelled},
	{id: "44", name: "Scorecast", tabs: inPlayerMain, refs: refToParameter("GOALSCORER_AND_CORRECT_SCORE", "FT", "FIRST"), spell: spellScorecast("first"), tier: 1},
	{id: "10219", name: "Anytime Scorecast", tabs: inPlayerMain, refs: refToParameter("GOALSCORER_AND_CORRECT_SCORE", "FT", "ANYTIME"), spell: spellScorecast("anytime"), tier: 1},
	{id: "10221", name: "1st Half Scorecast", tabs: inPlayer, refs: refToParameter("GOALSCORER_AND_CORRECT_SCORE", "1H", "FIRST"), spell: spellScorecast("first"), tier: 1},
	{id: "10220", name: "Wincast", tabs: inPlayer, refs: refToParameter("GOALSCORER_AND_RESULT", "FT", "FIRST"), spell: spellWincast, tier: 1},
	{id: "10222", name: "Timecast", tabs: inPlayer, refs: refToParameter("GOALSCORER_AND_TIME", "FT", "FIRST"), spell: spellTimecast, tier: 1},
	{id: "10151", name: "Team First Goalscorer", tabs: inPlayer, refs: refToParameter("TEAM_GOALSCORER", "FT", "FIRST"), spell: spellTeamScorer, tier: 1},
	{id: "10152", name: "Team Last Goalscorer", tabs: inPlayer, refs: refToParameter("TEAM_GOALSCORER", "FT", "LAST"), spell: spellTeamScorer, tier: 1, form: teamTable},
	{id: "10253", name: "1st Player Booked", tabs: inPlayer, refs: refTo("PLAYER_FIRST_CARDED", "FT"), spell: spellPlayer, tier: 1},
	{id: "460", name: "Man of the Match", tabs: inPlayer, refs: refTo("PLAYER_OF_THE_MATCH", "FT"), spell: spellPlayer, tier: 1, every: 3},
	{id: "50134", name: "Player to be Booked\r\n", tabs: inPlayer, refs: refTo("PLAYER_CARDED", "FT"), spell: spellPlayer, tier: 1},
	{id: "50135", name: "Player to be Sent Off", tabs: inPlayer, refs: refTo("PLAYER_SENT_OFF", "FT"), spell: spellPlayer, tier: 1},
	{id: "50538", name: "Player Shots on Target", tabs: inPlayer, refs: refTo("PLAYER_SHOTS_ON_TARGET", "FT"), spell: spellPlayerTotal, tier: 1},
	{id: "50539", name: "Player Shots", tabs: inPlayer, refs: refTo("PLAYER_SHOTS", "FT"), spell: spellPlayerTotal, tier: 1},
	{id: "50540", name: "Player Tackles", tabs: inPlayer, refs: refTo("PLAYER_TACKLES", "FT"), spell: spellPlayerTotal, tier: 1},
	{id: "50541", name: "Player Assists", tabs: inPlayer, refs: refTo("PLAYER_ASSISTS", "FT"), spell: spellPlayerTotal, tier: 1},
	{id: "50542", name: "Player Passes", tabs: inPlayer, refs: refTo("PLAYER_PASSES", "FT"), spell: spellPlayerTotal, tier: 1},
	{id: "", name: "Shots On Target Over/Under", tabs: inPlayer, refs: refTo("PLAYER_SHOTS_ON_TARGET", "FT"), spell: spellPlayerLine, tier: 2, form: byHeader, every: 3},
	{id: "", name: "Shots Over/Under", tabs: inPlayer, refs: refTo("PLAYER_SHOTS", "FT"), spell: spellPlayerLine, tier: 2, form: byHeader, every: 3},
	{id: "", name: "Player Fouls Committed", tabs: inPlayer, refs: refTo("PLAYER_FOULS_COMMITTED", "FT"), spell: spellPlayerLine, tier: 1, every: 3},

	{id: "10224", name: "Specials", tabs: inSpecials, refs: specialRefs, spell: spellSpecial, tier: 3, proof: simulator.MayBeRaw},
	{id: "10229", name: "To Score a Penalty", tabs: inSpecials, refs: refTo("TEAM_TO_SCORE_PENALTY", "FT"), spell: spellSentence(" to score a penalty"), tier: 2},
	{id: "10230", name: "To Miss A Penalty", tabs: inSpecials, refs: refTo("TEAM_TO_MISS_PENALTY", "FT"), spell: spellSentence(" to miss a penalty"), tier: 2},
	{id: "50240", name: "A Penalty in the Match", tabs: inSpecials, refs: refTo("PENALTY_AWARDED", "FT"), spell: spellYesNo, tier: 1},
	{id: "50241", name: "A Red Card in the Match", tabs: inSpecials, refs: refTo("RED_CARD", "FT"), spell: spellYesNo, tier: 1},
	{id: "10223", name: "Own Goal", tabs: inSpecials, refs: refTo("OWN_GOAL", "FT"), spell: spellYesNo, tier: 2},
	{id: "10110", name: "Team Performances", tabs: inSpecials, refs: refTo("points index", "FT"), spell: spellPoints, tier: 1, proof: simulator.MustBeRaw},
	{id: "50527", name: "Match Shots on Target", tabs: inSpecials, refs: refTo("TOTAL_SHOTS_ON_TARGET", "FT"), spell: spellTotal, tier: 1},
	{id: "50528", name: "Match Shots", tabs: inSpecials, refs: refTo("TOTAL_SHOTS", "FT"), spell: spellTotal, tier: 1},
	{id: "50529", name: "Match Tackles", tabs: inSpecials, refs: refTo("TOTAL_TACKLES", "FT"), spell: spellTotal, tier: 1},
	{id: "50559", name: "Match Offsides", tabs: inSpecials, refs: refTo("TOTAL_OFFSIDES", "FT"), spell: spellTotal, tier: 1},
	{id: "50530", name: "Home Team Shots on Target", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_SHOTS_ON_TARGET", "HOME"), spell: spellTotal, tier: 1},
	{id: "50530", name: "Away Team Shots on Target", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_SHOTS_ON_TARGET", "AWAY"), spell: spellTotal, tier: 1},
	{id: "50532", name: "Home Team Shots", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_SHOTS", "HOME"), spell: spellTotal, tier: 1},
	{id: "50532", name: "Away Team Shots", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_SHOTS", "AWAY"), spell: spellTotal, tier: 1},
	{id: "50534", name: "Home Team Tackles", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_TACKLES", "HOME"), spell: spellTotal, tier: 1},
	{id: "50534", name: "Away Team Tackles", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_TACKLES", "AWAY"), spell: spellTotal, tier: 1},
	{id: "50536", name: "Home Team Offsides", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_OFFSIDES", "HOME"), spell: spellTotal, tier: 1},
	{id: "50536", name: "Away Team Offsides", tabs: inSpecials, refs: refToSide("TEAM_TOTAL_OFFSIDES", "AWAY"), spell: spellTotal, tier: 1},
	{id: "999001", name: "Touchline Duels", tabs: inSpecials, refs: refTo("duel nobody knows", "FT"), spell: spellPlayer, tier: 2, proof: simulator.MustBeRaw, every: 3},
	{id: "", name: "Match Counts?", tabs: inSpecials, refs: refTo("table of unknown counts", "FT"), spell: spellUnknownTable, tier: 2, proof: simulator.MustBeRaw, every: 4, form: labelled},
})

var scorerRefs = append(append(refTo("GOALSCORER_FIRST", "FT"), refTo("GOALSCORER_LAST", "FT")...), refTo("GOALSCORER_ANYTIME", "FT")...)

var specialRefs = append(append(append(append(
	refTo("COME_FROM_BEHIND_AND_WIN", "FT"),
	refTo("WIN_TO_NIL", "FT")...),
	refTo("WIN_EITHER_HALF", "FT")...),
	refTo("WIN_BOTH_HALVES", "FT")...),
	refTo("TEAM_TO_SCORE_IN_BOTH_HALVES", "FT")...)

// keyed gives every market the key its name makes.
func keyed(markets []market) []market {
	for i := range markets {
		markets[i].key = marketKey(markets[i].name)
	}
	return markets
}
