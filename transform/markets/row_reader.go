package markets

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// rowReader reads rows of one offer. Its buffers are reused.
type rowReader struct {
	names participants
	plan  plan

	// For rows about players, of the fixture at hand.
	teamWords []string        // the words of the teams' names, folded
	verdicts  map[string]bool // whether a text is a player's name, by text

	texts []string // the row's labels, clean, none empty
	stack []option

	states [8]state // one for each choice under way
	depth  int

	found    *reading // the first way to read the row
	ways     int      // 1: all ways agree; more: they differ
	readings int      // ways found, including those that agree
	unread   bool     // a text of a row whose texts each say all could not be read
	asNumber bool     // the search now treats a code for a side as a number
	swapped  bool     // such a way was found with another reading
	best     failure

	// contradicts is set by a row impossible in such a market: a draw in a two-way market,
	// Exactly in a two-way total, or both nobody of one side and nobody of the other in a market
	// of the match.
	contradicts bool
	nobodies    sideSet // the sides for which a row of a match's market says nobody

	known map[string]*known // the meanings of the plan's rows, by the key of their labels
	kept  int               // the number of known meanings, of all plans
	key   []byte
}

// knowsTeams reports whether the provider sent both teams' names.
func (r *rowReader) knowsTeams() bool { return r.names.known() }

// newRowReader returns a reader, which keeps its buffers.
func newRowReader() rowReader { return rowReader{verdicts: make(map[string]bool)} }

// use makes the reader read rows as those of a claim.
func (r *rowReader) use(c *claimed) { r.plan, r.known = c.plan, c.known }

// beginOffer prepares for the rows of an offer.
func (r *rowReader) beginOffer() { r.contradicts, r.nobodies = false, 0 }

// begin prepares for the rows of a fixture.
func (r *rowReader) begin(f *football.Fixture) {
	r.names = participantsOf(f)
	r.teamWords = r.names.wordsOf(r.teamWords[:0])
	clear(r.verdicts)
}

// maxText bounds a readable label, in bytes. No recorded one has 100.
const maxText = 500

// isLayout reports whether a text has no meaning for its row.
func (r *rowReader) isLayout(text string) bool {
	for _, p := range r.plan.dialect.Phrases[input.Layout] {
		if text == p.Text {
			return true
		}
	}
	return false
}

// takeTexts cleans the row's labels and puts column heads first. So a "1" at the head of a column
// is a side, before a "1" below it can be one. It is false if brackets do not close, or a label
// is too long.
func (r *rowReader) takeTexts(labels []football.Label) bool {
	r.texts = r.texts[:0]
	heads := 0
	for i := range labels {
		if !r.plan.claim.Dialect.Reads(labels[i].Field) {
			continue
		}
		t, closed := cleanText(labels[i].Text)
		if !closed || len(t) > maxText {
			return false
		}
		if t == "" || r.isLayout(t) || r.plan.claim.Shape&input.RepeatedTexts != 0 && slices.Contains(r.texts, t) {
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
func (r *rowReader) add(rd reading) {
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
func (r *rowReader) state() *state {
	r.depth++
	if r.depth > len(r.states) {
		return new(state)
	}
	return &r.states[r.depth-1]
}
