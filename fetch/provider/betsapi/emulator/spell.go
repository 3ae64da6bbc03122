package emulator

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"mkt/fetch/simulator"
)

// labels is the texts of one row; "" is an absent field.
type labels struct{ name, name2, header, handicap, team string }

// spelling puts a selection of a market into the bookmaker's words.
type spelling func(p *teamPair, r simulator.Ref, s simulator.Selection) labels

// teamPair is the two sides as the markets name them. used records whose name a row
// needed, as a bit a side: such a row proves nothing if the listing does not have the
// name.
type teamPair struct {
	names   [2]string
	unknown uint8 // sides that the listing names otherwise, or not at all
	used    uint8
	words   bool // sole sides are written as names, not as 1 and 2
}

func newPair(f simulator.Fixture) teamPair {
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

// result names a result with team names: home, Draw, away.
func (p *teamPair) result(outcome string) string {
	if outcome == "DRAW" {
		return "Draw"
	}
	return p.team(outcome)
}

// sideNumber returns 1 or 2 for a side, and level for neither.
func sideNumber(outcome, level string) string {
	switch outcome {
	case "HOME":
		return "1"
	case "AWAY":
		return "2"
	default:
		return level
	}
}

// capital is a canonical word in the bookmaker's capitals.
func capital(outcome string) string {
	switch outcome {
	case "YES":
		return "Yes"
	case "NO":
		return "No"
	case "OVER":
		return "Over"
	case "UNDER":
		return "Under"
	case "EXACTLY":
		return "Exactly"
	case "ODD":
		return "Odd"
	case "EVEN":
		return "Even"
	default:
		return outcome
	}
}

func spellYesNo(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: capital(s.Outcome)}
}

func spellOddEven(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: capital(s.Outcome)}
}

func spellResult(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: sideNumber(s.Outcome, "Draw")}
}

func spellResultTie(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: sideNumber(s.Outcome, "Tie")}
}

func spellRace(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: sideNumber(s.Outcome, "Neither")}
}

// spellRaces is a table of races: the side is the header, the target the name.
func spellRaces(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{header: sideNumber(s.Outcome, "Neither"), name: s.Qualifier}
}

func spellFirstCard(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: sideNumber(s.Outcome, "No Card")}
}

func spellDoubleChance(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "1X":
		return labels{name: p.team("HOME") + " or Draw"}
	case "X2":
		return labels{name: "Draw or " + p.team("AWAY")}
	default:
		return labels{name: p.team("HOME") + " or " + p.team("AWAY")}
	}
}

func spellHalfTimeFullTime(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	first, full, _ := strings.Cut(s.Outcome, "/")
	return labels{name: p.result(first) + " - " + p.result(full)}
}

// winnerFirst turns a score into its result and the score with the winner's
// goals first (betsapi.md, section 6.5).
func winnerFirst(score string) (result, turned string) {
	home, away, _ := strings.Cut(score, "-")
	switch {
	case home == away:
		return "DRAW", score
	case len(home) > len(away) || len(home) == len(away) && home > away:
		return "HOME", score
	default:
		return "AWAY", away + "-" + home
	}
}

func spellScore(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	result, score := winnerFirst(s.Outcome)
	return labels{header: sideNumber(result, "Draw"), name: score}
}

func spellDoubleScore(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	half, full, _ := strings.Cut(s.Outcome, "/")
	r1, s1 := winnerFirst(half)
	r2, s2 := winnerFirst(full)
	return labels{name: "Half Time " + p.result(r1) + " " + s1 + " Full Time " + p.result(r2) + " " + s2}
}

func spellResultBoth(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	result, both, _ := strings.Cut(s.Outcome, "&")
	return labels{header: capital(both), name: sideNumber(result, "Draw")}
}

// spellResultAnd is the one text of the half-time doubles: "Russia & Over 1.5".
func spellResultAnd(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	result, other, _ := strings.Cut(s.Outcome, "&")
	text := p.result(result) + " & " + capital(other)
	if s.Line != "" {
		text += " " + s.Line
	}
	return labels{name: text}
}

func spellResultTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	result, total, _ := strings.Cut(s.Outcome, "&")
	return labels{header: capital(total), name: sideNumber(result, "Draw"), handicap: s.Line}
}

func spellTotalBoth(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	total, both, _ := strings.Cut(s.Outcome, "&")
	return labels{name: capital(total) + " " + s.Line + " & " + capital(both)}
}

func spellMargin(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "SCORE_DRAW":
		return labels{name: "1"} // without a header, so its meaning is not known
	case "NO_GOAL":
		return labels{name: "2"}
	}
	side, goals, _ := strings.Cut(s.Outcome, "_")
	return labels{header: sideNumber(side, ""), name: goals}
}

func spellTeams(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "BOTH":
		return labels{name: "Both Teams"}
	case "NO_GOAL":
		return labels{name: "No Goal"}
	}
	return labels{name: p.team(strings.TrimSuffix(s.Outcome, "_ONLY")) + " Only"}
}

// spellFirstTeam writes the side as number or name: the form in the present shape
// is not recorded, the older shapes have names.
func spellFirstTeam(none string) spelling {
	return func(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
		switch {
		case s.Outcome == "NO_GOAL":
			return labels{name: none}
		case p.words:
			return labels{name: p.team(s.Outcome)}
		}
		return labels{name: sideNumber(s.Outcome, "")}
	}
}

func spellBothByHalf(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	first, second, _ := strings.Cut(s.Outcome, "/")
	return labels{name: capital(first) + " / " + capital(second)}
}

func spellTeamYesNo(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{header: sideNumber(s.Side, ""), handicap: capital(s.Outcome)}
}

func spellToScoreInHalf(_ *teamPair, r simulator.Ref, s simulator.Selection) labels {
	half := "1st Half"
	if r.Period == "2H" {
		half = "2nd Half"
	}
	return labels{team: sideNumber(s.Side, ""), header: capital(s.Outcome), name: half}
}

// ofTeam puts the team's name in front: "Russia - 1st Half".
func ofTeam(side string, spell spelling) spelling {
	return func(p *teamPair, r simulator.Ref, s simulator.Selection) labels {
		sp := spell(p, r, s)
		sp.name = p.team(side) + " - " + sp.name
		return sp
	}
}

func spellHalf(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "1H":
		return labels{name: "1st Half"}
	case "2H":
		return labels{name: "2nd Half"}
	default:
		return labels{name: "Tie"}
	}
}

var specialWords = map[string]string{
	"COME_FROM_BEHIND_AND_WIN":     "To Win From Behind",
	"WIN_TO_NIL":                   "To Win to Nil",
	"WIN_EITHER_HALF":              "To Win Either Half",
	"WIN_BOTH_HALVES":              "To Win Both Halves",
	"TEAM_TO_SCORE_IN_BOTH_HALVES": "To Score in Both Halves",
}

func spellSpecial(_ *teamPair, r simulator.Ref, s simulator.Selection) labels {
	return labels{header: sideNumber(s.Side, ""), name: specialWords[r.Market]}
}

func spellSentence(rest string) spelling {
	return func(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
		return labels{name: p.team(s.Side) + rest}
	}
}

func spellPoints(p *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	text := strings.Replace(s.Line, "-", " To ", 1)
	switch s.Outcome {
	case "under":
		text = "Under " + text
	case "over":
		text = "Over " + text
	}
	return labels{name: p.team(s.Side) + " " + text}
}
