package bookmaker

import (
	"os"
	"strconv"
	"strings"
)

// Words are the words of one selection that the texts of a dialect's rows may have.
type Words struct {
	Ref
	Selection
	Team func(side string) string // the name of the team on a side, HOME or AWAY
}

// Fill replaces the words of a text:
//
//	$home, $away, $team    a team's name; $team is that of the side of the row or of the market
//	$side, $Side           the same side as 1 or 2, and as Home or Away
//	$outcome, $Outcome     the canonical outcome, and the same in capitals: Over
//	$First, $Second        its parts before and behind "&" or "/", in capitals
//	$number, $tie          its first part as 1, 2 or Draw; as 1, 2 or Tie
//	$result, $full         its parts as the team's name or Draw
//	$chance                both results of a double chance, with the teams' names
//	$winner, $won, $score  of a score: who wins, as name and as number, and the score with the winner's goals first
//	$colon, $band          the outcome with ":", and with " To ", in place of "-"
//	$by, $margin           of a winning margin: the side as number, and the goals
//	$line, $other          the line, and the same with the sign of the other side unless it is on the home side
//	$home_line             the line of the home side, if each side has its own; +0 if it is zero
//	$decimal, $split       the line with one decimal place, a quarter line as the two lines around it in $split
//	$goals                 $split without signs
//	$player, $qualifier, $half, $column
func (w Words) Fill(text string) string { return os.Expand(text, w.word) }

func (w Words) word(name string) string {
	first, second, both := strings.Cut(w.Outcome, "&")
	if !both {
		first, second, _ = strings.Cut(w.Outcome, "/")
	}
	side := w.Selection.Side + w.Ref.Side
	switch name {
	case "home":
		return w.Team("HOME")
	case "away":
		return w.Team("AWAY")
	case "team":
		return w.Team(side)
	case "side":
		return sideNumbers[side]
	case "Side":
		return capital(side)
	case "outcome":
		return w.Outcome
	case "Outcome":
		return capital(w.Outcome)
	case "First":
		return capital(first)
	case "Second":
		return capital(second)
	case "number":
		return sideNumbers[first]
	case "tie":
		return strings.Replace(sideNumbers[first], "Draw", "Tie", 1)
	case "result":
		return w.result(first)
	case "full":
		return w.result(second)
	case "chance":
		return w.Fill(chances[w.Outcome])
	case "player":
		return w.Player
	case "qualifier":
		return w.Qualifier
	case "half":
		return halves[w.Period]
	case "column":
		return columns[w.Ref.Market]
	case "colon":
		return strings.Replace(w.Outcome, "-", ":", 1)
	case "band":
		return strings.Replace(w.Outcome, "-", " To ", 1)
	}
	return w.lineOrScore(name)
}

func (w Words) lineOrScore(name string) string {
	line, _ := strconv.ParseFloat(w.Line, 64)
	by, margin, _ := strings.Cut(w.Outcome, "_")
	switch name {
	case "line":
		return w.Line
	case "other":
		if w.Outcome == "HOME" {
			return w.Line
		}
		return OtherSign(w.Line)
	case "home_line":
		switch {
		case line == 0:
			return "+0"
		case w.Outcome == "AWAY":
			return OtherSign(w.Line)
		}
		return w.Line
	case "decimal":
		if line == float64(int(line)) {
			return strings.TrimPrefix(w.Line, "+0") + ".0"
		}
		return w.Line
	case "split":
		return splitLine(line, true)
	case "goals":
		return splitLine(line, false)
	case "by":
		return sideNumbers[by]
	case "margin":
		return margin
	}
	winner, score := winnerFirst(w.Outcome)
	switch name {
	case "winner":
		return w.result(winner)
	case "won":
		return sideNumbers[winner]
	case "score":
		return score
	}
	panic("simulator: no word is named $" + name)
}

// The texts of canonical words that bookmakers share.
var (
	sideNumbers = map[string]string{"HOME": "1", "AWAY": "2", "DRAW": "Draw", "NEITHER": "Neither", "NONE": "No Card"}
	chances     = map[string]string{"1X": "$home or Draw", "X2": "Draw or $away", "12": "$home or $away"}
	halves      = map[string]string{"1H": "1st Half", "2H": "2nd Half"}
	columns     = map[string]string{"GOALSCORER_FIRST": "First", "GOALSCORER_LAST": "Last", "GOALSCORER_ANYTIME": "Anytime"}
)

// capital returns a canonical word with one capital letter: "Over".
func capital(word string) string {
	if len(word) < 2 {
		return word
	}
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

func (w Words) result(outcome string) string {
	if outcome == "DRAW" {
		return "Draw"
	}
	return w.Team(outcome)
}

// winnerFirst returns who wins by a score, and the score with the winner's goals first.
func winnerFirst(score string) (result, turned string) {
	home, away, _ := strings.Cut(score, "-")
	switch {
	case home == away:
		return "DRAW", score
	case len(home) > len(away) || len(home) == len(away) && home > away:
		return "HOME", score
	}
	return "AWAY", away + "-" + home
}

// OtherSign changes the sign of a written line.
func OtherSign(line string) string { return strings.NewReplacer("+", "-", "-", "+").Replace(line) }

// splitLine writes a line as the two lines that the stake on a quarter line is split over,
// "0.0, -0.5" for -0.25: the one nearer to zero comes first.
func splitLine(line float64, signed bool) string {
	low, high := quarters(line)[0], quarters(line)[1]
	if line < 0 {
		low, high = high, low
	}
	if low == high {
		return oneLine(low, signed)
	}
	return oneLine(low, signed) + ", " + oneLine(high, signed)
}

func oneLine(line float64, signed bool) string {
	text := strconv.FormatFloat(line+0, 'f', 1, 64) // +0 turns -0 into 0
	if signed && line > 0 {
		return "+" + text
	}
	return text
}
