package emulator

import (
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/meant"
)

// market is one market in the bookmaker's own words.
type market struct {
	offer    string // of the simulated world
	id, name string
	tabs     []string // the sections that show it, by their v3 names; it is loaded in the first
	spell    spelling
	form     rowForm     // the layout of its rows
	proof    meant.Proof // how far the payload proves it
	blank    bool        // rows have an empty handicap, as they do since 2025

	of  bookmaker.Offer
	key string
}

// rowForm is the layout of a market's rows.
type rowForm uint8

const (
	asIs      rowForm = iota // in the order of the world
	byHeader                 // one column after the other, with a header each: all Over, then all Under
	labelled                 // a table: the label rows first, then the columns of prices without names
	teamTable                // a table of both teams that has the prices of one
)

var (
	inMain         = []string{"main"}
	inAsianMain    = []string{"asian_lines", "main"}
	inAsianHalf    = []string{"asian_lines", "half"}
	inAsianCorners = []string{"asian_lines", "corners"}
	inAsianCards   = []string{"asian_lines", "cards_fouls"}
	inGoals        = []string{"goals"}
	inGoalsMain    = []string{"goals", "main"}
	inGoalsHalf    = []string{"goals", "half"}
	inHalf         = []string{"half"}
	inCorners      = []string{"corners"}
	inCornersHalf  = []string{"corners", "half"}
	inCards        = []string{"cards_fouls"}
	inPlayer       = []string{"player_stats"}
	inPlayerMain   = []string{"player_stats", "main"}
	inSpecials     = []string{"other"}
	inSpecialsHalf = []string{"half", "other"}
	inMinutes      = []string{"minutes"}
	inMinutesGoals = []string{"goals", "minutes"}
)

