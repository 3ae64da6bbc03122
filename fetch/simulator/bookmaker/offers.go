package bookmaker

import (
	"slices"
	"strings"
)

// Offer is the index of an offered market, see [OfferOf]. The lots of fixtures depend on
// it: append new offers at the end.
type Offer int

// OfferOf returns the offer of the given name: the market, the period and, if it has
// them, the book, the side and the parameter, "TOTAL_GOALS FT asian". An offer of several
// markets joins their names with " + ". It panics if there is none, which is a mistake in
// a dialect's table.
func OfferOf(name string) Offer {
	i := slices.IndexFunc(offers, func(o offer) bool { return o.name == name })
	if i < 0 {
		panic("simulator: no offer is named " + name)
	}
	return Offer(i)
}

// OffersOf returns the offers with several names, see [OfferOf].
func OffersOf(names ...string) []Offer {
	all := make([]Offer, len(names))
	for i, name := range names {
		all[i] = OfferOf(name)
	}
	return all
}

// Offers is the number of offers, which are in the order in which bookmakers show them.
func Offers() Offer { return Offer(len(offers)) }

// Refs returns the markets that an offer holds. They must not be modified.
func (o Offer) Refs() []Ref { return offers[o].refs }

// offer is a row of the table of offers.
type offer struct {
	tier  int // leagues up to this tier have it; 3 is all
	every int // one fixture in this many has it; 0 is all. 2 and -2 are two ways to sell the same, and a fixture has one of them
	name  string
	refs  []Ref
}

