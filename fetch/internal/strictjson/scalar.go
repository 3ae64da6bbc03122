package strictjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes that a string may hold as they are.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// str reads a string or key from its opening quote.
func (p *parser) str() {
	start, escaped := p.at+1, false
	for p.at++; ; {
		text, i := p.text, p.at
		for i < len(text) && plain[text[i]] {
			i++
		}
		p.at = i
		switch p.peek() {
		case '"':
			if p.at-start > MaxString {
				p.fail(RuleString)
				return
			}
			p.add(String, start, p.at, escaped)
			p.at++
			return
		case '\\':
			escaped = true
			if !p.escape() {
				p.fail("invalid escape")
				return
			}
		default:
			p.fail("string not closed, or a control character in it")
			return
		}
	}
}

// escape steps over one escape, a pair of surrogates included.
func (p *parser) escape() bool {
	if p.at+1 >= len(p.text) {
		return false
	}
	switch p.text[p.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.at += 2
		return true
	case 'u':
		_, n := decodeUnicode(p.text[p.at:])
		p.at += n
		return n > 0
	}
	return false
}

// decodeUnicode reads \uXXXX, or two of them that are a pair, at the start of s.
// It returns the character and its length in s, 0 if it is none.
func decodeUnicode(s string) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, ok := hex4(s[6:])
	if !ok {
		return 0, 0
	}
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return pair, 12
	}
	return 0, 0
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

var controls = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape resolves the escapes of a string that str has accepted.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		c := s[i+1]
		if c == 'u' {
			r, n := decodeUnicode(s[i:])
			b.WriteRune(r)
			s = s[i+n:]
			continue
		}
		if control, ok := controls[c]; ok {
			c = control
		}
		b.WriteByte(c)
		s = s[i+2:]
	}
}

// number reads a number by the grammar of RFC 8259, section 6.
func (p *parser) number() {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		p.at++
		p.digits()
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		p.digits()
	}
	if p.at-start > MaxNumber {
		p.fail(RuleNumber)
	}
	p.add(Number, start, p.at, false)
}

func (p *parser) digits() {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == start {
		p.fail("digit expected")
	}
}