// catalogue is every market on offer, in the order of the tabs. Names, ids and tabs
// are the recorded ones: football v3 of 2020 and raw of 2018 (betsapi.md,
// sections 6.5 and 6.7), with the tables of other sports of 2025 for the forms
// that no football recording shows, and the tables reported of 2026, whose ids
// are not known.
var catalogue = keyed([]market{
	{offer: "ASIAN_HANDICAP FT asian", id: "938", name: "Asian Handicap", tabs: inAsianMain, spell: asian},
	{offer: "TOTAL_GOALS FT asian", id: "10143", name: "Goal Line", tabs: inAsianMain, spell: goalLine},
	{offer: "ASIAN_HANDICAP FT asian_alternative", id: "50138", name: "Alternative Asian Handicap", tabs: inAsianMain, spell: asian, form: byHeader},
	{offer: "TOTAL_GOALS FT asian_alternative", id: "50139", name: "Alternative Goal Line", tabs: inAsianMain, spell: goalLine, form: byHeader},
	{offer: "ASIAN_HANDICAP 1H asian", id: "50137", name: "1st Half Asian Handicap", tabs: inAsianHalf, spell: asian},
	{offer: "TOTAL_GOALS 1H asian", id: "50136", name: "1st Half Goal Line", tabs: inAsianHalf, spell: goalLine},
	{offer: "ASIAN_HANDICAP 1H asian_alternative", id: "50265", name: "Alternative 1st Half Asian Handicap", tabs: inAsianHalf, spell: asian, form: byHeader},
	{offer: "TOTAL_GOALS 1H asian_alternative", id: "50266", name: "Alternative 1st Half Goal Line", tabs: inAsianHalf, spell: goalLine, form: byHeader},
	{offer: "TOTAL_CORNERS FT asian", id: "10164", name: "Asian Total Corners", tabs: inAsianCorners, spell: goalLine},
	{offer: "CORNERS_ASIAN_HANDICAP FT", id: "10165", name: "Asian Handicap Corners", tabs: inAsianCorners, spell: asian},
	{offer: "TOTAL_CORNERS 1H asian", id: "10233", name: "1st Half Asian Corners", tabs: inAsianCorners, spell: goalLine},
	{offer: "TOTAL_CARDS FT asian", id: "10166", name: "Asian Total Cards", tabs: inAsianCards, spell: goalLine},
	{offer: "CARDS_ASIAN_HANDICAP FT", id: "10239", name: "Asian Handicap Cards", tabs: inAsianCards, spell: asian},

	{offer: "TOTAL_CARDS FT", id: "10542", name: "Number of Cards in Match", tabs: inCards, spell: overUnder},
	{offer: "CARDS_HANDICAP_RESULT FT", id: "10240", name: "Card Handicap", tabs: inCards, spell: european},
	{offer: "CARDS_HANDICAP_RESULT FT alternative", id: "10241", name: "Alternative Card Handicap", tabs: inCards, spell: european, form: byHeader},
	{offer: "TIME_OF_FIRST_CARD FT", id: "1183", name: "Time of First Card", tabs: inCards, spell: before("Card")},
	{offer: "NTH_CARD FT 1", id: "", name: "First Card Received", tabs: inCards, spell: side},
	{offer: "TEAM_TOTAL_CARDS FT", id: "10242", name: "Team Cards", tabs: inCards, spell: teamTotal},

	{offer: "TOTAL_CORNERS_3WAY FT", id: "760", name: "Corners", tabs: inCorners, spell: overUnder},
	{offer: "CORNERS_RANGE FT", id: "50441", name: "Total Corners", tabs: inCorners, spell: named("", "0-5", "Under 6", "6-8", "6 - 8", "9-11", "9 - 11", "12-14", "12 - 14", "15+", "Over 14")},
	{offer: "TOTAL_CORNERS_3WAY FT alternative", id: "10234", name: "Alternative Corners", tabs: inCorners, spell: overUnder, form: byHeader},
	{offer: "TOTAL_CORNERS FT", id: "10235", name: "Corners 2-Way", tabs: inCorners, spell: overUnder},
	{offer: "TOTAL_CORNERS_3WAY 1H", id: "10539", name: "First Half Corners", tabs: inCornersHalf, spell: overUnder},
	{offer: "CORNERS_RESULT FT", id: "1175", name: "Corner Match Bet", tabs: inCorners, spell: sideOrTie},
	{offer: "CORNERS_HANDICAP_RESULT FT", id: "10535", name: "Corner Handicap", tabs: inCorners, spell: european},
	{offer: "TIME_OF_FIRST_CORNER FT", id: "761", name: "Time of First Corner", tabs: inCorners, spell: before("Corner")},
	{offer: "TEAM_TOTAL_CORNERS FT", id: "10236", name: "Team Corners", tabs: inCorners, spell: teamTotal},
	{offer: "CORNERS_RACE FT 3", id: "10238", name: "Race to 3 Corners", tabs: inCorners, spell: side},
	{offer: "CORNERS_RACE FT 5", id: "10238", name: "Race to 5 Corners", tabs: inCorners, spell: side},
	{offer: "CORNERS_RACE FT 7", id: "10238", name: "Race to 7 Corners", tabs: inCorners, spell: side},
	{offer: "CORNERS_RACE FT 9", id: "10238", name: "Race to 9 Corners", tabs: inCorners, spell: side},
	{offer: "CORNERS_RACE FT", id: "", name: "Corners Race", tabs: inCorners, spell: races},
	{offer: "NTH_CORNER FT 1", id: "10519", name: "First Match Corner", tabs: inCorners, spell: side},
	{offer: "LAST_CORNER FT", id: "10520", name: "Last Match Corner", tabs: inCorners, spell: side},
	{offer: "MULTICORNERS FT", id: "1181", name: "Multicorners", tabs: inCorners, spell: overUnder},

	{offer: "TOTAL_GOALS FT", id: "981", name: "Goals Over/Under", tabs: inGoalsMain, spell: overUnder},
	{offer: "TOTAL_GOALS FT alternative", id: "10202", name: "Alternative Total Goals", tabs: inGoals, spell: overUnder, form: byHeader},
	{offer: "RESULT_AND_TOTAL_GOALS FT", id: "10212", name: "Result / Total Goals", tabs: inGoals, spell: resultTotal},
	{offer: "TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT", id: "50405", name: "Total Goals/Both Teams to Score", tabs: inGoals, spell: named("$First $line & $Second")},
	{offer: "EXACT_GOALS FT", id: "10203", name: "Exact Total Goals", tabs: inGoals, spell: exact},
	{offer: "GOALS_RANGE FT", id: "10536", name: "Number of Goals in Match", tabs: inGoals, spell: named("", "0-1", "Under 2 goals", "2-3", "2 or 3 goals", "4+", "Over 3 goals")},
	{offer: "BOTH_TEAMS_TO_SCORE FT", id: "10150", name: "Both Teams to Score", tabs: inGoalsMain, spell: word, blank: true},
	{offer: "TEAMS_TO_SCORE FT", id: "10211", name: "Teams to Score", tabs: inGoals, spell: named("", "BOTH", "Both Teams", "NO_GOAL", "No Goal", "HOME_ONLY", "$home Only", "AWAY_ONLY", "$away Only")},
	{offer: "BOTH_TEAMS_TO_SCORE 1H", id: "50424", name: "Both Teams to Score in 1st Half", tabs: inGoalsHalf, spell: word},
	{offer: "BOTH_TEAMS_TO_SCORE 2H", id: "50432", name: "Both Teams to Score in 2nd Half", tabs: inGoalsHalf, spell: word},
	{offer: "BOTH_TEAMS_TO_SCORE_BY_HALF FT", id: "50435", name: "Both Teams to Score 1st Half - 2nd Half ", tabs: inGoalsHalf, spell: named("$First / $Second")},
	{offer: "TOTAL_GOALS 1H alternative", id: "10538", name: "First Half Goals", tabs: inGoalsHalf, spell: overUnder, form: byHeader},
	{offer: "EXACT_GOALS 1H", id: "10205", name: "Exact 1st Half Goals", tabs: inGoalsHalf, spell: exact},
	{offer: "TOTAL_GOAL_MINUTES FT", id: "1776", name: "Total Goal Minutes", tabs: inGoals, spell: named("$band minutes inc.", "OVER", "Over $qualifier minutes", "UNDER", "Under $qualifier minutes")},
	{offer: "FIRST_TEAM_TO_SCORE FT", id: "1178", name: "First Team to Score", tabs: inGoals, spell: firstTeam("No Goals")},
	{offer: "FIRST_GOAL_METHOD FT", id: "10216", name: "First Goal Method", tabs: inGoals, spell: named("$Outcome", "FREE_KICK", "Free Kick", "OWN_GOAL", "Own Goal", "NO_GOAL", "No Goal")},
	{offer: "EARLY_GOAL FT", id: "10258", name: "Early Goal", tabs: inGoals, spell: before("Goal")},
	{offer: "LATE_GOAL FT", id: "10259", name: "Late Goal", tabs: inGoals, spell: named("Goal after $qualifier", "NO", "No Goal after $qualifier")},
	{offer: "TIME_OF_FIRST_GOAL FT", id: "10541", name: "Time of First Goal Brackets", tabs: inGoals, spell: named("$outcome", "NO_GOAL", "No Goal", "81+", "81 - Full Time")},
	{offer: "TOTAL_GOALS 2H alternative", id: "10209", name: "2nd Half Goals", tabs: inGoalsHalf, spell: overUnder, form: byHeader},
	{offer: "EXACT_GOALS 2H", id: "10252", name: "Exact 2nd Half Goals", tabs: inGoalsHalf, spell: exact},
	{offer: "HIGHEST_SCORING_HALF FT", id: "10537", name: "Half With Most Goals", tabs: inGoalsHalf, spell: halves},
	{offer: "TEAM_HIGHEST_SCORING_HALF FT HOME", id: "50417", name: "Home Team Highest Scoring Half", tabs: inGoalsHalf, spell: ofTeam(halves)},
	{offer: "TEAM_HIGHEST_SCORING_HALF FT AWAY", id: "50418", name: "Away Team Highest Scoring Half", tabs: inGoalsHalf, spell: ofTeam(halves)},
	{offer: "CLEAN_SHEET FT", id: "10210", name: "Clean Sheet", tabs: inGoals, spell: teamYesNo},
	{offer: "TEAM_TOTAL_GOALS FT", id: "10127", name: "Team Total Goals", tabs: inGoals, spell: teamTotal},
	{offer: "TEAM_EXACT_GOALS FT HOME", id: "50415", name: "Home Team Exact Goals", tabs: inGoals, spell: ofTeam(exact)},
	{offer: "TEAM_EXACT_GOALS FT AWAY", id: "50416", name: "Away Team Exact Goals", tabs: inGoals, spell: ofTeam(exact)},
	{offer: "TIME_OF_FIRST_TEAM_GOAL FT", id: "10214", name: "Time of 1st Team Goal", tabs: inGoals, spell: ofTeam(before("Goal"))},
	{offer: "ODD_EVEN_GOALS FT", id: "10111", name: "Goals Odd/Even", tabs: inGoals, spell: word, blank: true},
	{offer: "TEAM_ODD_EVEN_GOALS FT HOME", id: "50406", name: "Home Team Odd/Even Goals", tabs: inGoals, spell: ofTeam(word)},
	{offer: "TEAM_ODD_EVEN_GOALS FT AWAY", id: "50407", name: "Away Team Odd/Even Goals", tabs: inGoals, spell: ofTeam(word)},
	{offer: "ODD_EVEN_GOALS 1H", id: "10206", name: "1st Half Goals Odd/Even", tabs: inGoalsHalf, spell: word},
	{offer: "LAST_TEAM_TO_SCORE FT", id: "10534", name: "Last Team to Score", tabs: inGoals, spell: firstTeam("No Goal")},
	{offer: "TOTAL_GOALS 0-10", id: "10245", name: "First 10 Minutes (00:00 - 09:59)", tabs: inMinutesGoals, spell: firstTen, proof: meant.MayBeRaw},

	{offer: "MATCH_RESULT 1H", id: "1579", name: "Half Time Result", tabs: inHalf, spell: side, blank: true},
	{offer: "DOUBLE_CHANCE 1H", id: "10257", name: "Half Time Double Chance", tabs: inHalf, spell: named("$chance")},
	{offer: "RESULT_AND_BOTH_TEAMS_TO_SCORE 1H", id: "50425", name: "Half Time Result / Both Teams to Score", tabs: inHalf, spell: named("$result & $Second")},
	{offer: "RESULT_AND_TOTAL_GOALS 1H", id: "50426", name: "Half Time Result / Total Goals", tabs: inHalf, spell: named("$result & $Second $line")},
	{offer: "CORRECT_SCORE 1H", id: "10540", name: "Half Time Correct Score", tabs: inHalf, spell: score},
	{offer: "HANDICAP_RESULT 1H", id: "50264", name: "1st Half Handicap", tabs: inHalf, spell: european},
	{offer: "HANDICAP_RESULT 1H alternative", id: "10207", name: "Alternative 1st Half Handicap Result", tabs: inHalf, spell: european, form: byHeader},
	{offer: "TEAM_TO_SCORE 1H + TEAM_TO_SCORE 2H", id: "50419", name: "To Score in Half", tabs: inSpecialsHalf, spell: scoresInHalf},
	{offer: "MATCH_RESULT 2H", id: "10208", name: "2nd Half Result", tabs: inHalf, spell: side},
	{offer: "ODD_EVEN_GOALS 2H", id: "50433", name: "2nd Half Goals Odd/Even", tabs: inHalf, spell: word},

	{offer: "MATCH_RESULT FT", id: "40", name: "Full Time Result", tabs: inMain, spell: side, blank: true},
	{offer: "DOUBLE_CHANCE FT", id: "10114", name: "Double Chance", tabs: inMain, spell: named("$chance"), blank: true},
	{offer: "CORRECT_SCORE FT", id: "43", name: "Correct Score", tabs: inMain, spell: score},
	{offer: "HALF_TIME_FULL_TIME FT", id: "42", name: "Half Time/Full Time", tabs: inMain, spell: named("$result - $full")},
	{offer: "HALF_TIME_FULL_TIME_CORRECT_SCORE FT", id: "43", name: "Half Time / Full Time Correct Score", tabs: inMain, spell: doubleScore},
	{offer: "DRAW_NO_BET FT", id: "10544", name: "Draw No Bet", tabs: inMain, spell: side, blank: true},
	{offer: "RESULT_AND_BOTH_TEAMS_TO_SCORE FT", id: "50404", name: "Result/Both Teams to Score", tabs: inMain, spell: resultBoth},
	{offer: "HANDICAP_RESULT FT", id: "171", name: "Handicap Result", tabs: inMain, spell: european},
	{offer: "HANDICAP_RESULT FT alternative", id: "10204", name: "Alternative Handicap Result", tabs: inMain, spell: european, form: byHeader},
	{offer: "WINNING_MARGIN FT", id: "56", name: "Winning Margin", tabs: inMain, spell: margin},
	{offer: "KICK_OFF FT", id: "10254", name: "Team to Kick Off", tabs: inMain, spell: side},

	{offer: "MATCH_RESULT 0-10", id: "10244", name: "10 Minute Result", tabs: inMinutes, spell: side},

	{offer: "GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT", id: "45", name: "Goalscorers", tabs: inPlayerMain, spell: scorer},
	{offer: "GOALSCORER_FIRST FT", id: "45", name: "First Goalscorer", tabs: inPlayerMain, spell: player},
	{offer: "GOALSCORER_LAST FT", id: "46", name: "Last Goalscorer", tabs: inPlayerMain, spell: player},
	{offer: "GOALSCORER_ANYTIME FT", id: "64", name: "To Score at Any Time", tabs: inPlayerMain, spell: player},
	{offer: "PLAYER_TO_SCORE_N_OR_MORE FT 2", id: "10217", name: "To Score Two or More Goals", tabs: inPlayerMain, spell: player},
	{offer: "PLAYER_TO_SCORE_N_OR_MORE FT 3", id: "10218", name: "To Score Three or More Goals", tabs: inPlayerMain, spell: player},
	{offer: "PLAYER_TO_SCORE_N_OR_MORE FT 2 + PLAYER_TO_SCORE_N_OR_MORE FT 3", id: "", name: "Multi Scorers", tabs: inPlayer, spell: multi, form: labelled},
	{offer: "GOALSCORER_AND_CORRECT_SCORE FT FIRST", id: "44", name: "Scorecast", tabs: inPlayerMain, spell: named("$player to score first and $winner $score")},
	{offer: "GOALSCORER_AND_CORRECT_SCORE FT ANYTIME", id: "10219", name: "Anytime Scorecast", tabs: inPlayerMain, spell: named("$player to score anytime and $winner $score")},
	{offer: "GOALSCORER_AND_CORRECT_SCORE 1H FIRST", id: "10221", name: "1st Half Scorecast", tabs: inPlayer, spell: named("$player to score first and $winner $score")},
	{offer: "GOALSCORER_AND_RESULT FT FIRST", id: "10220", name: "Wincast", tabs: inPlayer, spell: named("$player to score first and Fulltime Result: $result")},
	{offer: "GOALSCORER_AND_TIME FT FIRST", id: "10222", name: "Timecast", tabs: inPlayer, spell: named("$player to score first and time of first goal $outcome")},
	{offer: "TEAM_GOALSCORER FT FIRST", id: "10151", name: "Team First Goalscorer", tabs: inPlayer, spell: teamScorer},
	{offer: "TEAM_GOALSCORER FT LAST", id: "10152", name: "Team Last Goalscorer", tabs: inPlayer, spell: teamScorer, form: teamTable},
	{offer: "PLAYER_FIRST_CARDED FT", id: "10253", name: "1st Player Booked", tabs: inPlayer, spell: player},
	{offer: "PLAYER_OF_THE_MATCH FT", id: "460", name: "Man of the Match", tabs: inPlayer, spell: player},
	{offer: "PLAYER_CARDED FT", id: "50134", name: "Player to be Booked\r\n", tabs: inPlayer, spell: player},
	{offer: "PLAYER_SENT_OFF FT", id: "50135", name: "Player to be Sent Off", tabs: inPlayer, spell: player},
	{offer: "PLAYER_SHOTS_ON_TARGET FT", id: "50538", name: "Player Shots on Target", tabs: inPlayer, spell: playerTotal},
	{offer: "PLAYER_SHOTS FT", id: "50539", name: "Player Shots", tabs: inPlayer, spell: playerTotal},
	{offer: "PLAYER_TACKLES FT", id: "50540", name: "Player Tackles", tabs: inPlayer, spell: playerTotal},
	{offer: "PLAYER_ASSISTS FT", id: "50541", name: "Player Assists", tabs: inPlayer, spell: playerTotal},
	{offer: "PLAYER_PASSES FT", id: "50542", name: "Player Passes", tabs: inPlayer, spell: playerTotal},
	{offer: "PLAYER_SHOTS_ON_TARGET FT table", id: "", name: "Shots On Target Over/Under", tabs: inPlayer, spell: playerLine, form: byHeader},
	{offer: "PLAYER_SHOTS FT table", id: "", name: "Shots Over/Under", tabs: inPlayer, spell: playerLine, form: byHeader},
	{offer: "PLAYER_FOULS_COMMITTED FT", id: "", name: "Player Fouls Committed", tabs: inPlayer, spell: playerLine},

	{offer: "COME_FROM_BEHIND_AND_WIN FT + WIN_TO_NIL FT + WIN_EITHER_HALF FT + WIN_BOTH_HALVES FT + TEAM_TO_SCORE_IN_BOTH_HALVES FT", id: "10224", name: "Specials", tabs: inSpecials, spell: special, proof: meant.MayBeRaw},
	{offer: "TEAM_TO_SCORE_PENALTY FT", id: "10229", name: "To Score a Penalty", tabs: inSpecials, spell: named("$team to score a penalty")},
	{offer: "TEAM_TO_MISS_PENALTY FT", id: "10230", name: "To Miss A Penalty", tabs: inSpecials, spell: named("$team to miss a penalty")},
	{offer: "PENALTY_AWARDED FT", id: "50240", name: "A Penalty in the Match", tabs: inSpecials, spell: word},
	{offer: "RED_CARD FT", id: "50241", name: "A Red Card in the Match", tabs: inSpecials, spell: word},
	{offer: "OWN_GOAL FT", id: "10223", name: "Own Goal", tabs: inSpecials, spell: word},
	{offer: "points_index FT", id: "10110", name: "Team Performances", tabs: inSpecials, spell: named("$team 70 To 80", "under", "$team Under $line", "over", "$team Over $line"), proof: meant.MustBeRaw},
	{offer: "TOTAL_SHOTS_ON_TARGET FT", id: "50527", name: "Match Shots on Target", tabs: inSpecials, spell: overUnder},
	{offer: "TOTAL_SHOTS FT", id: "50528", name: "Match Shots", tabs: inSpecials, spell: overUnder},
	{offer: "TOTAL_TACKLES FT", id: "50529", name: "Match Tackles", tabs: inSpecials, spell: overUnder},
	{offer: "TOTAL_OFFSIDES FT", id: "50559", name: "Match Offsides", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_SHOTS_ON_TARGET FT HOME", id: "50530", name: "Home Team Shots on Target", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_SHOTS_ON_TARGET FT AWAY", id: "50530", name: "Away Team Shots on Target", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_SHOTS FT HOME", id: "50532", name: "Home Team Shots", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_SHOTS FT AWAY", id: "50532", name: "Away Team Shots", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_TACKLES FT HOME", id: "50534", name: "Home Team Tackles", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_TACKLES FT AWAY", id: "50534", name: "Away Team Tackles", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_OFFSIDES FT HOME", id: "50536", name: "Home Team Offsides", tabs: inSpecials, spell: overUnder},
	{offer: "TEAM_TOTAL_OFFSIDES FT AWAY", id: "50536", name: "Away Team Offsides", tabs: inSpecials, spell: overUnder},
	{offer: "duel_nobody_knows FT", id: "999001", name: "Touchline Duels", tabs: inSpecials, spell: player, proof: meant.MustBeRaw},
	{offer: "table_of_unknown_counts FT", id: "", name: "Match Counts?", tabs: inSpecials, spell: playerLine, proof: meant.MustBeRaw, form: labelled},
})

// keyed completes the table: the key that a market's name makes, and its offer.
func keyed(markets []market) []market {
	for i := range markets {
		markets[i].key, markets[i].of = marketKey(markets[i].name), bookmaker.OfferOf(markets[i].offer)
	}
	return markets
}
