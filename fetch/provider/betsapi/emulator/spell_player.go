package emulator

import (
	"strings"

	"mkt/fetch/simulator"
)

// sayPlayer is a player's name, or what stands in the row that is nobody's or
// anybody's.
func sayPlayer(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	switch s.Outcome {
	case "NO_GOALSCORER":
		return spoken{name: "No Goalscorer"}
	case "NO_CARD":
		return spoken{name: "No Bookings"}
	case simulator.AnyOtherPlayer:
		return spoken{name: "Any Other Player"}
	}
	return spoken{name: s.Player}
}

// sayScorer is the table of goalscorers: the column is the header.
func sayScorer(p *teamPair, r simulator.Ref, s simulator.Selection) spoken {
	sp := sayPlayer(p, r, s)
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

func sayMulti(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: s.Player, header: s.Qualifier + " or More"}
}

// sayTeamScorer is a name alone: only the row without a scorer names the side.
func sayTeamScorer(p *teamPair, r simulator.Ref, s simulator.Selection) spoken {
	if s.Outcome == "NO_GOALSCORER" {
		return spoken{name: "No Goalscorer (" + p.team(s.Side) + ")"}
	}
	return sayPlayer(p, r, s)
}

func sayScorecast(when string) spelling {
	return func(p *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
		result, score := winnerFirst(s.Outcome)
		return spoken{name: s.Player + " to score " + when + " and " + p.result(result) + " " + score}
	}
}

func sayWincast(p *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: s.Player + " to score first and Fulltime Result: " + p.result(s.Outcome)}
}

func sayTimecast(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: s.Player + " to score first and time of first goal " + s.Outcome}
}

// sayPlayerTotal is a player's over or under: name, team in name2, line in handicap, as
// player tables of 2025 have it.
func sayPlayerTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: s.Player, name2: sideNumber(s.Side, ""), header: capital(s.Outcome), handicap: s.Line}
}

// sayPlayerLine is the same as tables of 2026 have it, without the team.
func sayPlayerLine(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: s.Player, header: capital(s.Outcome), handicap: s.Line}
}

// sayUnknownTable is a row of a table nobody knows.
func sayUnknownTable(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	head := "Over"
	if strings.EqualFold(s.Outcome, "under") {
		head = "Under"
	}
	return spoken{name: s.Player, header: head, handicap: s.Line}
}
