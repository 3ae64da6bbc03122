package wording

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/names"
	"mkt/transform/markets/token"
)

// Reader reads rows of one offer. Its buffers are reused.
type Reader struct {
	names names.Participants
	lower [2]string // the names of both teams, to find them inside a label
	plan  Plan

	// For rows about players, of the fixture at hand.
	teamWords []string        // the words of the teams' names, folded
	verdicts  map[string]bool // whether a text is a player's name, by text

	texts []string // the row's labels, clean, none empty
	stack []option

	states [8]state // one for each choice under way
	depth  int

	found    *Reading // the first way to read the row
	ways     int      // 1: all ways agree; more: they differ
	readings int      // ways found, including those that agree
	unread   bool     // a text of a row whose texts each say all could not be read
	asNumber bool     // the search now treats a code for a side as a number
	swapped  bool     // such a way was found with another reading
	best     failure

	// Contradicts is set by a row impossible in such a market: a draw in a two-way market,
	// Exactly in a two-way total, or both nobody of one side and nobody of the other in a market
	// of the match.
	Contradicts bool
	nobodies    SideSet // the sides for which a row of a match's market says nobody

	known map[string]*known // the meanings of the plan's rows, by the key of their labels
	kept  int               // the number of known meanings, of all plans
	key   []byte
}

// KnowsTeams reports whether the provider sent both teams' names.
func (r *Reader) KnowsTeams() bool { return r.names.Known() }

// NewReader returns a reader, which keeps its buffers.
func NewReader() Reader { return Reader{verdicts: make(map[string]bool)} }

// Use makes the reader read rows as those of a claim.
func (r *Reader) Use(c *Claim) { r.plan, r.known = c.Plan, c.known }

// BeginOffer prepares for the rows of an offer.
func (r *Reader) BeginOffer() { r.Contradicts, r.nobodies = false, 0 }

// Begin prepares for the rows of a fixture.
func (r *Reader) Begin(f *football.Fixture) {
	r.names = names.Of(f)
	r.teamWords = r.names.Words(r.teamWords[:0])
	r.lower = [2]string{strings.ToLower(r.names.Home), strings.ToLower(r.names.Away)}
	clear(r.verdicts)
}

// maxText bounds a readable label, in bytes. No recorded one has 100.
const maxText = 500

// isLayout reports whether a text has no meaning for its row.
func (r *Reader) isLayout(text string) bool {
	for _, p := range r.plan.Dialect.Phrases[input.Layout] {
		if text == p.Text {
			return true
		}
	}
	return false
}

// takeTexts cleans the row's labels and puts column heads first. So a "1" at the head of a column
// is a side, before a "1" below it can be one. It is false if brackets do not close, or a label
// is too long.
func (r *Reader) takeTexts(labels []football.Label) bool {
	r.texts = r.texts[:0]
	heads := 0
	for i := range labels {
		if !r.plan.Claim.Dialect.Reads(labels[i].Field) {
			continue
		}
		t, closed := token.CleanText(labels[i].Text)
		if !closed || len(t) > maxText {
			return false
		}
		if t == "" || r.isLayout(t) || r.plan.Claim.Shape&input.RepeatedTexts != 0 && slices.Contains(r.texts, t) {
			continue
		}
		r.texts = append(r.texts, t)
		if labels[i].Field == input.HeadField {
			copy(r.texts[heads+1:], r.texts[heads:])
			r.texts[heads] = t
			heads++
		}
	}
	return true
}

// add records one way to read the row.
func (r *Reader) add(rd Reading) {
	if r.asNumber {
		r.swapped = r.swapped || rd != *r.found
		return
	}
	r.readings++
	switch {
	case r.ways == 0:
		*r.found, r.ways = rd, 1
	case rd != *r.found:
		r.ways++
	}
}

// state returns a state for use until depth goes back.
func (r *Reader) state() *state {
	r.depth++
	if r.depth > len(r.states) {
		return new(state)
	}
	return &r.states[r.depth-1]
}