// offers are all markets of the world, in the order in which bookmakers show them.
var offers = withRefs([]offer{
	{3, 0, "ASIAN_HANDICAP FT asian", nil},
	{3, 0, "TOTAL_GOALS FT asian", nil},
	{3, 0, "ASIAN_HANDICAP FT asian_alternative", nil},
	{3, 0, "TOTAL_GOALS FT asian_alternative", nil},
	{3, 0, "ASIAN_HANDICAP 1H asian", nil},
	{3, 0, "TOTAL_GOALS 1H asian", nil},
	{2, 0, "ASIAN_HANDICAP 1H asian_alternative", nil},
	{2, 0, "TOTAL_GOALS 1H asian_alternative", nil},
	{2, 0, "TOTAL_CORNERS FT asian", nil},
	{2, 0, "CORNERS_ASIAN_HANDICAP FT", nil},
	{2, 0, "TOTAL_CORNERS 1H asian", nil},
	{1, 0, "TOTAL_CARDS FT asian", nil},
	{1, 0, "CARDS_ASIAN_HANDICAP FT", nil},
	{2, 0, "TOTAL_CARDS FT", nil},
	{1, 0, "CARDS_HANDICAP_RESULT FT", nil},
	{1, 0, "CARDS_HANDICAP_RESULT FT alternative", nil},
	{1, 0, "TIME_OF_FIRST_CARD FT", nil},
	{1, 3, "NTH_CARD FT 1", nil},
	{1, 0, "TEAM_TOTAL_CARDS FT", nil},
	{3, 0, "TOTAL_CORNERS_3WAY FT", nil},
	{2, 0, "CORNERS_RANGE FT", nil},
	{2, 0, "TOTAL_CORNERS_3WAY FT alternative", nil},
	{3, 0, "TOTAL_CORNERS FT", nil},
	{2, 0, "TOTAL_CORNERS_3WAY 1H", nil},
	{2, 0, "CORNERS_RESULT FT", nil},
	{1, 0, "CORNERS_HANDICAP_RESULT FT", nil},
	{1, 0, "TIME_OF_FIRST_CORNER FT", nil},
	{2, 0, "TEAM_TOTAL_CORNERS FT", nil},
	{1, 0, "CORNERS_RACE FT 3", nil},
	{1, 0, "CORNERS_RACE FT 5", nil},
	{1, 0, "CORNERS_RACE FT 7", nil},
	{1, 0, "CORNERS_RACE FT 9", nil},
	{1, 3, "CORNERS_RACE FT", nil},
	{1, 0, "NTH_CORNER FT 1", nil},
	{1, 0, "LAST_CORNER FT", nil},
	{1, 0, "MULTICORNERS FT", nil},
	{3, 0, "TOTAL_GOALS FT", nil},
	{3, 0, "TOTAL_GOALS FT alternative", nil},
	{3, 0, "RESULT_AND_TOTAL_GOALS FT", nil},
	{2, 0, "TOTAL_GOALS_AND_BOTH_TEAMS_TO_SCORE FT", nil},
	{3, 0, "EXACT_GOALS FT", nil},
	{3, 0, "GOALS_RANGE FT", nil},
	{3, 0, "BOTH_TEAMS_TO_SCORE FT", nil},
	{3, 0, "TEAMS_TO_SCORE FT", nil},
	{3, 0, "BOTH_TEAMS_TO_SCORE 1H", nil},
	{3, 0, "BOTH_TEAMS_TO_SCORE 2H", nil},
	{2, 0, "BOTH_TEAMS_TO_SCORE_BY_HALF FT", nil},
	{3, 0, "TOTAL_GOALS 1H alternative", nil},
	{3, 0, "EXACT_GOALS 1H", nil},
	{1, 0, "TOTAL_GOAL_MINUTES FT", nil},
	{3, 0, "FIRST_TEAM_TO_SCORE FT", nil},
	{1, 0, "FIRST_GOAL_METHOD FT", nil},
	{3, 0, "EARLY_GOAL FT", nil},
	{3, 0, "LATE_GOAL FT", nil},
	{2, 0, "TIME_OF_FIRST_GOAL FT", nil},
	{3, 0, "TOTAL_GOALS 2H alternative", nil},
	{3, 0, "EXACT_GOALS 2H", nil},
	{3, 0, "HIGHEST_SCORING_HALF FT", nil},
	{2, 0, "TEAM_HIGHEST_SCORING_HALF FT HOME", nil},
	{2, 0, "TEAM_HIGHEST_SCORING_HALF FT AWAY", nil},
	{3, 0, "CLEAN_SHEET FT", nil},
	{3, 0, "TEAM_TOTAL_GOALS FT", nil},
	{2, 0, "TEAM_EXACT_GOALS FT HOME", nil},
	{2, 0, "TEAM_EXACT_GOALS FT AWAY", nil},
	{1, 0, "TIME_OF_FIRST_TEAM_GOAL FT", nil},
	{3, 0, "ODD_EVEN_GOALS FT", nil},
	{2, 0, "TEAM_ODD_EVEN_GOALS FT HOME", nil},
	{2, 0, "TEAM_ODD_EVEN_GOALS FT AWAY", nil},
	{3, 0, "ODD_EVEN_GOALS 1H", nil},
	{2, 0, "LAST_TEAM_TO_SCORE FT", nil},
	{3, 0, "TOTAL_GOALS 0-10", nil},
	{3, 0, "MATCH_RESULT 1H", nil},
	{3, 0, "DOUBLE_CHANCE 1H", nil},
	{3, 0, "RESULT_AND_BOTH_TEAMS_TO_SCORE 1H", nil},
	{2, 0, "RESULT_AND_TOTAL_GOALS 1H", nil},
	{3, 0, "CORRECT_SCORE 1H", nil},
	{3, 0, "HANDICAP_RESULT 1H", nil},
	{2, 0, "HANDICAP_RESULT 1H alternative", nil},
	{3, 0, "TEAM_TO_SCORE 1H + TEAM_TO_SCORE 2H", nil},
	{3, 0, "MATCH_RESULT 2H", nil},
	{2, 0, "ODD_EVEN_GOALS 2H", nil},
	{3, 0, "MATCH_RESULT FT", nil},
	{3, 0, "DOUBLE_CHANCE FT", nil},
	{3, 0, "CORRECT_SCORE FT", nil},
	{3, 0, "HALF_TIME_FULL_TIME FT", nil},
	{1, 0, "HALF_TIME_FULL_TIME_CORRECT_SCORE FT", nil},
	{3, 0, "DRAW_NO_BET FT", nil},
	{3, 0, "RESULT_AND_BOTH_TEAMS_TO_SCORE FT", nil},
	{3, 0, "HANDICAP_RESULT FT", nil},
	{2, 0, "HANDICAP_RESULT FT alternative", nil},
	{3, 0, "WINNING_MARGIN FT", nil},
	{1, 0, "KICK_OFF FT", nil},
	{3, 0, "MATCH_RESULT 0-10", nil},
	{2, 2, "GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT", nil},
	{1, -2, "GOALSCORER_FIRST FT", nil},
	{1, -2, "GOALSCORER_LAST FT", nil},
	{1, -2, "GOALSCORER_ANYTIME FT", nil},
	{1, -2, "PLAYER_TO_SCORE_N_OR_MORE FT 2", nil},
	{1, -2, "PLAYER_TO_SCORE_N_OR_MORE FT 3", nil},
	{2, 2, "PLAYER_TO_SCORE_N_OR_MORE FT 2 + PLAYER_TO_SCORE_N_OR_MORE FT 3", nil},
	{1, 0, "GOALSCORER_AND_CORRECT_SCORE FT FIRST", nil},
	{1, 0, "GOALSCORER_AND_CORRECT_SCORE FT ANYTIME", nil},
	{1, 0, "GOALSCORER_AND_CORRECT_SCORE 1H FIRST", nil},
	{1, 0, "GOALSCORER_AND_RESULT FT FIRST", nil},
	{1, 0, "GOALSCORER_AND_TIME FT FIRST", nil},
	{1, 0, "TEAM_GOALSCORER FT FIRST", nil},
	{1, 0, "TEAM_GOALSCORER FT LAST", nil},
	{1, 0, "PLAYER_FIRST_CARDED FT", nil},
	{1, 3, "PLAYER_OF_THE_MATCH FT", nil},
	{1, 0, "PLAYER_CARDED FT", nil},
	{1, 0, "PLAYER_SENT_OFF FT", nil},
	{1, 0, "PLAYER_SHOTS_ON_TARGET FT", nil},
	{1, 0, "PLAYER_SHOTS FT", nil},
	{1, 0, "PLAYER_TACKLES FT", nil},
	{1, 0, "PLAYER_ASSISTS FT", nil},
	{1, 0, "PLAYER_PASSES FT", nil},
	{2, 3, "PLAYER_SHOTS_ON_TARGET FT table", nil},
	{2, 3, "PLAYER_SHOTS FT table", nil},
	{1, 3, "PLAYER_FOULS_COMMITTED FT", nil},
	{3, 0, "COME_FROM_BEHIND_AND_WIN FT + WIN_TO_NIL FT + WIN_EITHER_HALF FT + WIN_BOTH_HALVES FT + TEAM_TO_SCORE_IN_BOTH_HALVES FT", nil},
	{2, 0, "TEAM_TO_SCORE_PENALTY FT", nil},
	{2, 0, "TEAM_TO_MISS_PENALTY FT", nil},
	{1, 0, "PENALTY_AWARDED FT", nil},
	{1, 0, "RED_CARD FT", nil},
	{2, 0, "OWN_GOAL FT", nil},
	{1, 0, "points_index FT", nil},
	{1, 0, "TOTAL_SHOTS_ON_TARGET FT", nil},
	{1, 0, "TOTAL_SHOTS FT", nil},
	{1, 0, "TOTAL_TACKLES FT", nil},
	{1, 0, "TOTAL_OFFSIDES FT", nil},
	{1, 0, "TEAM_TOTAL_SHOTS_ON_TARGET FT HOME", nil},
	{1, 0, "TEAM_TOTAL_SHOTS_ON_TARGET FT AWAY", nil},
	{1, 0, "TEAM_TOTAL_SHOTS FT HOME", nil},
	{1, 0, "TEAM_TOTAL_SHOTS FT AWAY", nil},
	{1, 0, "TEAM_TOTAL_TACKLES FT HOME", nil},
	{1, 0, "TEAM_TOTAL_TACKLES FT AWAY", nil},
	{1, 0, "TEAM_TOTAL_OFFSIDES FT HOME", nil},
	{1, 0, "TEAM_TOTAL_OFFSIDES FT AWAY", nil},
	{2, 3, "duel_nobody_knows FT", nil},
	{2, 4, "table_of_unknown_counts FT", nil},
})

var matchResult = OfferOf("MATCH_RESULT FT")

func withRefs(offers []offer) []offer {
	for i := range offers {
		for name := range strings.SplitSeq(offers[i].name, " + ") {
			offers[i].refs = append(offers[i].refs, parseRef(name))
		}
	}
	return offers
}

func parseRef(name string) Ref {
	words := strings.Fields(name)
	r := Ref{Market: words[0], Period: words[1]}
	for _, w := range words[2:] {
		switch {
		case slices.Contains(books, Book(w)):
			r.Book = Book(w)
		case slices.Contains(sides[:], w):
			r.Side = w
		default:
			r.Parameter = w
		}
	}
	return r
}
