package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator"
)

// bet is a bet in the provider's words.
type bet struct {
	id     int
	name   string
	offers string // of the simulated world, separated by " | "
	// only reports which rows of the offers belong to the bet; nil means all.
	only func(r simulator.Ref, s simulator.Selection) bool
	// word returns the value of a row, a text or a number; "" for a row that the provider
	// does not sell.
	word  func(s simulator.Selection) string
	proof simulator.Proof
	maker func(id int) bool // reports whether a bookmaker sells the bet; nil means all do

	of []simulator.Offer
}

// Some offers are sold in two ways.
const (
	tableOfScorers = "GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT"
	tableOfMulti   = "PLAYER_TO_SCORE_N_OR_MORE FT 2 + PLAYER_TO_SCORE_N_OR_MORE FT 3"
	specials       = "COME_FROM_BEHIND_AND_WIN FT + WIN_TO_NIL FT + WIN_EITHER_HALF FT + WIN_BOTH_HALVES FT + TEAM_TO_SCORE_IN_BOTH_HALVES FT"
	teamScores     = "TEAM_TO_SCORE 1H + TEAM_TO_SCORE 2H"
)

// bets are all bets of the emulator, in the order in which they are sent. The world's other
// offers are not sold by the provider, or its words for them are not known.
var bets = resolved([]bet{
	{id: 1, name: "Match Winner", offers: "MATCH_RESULT FT", word: side},
	{id: 2, name: "Home/Away", offers: "DRAW_NO_BET FT", word: side},
	{id: 3, name: "Second Half Winner", offers: "MATCH_RESULT 2H", word: side},
	{id: 4, name: "Asian Handicap", offers: "ASIAN_HANDICAP FT asian | ASIAN_HANDICAP FT asian_alternative", word: asian},
	{id: 5, name: "Goals Over/Under", offers: "TOTAL_GOALS FT | TOTAL_GOALS FT alternative", word: total},
	{id: 6, name: "Goals Over/Under First Half", offers: "TOTAL_GOALS 1H alternative", word: total},
	{id: 7, name: "HT/FT Double", offers: "HALF_TIME_FULL_TIME FT", word: side},
	{id: 8, name: "Both Teams Score", offers: "BOTH_TEAMS_TO_SCORE FT", word: capital},
	{id: 9, name: "Handicap Result", offers: "HANDICAP_RESULT FT | HANDICAP_RESULT FT alternative", word: handicap},
	{id: 10, name: "Exact Score", offers: "CORRECT_SCORE FT", word: score},
	{id: 11, name: "Highest Scoring Half", offers: "HIGHEST_SCORING_HALF FT", word: half},
	{id: 12, name: "Double Chance", offers: "DOUBLE_CHANCE FT", word: chance},
	{id: 13, name: "First Half Winner", offers: "MATCH_RESULT 1H", word: side},
	{id: 14, name: "Team To Score First", offers: "FIRST_TEAM_TO_SCORE FT", word: scorer("Draw")},
	{id: 15, name: "Team To Score Last", offers: "LAST_TEAM_TO_SCORE FT", word: scorer("No goal")},
	{id: 16, name: "Total - Home", offers: "TEAM_TOTAL_GOALS FT", only: of("HOME"), word: total},
	{id: 17, name: "Total - Away", offers: "TEAM_TOTAL_GOALS FT", only: of("AWAY"), word: total},
	{id: 18, name: "Handicap Result - First Half", offers: "HANDICAP_RESULT 1H | HANDICAP_RESULT 1H alternative", word: handicap},
	{id: 19, name: "Asian Handicap First Half", offers: "ASIAN_HANDICAP 1H asian | ASIAN_HANDICAP 1H asian_alternative", word: asian},
	{id: 20, name: "Double Chance - First Half", offers: "DOUBLE_CHANCE 1H", word: chance},
	{id: 21, name: "Odd/Even", offers: "ODD_EVEN_GOALS FT", word: capital},
	{id: 22, name: "Odd/Even - First Half", offers: "ODD_EVEN_GOALS 1H", word: capital},
	{id: 23, name: "Home Odd/Even", offers: "TEAM_ODD_EVEN_GOALS FT HOME", word: capital},
	{id: 24, name: "Results/Both Teams Score", offers: "RESULT_AND_BOTH_TEAMS_TO_SCORE FT", word: side},
	{id: 25, name: "Result/Total Goals", offers: "RESULT_AND_TOTAL_GOALS FT", word: total},
	{id: 26, name: "Goals Over/Under - Second Half", offers: "TOTAL_GOALS 2H alternative", word: total},
	{id: 27, name: "Clean Sheet - Home", offers: "CLEAN_SHEET FT", only: of("HOME"), word: capital},
	{id: 28, name: "Clean Sheet - Away", offers: "CLEAN_SHEET FT", only: of("AWAY"), word: capital},
	{id: 31, name: "Correct Score - First Half", offers: "CORRECT_SCORE 1H", word: score},
	{id: 32, name: "Win Both Halves", offers: specials, only: of("WIN_BOTH_HALVES"), word: yesSide},
	{id: 34, name: "Both Teams Score - First Half", offers: "BOTH_TEAMS_TO_SCORE 1H", word: capital},
	{id: 35, name: "Both Teams To Score - Second Half", offers: "BOTH_TEAMS_TO_SCORE 2H", word: capital},
	{id: 36, name: "Win To Nil", offers: specials, only: of("WIN_TO_NIL"), word: yesSide},
	{id: 38, name: "Exact Goals Number", offers: "EXACT_GOALS FT", word: number},
	{id: 39, name: "To Win Either Half", offers: specials, only: of("WIN_EITHER_HALF"), word: yesSide},
	{id: 40, name: "Home Team Exact Goals Number", offers: "TEAM_EXACT_GOALS FT HOME", word: number},
	{id: 41, name: "Away Team Exact Goals Number", offers: "TEAM_EXACT_GOALS FT AWAY", word: number},
	{id: 42, name: "Second Half Exact Goals Number", offers: "EXACT_GOALS 2H", word: number},
	{id: 45, name: "Corners Over Under", offers: "TOTAL_CORNERS FT | TOTAL_CORNERS FT asian", word: total},
	{id: 46, name: "Exact Goals Number - First Half", offers: "EXACT_GOALS 1H", word: number},
	{id: 47, name: "Winning Margin", offers: "WINNING_MARGIN FT", word: margin},
	{id: 48, name: "To Score In Both Halves By Teams", offers: specials, only: of("TEAM_TO_SCORE_IN_BOTH_HALVES"), word: yesSide},
	{id: 49, name: "Total Goals/Both Teams To Score", offers: "TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT", word: totalBoth},
	{id: 50, name: "Goal Line", offers: "TOTAL_GOALS FT asian | TOTAL_GOALS FT asian_alternative", word: total},
	{id: 52, name: "Halftime Result/Both Teams Score", offers: "RESULT_AND_BOTH_TEAMS_TO_SCORE 1H", word: side},
	{id: 54, name: "First 10 min Winner", offers: "MATCH_RESULT 0-10", word: side},
	{id: 55, name: "Corners 1x2", offers: "CORNERS_RESULT FT", word: side},
	{id: 56, name: "Corners Asian Handicap", offers: "CORNERS_ASIAN_HANDICAP FT", word: asian},
	{id: 57, name: "Home Corners Over/Under", offers: "TEAM_TOTAL_CORNERS FT", only: of("HOME"), word: total},
	{id: 58, name: "Away Corners Over/Under", offers: "TEAM_TOTAL_CORNERS FT", only: of("AWAY"), word: total},
	{id: 59, name: "Own Goal", offers: "OWN_GOAL FT", word: capital},
	{id: 60, name: "Away Odd/Even", offers: "TEAM_ODD_EVEN_GOALS FT AWAY", word: capital},
	{id: 63, name: "Odd/Even - Second Half", offers: "ODD_EVEN_GOALS 2H", word: capital},
	{id: 72, name: "Goal Line (1st Half)", offers: "TOTAL_GOALS 1H asian | TOTAL_GOALS 1H asian_alternative", word: total},
	{id: 75, name: "Last Corner", offers: "LAST_CORNER FT", word: side},
	{id: 76, name: "First Corner", offers: "NTH_CORNER FT 1", word: side},
	// One id has two shapes.
	{id: 77, name: "Total Corners (1st Half)", offers: "TOTAL_CORNERS_3WAY 1H", word: total, maker: func(id int) bool { return id == mainMaker }},
	{id: 77, name: "Total Corners (1st Half)", offers: "TOTAL_CORNERS 1H asian", word: total, maker: func(id int) bool { return id != mainMaker }},
	{id: 78, name: "RTG_H1", offers: "RESULT_AND_TOTAL_GOALS 1H", word: total},
	{id: 79, name: "Cards European Handicap", offers: "CARDS_HANDICAP_RESULT FT | CARDS_HANDICAP_RESULT FT alternative", word: handicap},
	{id: 80, name: "Cards Over/Under", offers: "TOTAL_CARDS FT | TOTAL_CARDS FT asian", word: total},
	{id: 81, name: "Cards Asian Handicap", offers: "CARDS_ASIAN_HANDICAP FT", word: asian},
	{id: 82, name: "Home Team Total Cards", offers: "TEAM_TOTAL_CARDS FT", only: of("HOME"), word: total},
	{id: 83, name: "Away Team Total Cards", offers: "TEAM_TOTAL_CARDS FT", only: of("AWAY"), word: total},
	{id: 85, name: "Total Corners (3 way)", offers: "TOTAL_CORNERS_3WAY FT | TOTAL_CORNERS_3WAY FT alternative", word: total},
	{id: 86, name: "RCARD", offers: "RED_CARD FT", word: capital, proof: simulator.MustBeRaw},
	{id: 87, name: "Total ShotOnGoal", offers: "TOTAL_SHOTS_ON_TARGET FT", word: total},
	{id: 88, name: "Home Total ShotOnGoal", offers: "TEAM_TOTAL_SHOTS_ON_TARGET FT HOME", word: total},
	{id: 89, name: "Away Total ShotOnGoal", offers: "TEAM_TOTAL_SHOTS_ON_TARGET FT AWAY", word: total},
	{id: 92, name: "Anytime Goal Scorer", offers: "GOALSCORER_ANYTIME FT | " + tableOfScorers, only: of("GOALSCORER_ANYTIME"), word: player},
	{id: 93, name: "First Goal Scorer", offers: "GOALSCORER_FIRST FT | " + tableOfScorers, only: of("GOALSCORER_FIRST"), word: player},
	{id: 94, name: "Last Goal Scorer", offers: "GOALSCORER_LAST FT | " + tableOfScorers, only: of("GOALSCORER_LAST"), word: player},
	{id: 95, name: "To Score Two or More Goals", offers: "PLAYER_TO_SCORE_N_OR_MORE FT 2 | " + tableOfMulti, only: of("2"), word: player},
	{id: 97, name: "First Goal Method", offers: "FIRST_GOAL_METHOD FT", word: method},
	{id: 99, name: "To Score A Penalty", offers: "TEAM_TO_SCORE_PENALTY FT", word: yesSide},
	{id: 100, name: "To Miss A Penalty", offers: "TEAM_TO_MISS_PENALTY FT", word: yesSide},
	{id: 102, name: "Player to be booked", offers: "PLAYER_CARDED FT", word: player},
	{id: 103, name: "Player to be Sent Off", offers: "PLAYER_SENT_OFF FT", word: player},
	{id: 114, name: "Home Team Score a Goal (1st Half)", offers: teamScores, only: of("HOME", "1H"), word: capital},
	{id: 115, name: "Home Team Score a Goal (2nd Half)", offers: teamScores, only: of("HOME", "2H"), word: capital},
	{id: 116, name: "Away Team Score a Goal (1st Half)", offers: teamScores, only: of("AWAY", "1H"), word: capital},
	{id: 117, name: "Away Team Score a Goal (2nd Half)", offers: teamScores, only: of("AWAY", "2H"), word: capital},
	{id: 124, name: "Home Come From Behind and Win", offers: specials, only: of("COME_FROM_BEHIND_AND_WIN", "HOME"), word: capital},
	{id: 129, name: "Away Come From Behind and Win", offers: specials, only: of("COME_FROM_BEHIND_AND_WIN", "AWAY"), word: capital},
	{id: 163, name: "Penalty Awarded", offers: "PENALTY_AWARDED FT", word: capital},
	{id: 164, name: "Offsides Total", offers: "TOTAL_OFFSIDES FT", word: total},
	{id: 167, name: "Offsides Home Total", offers: "TEAM_TOTAL_OFFSIDES FT HOME", word: total},
	{id: 168, name: "Offsides Away Total", offers: "TEAM_TOTAL_OFFSIDES FT AWAY", word: total},
	{id: 192, name: "Home Highest Scoring Half", offers: "TEAM_HIGHEST_SCORING_HALF FT HOME", word: half},
	{id: 193, name: "Away Highest Scoring Half", offers: "TEAM_HIGHEST_SCORING_HALF FT AWAY", word: half},
	{id: 211, name: "Total Shots", offers: "TOTAL_SHOTS FT", word: total},
	{id: 215, name: "Player Singles", offers: "PLAYER_SHOTS FT", word: playerOver, proof: simulator.MustBeRaw},
	{id: 239, name: "Corners. European Handicap", offers: "CORNERS_HANDICAP_RESULT FT", word: handicap},
	{id: 249, name: "Multicorners", offers: "MULTICORNERS FT", word: total},
	{id: 281, name: "Total Tackles", offers: "TOTAL_TACKLES FT", word: total},
	{id: 292, name: "Over/Under between 0 and 10m", offers: "TOTAL_GOALS 0-10", word: total, proof: simulator.MustBeRaw},
	{id: 301, name: "Tackles. Away Total", offers: "TEAM_TOTAL_TACKLES FT AWAY", word: total},
	{id: 302, name: "Tackles. Home Total", offers: "TEAM_TOTAL_TACKLES FT HOME", word: total},
})

