package emulator

import (
	"encoding/json"
	"strconv"
	"strings"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/random"
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

// soldRow is a row with its meaning.
type soldRow struct {
	row
	meant meant.Row
}

// market is a market of the provider in the words of bet365, and the world's offers in it.
type market struct {
	id     int
	name   string // market_description
	offers []string
	spell  spelling
	// unproven means a careful reader may leave the market RAW.
	unproven bool

	of []bookmaker.Offer
}

// catalogue has the markets that the emulator sells: those of a usual fixture, and those
// without any recorded payload, with the ids, names and words of the recorded bookmaker.
var catalogue = resolved([]market{
	{id: 1, name: "Full Time Result", offers: []string{"MATCH_RESULT FT"}, spell: word},
	{id: 2, name: "Double Chance", offers: []string{"DOUBLE_CHANCE FT"}, spell: labelled("$chance")},
	{id: 6, name: "Asian Handicap", offers: []string{"ASIAN_HANDICAP FT asian"}, spell: asian},
	{id: 7, name: "Goal Line", offers: []string{"TOTAL_GOALS FT asian"}, spell: goalLine},
	{id: 10, name: "Draw No Bet", offers: []string{"DRAW_NO_BET FT"}, spell: labelled("$number")},
	{id: 13, name: "Result/Both Teams to Score", offers: []string{"RESULT_AND_BOTH_TEAMS_TO_SCORE FT"}, spell: resultBoth},
	{id: 14, name: "Both Teams to Score", offers: []string{"BOTH_TEAMS_TO_SCORE FT"}, spell: word},
	{id: 29, name: "Half Time/Full Time", offers: []string{"HALF_TIME_FULL_TIME FT"}, spell: halfFull},
	{id: 31, name: "Half Time Result", offers: []string{"MATCH_RESULT 1H"}, spell: word},
	{id: 57, name: "Correct Score", offers: []string{"CORRECT_SCORE FT"}, spell: correctScore},
	{id: 60, name: "Corners 2-Way", offers: []string{"TOTAL_CORNERS FT"}, spell: overUnder},
	{id: 61, name: "Asian Total Corners", offers: []string{"TOTAL_CORNERS FT asian"}, spell: goalLine},
	{id: 68, name: "Total Corners", offers: []string{"CORNERS_RANGE FT"}, spell: labelled("", "0-5", "Under 6", "6-8", "6 - 8", "9-11", "9 - 11", "12-14", "12 - 14", "15+", "Over 14")},
	{id: 70, name: "First Half Corners", offers: []string{"TOTAL_CORNERS_3WAY 1H"}, spell: overUnder},
	{id: 80, name: "Goals Over/Under", offers: []string{"TOTAL_GOALS FT"}, spell: overUnder},
	{id: 81, name: "Alternative Total Goals", offers: []string{"TOTAL_GOALS FT alternative"}, spell: overUnder},
	{id: 86, name: "Team Total Goals", offers: []string{"TEAM_TOTAL_GOALS FT"}, spell: teamTotal},
	{id: 90, name: "Goalscorers", offers: []string{"GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT"}, spell: scorer},
	{id: 93, name: "Exact Total Goals", offers: []string{"EXACT_GOALS FT"}, spell: labelled("$outcome Goals", "1", "1 Goal")},
	{id: 104, name: "Alternative Asian Handicap", offers: []string{"ASIAN_HANDICAP FT asian_alternative"}, spell: asian},
	{id: 105, name: "Alternative Goal Line", offers: []string{"TOTAL_GOALS FT asian_alternative"}, spell: goalLine},
	{id: 250, name: "First Goal Method", offers: []string{"FIRST_GOAL_METHOD FT"}, spell: labelled("$Outcome", "FREE_KICK", "Free Kick", "OWN_GOAL", "Own Goal", "NO_GOAL", "No Goal")},
	{id: 254, name: "Corners", offers: []string{"TOTAL_CORNERS_3WAY FT"}, spell: overUnder},
	{id: 270, name: "To Score A Penalty", offers: []string{"TEAM_TO_SCORE_PENALTY FT"}, spell: labelled("$team to score a penalty")},
	{id: 271, name: "To Miss a Penalty", offers: []string{"TEAM_TO_MISS_PENALTY FT"}, spell: labelled("$team to miss a penalty")},
	{id: 278, name: "Alternative Card Handicap", offers: []string{"CARDS_HANDICAP_RESULT FT alternative"}, spell: european, unproven: true},
	{id: 282, name: "Red Card in the Match", offers: []string{"RED_CARD FT"}, spell: word},
	{id: 283, name: "Penalty in the Match", offers: []string{"PENALTY_AWARDED FT"}, spell: word},
	{id: 286, name: "Team Offsides", offers: []string{"TEAM_TOTAL_OFFSIDES FT HOME", "TEAM_TOTAL_OFFSIDES FT AWAY"}, spell: teamTotal},
	{id: 287, name: "Player Tackles", offers: []string{"PLAYER_TACKLES FT"}, spell: playerOver},
	{id: 288, name: "Player Assists", offers: []string{"PLAYER_ASSISTS FT"}, spell: playerOver},
	{id: 290, name: "Player Passes", offers: []string{"PLAYER_PASSES FT"}, spell: playerOver},
	{id: 293, name: "Match Tackles", offers: []string{"TOTAL_TACKLES FT"}, spell: overUnder},
	{id: 294, name: "Match Offsides", offers: []string{"TOTAL_OFFSIDES FT"}, spell: overUnder},
	{id: 330, name: "Team Tackles", offers: []string{"TEAM_TOTAL_TACKLES FT HOME", "TEAM_TOTAL_TACKLES FT AWAY"}, spell: teamTotal},
	{id: 338, name: "Player to Commit Foul", offers: []string{"PLAYER_FOULS_COMMITTED FT"}, spell: playerOver},
})

func resolved(all []market) []market {
	for i := range all {
		all[i].of = bookmaker.OffersOf(all[i].offers...)
	}
	return all
}

// sold returns the markets of a fixture with prices.
func sold(o *bookmaker.Offering) (all []*market) {
	for i := range catalogue {
		if o.Sells(catalogue[i].of...) {
			all = append(all, &catalogue[i])
		}
	}
	return all
}

// rows returns the rows of a market as they are sent.
func (m *market) rows(o *bookmaker.Offering) (all []soldRow) {
	for _, of := range m.of {
		if !o.Sells(of) {
			continue
		}
		for _, p := range o.Prices(of, bookmaker.Copy{At: o.Since}) {
			ref := of.Refs()[p.Ref]
			if words := m.spell.of(o.Fixture, ref, p.Selection); words.label != "" {
				all = append(all, m.row(ref, p, words, o.Fixture))
			}
		}
	}
	return all
}

// row renders one selection; value is cut to two decimal places, and dp3 has all digits.
func (m *market) row(ref bookmaker.Ref, p bookmaker.Priced, words words, f competition.Fixture) soldRow {
	r := soldRow{meant: meant.RowOf(ref, p.Selection), row: row{ID: 200_000_000_000 + p.Hash%99_999_999_999, Market: m.id, Bookmaker: api.Bet365,
		Label: words.label, Name: optional(words.name), Total: optional(words.total), Handicap: optional(words.handicap),
		Description: m.name, Stopped: m.isStopped(f, p.Selection)}}
	if p.Price != "" {
		dp3 := p.Price + "0"
		r.Value, r.DP3 = &p.Price, &dp3
		r.meant.Decimal = dp3
	}
	r.meant.Stopped = r.Stopped
	r.meant.ID = strconv.FormatUint(r.ID, 10)
	r.meant.Doubtful = p.Price == "" || p.Player != "" && f.Namesake() && p.Player == f.Home.Players[1] || p.Outcome == bookmaker.AnyOtherPlayer
	return r
}

// isStopped reports whether a selection is stopped. As in the recordings, all rows of a
// line or of a player are stopped together: here one in six.
func (m *market) isStopped(f competition.Fixture, s bookmaker.Selection) bool {
	of := strings.TrimLeft(s.Line, "+-") + s.Player + s.Qualifier
	return of != "" && f.Lot(6, oddStopped, random.TextSeed(uint64(m.id), of)) == 0
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
