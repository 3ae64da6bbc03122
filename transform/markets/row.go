package markets

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// reading is one row in the vocabulary's words. Two ways to read a row are the same if their
// readings are equal.
type reading struct {
	reason football.Reason // why it could not be read; "" if it was

	selection, qualifier string
	subject, subject2    string
	row, column          string // its place in the grid
	line                 quarters
	hasLine              bool
	side                 side // the handicap's own side
	named                bool // the row names the dimension
	swaps                bool // its side could be its number, and its number the side
	doubtful             bool // the other rows of its line, or the prices, do not prove it
	twoWay               bool // of a two-way line of a three-way total

	// The row's market, if there are several.
	about  side
	half   string // period, if the rows name it
	market string // canonical name, if the rows name it
}

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

// begin prepares for the rows of a fixture.
func (r *rowReader) begin(f *football.Fixture) {
	r.names = participantsOf(f)
	r.teamWords = r.names.wordsOf(r.teamWords[:0])
	clear(r.verdicts)
}

// read reads one row into rd. The row must have everything required by its form, nothing twice
// and nothing else, and only one reading.
func (r *rowReader) read(row *input.Row, rd *reading) {
	*rd = reading{reason: row.Trouble}
	if rd.reason != "" {
		return
	}
	key, ok := r.keyOf(row.Labels)
	if !ok {
		r.readLabels(row.Labels, rd)
		return
	}
	contradicts := r.contradicts
	if k, found := r.known[string(key)]; found {
		*rd, r.contradicts = k.reading, contradicts || k.contradicts
		return
	}
	r.contradicts = false
	r.readLabels(row.Labels, rd)
	if r.ways <= 1 && !r.unread { // else the reading depends on the names
		r.keep(key, *rd)
	}
	r.contradicts = contradicts || r.contradicts
}

// readLabels reads the labels of a row into rd.
func (r *rowReader) readLabels(labels []football.Label, rd *reading) {
	r.ways, r.unread = 0, false
	if !r.takeTexts(labels) {
		rd.reason = football.AmbiguousShape
		return
	}
	if r.plan.player != noPlayer {
		*rd = r.readPlayer()
		return
	}
	r.found, r.readings, r.best, r.swapped = rd, 0, failure{}, false
	switch {
	case r.plan.halves:
		r.readScores()
	case r.plan.claim.Shape&input.EachSaysAll != 0 && len(r.texts) > 1:
		r.readEach()
	default:
		r.searchAll()
	}
	switch {
	case r.ways == 1:
		rd.swaps = r.swapped
	case r.ways > 1 && r.names.home == r.names.away && r.names.known():
		*rd = reading{reason: football.UnresolvedQualifier}
	case r.ways > 1:
		*rd = reading{reason: football.AmbiguousShape}
	default:
		rd.reason = r.reason()
	}
}

// searchAll finds every way to read the texts.
func (r *rowReader) searchAll() {
	r.stack, r.depth = r.stack[:0], 0
	st := r.state()
	*st = state{}
	r.search(0, 0, st)
}

// readEach reads every text of a row by itself: each must be the selection, and all must be the
// same one. A text that cannot be read may say it with the teams' names in another spelling.
func (r *rowReader) readEach() {
	all := r.texts
	defer func() { r.texts = all }()
	var unread []string
	for i := range all {
		before := r.readings
		r.texts = all[i : i+1]
		r.searchAll()
		if r.readings == before {
			unread = append(unread, all[i])
		}
	}
	r.unread = len(unread) > 0
	if slices.ContainsFunc(unread, func(text string) bool { return r.ways != 1 || !r.isSpelled(text, r.found.selection) }) {
		r.ways, r.readings = 0, 0 // it may contradict the others
	}
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
