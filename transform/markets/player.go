package markets

import (
	"strings"

	"mkt/publish/football"
)

// playerForm is how the rows of a market about players are worded. A player's
// name is whatever is left when all other words are taken, in the provider's
// spelling.
type playerForm uint8

const (
	noPlayer     playerForm = iota
	playerName              // the player, and at most the column he stands in
	playerTotal             // the player, over or under, and a line
	playerScore             // "P to score first and Russia 1-0"
	playerResult            // "P to score first and Fulltime Result: Russia"
	playerTime              // "P to score first and time of first goal 1-20"
)

func playerFormOf(t *football.Term) *form {
	switch t.Selections {
	case "player name", "player name (YES)", "player name|NO_GOALSCORER":
		return &form{player: playerName}
	case "OVER|UNDER":
		if t.Subject == "PLAYER" {
			return &form{player: playerTotal}
		}
	case "player name&h-a":
		return &form{player: playerScore}
	case "player name&HOME|DRAW|AWAY":
		return &form{player: playerResult}
	case `player name&"a-b"`:
		return &form{player: playerTime}
	}
	return nil
}

// noGoalscorer is the row that no player stands for.
const noGoalscorer = "No Goalscorer"

// readPlayer reads one row of a market about players.
func (r *rowReader) readPlayer() reading {
	switch r.plan.player {
	case playerScore, playerResult, playerTime:
		return r.readCast()
	}
	return r.readPlayerWords()
}

// playerWords are the words of a row, sorted.
type playerWords struct {
	name, over, count, column string
	side                      side
	line                      quarters
	hasLine, yes, nobody      bool
}

func (r *rowReader) readPlayerWords() reading {
	var w playerWords
	for _, text := range r.texts {
		if !r.sort(text, &w) {
			return reading{reason: football.AmbiguousShape}
		}
	}
	rd := reading{subject: w.name, subject2: w.side.String(), qualifier: r.plan.claim.Parameter}
	if w.nobody == (w.name != "") { // neither, or both
		return reading{reason: football.UnresolvedQualifier}
	}
	if r.plan.player == playerTotal {
		return r.playerTotal(rd, &w)
	}
	if w.over != "" || w.hasLine {
		return reading{reason: football.AmbiguousShape}
	}
	rd.selection = w.name
	if w.nobody {
		rd.selection = "NO_GOALSCORER"
		if !strings.Contains(r.plan.term.Selections, rd.selection) && w.column == "" {
			return reading{reason: football.AmbiguousShape}
		}
	}
	if !r.playerColumn(&rd, &w) {
		return reading{reason: football.AmbiguousShape}
	}
	return rd
}

// playerColumn settles which market, number or turn a row's column stands for,
// where the table leaves it to the rows.
func (r *rowReader) playerColumn(rd *reading, w *playerWords) bool {
	column := strings.TrimPrefix(w.column, "GOALSCORER_")
	switch {
	case r.plan.claim.Condition == football.NeedsScorers:
		rd.market = w.column
		return column != "" && w.count == "" && !(w.nobody && column == "ANYTIME")
	case r.plan.want&target == 0:
		return column == "" && w.count == ""
	case r.plan.term.Line == football.OrdinalLine:
		rd.qualifier = column
		return (column == "FIRST" || column == "LAST") && w.count == ""
	}
	rd.qualifier = strings.TrimSuffix(w.count, "+")
	return column == "" && w.count != ""
}

// playerTotal reads over or under a line; "2+" is over 1.5.
func (r *rowReader) playerTotal(rd reading, w *playerWords) reading {
	if w.count != "" {
		if w.over != "" || w.hasLine || !strings.HasSuffix(w.count, "+") || w.count == "0+" {
			return reading{reason: football.AmbiguousShape}
		}
		n, _ := digitsAt(w.count)
		w.over, w.line, w.hasLine = "OVER", quarters(4*n-2), true
	}
	switch {
	case w.over == "" || w.yes || w.nobody || w.column != "":
		return reading{reason: football.AmbiguousShape}
	case !w.hasLine:
		return reading{reason: football.UnreadableLine}
	}
	rd.selection, rd.line, rd.hasLine = w.over, w.line, true
	return rd
}

var scorerColumns = []phrase{{"First", "GOALSCORER_FIRST"}, {"Last", "GOALSCORER_LAST"}, {"Anytime", "GOALSCORER_ANYTIME"}, {"Any Time", "GOALSCORER_ANYTIME"}}

// sort gives a label its place among the words. It is false when there is none
// left for it.
func (r *rowReader) sort(text string, w *playerWords) bool {
	if word, size := phraseAt(text, overUnder[:2]); size > 0 {
		if w.over != "" {
			return false
		}
		w.over = word
		if text = strings.TrimLeft(text[size:], " "); text == "" {
			return true
		}
		return w.takeLine(text)
	}
	if q, sign, size := lineAt(text); size == len(text) {
		switch s := r.wholeSide(text); {
		case s != noSide && w.side == noSide: // "1" and "2": the player's team
			w.side = s
			return true
		case r.plan.player != playerTotal || sign != unsigned || q <= 0:
			return false
		}
		return w.takeLine(text)
	}
	if s := r.wholeSide(text); s != noSide {
		if w.side != noSide {
			return false
		}
		w.side = s
		return true
	}
	if wordPrefix(text, "Yes") == len(text) && !w.yes {
		w.yes = true
		return true
	}
	if word, size := countAt(text); size == len(text) && w.count == "" {
		w.count = word
		return true
	}
	if r.plan.claim.Condition == football.NeedsScorers || r.plan.want&target != 0 {
		if word, size := phraseAt(text, scorerColumns); size == len(text) && w.column == "" {
			w.column = word
			return true
		}
	}
	if size := wordPrefix(text, noGoalscorer); size > 0 && !w.nobody {
		return r.takeNobody(text[size:], w)
	}
	return w.takeName(text)
}

func (w *playerWords) takeLine(text string) bool {
	q, sign, size := lineAt(text)
	if size != len(text) || sign != unsigned || q <= 0 || w.hasLine {
		return false
	}
	w.line, w.hasLine = q, true
	return true
}

// takeNobody reads what follows "No Goalscorer": nothing, or the team in
// brackets.
func (r *rowReader) takeNobody(rest string, w *playerWords) bool {
	w.nobody = true
	if rest == "" {
		return true
	}
	name, ok := strings.CutPrefix(rest, " (")
	name, closed := strings.CutSuffix(name, ")")
	if !ok || !closed || w.side != noSide {
		return false
	}
	w.side = r.wholeSide(clean(name))
	return w.side != noSide
}

// takeName takes a player's name, and over or under when it stands behind it.
func (w *playerWords) takeName(text string) bool {
	for _, p := range overUnder[:2] {
		if name, ok := strings.CutSuffix(text, " - "+p.text); ok && w.over == "" {
			w.over, text = p.word, strings.TrimSpace(name)
		}
	}
	if w.name != "" || !hasLetter(text) || isAnswer(text) {
		return false
	}
	w.name = text
	return true
}

func isAnswer(text string) bool {
	_, size := phraseAt(text, yesNo)
	return size == len(text)
}

func hasLetter(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// wholeSide is the home or away side when the whole text names it, and it
// alone.
func (r *rowReader) wholeSide(text string) side {
	if text == "" {
		return noSide
	}
	var sides sideMatches
	found := noSide
	for _, m := range sides[:r.names.sidesAt(text, &sides)] {
		if int(m.size) != len(text) || m.side == draw {
			continue
		}
		if found != noSide && found != m.side {
			return noSide
		}
		found = m.side
	}
	return found
}
