package wording

import (
	"cmp"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// readPlayer reads one row of a market about players.
func (r *Reader) readPlayer() Reading {
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
	side                      Side
	line                      token.Quarters
	hasLine, yes              bool
}

func (r *Reader) readPlayerWords() Reading {
	var w playerWords
	for _, text := range r.texts {
		if reason := r.sort(text, &w); reason != "" {
			return Reading{Reason: reason}
		}
	}
	rd := Reading{Subject: w.name, Subject2: w.side.String(), Qualifier: r.plan.Claim.Parameter}
	if (w.nobody != "") == (w.name != "") { // neither, or both
		return Reading{Reason: football.UnresolvedQualifier}
	}
	if r.plan.player == playerTotal {
		return r.playerTotal(rd, &w)
	}
	if w.nobody != "" && !r.allowsNobody(&w) {
		r.nobodies |= 1 << w.side
		r.Contradicts = r.Contradicts || r.nobodies&HomeBit != 0 && r.nobodies&AwayBit != 0
		return Reading{Reason: football.AmbiguousShape}
	}
	if w.over != "" || w.hasLine {
		return Reading{Reason: football.AmbiguousShape}
	}
	rd.Selection = cmp.Or(w.nobody, w.name)
	if !r.playerColumn(&rd, &w) {
		return Reading{Reason: football.AmbiguousShape}
	}
	return rd
}

// allowsNobody reports whether nobody is an outcome of the row's market: of one side, if the
// market is about a side's players, and of the match otherwise.
func (r *Reader) allowsNobody(w *playerWords) bool {
	f, ofTeam := r.plan.form, strings.Contains(r.plan.Term.Subject, "TEAM")
	if r.plan.Claim.Condition == input.NeedsScorers {
		f = forms[w.column]
	}
	return f != nil && f.nobody == w.nobody && ofTeam == (w.side != NoSide)
}

// playerColumn reads the market or number for a row's column, if the table leaves it to the rows.
func (r *Reader) playerColumn(rd *Reading, w *playerWords) bool {
	column := strings.TrimPrefix(w.column, "GOALSCORER_")
	switch {
	case r.plan.Claim.Condition == input.NeedsScorers:
		rd.Market = w.column
		return column != "" && w.count == ""
	case r.plan.want&target == 0:
		return column == "" && w.count == ""
	case r.plan.Term.Line == football.OrdinalLine:
		rd.Qualifier = column
		return (column == "FIRST" || column == "LAST") && w.count == ""
	}
	rd.Qualifier = strings.TrimSuffix(w.count, "+")
	return column == "" && w.count != ""
}

// playerTotal reads over or under a line; "2+" is over 1.5.
func (r *Reader) playerTotal(rd Reading, w *playerWords) Reading {
	if w.count != "" {
		if w.over != "" || w.hasLine || !strings.HasSuffix(w.count, "+") || w.count == "0+" {
			return Reading{Reason: football.AmbiguousShape}
		}
		n, _ := token.DigitsAt(w.count)
		w.over, w.line, w.hasLine = "OVER", token.Quarters(4*n-2), true
	}
	if w.over == "" && w.hasLine && r.plan.Claim.Shape&input.BareLineIsOver != 0 {
		w.over = "OVER"
	}
	switch {
	case w.over == "" || w.yes || w.nobody != "" || w.column != "":
		return Reading{Reason: football.AmbiguousShape}
	case !w.hasLine:
		return Reading{Reason: football.UnreadableLine}
	}
	rd.Selection, rd.Line, rd.HasLine = w.over, w.line, true
	return rd
}

// sort adds a label to the words of the row. It returns the reason why the label cannot be one of
// them, or "".
func (r *Reader) sort(text string, w *playerWords) football.Reason {
	side, several := r.wholeSide(text)
	switch {
	case several || side != NoSide && !r.plan.IsCode(text) && r.isPlayerWord(text):
		return football.AmbiguousShape
	case side != NoSide:
		if w.side != NoSide {
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
func (r *Reader) isPlayerWord(text string) bool {
	var w playerWords
	taken, ok := r.takeWord(text, &w)
	return taken || !ok
}

// takeWord takes a text other than a team or a player. ok is false if the row has such a word
// already, or if its market has no use for it.
func (r *Reader) takeWord(text string, w *playerWords) (taken, ok bool) {
	if word, size := r.plan.PhraseAt(text, input.OverUnder); size > 0 {
		rest := strings.TrimLeft(text[size:], " ")
		if _, _, number := token.LineAt(rest); rest == "" || number == len(rest) {
			if w.over != "" {
				return false, false
			}
			w.over = word
			return true, rest == "" || w.takeLine(rest)
		}
	}
	if _, _, size := token.LineAt(text); size == len(text) {
		return true, r.plan.player == playerTotal && w.takeLine(text)
	}
	answer, size := r.plan.PhraseAt(text, input.YesNo)
	says := r.plan.sentence != "" && token.WordPrefix(text, r.plan.sentence) == len(text)
	if (says || answer == "YES" && size == len(text)) && !w.yes {
		w.yes = true
		return true, true
	}
	if word, size := r.plan.CountAt(text); size == len(text) && w.count == "" {
		w.count = word
		return true, true
	}
	if r.plan.Claim.Condition == input.NeedsScorers || r.plan.want&target != 0 {
		if word, size := r.plan.PhraseAt(text, input.ScorerColumns); size == len(text) && w.column == "" {
			w.column = word
			return true, true
		}
	}
	if word, size := r.plan.PhraseAt(text, input.NoPlayer); size > 0 && w.nobody == "" {
		w.nobody = word
		return true, r.takeTeam(text[size:], w)
	}
	return false, true
}

func (w *playerWords) takeLine(text string) bool {
	q, sign, size := token.LineAt(text)
	if size != len(text) || sign != token.Unsigned || q <= 0 || w.hasLine {
		return false
	}
	w.line, w.hasLine = q, true
	return true
}

// takeTeam reads the text after "No Goalscorer": nothing, or the team in brackets.
func (r *Reader) takeTeam(rest string, w *playerWords) bool {
	if rest == "" {
		return true
	}
	name, ok := strings.CutPrefix(rest, " (")
	name, closed := strings.CutSuffix(name, ")")
	if !ok || !closed || w.side != NoSide {
		return false
	}
	side, several := r.wholeSide(token.Clean(name))
	w.side = side
	return side != NoSide && !several
}

// takeName takes a player's name, and over or under if it follows.
func (r *Reader) takeName(text string, w *playerWords) football.Reason {
	for _, p := range r.plan.Dialect.Phrases[input.OverUnder] {
		if name, ok := strings.CutSuffix(text, " - "+p.Text); ok && w.over == "" {
			w.over, text = p.Word, strings.TrimSpace(name)
		}
	}
	switch {
	case w.name != "" || !token.HasLetter(text) || r.isAnswer(text):
		return football.AmbiguousShape
	case !r.playerName(text):
		return football.UnresolvedQualifier
	}
	w.name = text
	return ""
}

func (r *Reader) isAnswer(text string) bool {
	_, size := r.plan.PhraseAt(text, input.YesNo)
	return size == len(text)
}