// resolved completes the table.
func resolved(bets []bet) []bet {
	for i := range bets {
		for name := range strings.SplitSeq(bets[i].offers, " | ") {
			bets[i].of = append(bets[i].of, simulator.OfferOf(name))
		}
	}
	return bets
}

// of selects the rows to which all words apply: the market, the period, the parameter or
// the side.
func of(words ...string) func(simulator.Ref, simulator.Selection) bool {
	return func(r simulator.Ref, s simulator.Selection) bool {
		for _, w := range words {
			if w != r.Market && w != r.Period && w != r.Parameter && w != s.Side {
				return false
			}
		}
		return true
	}
}

// capital writes words of the vocabulary: "HOME" is "Home", "YES" is "Yes".
func capital(s simulator.Selection) string { return capitals(s.Outcome) }

func capitals(word string) string {
	if len(word) < 2 {
		return word
	}
	return word[:1] + strings.ToLower(word[1:])
}

// side writes one word, or two: "Home", "Home/Draw", "Home/Yes".
func side(s simulator.Selection) string {
	first, second, two := strings.Cut(strings.ReplaceAll(s.Outcome, "&", "/"), "/")
	if two {
		return capitals(first) + "/" + capitals(second)
	}
	return capitals(first)
}

// yesSide writes the side of a yes.
func yesSide(s simulator.Selection) string { return capitals(s.Side) }

