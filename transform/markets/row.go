package markets

import (
	"strings"

	"mkt/publish/football"
)

// reading is what one row says in the vocabulary's words. Two ways to read a
// row are the same when their readings are equal.
type reading struct {
	reason football.Reason // why it could not be read; "" when it was

	selection, qualifier string
	subject, subject2    string
	row, column          string // its place in the grid
	line                 quarters
	hasLine              bool
	side                 side // the handicap's own side
	named                bool // what is counted is said

	// Which market of several the row belongs to.
	about  side
	half   string // period, where the rows say it
	market string // canonical name, where the rows say it
}

// state is a row read so far.
type state struct {
	filled slots
	parts  [2]string
	side   side // of the first part, when it is a side
	about  side
	head   side
	owner  side
	half   string
	target string
	clock  string
	line   quarters
	score  [2]uint8
	noun   bool
	called bool // a side was called by name or word just before
}

// rowReader reads rows of one offer. Its buffers are reused.
type rowReader struct {
	names participants
	plan  plan
	texts []string // the row's labels, clean, none empty
	stack []option

	states [8]state // one for each choice under way
	depth  int

	found *reading // the first way to read the row
	ways  int      // distinct ways
	best  failure

	// contradicts is set when a row says what no row of such a market can say:
	// a draw in a two-way market, Exactly in a two-way total.
	contradicts bool
}

// failure is how far the best attempt came.
type failure struct {
	any     bool
	filled  slots
	missing slots
	text    string // what could not be read; "" when the row ended too early
	called  bool   // it stands right behind a side's name
}

// read reads one row into rd. The row must say everything its form wants, say
// nothing twice and nothing else, and in one way only.
func (r *rowReader) read(row *football.OfferRow, rd *reading) {
	*rd = reading{reason: row.Trouble}
	if rd.reason != "" {
		return
	}
	if !r.takeTexts(row.Labels) {
		rd.reason = football.AmbiguousShape
		return
	}
	if r.plan.player != noPlayer {
		*rd = r.readPlayer()
		return
	}
	r.found, r.ways, r.best = rd, 0, failure{}
	if r.plan.halves {
		r.readScores()
	} else {
		r.stack, r.depth = r.stack[:0], 0
		st := r.state()
		*st = state{}
		r.search(0, 0, st)
	}
	switch {
	case r.ways == 1:
	case r.ways > 1 && r.names.home == r.names.away && r.names.known():
		*rd = reading{reason: football.UnresolvedQualifier}
	case r.ways > 1:
		*rd = reading{reason: football.AmbiguousShape}
	default:
		rd.reason = r.reason()
	}
}

// maxText bounds a label that is read, in bytes. No recorded one has 100.
const maxText = 500

// layout are column titles that say nothing of their rows.
const layout = "Odds"

// takeTexts cleans the row's labels and puts column heads first, so that a "1"
// at the head of a column is a side before a "1" below it can be one. It is
// false when brackets do not close, or a label is too long to be one.
func (r *rowReader) takeTexts(labels []football.Label) bool {
	r.texts = r.texts[:0]
	heads := 0
	for i := range labels {
		t, closed := cleanText(labels[i].Text)
		if !closed || len(t) > maxText {
			return false
		}
		if t == "" || t == layout {
			continue
		}
		r.texts = append(r.texts, t)
		if labels[i].Field == football.HeadField {
			copy(r.texts[heads+1:], r.texts[heads:])
			r.texts[heads] = t
			heads++
		}
	}
	return true
}

// option is one way to go on: what is filled, with what, and how much text it
// takes.
type option struct {
	word  string
	clock string
	size  int32
	line  quarters
	score [2]uint8
	fills slots // 0: a word that says nothing new
	side  side
	noun  bool // what is counted

	preferred bool // see preferSides
}

