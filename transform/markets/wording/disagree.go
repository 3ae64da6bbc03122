package wording

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Disagrees reports whether the labels of a row contradict its claim, which was read as
// claimed. Labels may be in any language: what cannot be read says nothing.
func (r *Reader) Disagrees(row *input.Row, claimed *Reading) bool {
	if row.Claim == nil || claimed.Reason != "" {
		return false
	}
	var own Reading
	labels := row.Labels
	if r.plan.want&(line|target) != 0 { // without a line, a "1" is a side
		labels = slices.DeleteFunc(slices.Clone(labels), isCode)
	}
	if r.readWords(labels, &own); own.Reason == "" && r.differs(&own, claimed) {
		return true
	}
	said := strings.Fields(r.plan.Fixed.String())
	for _, c := range row.Claim {
		said = append(said, strings.Fields(c.Text)...)
	}
	for _, l := range labels {
		if text := token.Clean(l.Text); r.otherLine(l, row.Labels, claimed) || r.otherWord(text, said) || r.otherTeam(text, said) {
			return true
		}
	}
	return false
}

// isCode reports whether a label is a number that says nothing of its row, such as a size or an
// id: the line has a name.
func isCode(l football.Label) bool {
	_, _, size := token.LineAt(l.Text)
	return size > 0 && size == len(l.Text) && !isLine(l)
}

// isLine reports whether a label has the name of a line.
func isLine(l football.Label) bool { return l.Field == "line" || l.Field == "handicap" }

// otherLine reports whether a label of a line has another one than is claimed, or "Over 3.5" has. A
// zero may stand for none on a draw, and beside a label with a number.
func (r *Reader) otherLine(l football.Label, all []football.Label, claimed *Reading) bool {
	text := l.Text
	if _, size := r.plan.PhraseAt(text, input.OverUnder); size > 0 && r.plan.player != playerName {
		text = strings.TrimSpace(text[size:])
	} else if !isLine(l) {
		return false
	}
	own, sign, ok := token.ParseLine(strings.Replace(text, ",", ".", 1))
	switch {
	case !ok, !claimed.HasLine && (own == 0 || r.plan.Term.Line != football.NoLine):
		return false
	case own == 0:
		return claimed.Line != 0 && claimed.Side != Draw && !slices.ContainsFunc(all, func(o football.Label) bool { return o != l && strings.ContainsAny(o.Text, "123456789") })
	case r.plan.Signed && (claimed.Side != Home || sign == token.Unsigned):
		return max(own, -own) != max(claimed.Line, -claimed.Line)
	}
	return own != claimed.Line
}

// answers are the lists of words of which a row has one.
var answers = [...]input.Phrases{input.Sides, input.OverUnder, input.YesNo, input.OddEven}

// otherWord reports whether a label is a word of a list from which the claim has another one. A "2"
// is only a side where the selections are sides without a line.
func (r *Reader) otherWord(text string, said []string) bool {
	if r.plan.IsCode(text) && (r.plan.want&(line|target) != 0 || len(r.plan.parts) == 0 || r.plan.parts[0].kind != sideClass) {
		return false
	}
	for _, list := range answers {
		word, size := r.plan.PhraseAt(text, list)
		if size == 0 || size != len(text) || slices.Contains(said, word) {
			continue
		}
		if slices.ContainsFunc(r.plan.Dialect.Phrases[list], func(p input.Phrase) bool { return slices.Contains(said, p.Word) }) {
			return true
		}
	}
	return false
}

// otherTeam reports whether a label names one team, or one of two outcomes, that the claim is not
// about. A label with both teams may be the match. A score and a player name teams as well.
func (r *Reader) otherTeam(text string, said []string) bool {
	if r.plan.IsAboutPlayers() || r.plan.halves || len(r.plan.parts) > 0 && r.plan.parts[0].kind == scoreClass || !r.names.Known() {
		return false
	}
	if !token.HasLetter(text) {
		return false
	}
	text = strings.ToLower(text)
	home, away := hasWord(text, r.lower[0]), hasWord(text, r.lower[1])
	either := strings.Contains(text, " or ")
	return r.names.Home != r.names.Away && home != away && !slices.Contains(said, map[bool]string{true: "HOME", false: "AWAY"}[home]) ||
		either && home && away && !(slices.Contains(said, "HOME") && slices.Contains(said, "AWAY")) ||
		either && (home || away) && hasWord(text, "draw") && !slices.Contains(said, "DRAW")
}

// hasWord reports whether a text has another one in it, as whole words.
func hasWord(text, word string) bool {
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isLetter(text[at-1])) && (end == len(text) || !isLetter(text[end])) {
			return true
		}
		from = at + 1
	}
	return false
}

// isLetter reports whether a byte is one of a word; a byte of a letter beyond ASCII is.
func isLetter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || c >= '0' && c <= '9'
}

// differs compares two readings of one row. The label of a handicap is the home side's line
// or its own side's, which are the same for the home side; a line of zero may stand for none.
// Labels need not spell a player's name as the claim does.
func (r *Reader) differs(own, claimed *Reading) bool {
	line, other := own.Line, claimed.Line
	if r.plan.Signed && claimed.Side != Home {
		line, other = max(line, -line), max(other, -other)
	}
	if line != other && line != 0 {
		return true
	}
	if r.plan.IsAboutPlayers() {
		return r.plan.player == playerTotal && own.Selection != claimed.Selection
	}
	return own.Selection != claimed.Selection || own.Qualifier != claimed.Qualifier || own.About != claimed.About || own.Half != claimed.Half
}