func total(s simulator.Selection) string { return side(s) + " " + s.Line }

// asian writes a handicap. Both rows have the home side's line: "Away -1.25".
func asian(s simulator.Selection) string {
	line := s.Line
	if s.Outcome == "AWAY" {
		line = strings.NewReplacer("+", "-", "-", "+").Replace(line)
	}
	if line == "0" {
		line = "+0"
	}
	return capital(s) + " " + line
}

func handicap(s simulator.Selection) string { return capital(s) + " " + s.Line }

func score(s simulator.Selection) string { return strings.Replace(s.Outcome, "-", ":", 1) }

func half(s simulator.Selection) string {
	return map[string]string{"1H": "1st Half", "2H": "2nd Half", "EQUAL": "Draw"}[s.Outcome]
}

func chance(s simulator.Selection) string {
	return map[string]string{"1X": "Home/Draw", "X2": "Draw/Away", "12": "Home/Away"}[s.Outcome]
}

// scorer writes a side, or the outcome without a goal.
func scorer(none string) func(simulator.Selection) string {
	return func(s simulator.Selection) string {
		if s.Outcome == "NO_GOAL" {
			return none
		}
		return capital(s)
	}
}

func number(s simulator.Selection) string {
	if n, open := strings.CutSuffix(s.Outcome, "+"); open {
		return "more " + n
	}
	return s.Outcome
}

