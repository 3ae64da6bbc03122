package emulator

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
)

// labels is the texts of one row; "" is an absent field.
type labels struct{ name, name2, header, handicap, team string }

// spelling is a market's rows in the bookmaker's words, see [bookmaker.Words].
type spelling struct {
	labels
	names map[string]string                           // the names of some outcomes
	write func(p *teamPair, w bookmaker.Words) labels // rows that no text can describe; else nil
}

// of returns the texts of one selection.
func (sp *spelling) of(p *teamPair, r bookmaker.Ref, s bookmaker.Selection) labels {
	w := bookmaker.Words{Ref: r, Selection: s, Team: p.team}
	if sp.write != nil {
		return sp.write(p, w)
	}
	name, ok := sp.names[s.Outcome]
	if !ok {
		name = sp.name
	}
	return labels{w.Fill(name), w.Fill(sp.name2), w.Fill(sp.header), w.Fill(sp.handicap), w.Fill(sp.team)}
}

// teamPair is the two sides as the markets name them. used records whose name a row
// needed, as a bit a side: such a row proves nothing if the listing does not have the
// name.
type teamPair struct {
	names   [2]string
	unknown uint8 // sides that the listing names otherwise, or not at all
	used    uint8
	words   bool // sole sides are written as names, not as 1 and 2
}

func newPair(f competition.Fixture) teamPair {
	p := teamPair{names: [2]string{f.Home.Name, f.Away.Name}, words: f.Lot(2, oddSideWords) == 0}
	if same := norm.NFC.String(strings.TrimSpace(listedName(f, f.Home))); same != norm.NFC.String(f.Home.Name) {
		p.unknown |= 1
	}
	if f.Lot(190, oddAwayAbsent) == 0 {
		p.unknown |= 2
	}
	return p
}

// nameless reports whether the listing leaves out a team's name.
func (p *teamPair) nameless() bool { return p.unknown&2 != 0 }

// team is a side's name.
func (p *teamPair) team(side string) string {
	i := 0
	if side == "AWAY" {
		i = 1
	}
	p.used |= 1 << i
	return p.names[i]
}

// The spellings of the catalogue. Asian lines are written as the two lines that a quarter
// stake is split over; in a three-way handicap the row of the draw has the away side's sign
// (betsapi.md, section 6.5). Tables of players have the team in name2 since 2025, and no team
// in 2026.
var (
	word         = named("$Outcome")
	side         = named("$number")
	sideOrTie    = named("$tie")
	overUnder    = spelling{labels: labels{header: "$Outcome", name: "$line"}}
	goalLine     = spelling{labels: labels{header: "$Outcome", name: "$goals"}}
	asian        = spelling{labels: labels{header: "$number", name: "$split"}}
	european     = spelling{labels: labels{header: "$tie", handicap: "$other"}}
	teamTotal    = spelling{labels: labels{header: "$side", handicap: "$Outcome $line"}}
	teamYesNo    = spelling{labels: labels{header: "$side", handicap: "$Outcome"}}
	firstTen     = spelling{labels: labels{header: "$Outcome", name: "Goals", handicap: "$line"}}
	races        = spelling{labels: labels{header: "$number", name: "$qualifier"}}
	score        = spelling{labels: labels{header: "$won", name: "$score"}}
	resultBoth   = spelling{labels: labels{header: "$Second", name: "$number"}}
	resultTotal  = spelling{labels: labels{header: "$Second", name: "$number", handicap: "$line"}}
	scoresInHalf = spelling{labels: labels{team: "$side", header: "$Outcome", name: "$half"}}
	multi        = spelling{labels: labels{header: "$qualifier or More", name: "$player"}}
	playerTotal  = spelling{labels: labels{name: "$player", name2: "$side", header: "$Outcome", handicap: "$line"}}
	playerLine   = spelling{labels: labels{name: "$player", header: "$Outcome", handicap: "$line"}}

	exact  = named("$outcome Goals", "1", "1 Goal")
	halves = named("", "1H", "1st Half", "2H", "2nd Half", "EQUAL", "Tie")
	margin = spelling{labels: labels{header: "$by", name: "$margin"},
		names: map[string]string{"SCORE_DRAW": "1", "NO_GOAL": "2"}} // without a header, so their meaning is not known
	player     = named("$player", "NO_GOALSCORER", "No Goalscorer", "NO_CARD", "No Bookings", bookmaker.AnyOtherPlayer, "Any Other Player")
	scorer     = spelling{labels: labels{header: "$column", name: "$player"}, names: player.names}
	teamScorer = named("$player", "NO_GOALSCORER", "No Goalscorer ($team)", bookmaker.AnyOtherPlayer, "Any Other Player") // only the first names the side
	special    = spelling{write: func(_ *teamPair, w bookmaker.Words) labels {
		return labels{header: w.Fill("$side"), name: specialWords[w.Market]}
	}}
	doubleScore = spelling{write: func(_ *teamPair, w bookmaker.Words) labels {
		half, full := w, w
		half.Outcome, full.Outcome, _ = strings.Cut(w.Outcome, "/")
		return labels{name: half.Fill("Half Time $winner $score") + full.Fill(" Full Time $winner $score")}
	}}
)

var specialWords = map[string]string{
	"COME_FROM_BEHIND_AND_WIN":     "To Win From Behind",
	"WIN_TO_NIL":                   "To Win to Nil",
	"WIN_EITHER_HALF":              "To Win Either Half",
	"WIN_BOTH_HALVES":              "To Win Both Halves",
	"TEAM_TO_SCORE_IN_BOTH_HALVES": "To Score in Both Halves",
}

// named is a spelling of rows with a name alone. Pairs of an outcome and its name follow.
func named(name string, others ...string) spelling {
	sp := spelling{labels: labels{name: name}, names: make(map[string]string)}
	for i := 0; i < len(others); i += 2 {
		sp.names[others[i]] = others[i+1]
	}
	return sp
}

// before writes that the first of something comes before a minute.
func before(what string) spelling {
	return named(what+" before $qualifier", "NO", "No "+what+" before $qualifier")
}

// ofTeam puts the team's name in front: "Russia - 1st Half".
func ofTeam(sp spelling) spelling {
	all := named("$team - " + sp.name)
	for outcome, name := range sp.names {
		all.names[outcome] = "$team - " + name
	}
	return all
}

// firstTeam writes the side as number or name: the form in the present shape is not recorded,
// the older shapes have names.
func firstTeam(none string) spelling {
	return spelling{write: func(p *teamPair, w bookmaker.Words) labels {
		switch {
		case w.Outcome == "NO_GOAL":
			return labels{name: none}
		case p.words:
			return labels{name: w.Fill("$result")}
		}
		return labels{name: w.Fill("$number")}
	}}
}
