package emulator

import (
	"strings"

	"mkt/fetch/simulator"
)

// spellPlayer is a player's name, or the text of a row for no player or for any other
// player.
func spellPlayer(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "NO_GOALSCORER":
		return labels{name: "No Goalscorer"}
	case "NO_CARD":
		return labels{name: "No Bookings"}
	case simulator.AnyOtherPlayer:
		return labels{name: "Any Other Player"}
	}
	return labels{name: s.Player}
}

// spellScorer is the table of goalscorers: the column is the header.
func spellScorer(p *teamPair, r simulator.Ref, s simulator.Selection) labels {
	sp := spellPlayer(p, r, s)
	switch r.Market {
	case "GOALSCORER_FIRST":
		sp.header = "First"
	case "GOALSCORER_LAST":
		sp.header = "Last"
	default:
		sp.header = "Anytime"
	}
	return sp
}

func spellMulti(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: s.Player, header: s.Qualifier + " or More"}
}

// spellTeamScorer is a name alone: only the row without a scorer names the side.
func spellTeamScorer(p *teamPair, r simulator.Ref, s simulator.Selection) labels {
	if s.Outcome == "NO_GOALSCORER" {
		return labels{name: "No Goalscorer (" + p.team(s.Side) + ")"}
	}
	return spellPlayer(p, r, s)
}

func spellScorecast(when string) spelling {
	return func(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
		result, score := winnerFirst(s.Outcome)
		return labels{name: s.Player + " to score " + when + " and " + p.result(result) + " " + score}
	}
}

func spellWincast(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: s.Player + " to score first and Fulltime Result: " + p.result(s.Outcome)}
}

func spellTimecast(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: s.Player + " to score first and time of first goal " + s.Outcome}
}

// spellPlayerTotal is a player's over or under: name, team in name2, line in handicap, as
// in player tables of 2025.
func spellPlayerTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: s.Player, name2: sideNumber(s.Side, ""), header: capital(s.Outcome), handicap: s.Line}
}

// spellPlayerLine is the same in tables of 2026, without the team.
func spellPlayerLine(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: s.Player, header: capital(s.Outcome), handicap: s.Line}
}

// spellUnknownTable is a row of an unknown table.
func spellUnknownTable(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	head := "Over"
	if strings.EqualFold(s.Outcome, "under") {
		head = "Under"
	}
	return labels{name: s.Player, header: head, handicap: s.Line}
}