// valueOf returns a value as it is sent: a number of goals is a JSON number.
func valueOf(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func margin(s simulator.Selection) string {
	switch s.Outcome {
	case "SCORE_DRAW":
		return "Score Draw"
	case "NO_GOAL":
		return "Draw"
	}
	side, by, _ := strings.Cut(s.Outcome, "_")
	return map[string]string{"HOME": "1", "AWAY": "2"}[side] + " by " + by
}

// totalBoth writes "o/yes 2.5".
func totalBoth(s simulator.Selection) string {
	over, both, _ := strings.Cut(strings.ToLower(s.Outcome), "&")
	return over[:1] + "/" + both + " " + s.Line
}

func method(s simulator.Selection) string {
	return map[string]string{"SHOT": "Shot", "HEADER": "Header", "PENALTY": "Penalty", "FREE_KICK": "FreeKick", "OWN_GOAL": "OwnGoal", "NO_GOAL": "Draw"}[s.Outcome]
}

// player writes a name only. There is no row for all other players.
func player(s simulator.Selection) string {
	if s.Outcome == "NO_GOALSCORER" {
		return "No Goalscorer"
	}
	return s.Player
}

// playerOver writes a name and a line. There is no row for under.
func playerOver(s simulator.Selection) string {
	if s.Outcome != "OVER" {
		return ""
	}
	return s.Player + " - " + s.Line
}
