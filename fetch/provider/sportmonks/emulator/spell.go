package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator"
)

// words are the texts of one row; "" is null.
type words struct{ label, name, total, handicap string }

// spelling returns a selection in the bookmaker's words; false if it is not sold.
type spelling func(f simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool)

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

// teamOf returns the name of a side, or Draw.
func teamOf(f simulator.Fixture, outcome string) string {
	switch outcome {
	case "HOME":
		return f.Home.Name
	case "AWAY":
		return f.Away.Name
	}
	return "Draw"
}

func spellResult(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: capital(s.Outcome)}, true
}

func spellWord(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: capital(s.Outcome)}, true
}

// spellSide writes the sides as numbers, and the outcome that is neither as level.
func spellSide(level string) spelling {
	return func(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
		return words{label: side(s.Outcome, level)}, true
	}
}

func spellDoubleChance(f simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	switch s.Outcome {
	case "1X":
		return words{label: f.Home.Name + " or Draw"}, true
	case "X2":
		return words{label: "Draw or " + f.Away.Name}, true
	}
	return words{label: f.Home.Name + " or " + f.Away.Name}, true
}

// signed writes a line with at least one decimal place: "+1.0", "-0.75", "0.0".
func signed(line string) string {
	if l, _ := strconv.ParseFloat(line, 64); l == float64(int(l)) {
		return strings.TrimPrefix(line, "+0") + ".0"
	}
	return line
}

// spellAsian writes the handicap of the row's own side.
func spellAsian(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Outcome, ""), handicap: signed(s.Line)}, true
}

// spellGoalLine writes a quarter line as the two lines around it: "2.0, 2.5".
func spellGoalLine(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	l, _ := strconv.ParseFloat(s.Line, 64)
	line := strconv.FormatFloat(l, 'f', 1, 64)
	if l*2 != float64(int(l*2)) {
		line = strconv.FormatFloat(l-0.25, 'f', 1, 64) + ", " + strconv.FormatFloat(l+0.25, 'f', 1, 64)
	}
	return words{label: capital(s.Outcome), name: line, total: line}, true
}

// spellEuropean writes the sign of the away side on the draw as well.
func spellEuropean(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	line := s.Line
	if s.Outcome != "HOME" {
		line = strings.NewReplacer("+", "-", "-", "+").Replace(line)
	}
	return words{label: side(s.Outcome, "Tie"), handicap: line}, true
}

func spellTotal(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: capital(s.Outcome), name: s.Line, total: s.Line}, true
}

func spellNamedTotal(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: capital(s.Outcome), name: s.Line}, true
}

func spellGoalsTotal(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: capital(s.Outcome), name: "Goals", total: s.Line}, true
}

func spellTeamTotal(_ simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Side+r.Side, ""), total: capital(s.Outcome) + " " + s.Line}, true
}

func spellCleanSheet(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Side, ""), name: capital(s.Outcome), handicap: capital(s.Outcome)}, true
}

func spellExact(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	if s.Outcome == "1" {
		return words{label: "1 Goal"}, true
	}
	return words{label: s.Outcome + " Goals"}, true
}

// ofTeam puts the name of the market's team in front: "Cruz Azul - Odd".
func ofTeam(spell spelling) spelling {
	return func(f simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
		w, ok := spell(f, r, s)
		w.label = teamOf(f, r.Side) + " - " + w.label
		return w, ok
	}
}

func spellHalfTimeFullTime(f simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	half, full, _ := strings.Cut(s.Outcome, "/")
	return words{label: teamOf(f, half) + " - " + teamOf(f, full), name: capital(half) + "/" + capital(full)}, true
}

// spellScore writes the winner's goals first.
func spellScore(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	home, away, _ := strings.Cut(s.Outcome, "-")
	h, _ := strconv.Atoi(home)
	a, _ := strconv.Atoi(away)
	switch {
	case h > a:
		return words{label: "1", name: s.Outcome}, true
	case h < a:
		return words{label: "2", name: away + "-" + home}, true
	}
	return words{label: "Draw", name: s.Outcome}, true
}

func spellResultBoth(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	result, both, _ := strings.Cut(s.Outcome, "&")
	text := capital(result) + "/" + capital(both)
	return words{label: text, name: text}, true
}

func spellResultTotal(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	result, total, _ := strings.Cut(s.Outcome, "&")
	return words{label: capital(total), name: side(result, "Draw"), total: s.Line}, true
}

func spellHalfResultTotal(f simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	result, total, _ := strings.Cut(s.Outcome, "&")
	return words{label: teamOf(f, result) + "/" + capital(total), name: s.Line}, true
}

func spellTotalBoth(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	total, both, _ := strings.Cut(s.Outcome, "&")
	return words{label: capital(total) + " " + s.Line + " & " + capital(both)}, true
}

