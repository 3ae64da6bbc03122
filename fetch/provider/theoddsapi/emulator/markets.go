package emulator

import (
	"cmp"
	"slices"
	"strings"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

// makers are the bookmakers, of every region. The first one has the world's prices; some
// prices of the others differ.
var makers = []maker{
	{"pinnacle", "Pinnacle", false}, {"betfair_ex_eu", "Betfair", true}, {"betsson", "Betsson", false}, {"marathonbet", "Marathon Bet", false},
	{"onexbet", "1xBet", false}, {"sport888", "888sport", false}, {"unibet_eu", "Unibet", false}, {"williamhill", "William Hill", false},
}

const (
	keyResult = "h2h"
	keyLay    = "h2h_lay"
)

// market is one key, and the part of an offer of the world in it.
type market struct {
	key, offer string
	ref        int // the market, among those of the offer
	proof      meant.Proof

	of bookmaker.Offer
}

const (
	threeScorers = "GOALSCORER_FIRST FT + GOALSCORER_LAST FT + GOALSCORER_ANYTIME FT"
	raw          = meant.MustBeRaw
)

// catalogue has all markets on offer. A key that is there twice has one of the two offers on
// each fixture.
var catalogue = withOffers([]market{
	{key: keyResult, offer: "MATCH_RESULT FT"},
	{key: keyLay, offer: "MATCH_RESULT FT", proof: raw},
	{key: "spreads", offer: "ASIAN_HANDICAP FT asian"},
	{key: "totals", offer: "TOTAL_GOALS FT asian"},
	{key: "alternate_spreads", offer: "ASIAN_HANDICAP FT asian_alternative"},
	{key: "alternate_spreads_cards", offer: "CARDS_ASIAN_HANDICAP FT", proof: raw},
	{key: "alternate_spreads_corners", offer: "CORNERS_ASIAN_HANDICAP FT"},
	{key: "alternate_spreads_h1", offer: "ASIAN_HANDICAP 1H asian_alternative"},
	{key: "alternate_team_totals", offer: "TEAM_TOTAL_GOALS FT"},
	{key: "alternate_team_totals_corners", offer: "TEAM_TOTAL_CORNERS FT"},
	{key: "alternate_totals", offer: "TOTAL_GOALS FT asian_alternative"},
	{key: "alternate_totals_cards", offer: "TOTAL_CARDS FT asian", proof: raw},
	{key: "alternate_totals_corners", offer: "TOTAL_CORNERS FT asian"},
	{key: "alternate_totals_h1", offer: "TOTAL_GOALS 1H asian_alternative"},
	{key: "alternate_totals_h2", offer: "TOTAL_GOALS 2H alternative"},
	{key: "btts", offer: "BOTH_TEAMS_TO_SCORE FT"},
	{key: "btts_h1", offer: "BOTH_TEAMS_TO_SCORE 1H"},
	{key: "corners_1x2", offer: "CORNERS_RESULT FT"},
	{key: "correct_score", offer: "CORRECT_SCORE FT"},
	{key: "correct_score_h1", offer: "CORRECT_SCORE 1H"},
	{key: "double_chance", offer: "DOUBLE_CHANCE FT"},
	{key: "double_chance_h1", offer: "DOUBLE_CHANCE 1H"},
	{key: "draw_no_bet", offer: "DRAW_NO_BET FT"},
	{key: "h2h_3_way", offer: "MATCH_RESULT FT"},
	{key: "h2h_h1", offer: "MATCH_RESULT 1H"},
	{key: "h2h_h2", offer: "MATCH_RESULT 2H"},
	{key: "halftime_fulltime", offer: "HALF_TIME_FULL_TIME FT"},
	{key: "player_assists", offer: "PLAYER_ASSISTS FT"},
	{key: "player_first_goal_scorer", offer: "GOALSCORER_FIRST FT"},
	{key: "player_first_goal_scorer", offer: threeScorers},
	{key: "player_goal_scorer_anytime", offer: "GOALSCORER_ANYTIME FT"},
	{key: "player_goal_scorer_anytime", offer: threeScorers, ref: 2},
	{key: "player_last_goal_scorer", offer: "GOALSCORER_LAST FT"},
	{key: "player_last_goal_scorer", offer: threeScorers, ref: 1},
	{key: "player_shots", offer: "PLAYER_SHOTS FT"},
	{key: "player_shots_on_target", offer: "PLAYER_SHOTS_ON_TARGET FT"},
	{key: "player_to_receive_card", offer: "PLAYER_CARDED FT"},
	{key: "player_to_receive_red_card", offer: "PLAYER_SENT_OFF FT"},
	{key: "spreads_h1", offer: "ASIAN_HANDICAP 1H asian"},
	{key: "totals_h1", offer: "TOTAL_GOALS 1H asian"},
})

func withOffers(all []market) []market {
	for i := range all {
		all[i].of = bookmaker.OfferOf(all[i].offer)
	}
	return all
}

// unsold are keys of the provider for which the world has no offer.
var unsold = []string{"alternate_spreads_h2", "alternate_team_totals_h1", "alternate_team_totals_h2", "h2h_3_way_h1", "h2h_3_way_h2",
	"player_to_score_or_assist", "spreads_h2", "team_totals", "team_totals_h1", "team_totals_h2", "to_qualify", "totals_h2"}

func isMarket(key string) bool {
	return slices.Contains(unsold, key) || slices.ContainsFunc(catalogue, func(m market) bool { return m.key == key })
}

// sold returns the requested markets of a fixture.
func sold(o *bookmaker.Offering, keys []string) (all []*market) {
	for i := range catalogue {
		if m := &catalogue[i]; slices.Contains(keys, m.key) && o.Sells(m.of) {
			all = append(all, m)
		}
	}
	return all
}

// cost returns a request's cost in credits.
func (d *dialect) cost(q simulator.Question, a ask) int {
	markets := 0
	switch regions := (len(a.makers) + 9) / 10; {
	case q.Endpoint == api.EndpointOdds && len(a.fixtures) > 0:
		return len(a.markets) * regions
	case q.Endpoint == api.EndpointEventOdds:
		if o, ok := q.World.Offering(a.fixtures[0].Number, q.Now); ok {
			markets = len(sold(o, a.markets))
		}
		return markets * regions
	}
	return 0
}

// priced returns a fixture with the requested prices; nil for one that a list leaves out.
// An exchange adds its lay prices, which need not be requested.
func (d *dialect) priced(q simulator.Question, f competition.Fixture, a ask) *event {
	e := eventOf(q.World, f)
	e.Bookmakers = &[]book{}
	o, ok := q.World.Offering(f.Number, q.Now)
	if !ok {
		if q.Endpoint == api.EndpointEventOdds {
			return e
		}
		return nil
	}
	for _, m := range a.makers {
		keys := a.markets
		if m.exchange && slices.Contains(keys, keyResult) {
			keys = append(slices.Clone(keys), keyLay)
		}
		if b := bookOf(o, m, keys, q.Endpoint == api.EndpointOdds); len(b.Markets) > 0 {
			*e.Bookmakers = append(*e.Bookmakers, b)
		}
	}
	return e
}

func bookOf(o *bookmaker.Offering, m maker, keys []string, dated bool) book {
	b := book{Key: m.Key, Title: m.Title}
	if dated {
		b.Updated = timeOf(o.Since)
	}
	for _, g := range sold(o, keys) {
		if g.key == keyLay && !m.exchange {
			continue
		}
		p := prices{Key: g.key, Updated: timeOf(o.Since), Outcomes: g.outcomes(o, m.Key != makers[0].Key)}
		if len(p.Outcomes) > 0 {
			b.Markets = append(b.Markets, p)
		}
	}
	return b
}

// outcomes returns a market's rows. Selections without a price are absent. Half of the lists
// begin with the away side.
func (g *market) outcomes(o *bookmaker.Offering, other bool) (rows []outcome) {
	f := &o.Fixture
	for _, p := range o.Prices(g.of, bookmaker.Copy{At: o.Since, Old: other}) {
		if p.Ref != g.ref || p.Price == "" || p.Outcome == bookmaker.AnyOtherPlayer || strings.HasPrefix(p.Outcome, "OTHER") {
			continue
		}
		row := outcome{Name: words(f, p.Outcome), Description: p.Player, Price: decimal(p.Price)}
		if p.Line != "" {
			row.Point = decimal(p.Line)
		}
		switch {
		case p.Outcome == "NO_GOALSCORER":
			row.Name, row.Description = "Yes", "No Scorer"
		case p.Player == "" && p.Side != "":
			row.Description = words(f, p.Side)
		}
		row.meant = meant.RowOf(g.of.Refs()[g.ref], p.Selection)
		if g.proof == raw {
			row.meant = meant.Row{Side: row.meant.Side}
		}
		row.meant.Decimal = string(row.Price)
		row.meant.Doubtful = f.Namesake() && p.Player == f.Home.Players[1]
		rows = append(rows, row)
	}
	first := [...]string{f.Home.Name, f.Away.Name}[f.Lot(2, oddAwayFirst, uint64(g.of))]
	slices.SortStableFunc(rows, func(a, b outcome) int { return cmp.Compare(a.place(first), b.place(first)) })
	return rows
}

// oddAwayFirst decides whether a list begins with the away side.
const oddAwayFirst = 301

// place orders the rows: one team, the other, the draw.
func (r *outcome) place(first string) int {
	switch r.Name {
	case first:
		return 0
	case "Draw":
		return 2
	}
	return 1
}

// words returns an outcome of the world in the provider's words.
func words(f *competition.Fixture, text string) string {
	switch text {
	case "HOME":
		return f.Home.Name
	case "AWAY":
		return f.Away.Name
	case "1X":
		return f.Home.Name + " or Draw"
	case "X2":
		return "Draw or " + f.Away.Name
	case "12":
		return f.Home.Name + " or " + f.Away.Name
	case "DRAW", "OVER", "UNDER", "YES", "NO":
		return text[:1] + strings.ToLower(text[1:])
	}
	if home, away, ok := strings.Cut(text, "-"); ok {
		return f.Home.Name + ":" + home + "|" + f.Away.Name + ":" + away
	}
	if half, full, ok := strings.Cut(text, "/"); ok {
		return words(f, half) + " / " + words(f, full)
	}
	return text
}

// Markets implements meant.Dialect. The markets are those of the first bookmaker.
func (*dialect) Markets(_ *world.World, o *bookmaker.Offering) (all []meant.Market) {
	for i := range catalogue {
		g := &catalogue[i]
		if g.key == keyLay || !o.Sells(g.of) {
			continue
		}
		m := meant.Market{Key: g.key, Name: g.key, Proof: g.proof}
		for _, row := range g.outcomes(o, false) {
			m.Rows = append(m.Rows, row.meant)
		}
		if len(m.Rows) > 0 {
			all = append(all, m)
		}
	}
	return all
}
