package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/meant"
)

// bet is a bet in the provider's words.
type bet struct {
	id     int
	name   string
	offers string // of the simulated world, separated by " | "
	// only reports which rows of the offers belong to the bet; nil means all.
	only  func(r bookmaker.Ref, s bookmaker.Selection) bool
	word  words // "" for a row that the provider does not sell
	proof meant.Proof

	of []bookmaker.Offer
}

// Some offers are sold in two ways.
const (
	tableOfScorers = "GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT"
	tableOfMulti   = "PLAYER_TO_SCORE_N_OR_MORE FT 2 + PLAYER_TO_SCORE_N_OR_MORE FT 3"
	specials       = "COME_FROM_BEHIND_AND_WIN FT + WIN_TO_NIL FT + WIN_EITHER_HALF FT + WIN_BOTH_HALVES FT + TEAM_TO_SCORE_IN_BOTH_HALVES FT"
	teamScores     = "TEAM_TO_SCORE 1H + TEAM_TO_SCORE 2H"
)

// bets are the bets that the emulator sells, in the order in which they are sent: those of a
// usual fixture, and those without any recorded payload.
var bets = resolved([]bet{
	{id: 1, name: "Match Winner", offers: "MATCH_RESULT FT", word: capital},
	{id: 4, name: "Asian Handicap", offers: "ASIAN_HANDICAP FT asian | ASIAN_HANDICAP FT asian_alternative", word: asian},
	{id: 5, name: "Goals Over/Under", offers: "TOTAL_GOALS FT | TOTAL_GOALS FT alternative", word: total},
	{id: 8, name: "Both Teams Score", offers: "BOTH_TEAMS_TO_SCORE FT", word: capital},
	{id: 10, name: "Exact Score", offers: "CORRECT_SCORE FT", word: words{text: "$colon"}},
	{id: 12, name: "Double Chance", offers: "DOUBLE_CHANCE FT", word: chance},
	{id: 16, name: "Total - Home", offers: "TEAM_TOTAL_GOALS FT", only: of("HOME"), word: total},
	{id: 17, name: "Total - Away", offers: "TEAM_TOTAL_GOALS FT", only: of("AWAY"), word: total},
	{id: 19, name: "Asian Handicap First Half", offers: "ASIAN_HANDICAP 1H asian | ASIAN_HANDICAP 1H asian_alternative", word: asian},
	{id: 38, name: "Exact Goals Number", offers: "EXACT_GOALS FT", word: number},
	{id: 45, name: "Corners Over Under", offers: "TOTAL_CORNERS FT | TOTAL_CORNERS FT asian", word: total},
	{id: 50, name: "Goal Line", offers: "TOTAL_GOALS FT asian | TOTAL_GOALS FT asian_alternative", word: total},
	{id: 52, name: "Halftime Result/Both Teams Score", offers: "RESULT_AND_BOTH_TEAMS_TO_SCORE 1H", word: words{text: "$First/$Second"}},
	{id: 75, name: "Last Corner", offers: "LAST_CORNER FT", word: capital},
	{id: 76, name: "First Corner", offers: "NTH_CORNER FT 1", word: capital},
	{id: 86, name: "RCARD", offers: "RED_CARD FT", word: capital, proof: meant.MustBeRaw},
	{id: 88, name: "Home Total ShotOnGoal", offers: "TEAM_TOTAL_SHOTS_ON_TARGET FT HOME", word: total},
	{id: 89, name: "Away Total ShotOnGoal", offers: "TEAM_TOTAL_SHOTS_ON_TARGET FT AWAY", word: total},
	{id: 92, name: "Anytime Goal Scorer", offers: "GOALSCORER_ANYTIME FT | " + tableOfScorers, only: of("GOALSCORER_ANYTIME"), word: player},
	{id: 93, name: "First Goal Scorer", offers: "GOALSCORER_FIRST FT | " + tableOfScorers, only: of("GOALSCORER_FIRST"), word: player},
	{id: 95, name: "To Score Two or More Goals", offers: "PLAYER_TO_SCORE_N_OR_MORE FT 2 | " + tableOfMulti, only: of("2"), word: player},
	{id: 99, name: "To Score A Penalty", offers: "TEAM_TO_SCORE_PENALTY FT", word: words{text: "$Side"}},
	{id: 100, name: "To Miss A Penalty", offers: "TEAM_TO_MISS_PENALTY FT", word: words{text: "$Side"}},
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
	{id: 215, name: "Player Singles", offers: "PLAYER_SHOTS FT", word: playerOver, proof: meant.MustBeRaw},
	{id: 239, name: "Corners. European Handicap", offers: "CORNERS_HANDICAP_RESULT FT", word: total},
	{id: 249, name: "Multicorners", offers: "MULTICORNERS FT", word: total},
	{id: 281, name: "Total Tackles", offers: "TOTAL_TACKLES FT", word: total},
	{id: 292, name: "Over/Under between 0 and 10m", offers: "TOTAL_GOALS 0-10", word: total, proof: meant.MustBeRaw},
	{id: 301, name: "Tackles. Away Total", offers: "TEAM_TOTAL_TACKLES FT AWAY", word: total},
	{id: 302, name: "Tackles. Home Total", offers: "TEAM_TOTAL_TACKLES FT HOME", word: total},
})

// resolved completes the table.
func resolved(bets []bet) []bet {
	for i := range bets {
		bets[i].of = bookmaker.OffersOf(strings.Split(bets[i].offers, " | ")...)
	}
	return bets
}

// of selects the rows to which all words apply: the market, the period, the parameter or
// the side.
func of(words ...string) func(bookmaker.Ref, bookmaker.Selection) bool {
	return func(r bookmaker.Ref, s bookmaker.Selection) bool {
		for _, w := range words {
			if w != r.Market && w != r.Period && w != r.Parameter && w != s.Side {
				return false
			}
		}
		return true
	}
}

// words is the text of a row, in which [bookmaker.Words] are filled in, and before it those of
// some outcomes.
type words struct {
	text   string
	others map[string]string
}

func (w words) of(r bookmaker.Ref, s bookmaker.Selection) string {
	text, ok := w.others[s.Outcome]
	if !ok {
		text = w.text
	}
	return bookmaker.Words{Ref: r, Selection: s}.Fill(text)
}

// The words of the table. Both rows of an Asian handicap have the home side's line: "Away -1.25".
// There is no row for all other players, and none for a player's under.
var (
	capital    = words{text: "$Outcome"}
	total      = words{text: "$Outcome $line"}
	asian      = words{text: "$Outcome $home_line"}
	chance     = words{others: map[string]string{"1X": "Home/Draw", "X2": "Draw/Away", "12": "Home/Away"}}
	half       = words{others: map[string]string{"1H": "1st Half", "2H": "2nd Half", "EQUAL": "Draw"}}
	number     = words{text: "$outcome", others: map[string]string{"7+": "more 7"}}
	player     = words{text: "$player", others: map[string]string{"NO_GOALSCORER": "No Goalscorer"}}
	playerOver = words{text: "$player - $line", others: map[string]string{"UNDER": ""}}
)

// valueOf returns a value as it is sent: a number of goals is a JSON number.
func valueOf(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}
