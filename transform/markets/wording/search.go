package wording

import "strings"

// search continues from a position of a label, in every way. It modifies st.
func (r *Reader) search(label, at int, st *state) {
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
		// Options are on one stack: those of this position above those of the positions before
		// it.
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

// searchEach continues with each of several options. If a preferred one leads to a reading, the
// others only show whether the row could have another meaning. Every preferred option is a way to
// read the row: a "1" is two sides if the away team is called "1".
func (r *Reader) searchEach(label, at int, st *state, options []option, text string) {
	next := r.state()
	asNumber := r.asNumber
	defer func() { r.depth, r.asNumber = r.depth-1, asNumber }()
	found := false
	for _, preferred := range [...]bool{true, false} {
		for i := range options {
			if options[i].preferred != preferred {
				continue
			}
			*next = *st
			size, ok := r.take(next, &options[i], text)
			if !ok {
				r.fail(next, text)
				continue
			}
			before := r.readings
			r.search(label, at+size, next)
			found = found || preferred && r.readings > before
		}
		r.asNumber = asNumber || found
	}
}

// take fills the state with an option and steps over the separator after it.
func (r *Reader) take(st *state, o *option, text string) (size int, ok bool) {
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
	gap, ok := separator(text[size:], !r.plan.Signed || o.side == Draw)
	st.called = o.side != NoSide && size > 1 && strings.Trim(text[size:size+gap], " ") == ""
	return size + gap, ok
}

// separator is the length of the separator between two tokens: blanks and brackets, and at most
// one of "&", "/", and a dash or a colon followed by a blank. At the end of a label it separates
// nothing. A dash before a handicap could be its sign, so it does not separate there.
func separator(s string, dash bool) (size int, ok bool) {
	seen := false
	for ; size < len(s); size++ {
		switch c := s[size]; {
		case c == ' ' || c == '(' || c == ')':
		case !seen && (c == '&' || c == '/'):
			seen = true
		case !seen && c == ':' && size > 0 && size+1 < len(s) && s[size+1] == ' ':
			seen = true
		case !seen && c == '-' && dash && size+1 < len(s) && s[size+1] == ' ':
			seen = true
		default:
			return size, true
		}
	}
	return size, !seen
}
