package emulator

import (
	"encoding/json"
	"strconv"
	"strings"

	"mkt/fetch/provider/sportmonks/internal/wire"
	"mkt/fetch/simulator"
)

// row is one selection, with the fields that the adapter requests.
type row struct {
	ID          uint64      `json:"id"`
	Fixture     json.Number `json:"fixture_id,omitempty"`
	Market      int         `json:"market_id"`
	Bookmaker   json.Number `json:"bookmaker_id"`
	Label       string      `json:"label"`
	Value       *string     `json:"value"`
	Name        *string     `json:"name"`
	Description string      `json:"market_description"`
	DP3         *string     `json:"dp3"`
	Stopped     bool        `json:"stopped"`
	Total       *string     `json:"total"`
	Handicap    *string     `json:"handicap"`
}

// soldRow is a row and what it means.
type soldRow struct {
	row
	meant simulator.MeantRow
}

// market is a market of the provider in the words of bet365, and the world's offers in it.
type market struct {
	id     int
	name   string // market_description
	offers []string
	spell  spelling
	// unproven means that a careful reader may leave the market RAW.
	unproven bool

	of []simulator.Offer
}

// catalogue has the world's offers that the provider sells, with the ids, names and words of
// the recorded bookmaker.
var catalogue = resolved([]market{
	{id: 1, name: "Full Time Result", offers: []string{"MATCH_RESULT FT"}, spell: spellResult},
	{id: 2, name: "Double Chance", offers: []string{"DOUBLE_CHANCE FT"}, spell: spellDoubleChance},
	{id: 6, name: "Asian Handicap", offers: []string{"ASIAN_HANDICAP FT asian"}, spell: spellAsian},
	{id: 7, name: "Goal Line", offers: []string{"TOTAL_GOALS FT asian"}, spell: spellGoalLine},
	{id: 10, name: "Draw No Bet", offers: []string{"DRAW_NO_BET FT"}, spell: spellSide("")},
	{id: 11, name: "Last Team to Score", offers: []string{"LAST_TEAM_TO_SCORE FT"}, spell: spellSide("No Goal")},
	{id: 13, name: "Result/Both Teams to Score", offers: []string{"RESULT_AND_BOTH_TEAMS_TO_SCORE FT"}, spell: spellResultBoth},
	{id: 14, name: "Both Teams to Score", offers: []string{"BOTH_TEAMS_TO_SCORE FT"}, spell: spellWord},
	{id: 15, name: "Both Teams to Score in 1st Half", offers: []string{"BOTH_TEAMS_TO_SCORE 1H"}, spell: spellWord},
	{id: 16, name: "Both Teams to Score in 2nd Half", offers: []string{"BOTH_TEAMS_TO_SCORE 2H"}, spell: spellWord},
	{id: 17, name: "Clean Sheet", offers: []string{"CLEAN_SHEET FT"}, spell: spellCleanSheet},
	{id: 18, name: "Home Team Exact Goals", offers: []string{"TEAM_EXACT_GOALS FT HOME"}, spell: ofTeam(spellExact)},
	{id: 19, name: "Away Team Exact Goals", offers: []string{"TEAM_EXACT_GOALS FT AWAY"}, spell: ofTeam(spellExact)},
	{id: 26, name: "1st Half Asian Handicap", offers: []string{"ASIAN_HANDICAP 1H asian"}, spell: spellAsian},
	{id: 27, name: "1st Half Goal Line", offers: []string{"TOTAL_GOALS 1H asian"}, spell: spellGoalLine},
	{id: 28, name: "First Half Goals", offers: []string{"TOTAL_GOALS 1H alternative"}, spell: spellNamedTotal},
	{id: 29, name: "Half Time/Full Time", offers: []string{"HALF_TIME_FULL_TIME FT"}, spell: spellHalfTimeFullTime},
	{id: 30, name: "Half Time Correct Score", offers: []string{"CORRECT_SCORE 1H"}, spell: spellScore},
	{id: 31, name: "Half Time Result", offers: []string{"MATCH_RESULT 1H"}, spell: spellResult},
	{id: 32, name: "1st Half Handicap", offers: []string{"HANDICAP_RESULT 1H"}, spell: spellEuropean, unproven: true},
	{id: 33, name: "Exact 1st Half Goals", offers: []string{"EXACT_GOALS 1H"}, spell: spellExact},
	{id: 34, name: "10 Minute Result", offers: []string{"MATCH_RESULT 0-10"}, spell: spellSide("Draw")},
	{id: 37, name: "Result / Total Goals", offers: []string{"RESULT_AND_TOTAL_GOALS FT"}, spell: spellResultTotal},
	{id: 38, name: "Exact 2nd Half Goals", offers: []string{"EXACT_GOALS 2H"}, spell: spellExact},
	{id: 42, name: "Home Team Odd/Even Goals", offers: []string{"TEAM_ODD_EVEN_GOALS FT HOME"}, spell: ofTeam(spellWord)},
	{id: 43, name: "Away Team Odd/Even Goals", offers: []string{"TEAM_ODD_EVEN_GOALS FT AWAY"}, spell: ofTeam(spellWord)},
	{id: 44, name: "Goals Odd/Even", offers: []string{"ODD_EVEN_GOALS FT"}, spell: spellWord},
	{id: 45, name: "1st Half Goals Odd/Even", offers: []string{"ODD_EVEN_GOALS 1H"}, spell: spellWord},
	{id: 47, name: "Half Time Double Chance", offers: []string{"DOUBLE_CHANCE 1H"}, spell: spellDoubleChance},
	{id: 53, name: "2nd Half Goals", offers: []string{"TOTAL_GOALS 2H alternative"}, spell: spellNamedTotal},
	{id: 56, name: "Handicap Result", offers: []string{"HANDICAP_RESULT FT"}, spell: spellEuropean, unproven: true},
	{id: 57, name: "Correct Score", offers: []string{"CORRECT_SCORE FT"}, spell: spellScore},
	{id: 60, name: "Corners 2-Way", offers: []string{"TOTAL_CORNERS FT"}, spell: spellTotal},
	{id: 61, name: "Asian Total Corners", offers: []string{"TOTAL_CORNERS FT asian"}, spell: spellGoalLine},
	{id: 62, name: "Asian Handicap Corners", offers: []string{"CORNERS_ASIAN_HANDICAP FT"}, spell: spellAsian},
	{id: 63, name: "1st Half Asian Corners", offers: []string{"TOTAL_CORNERS 1H asian"}, spell: spellGoalLine},
	{id: 64, name: "Player to be booked", offers: []string{"PLAYER_CARDED FT"}, spell: spellPlayer("Booked")},
	{id: 65, name: "1st Player Booked", offers: []string{"PLAYER_FIRST_CARDED FT"}, spell: spellPlayer("1st Card")},
	{id: 66, name: "Player to be Sent Off", offers: []string{"PLAYER_SENT_OFF FT"}, spell: spellPlayer("Red Card")},
	{id: 68, name: "Total Corners", offers: []string{"CORNERS_RANGE FT"}, spell: spellCornersBand},
	{id: 69, name: "Alternative Corners", offers: []string{"TOTAL_CORNERS_3WAY FT alternative"}, spell: spellTotal},
	{id: 70, name: "First Half Corners", offers: []string{"TOTAL_CORNERS_3WAY 1H"}, spell: spellTotal},
	{id: 71, name: "Corner Match Bet", offers: []string{"CORNERS_RESULT FT"}, spell: spellSide("Tie")},
	{id: 72, name: "Corner Handicap", offers: []string{"CORNERS_HANDICAP_RESULT FT"}, spell: spellEuropean, unproven: true},
	{id: 73, name: "Time of First Corner", offers: []string{"TIME_OF_FIRST_CORNER FT"}, spell: spellTime("Corner before ")},
	{id: 74, name: "Team Corners", offers: []string{"TEAM_TOTAL_CORNERS FT"}, spell: spellTeamTotal},
	{id: 75, name: "Corners Race", offers: []string{"CORNERS_RACE FT 3", "CORNERS_RACE FT 5", "CORNERS_RACE FT 7", "CORNERS_RACE FT 9"}, spell: spellRace},
	{id: 76, name: "First Match Corner", offers: []string{"NTH_CORNER FT 1"}, spell: spellSide("")},
	{id: 77, name: "Last Match Corner", offers: []string{"LAST_CORNER FT"}, spell: spellSide("")},
	{id: 78, name: "Multicorners", offers: []string{"MULTICORNERS FT"}, spell: spellNamedTotal},
	{id: 80, name: "Goals Over/Under", offers: []string{"TOTAL_GOALS FT"}, spell: spellTotal},
	{id: 81, name: "Alternative Total Goals", offers: []string{"TOTAL_GOALS FT alternative"}, spell: spellTotal},
	{id: 82, name: "Total Goals/Both Teams to Score", offers: []string{"TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT"}, spell: spellTotalBoth},
	{id: 83, name: "Number of Goals In Match", offers: []string{"GOALS_RANGE FT"}, spell: spellGoalsBand},
	{id: 84, name: "Early Goal", offers: []string{"EARLY_GOAL FT"}, spell: spellTime("Goal before ")},
	{id: 85, name: "Late Goal", offers: []string{"LATE_GOAL FT"}, spell: spellTime("Goal after ")},
	{id: 86, name: "Team Total Goals", offers: []string{"TEAM_TOTAL_GOALS FT"}, spell: spellTeamTotal},
	{id: 87, name: "First 10 Minutes Goals", offers: []string{"TOTAL_GOALS 0-10"}, spell: spellGoalsTotal},
	{id: 88, name: "To Score In Half", offers: []string{"TEAM_TO_SCORE 1H + TEAM_TO_SCORE 2H"}, spell: spellScoreInHalf},
	{id: 90, name: "Goalscorers", offers: []string{"GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT"}, spell: spellScorer},
	{id: 93, name: "Exact Total Goals", offers: []string{"EXACT_GOALS FT"}, spell: spellExact},
	{id: 94, name: "Alternative Handicap Result", offers: []string{"HANDICAP_RESULT FT alternative"}, spell: spellEuropean, unproven: true},
	{id: 96, name: "Alternative 1st Half Handicap Result", offers: []string{"HANDICAP_RESULT 1H alternative"}, spell: spellEuropean, unproven: true},
	{id: 97, name: "2nd Half Result", offers: []string{"MATCH_RESULT 2H"}, spell: spellResult},
	{id: 98, name: "Teams to Score", offers: []string{"TEAMS_TO_SCORE FT"}, spell: spellTeams},
	{id: 99, name: "Time of 1st Team Goal", offers: []string{"TIME_OF_FIRST_TEAM_GOAL FT"}, spell: spellTeamTime},
	{id: 100, name: "Multi Scorers", offers: []string{"PLAYER_TO_SCORE_N_OR_MORE FT 2 + PLAYER_TO_SCORE_N_OR_MORE FT 3"}, spell: spellMulti},
	{id: 101, name: "Half With Most Goals", offers: []string{"HIGHEST_SCORING_HALF FT"}, spell: spellHalf},
	{id: 102, name: "Time of First Goal Brackets", offers: []string{"TIME_OF_FIRST_GOAL FT"}, spell: spellBracket},
	{id: 103, name: "Total Goal Minutes", offers: []string{"TOTAL_GOAL_MINUTES FT"}, spell: spellMinutes},
	{id: 104, name: "Alternative Asian Handicap", offers: []string{"ASIAN_HANDICAP FT asian_alternative"}, spell: spellAsian},
	{id: 105, name: "Alternative Goal Line", offers: []string{"TOTAL_GOALS FT asian_alternative"}, spell: spellGoalLine},
	{id: 106, name: "Alternative 1st Half Asian Handicap", offers: []string{"ASIAN_HANDICAP 1H asian_alternative"}, spell: spellAsian},
	{id: 107, name: "Alternative 1st Half Goal Line", offers: []string{"TOTAL_GOALS 1H asian_alternative"}, spell: spellGoalLine},
	{id: 120, name: "Home Team Highest Scoring Half", offers: []string{"TEAM_HIGHEST_SCORING_HALF FT HOME"}, spell: spellHalf},
	{id: 121, name: "Away Team Highest Scoring Half", offers: []string{"TEAM_HIGHEST_SCORING_HALF FT AWAY"}, spell: spellHalf},
	{id: 122, name: "Half Time Result/Both Teams To Score", offers: []string{"RESULT_AND_BOTH_TEAMS_TO_SCORE 1H"}, spell: spellResultBoth},
	{id: 123, name: "Half Time Result / Total Goals", offers: []string{"RESULT_AND_TOTAL_GOALS 1H"}, spell: spellHalfResultTotal},
	{id: 124, name: "2nd Half Goals Odd/Even", offers: []string{"ODD_EVEN_GOALS 2H"}, spell: spellWord},
	{id: 125, name: "Both Teams to Score 1st Half - 2nd Half", offers: []string{"BOTH_TEAMS_TO_SCORE_BY_HALF FT"}, spell: spellBothByHalf},
	{id: 126, name: "Winning Margin", offers: []string{"WINNING_MARGIN FT"}, spell: spellMargin},
	{id: 127, name: "Specials", offers: []string{"COME_FROM_BEHIND_AND_WIN FT + WIN_TO_NIL FT + WIN_EITHER_HALF FT + WIN_BOTH_HALVES FT + TEAM_TO_SCORE_IN_BOTH_HALVES FT"}, spell: spellSpecial, unproven: true},
	{id: 128, name: "Own Goal", offers: []string{"OWN_GOAL FT"}, spell: spellWord},
	{id: 247, name: "First Team to Score", offers: []string{"FIRST_TEAM_TO_SCORE FT"}, spell: spellSide("No Goals")},
	{id: 250, name: "First Goal Method", offers: []string{"FIRST_GOAL_METHOD FT"}, spell: spellMethod},
	{id: 254, name: "Corners", offers: []string{"TOTAL_CORNERS_3WAY FT"}, spell: spellTotal},
	{id: 255, name: "Number of Cards In Match", offers: []string{"TOTAL_CARDS FT"}, spell: spellTotal},
	{id: 267, name: "Player Shots On Target", offers: []string{"PLAYER_SHOTS_ON_TARGET FT"}, spell: spellPlayerOver},
	{id: 268, name: "Player Shots", offers: []string{"PLAYER_SHOTS FT"}, spell: spellPlayerOver},
	{id: 270, name: "To Score A Penalty", offers: []string{"TEAM_TO_SCORE_PENALTY FT"}, spell: spellSentence(" to score a penalty")},
	{id: 271, name: "To Miss a Penalty", offers: []string{"TEAM_TO_MISS_PENALTY FT"}, spell: spellSentence(" to miss a penalty")},
	{id: 272, name: "Asian Total Cards", offers: []string{"TOTAL_CARDS FT asian"}, spell: spellGoalLine},
	{id: 273, name: "Asian Handicap Cards", offers: []string{"CARDS_ASIAN_HANDICAP FT"}, spell: spellAsian},
	{id: 277, name: "Card Handicap", offers: []string{"CARDS_HANDICAP_RESULT FT"}, spell: spellEuropean, unproven: true},
	{id: 278, name: "Alternative Card Handicap", offers: []string{"CARDS_HANDICAP_RESULT FT alternative"}, spell: spellEuropean, unproven: true},
	{id: 279, name: "First Card Received", offers: []string{"NTH_CARD FT 1"}, spell: spellSide("No Card")},
	{id: 280, name: "Time of First Card", offers: []string{"TIME_OF_FIRST_CARD FT"}, spell: spellTime("Card before ")},
	{id: 281, name: "Team Cards", offers: []string{"TEAM_TOTAL_CARDS FT"}, spell: spellTeamTotal},
	{id: 282, name: "Red Card in the Match", offers: []string{"RED_CARD FT"}, spell: spellWord},
	{id: 283, name: "Penalty in the Match", offers: []string{"PENALTY_AWARDED FT"}, spell: spellWord},
	{id: 284, name: "Team Shots on Target", offers: []string{"TEAM_TOTAL_SHOTS_ON_TARGET FT HOME", "TEAM_TOTAL_SHOTS_ON_TARGET FT AWAY"}, spell: spellTeamTotal},
	{id: 285, name: "Team Shots", offers: []string{"TEAM_TOTAL_SHOTS FT HOME", "TEAM_TOTAL_SHOTS FT AWAY"}, spell: spellTeamTotal},
	{id: 286, name: "Team Offsides", offers: []string{"TEAM_TOTAL_OFFSIDES FT HOME", "TEAM_TOTAL_OFFSIDES FT AWAY"}, spell: spellTeamTotal},
	{id: 287, name: "Player Tackles", offers: []string{"PLAYER_TACKLES FT"}, spell: spellPlayerOver},
	{id: 288, name: "Player Assists", offers: []string{"PLAYER_ASSISTS FT"}, spell: spellPlayerOver},
	{id: 290, name: "Player Passes", offers: []string{"PLAYER_PASSES FT"}, spell: spellPlayerOver},
	{id: 291, name: "Match Shots on Target", offers: []string{"TOTAL_SHOTS_ON_TARGET FT"}, spell: spellTotal},
	{id: 292, name: "Match Shots", offers: []string{"TOTAL_SHOTS FT"}, spell: spellTotal},
	{id: 293, name: "Match Tackles", offers: []string{"TOTAL_TACKLES FT"}, spell: spellTotal},
	{id: 294, name: "Match Offsides", offers: []string{"TOTAL_OFFSIDES FT"}, spell: spellTotal},
	{id: 330, name: "Team Tackles", offers: []string{"TEAM_TOTAL_TACKLES FT HOME", "TEAM_TOTAL_TACKLES FT AWAY"}, spell: spellTeamTotal},
	{id: 331, name: "Player to Score", offers: []string{"GOALSCORER_ANYTIME FT"}, spell: spellPlayer("Score")},
	{id: 338, name: "Player to Commit Foul", offers: []string{"PLAYER_FOULS_COMMITTED FT"}, spell: spellPlayerOver},
})

