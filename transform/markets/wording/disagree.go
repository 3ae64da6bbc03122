package wording

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Disagrees reports whether the labels of a row contradict its claim, which was read as
// claimed. Labels that cannot be read say nothing, but for one that is the name of a team:
// the claim must be about that team.
func (r *Reader) Disagrees(row *input.Row, claimed *Reading) bool {
	if row.Claim == nil || claimed.Reason != "" {
		return false
	}
	var own Reading
	labels := row.Labels
	if r.plan.want&(line|target) != 0 { // without a line, a "1" is a side
		labels = slices.DeleteFunc(slices.Clone(labels), isCode)
	}
	if r.readWords(labels, &own); own.Reason == "" {
		return r.differs(&own, claimed)
	}
	if r.plan.IsAboutPlayers() { // the team may be the player's
		return false
	}
	return slices.ContainsFunc(labels, func(l football.Label) bool {
		side := r.teamNamed(token.Clean(l.Text))
		return side != NoSide && !slices.ContainsFunc(row.Claim, func(c football.Label) bool { return namesSide(c.Text, side) }) && r.plan.Fixed != side
	})
}

// isCode reports whether a label is a number that says nothing of its row, such as a size or an
// id: the line has a name.
func isCode(l football.Label) bool {
	_, _, size := token.LineAt(l.Text)
	return size > 0 && size == len(l.Text) && l.Field != "line" && l.Field != "handicap"
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

// teamNamed returns the side whose team's name a text is.
func (r *Reader) teamNamed(text string) Side {
	switch {
	case text == "" || r.names.Home == r.names.Away:
	case text == r.names.Home:
		return Home
	case text == r.names.Away:
		return Away
	}
	return NoSide
}

// namesSide reports whether a text of a claim has the word of a side.
func namesSide(text string, side Side) bool {
	return slices.Contains(strings.Fields(text), side.String())
}
