package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator"
)

// words are the texts of one row; "" is null.
type words struct{ label, name, total, handicap string }

// selection is a row of the world, with its market and its fixture.
type selection struct {
	simulator.Selection
	ref simulator.Ref
	f   simulator.Fixture
}

// spelling returns a selection in the bookmaker's words. A selection without a label is not sold.
type spelling func(s selection) words

// capital returns a canonical word as the bookmaker writes it: "Over".
func capital(word string) string { return word[:1] + strings.ToLower(word[1:]) }

// side returns 1 or 2 for a side, and level for neither.
func side(outcome, level string) string {
	switch outcome {
	case "HOME":
		return "1"
	case "AWAY":
		return "2"
	}
	return level
}

// team returns the name of a side, or Draw.
func (s selection) team(outcome string) string {
	switch outcome {
	case "HOME":
		return s.f.Home.Name
	case "AWAY":
		return s.f.Away.Name
	}
	return "Draw"
}

func spellWord(s selection) words { return words{label: capital(s.Outcome)} }

// spellSide writes the sides as numbers, and the outcome that is neither as level.
func spellSide(level string) spelling {
	return func(s selection) words { return words{label: side(s.Outcome, level)} }
}

func spellDoubleChance(s selection) words {
	switch s.Outcome {
	case "1X":
		return words{label: s.f.Home.Name + " or Draw"}
	case "X2":
		return words{label: "Draw or " + s.f.Away.Name}
	}
	return words{label: s.f.Home.Name + " or " + s.f.Away.Name}
}

// signed writes a line with at least one decimal place: "+1.0", "-0.75", "0.0".
func signed(line string) string {
	if l, _ := strconv.ParseFloat(line, 64); l == float64(int(l)) {
		return strings.TrimPrefix(line, "+0") + ".0"
	}
	return line
}

// spellAsian writes the handicap of the row's own side.
func spellAsian(s selection) words {
	return words{label: side(s.Outcome, ""), handicap: signed(s.Line)}
}

// spellGoalLine writes a quarter line as the two lines around it: "2.0, 2.5".
func spellGoalLine(s selection) words {
	l, _ := strconv.ParseFloat(s.Line, 64)
	line := strconv.FormatFloat(l, 'f', 1, 64)
	if l*2 != float64(int(l*2)) {
		line = strconv.FormatFloat(l-0.25, 'f', 1, 64) + ", " + strconv.FormatFloat(l+0.25, 'f', 1, 64)
	}
	return words{label: capital(s.Outcome), name: line, total: line}
}

// spellEuropean writes the sign of the away side on the draw as well.
func spellEuropean(s selection) words {
	line := s.Line
	if s.Outcome != "HOME" {
		line = strings.NewReplacer("+", "-", "-", "+").Replace(line)
	}
	return words{label: side(s.Outcome, "Tie"), handicap: line}
}

func spellTotal(s selection) words {
	return words{label: capital(s.Outcome), name: s.Line, total: s.Line}
}

func spellTeamTotal(s selection) words {
	return words{label: side(s.Side+s.ref.Side, ""), total: capital(s.Outcome) + " " + s.Line}
}

func spellExact(s selection) words {
	if s.Outcome == "1" {
		return words{label: "1 Goal"}
	}
	return words{label: s.Outcome + " Goals"}
}

func spellHalfTimeFullTime(s selection) words {
	half, full, _ := strings.Cut(s.Outcome, "/")
	return words{label: s.team(half) + " - " + s.team(full), name: capital(half) + "/" + capital(full)}
}

// spellScore writes the winner's goals first.
func spellScore(s selection) words {
	home, away, _ := strings.Cut(s.Outcome, "-")
	h, _ := strconv.Atoi(home)
	a, _ := strconv.Atoi(away)
	switch {
	case h > a:
		return words{label: "1", name: s.Outcome}
	case h < a:
		return words{label: "2", name: away + "-" + home}
	}
	return words{label: "Draw", name: s.Outcome}
}

func spellResultBoth(s selection) words {
	result, both, _ := strings.Cut(s.Outcome, "&")
	text := capital(result) + "/" + capital(both)
	return words{label: text, name: text}
}

var cornerBands = map[string]string{"0-5": "Under 6", "6-8": "6 - 8", "9-11": "9 - 11", "12-14": "12 - 14", "15+": "Over 14"}

func spellCornersBand(s selection) words { return words{label: cornerBands[s.Outcome]} }

func spellSentence(rest string) spelling {
	return func(s selection) words { return words{label: s.team(s.Side) + rest} }
}

var methods = map[string]string{"SHOT": "Shot", "HEADER": "Header", "PENALTY": "Penalty", "FREE_KICK": "Free Kick", "OWN_GOAL": "Own Goal", "NO_GOAL": "No Goal"}

func spellMethod(s selection) words { return words{label: methods[s.Outcome]} }

var scorerColumns = map[string]string{"GOALSCORER_FIRST": "First", "GOALSCORER_LAST": "Last", "GOALSCORER_ANYTIME": "Anytime"}

// spellScorer writes the column, and the player. There is no row for all other players.
func spellScorer(s selection) words {
	column := scorerColumns[s.ref.Market]
	switch s.Outcome {
	case "NO_GOALSCORER":
		return words{label: column, name: "No Goalscorer"}
	case simulator.AnyOtherPlayer:
		return words{}
	}
	return words{label: column, name: s.Player}
}

// spellPlayerOver writes the line as the label, and the player twice. No under is sold.
func spellPlayerOver(s selection) words {
	if s.Outcome != "OVER" {
		return words{}
	}
	return words{label: s.Line, name: s.Player, total: s.Player}
}