// search reads on from a position of a label, trying every way. It uses st up.
func (r *rowReader) search(label, at int, st *state) {
	for {
		if label == len(r.texts) {
			r.finish(st)
			return
		}
		text := r.texts[label][at:]
		if at == 0 && text != "" {
			open := len(text) - len(strings.TrimLeft(text, "( "))
			at, text = open, text[open:]
		}
		if text == "" {
			label, at = label+1, 0
			continue
		}
		// Options live on one stack: those of this position above those of the
		// positions before it.
		base := len(r.stack)
		r.stack = r.options(text, at == 0, st, r.stack)
		options := r.stack[base:]
		if len(options) == 1 {
			size, ok := r.take(st, &options[0], text)
			r.stack = r.stack[:base]
			if !ok {
				r.fail(st, text)
				return
			}
			at += size
			continue
		}
		if len(options) == 0 {
			r.fail(st, text)
		}
		r.searchEach(label, at, st, options, text)
		r.stack = r.stack[:base]
		return
	}
}

// searchEach reads on with each of several options. When a preferred one leads
// to a reading, the others are not tried.
func (r *rowReader) searchEach(label, at int, st *state, options []option, text string) {
	next := r.state()
	defer func() { r.depth-- }()
	for i := range options {
		*next = *st
		before := r.ways
		size, ok := r.take(next, &options[i], text)
		if !ok {
			r.fail(next, text)
			continue
		}
		r.search(label, at+size, next)
		if options[i].preferred && r.ways > before {
			return
		}
	}
}

// state is a state to use until depth goes back.
func (r *rowReader) state() *state {
	r.depth++
	if r.depth > len(r.states) {
		return new(state)
	}
	return &r.states[r.depth-1]
}

// take fills the state with an option and steps over the separator behind it.
func (r *rowReader) take(st *state, o *option, text string) (size int, ok bool) {
	st.filled |= o.fills
	st.noun = st.noun || o.noun
	switch o.fills {
	case part0:
		st.parts[0], st.side, st.clock, st.score = o.word, o.side, o.clock, o.score
	case part1:
		st.parts[1] = o.word
	case about:
		st.about = o.side
	case head:
		st.head = o.side
	case owner:
		st.owner = o.side
	case half:
		st.half = o.word
	case target:
		st.target = o.word
	case line:
		st.line = o.line
	}
	size = int(o.size)
	if size == len(text) {
		st.called = false
		return size, true
	}
	gap, ok := separator(text[size:], !r.plan.signed || o.side == draw)
	st.called = o.side != noSide && size > 1 && strings.Trim(text[size:size+gap], " ") == ""
	return size + gap, ok
}

// separator is the length of what may stand between two tokens: blanks and
// brackets, and at most one of "&", "/", and a dash with a blank behind it. One
// at the end of a label separates nothing. A dash before a handicap could be
// its sign, so it does not separate there.
func separator(s string, dash bool) (size int, ok bool) {
	seen := false
	for ; size < len(s); size++ {
		switch c := s[size]; {
		case c == ' ' || c == '(' || c == ')':
		case !seen && (c == '&' || c == '/'):
			seen = true
		case !seen && c == '-' && dash && size+1 < len(s) && s[size+1] == ' ':
			seen = true
		default:
			return size, true
		}
	}
	return size, !seen
}

// fail remembers the attempt that came farthest.
func (r *rowReader) fail(st *state, text string) {
	f := failure{any: true, filled: st.filled, missing: r.plan.want &^ st.filled, text: text, called: st.called}
	if !r.best.any || count(f.filled) > count(r.best.filled) {
		r.best = f
	}
}

func count(s slots) (n int) {
	for ; s != 0; s &= s - 1 {
		n++
	}
	return n
}

// reason is why the row could not be read.
func (r *rowReader) reason() football.Reason {
	f := r.best
	if f.missing == line {
		return football.UnreadableLine
	}
	if f.called && f.text != "" && hasLetter(f.text[:1]) { // "Arsenal Res", where Arsenal plays
		return football.UnresolvedQualifier
	}
	if f.missing&r.sideSlots() != 0 && (f.text != "" || f.missing&^r.sideSlots() == 0) {
		return football.UnresolvedQualifier
	}
	return football.AmbiguousShape
}

// sideSlots are the slots that a team's name fills.
func (r *rowReader) sideSlots() slots {
	s := about | head | owner
	for i := range r.plan.parts {
		switch r.plan.parts[i].kind {
		case sideClass, doubleClass, onlyClass:
			s |= part0 << i
		}
	}
	return s
}
