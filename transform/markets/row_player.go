package markets

import (
	"cmp"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// readPlayer reads one row of a market about players.
func (r *rowReader) readPlayer() reading {
	switch r.plan.player {
	case playerScore, playerResult, playerTime:
		return r.readCast()
	}
	return r.readPlayerWords()
}

// playerWords are the words of a row, by kind.
type playerWords struct {
	name, over, count, column string
	nobody                    string // the outcome of a row for no player
	side                      side
	line                      quarters
	hasLine, yes              bool
}

func (r *rowReader) readPlayerWords() reading {
	var w playerWords
	for _, text := range r.texts {
		if reason := r.sort(text, &w); reason != "" {
			return reading{reason: reason}
		}
	}
	rd := reading{subject: w.name, subject2: w.side.String(), qualifier: r.plan.claim.Parameter}
	if (w.nobody != "") == (w.name != "") { // neither, or both
		return reading{reason: football.UnresolvedQualifier}
	}
	if r.plan.player == playerTotal {
		return r.playerTotal(rd, &w)
	}
	if w.nobody != "" && !r.allowsNobody(&w) {
		r.nobodies |= 1 << w.side
		r.contradicts = r.contradicts || r.nobodies&homeBit != 0 && r.nobodies&awayBit != 0
		return reading{reason: football.AmbiguousShape}
	}
	if w.over != "" || w.hasLine {
		return reading{reason: football.AmbiguousShape}
	}
	rd.selection = cmp.Or(w.nobody, w.name)
	if !r.playerColumn(&rd, &w) {
		return reading{reason: football.AmbiguousShape}
	}
	return rd
}

// allowsNobody reports whether nobody is an outcome of the row's market: of one side, if the
// market is about a side's players, and of the match otherwise.
func (r *rowReader) allowsNobody(w *playerWords) bool {
	f, ofTeam := r.plan.form, strings.Contains(r.plan.term.Subject, "TEAM")
	if r.plan.claim.Condition == input.NeedsScorers {
		f = forms[w.column]
	}
	return f != nil && f.nobody == w.nobody && ofTeam == (w.side != noSide)
}

// playerColumn reads the market or number for a row's column, if the table leaves it to the rows.
func (r *rowReader) playerColumn(rd *reading, w *playerWords) bool {
	column := strings.TrimPrefix(w.column, "GOALSCORER_")
	switch {
	case r.plan.claim.Condition == input.NeedsScorers:
		rd.market = w.column
		return column != "" && w.count == ""
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
	if w.over == "" && w.hasLine && r.plan.claim.Shape&input.BareLineIsOver != 0 {
		w.over = "OVER"
	}
	switch {
	case w.over == "" || w.yes || w.nobody != "" || w.column != "":
		return reading{reason: football.AmbiguousShape}
	case !w.hasLine:
		return reading{reason: football.UnreadableLine}
	}
	rd.selection, rd.line, rd.hasLine = w.over, w.line, true
	return rd
}

// sort adds a label to the words of the row. It returns the reason why the label cannot be one of
// them, or "".
func (r *rowReader) sort(text string, w *playerWords) football.Reason {
	side, several := r.wholeSide(text)
	switch {
	case several || side != noSide && !r.plan.isCode(text) && r.isPlayerWord(text):
		return football.AmbiguousShape
	case side != noSide: // a code or a name: the player's team
		if w.side != noSide {
			return football.AmbiguousShape
		}
		w.side = side
		return ""
	}
	taken, ok := r.takeWord(text, w)
	switch {
	case !ok:
		return football.AmbiguousShape
	case taken:
		return ""
	}
	return r.takeName(text, w)
}

// isPlayerWord reports whether a text can be a word of a row other than a team or a player.
func (r *rowReader) isPlayerWord(text string) bool {
	var w playerWords
	taken, ok := r.takeWord(text, &w)
	return taken || !ok
}

// takeWord takes a text other than a team or a player. ok is false if the row has such a word
// already, or if its market has no use for it.
func (r *rowReader) takeWord(text string, w *playerWords) (taken, ok bool) {
	if word, size := r.plan.phraseAt(text, input.OverUnder); size > 0 {
		rest := strings.TrimLeft(text[size:], " ")
		if _, _, number := lineAt(rest); rest == "" || number == len(rest) {
			if w.over != "" {
				return false, false
			}
			w.over = word
			return true, rest == "" || w.takeLine(rest)
		}
	}
	if _, _, size := lineAt(text); size == len(text) {
		return true, r.plan.player == playerTotal && w.takeLine(text)
	}
	answer, size := r.plan.phraseAt(text, input.YesNo)
	says := r.plan.sentence != "" && wordPrefix(text, r.plan.sentence) == len(text)
	if (says || answer == "YES" && size == len(text)) && !w.yes {
		w.yes = true
		return true, true
	}
	if word, size := r.plan.countAt(text); size == len(text) && w.count == "" {
		w.count = word
		return true, true
	}
	if r.plan.claim.Condition == input.NeedsScorers || r.plan.want&target != 0 {
		if word, size := r.plan.phraseAt(text, input.ScorerColumns); size == len(text) && w.column == "" {
			w.column = word
			return true, true
		}
	}
	if word, size := r.plan.phraseAt(text, input.NoPlayer); size > 0 && w.nobody == "" {
		w.nobody = word
		return true, r.takeTeam(text[size:], w)
	}
	return false, true
}

func (w *playerWords) takeLine(text string) bool {
	q, sign, size := lineAt(text)
	if size != len(text) || sign != unsigned || q <= 0 || w.hasLine {
		return false
	}
	w.line, w.hasLine = q, true
	return true
}

// takeTeam reads the text after "No Goalscorer": nothing, or the team in brackets.
func (r *rowReader) takeTeam(rest string, w *playerWords) bool {
	if rest == "" {
		return true
	}
	name, ok := strings.CutPrefix(rest, " (")
	name, closed := strings.CutSuffix(name, ")")
	if !ok || !closed || w.side != noSide {
		return false
	}
	side, several := r.wholeSide(clean(name))
	w.side = side
	return side != noSide && !several
}

// takeName takes a player's name, and over or under if it follows.
func (r *rowReader) takeName(text string, w *playerWords) football.Reason {
	for _, p := range r.plan.dialect.Phrases[input.OverUnder] {
		if name, ok := strings.CutSuffix(text, " - "+p.Text); ok && w.over == "" {
			w.over, text = p.Word, strings.TrimSpace(name)
		}
	}
	switch {
	case w.name != "" || !hasLetter(text) || r.isAnswer(text):
		return football.AmbiguousShape
	case !r.playerName(text):
		return football.UnresolvedQualifier
	}
	w.name = text
	return ""
}

func (r *rowReader) isAnswer(text string) bool {
	_, size := r.plan.phraseAt(text, input.YesNo)
	return size == len(text)
}