func resolved(all []market) []market {
	for i := range all {
		for _, name := range all[i].offers {
			all[i].of = append(all[i].of, simulator.OfferOf(name))
		}
	}
	return all
}

// sold returns the markets of a fixture that have prices.
func sold(o *simulator.Offering) (all []*market) {
	for i := range catalogue {
		for _, of := range catalogue[i].of {
			if isPriced(o, of) {
				all = append(all, &catalogue[i])
				break
			}
		}
	}
	return all
}

func isPriced(o *simulator.Offering, of simulator.Offer) bool {
	stock := o.Stock(of)
	return stock == simulator.Loaded || stock == simulator.Collapsed
}

// rows returns the rows of a market as they are sent.
func (m *market) rows(o *simulator.Offering) (all []soldRow) {
	for _, of := range m.of {
		if !isPriced(o, of) {
			continue
		}
		for _, p := range o.Prices(of, simulator.Copy{At: o.Since}) {
			ref := of.Refs()[p.Ref]
			words, ok := m.spell(o.Fixture, ref, p.Selection)
			if !ok {
				continue
			}
			all = append(all, m.row(ref, p, words, o.Fixture))
		}
	}
	return all
}

// row renders one selection; value is cut to two decimal places, and dp3 has all digits.
func (m *market) row(ref simulator.Ref, p simulator.Priced, words words, f simulator.Fixture) soldRow {
	r := soldRow{meant: ref.Row(p.Selection), row: row{ID: 200_000_000_000 + p.Hash%99_999_999_999, Market: m.id, Bookmaker: wire.Bet365,
		Label: words.label, Name: optional(words.name), Total: optional(words.total), Handicap: optional(words.handicap),
		Description: m.name, Stopped: m.isStopped(f, p.Selection)}}
	if p.Price != "" {
		dp3 := p.Price + "0"
		r.Value, r.DP3 = &p.Price, &dp3
		r.meant.Decimal = dp3
	}
	r.meant.Stopped = r.Stopped
	r.meant.ID = strconv.FormatUint(r.ID, 10)
	r.meant.Doubtful = p.Price == "" || p.Player != "" && f.Namesake() && p.Player == f.Home.Players[1] || p.Outcome == simulator.AnyOtherPlayer
	return r
}

// isStopped reports whether a selection is stopped. As in the recordings, all rows of a
// line or of a player are stopped together: here one in six.
func (m *market) isStopped(f simulator.Fixture, s simulator.Selection) bool {
	of := strings.TrimLeft(s.Line, "+-") + s.Player + s.Qualifier
	return of != "" && f.Lot(6, oddStopped, simulator.TextSeed(uint64(m.id), of)) == 0
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
