package emulator

import (
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
)

// words are the texts of one row, in which [bookmaker.Words] are filled in; "" is null. A row
// without a label is not sold.
type words struct{ label, name, total, handicap string }

// spelling is a market's rows in the bookmaker's words.
type spelling struct {
	words
	others map[string]words // the rows of some outcomes
}

// of returns the texts of one selection.
func (sp *spelling) of(f competition.Fixture, r bookmaker.Ref, s bookmaker.Selection) words {
	w := bookmaker.Words{Ref: r, Selection: s, Team: func(side string) string { return map[string]string{"HOME": f.Home.Name, "AWAY": f.Away.Name}[side] }}
	row, ok := sp.others[s.Outcome]
	if !ok {
		row = sp.words
	}
	return words{w.Fill(row.label), w.Fill(row.name), w.Fill(row.total), w.Fill(row.handicap)}
}

// labelled is a spelling of rows with a label alone. Pairs of an outcome and its label follow.
func labelled(label string, others ...string) spelling {
	sp := spelling{words: words{label: label}, others: make(map[string]words)}
	for i := 0; i < len(others); i += 2 {
		sp.others[others[i]] = words{label: others[i+1]}
	}
	return sp
}

// The spellings of the catalogue. The draw of a three-way handicap has the away side's sign. There
// is no row for all other players, and no under of a player: its label is the line.
var (
	word         = labelled("$Outcome")
	asian        = spelling{words: words{label: "$number", handicap: "$decimal"}}
	european     = spelling{words: words{label: "$tie", handicap: "$other"}}
	goalLine     = spelling{words: words{label: "$Outcome", name: "$goals", total: "$goals"}}
	overUnder    = spelling{words: words{label: "$Outcome", name: "$line", total: "$line"}}
	teamTotal    = spelling{words: words{label: "$side", total: "$Outcome $line"}}
	halfFull     = spelling{words: words{label: "$result - $full", name: "$First/$Second"}}
	resultBoth   = spelling{words: words{label: "$First/$Second", name: "$First/$Second"}}
	correctScore = spelling{words: words{label: "$won", name: "$score"}}
	scorer       = spelling{words{label: "$column", name: "$player"}, map[string]words{"NO_GOALSCORER": {label: "$column", name: "No Goalscorer"}, bookmaker.AnyOtherPlayer: {}}}
	playerOver   = spelling{words{label: "$line", name: "$player", total: "$player"}, map[string]words{"UNDER": {}}}
)