func spellBothByHalf(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	first, second, _ := strings.Cut(s.Outcome, "/")
	return words{label: capital(first) + "/" + capital(second)}, true
}

func spellRace(_ simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Outcome, "Neither"), name: r.Parameter}, true
}

var cornerBands = map[string]string{"0-5": "Under 6", "6-8": "6 - 8", "9-11": "9 - 11", "12-14": "12 - 14", "15+": "Over 14"}

func spellCornersBand(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: cornerBands[s.Outcome]}, true
}

var goalBands = map[string]string{"0-1": "Under 2 goals", "2-3": "2 or 3 goals", "4+": "Over 3 goals"}

func spellGoalsBand(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: goalBands[s.Outcome]}, true
}

// timeText writes "Goal before 30:00", or for no "No Goal before 30:00".
func timeText(event string, s simulator.Selection) string {
	if s.Outcome == "NO" {
		return "No " + event + s.Qualifier
	}
	return event + s.Qualifier
}

func spellTime(event string) spelling {
	return func(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
		return words{label: timeText(event, s)}, true
	}
}

func spellTeamTime(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Side, ""), handicap: timeText("Goal Before ", s)}, true
}

func spellBracket(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	switch s.Outcome {
	case "NO_GOAL":
		return words{label: "No Goal"}, true
	case "81+":
		return words{label: "81 - Full Time"}, true
	}
	return words{label: s.Outcome}, true
}

func spellMinutes(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	if s.Qualifier != "" {
		return words{label: capital(s.Outcome) + " " + s.Qualifier + " minutes"}, true
	}
	return words{label: strings.Replace(s.Outcome, "-", " To ", 1) + " minutes inc."}, true
}

func spellHalf(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: map[string]string{"1H": "1st Half", "2H": "2nd Half", "EQUAL": "Tie"}[s.Outcome]}, true
}

func spellScoreInHalf(_ simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
	half := "1st Half"
	if r.Period == "2H" {
		half = "2nd Half"
	}
	return words{label: capital(s.Side) + "/" + capital(s.Outcome), name: half}, true
}

func spellTeams(f simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	switch s.Outcome {
	case "BOTH":
		return words{label: "Both Teams"}, true
	case "NO_GOAL":
		return words{label: "No Goal"}, true
	}
	return words{label: teamOf(f, strings.TrimSuffix(s.Outcome, "_ONLY")) + " Only"}, true
}

func spellMargin(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	switch s.Outcome {
	case "SCORE_DRAW":
		return words{label: "Score Draw"}, true
	case "NO_GOAL":
		return words{label: "No Goal"}, true
	}
	winner, by, _ := strings.Cut(s.Outcome, "_")
	return words{label: side(winner, ""), name: by}, true
}

var specials = map[string]string{"COME_FROM_BEHIND_AND_WIN": "To Win From Behind", "WIN_TO_NIL": "To Win to Nil", "WIN_EITHER_HALF": "To Win Either Half",
	"WIN_BOTH_HALVES": "To Win Both Halves", "TEAM_TO_SCORE_IN_BOTH_HALVES": "To Score in Both Halves"}

func spellSpecial(_ simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: side(s.Side, ""), name: specials[r.Market]}, true
}

func spellSentence(rest string) spelling {
	return func(f simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
		return words{label: teamOf(f, s.Side) + rest}, true
	}
}

var methods = map[string]string{"SHOT": "Shot", "HEADER": "Header", "PENALTY": "Penalty", "FREE_KICK": "Free Kick", "OWN_GOAL": "Own Goal", "NO_GOAL": "No Goal"}

func spellMethod(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: methods[s.Outcome]}, true
}

// spellPlayer writes what a player must do, and the player.
func spellPlayer(label string) spelling {
	return func(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
		switch s.Outcome {
		case "NO_GOALSCORER":
			return words{label: label, name: "No Goalscorer"}, true
		case "NO_CARD":
			return words{label: label, name: "No Bookings"}, true
		case simulator.AnyOtherPlayer:
			return words{}, false
		}
		return words{label: label, name: s.Player}, true
	}
}

var scorerColumns = map[string]string{"GOALSCORER_FIRST": "First", "GOALSCORER_LAST": "Last", "GOALSCORER_ANYTIME": "Anytime"}

func spellScorer(f simulator.Fixture, r simulator.Ref, s simulator.Selection) (words, bool) {
	return spellPlayer(scorerColumns[r.Market])(f, r, s)
}

func spellMulti(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: s.Qualifier + " or More", name: s.Player}, true
}

// spellPlayerOver writes the line as the label, and the player twice. No under is sold.
func spellPlayerOver(_ simulator.Fixture, _ simulator.Ref, s simulator.Selection) (words, bool) {
	return words{label: s.Line, name: s.Player, total: s.Player}, s.Outcome == "OVER"
}
