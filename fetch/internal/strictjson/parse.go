package strictjson

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Error says which rule was broken and where.
type Error struct {
	Offset int    // byte of the text, from 0
	Rule   string // fixed words, "nested too deep"
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Rule) }

// Parse reads body, which it neither keeps nor changes. A failure is an *Error
// and leaves the document empty.
func (d *Document) Parse(body []byte) error {
	d.nodes = d.nodes[:0]
	if uint64(len(body)) > math.MaxUint32/2 {
		return &Error{len(body), "text too long"}
	}
	values := atMost(body)
	if values > MaxValues {
		values = Count(body, MaxValues)
	}
	if values > MaxValues {
		return &Error{len(body), RuleValues}
	}
	if !utf8.Valid(body) {
		return &Error{invalidAt(body), RuleUTF8}
	}
	d.nodes = slices.Grow(d.nodes, values)
	d.text = string(body)
	p := parser{text: d.text, nodes: d.nodes}
	p.space()
	p.value()
	p.space()
	if p.rule == "" && p.at < len(p.text) {
		p.fail("text behind the value")
	}
	d.nodes = p.nodes
	if p.rule != "" {
		d.nodes, d.text = d.nodes[:0], ""
		return &Error{p.at, p.rule}
	}
	return nil
}

func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

func (p *parser) space() {
	if p.at < len(p.text) && p.text[p.at] <= ' ' {
		p.spaces()
	}
}

func (p *parser) spaces() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) value() {
	switch c := p.peek(); {
	case c == '"':
		p.str()
	case c == '{':
		p.object()
	case c == '[':
		p.array()
	case c == '-' || c >= '0' && c <= '9':
		p.number()
	case c == 't':
		p.word("true", True)
	case c == 'f':
		p.word("false", False)
	case c == 'n':
		p.word("null", Null)
	default:
		p.fail("value expected")
	}
}

func (p *parser) word(w string, kind Kind) {
	if len(p.text)-p.at < len(w) || p.text[p.at:p.at+len(w)] != w {
		p.fail("value expected")
		return
	}
	p.at += len(w)
	p.add(kind, p.at-len(w), p.at, false)
}

// open begins an array or object and returns its node's index.
func (p *parser) open(kind Kind) int {
	p.nodes = append(p.nodes, node{start: uint32(p.at), kind: kind})
	if p.depth++; p.depth > MaxDepth {
		p.fail(RuleDepth)
	}
	p.at++
	p.space()
	return len(p.nodes) - 1
}

// close ends the container of open, at its last character.
func (p *parser) close(opened int) {
	p.at++
	p.depth--
	n := &p.nodes[opened]
	n.end, n.next = uint32(p.at), uint32(len(p.nodes))
}

func (p *parser) array() {
	opened := p.open(Array)
	if p.peek() == ']' && p.rule == "" {
		p.close(opened)
		return
	}
	for p.rule == "" {
		p.value()
		if p.more(']') {
			continue
		}
		if p.rule == "" {
			p.close(opened)
		}
		return
	}
}

func (p *parser) object() {
	opened := p.open(Object)
	if p.peek() == '}' && p.rule == "" {
		p.close(opened)
		return
	}
	for p.rule == "" {
		p.member()
		if p.more('}') {
			continue
		}
		if p.rule == "" {
			p.nodes[opened].repeats = p.repeats(opened)
			p.close(opened)
		}
		return
	}
}

func (p *parser) member() {
	if p.peek() != '"' {
		p.fail("key expected")
		return
	}
	p.str()
	p.space()
	if p.rule == "" && p.peek() != ':' {
		p.fail("colon expected")
	}
	if p.rule != "" {
		return
	}
	p.at++
	p.space()
	p.value()
}

// more consumes a comma and reports whether it was one; end may stand there
// instead.
func (p *parser) more(end byte) bool {
	if p.rule != "" {
		return false
	}
	p.space()
	switch p.peek() {
	case ',':
		p.at++
		p.space()
		return true
	case end:
		return false
	}
	p.fail("comma or end expected")
	return false
}

// repeats reports whether a key of the object that is about to close occurs more than
// once.
func (p *parser) repeats(opened int) bool {
	keys := p.keys[:0]
	for i := opened + 1; i < len(p.nodes); i = int(p.nodes[i+1].next) {
		n := &p.nodes[i]
		key := p.text[n.start:n.end]
		if n.escaped {
			key = unescape(key)
		}
		keys = append(keys, key)
	}
	p.keys = keys
	if len(keys) > fewKeys {
		return !distinct(keys)
	}
	var marks uint64 // of the keys before
	for i, key := range keys {
		m := mark(key)
		if marks&m != 0 && slices.Contains(keys[:i], key) {
			return true
		}
		marks |= m
	}
	return false
}

// fewKeys is up to how many keys comparing those of the same mark is cheapest.
const fewKeys = 64

// mark returns one of 64 bits: keys with different bits differ.
func mark(key string) uint64 {
	n := uint(len(key))
	if n == 0 {
		return 1
	}
	return 1 << ((n*7 + uint(key[0])*3 + uint(key[n-1])*5 + uint(key[n/2])) % 64)
}

func distinct(keys []string) bool {
	seen := make(map[string]struct{}, len(keys))
	for _, k := range keys {
		seen[k] = struct{}{}
	}
	return len(seen) == len(keys)
}
