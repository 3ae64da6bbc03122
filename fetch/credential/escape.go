package credential

import (
	"bytes"
	"html"
	"unicode/utf16"
	"unicode/utf8"
)

// introducers are the bytes with which an escape begins: of JSON and the languages
// like it, of a URL, of HTML.
const introducers = `\\%&`

// maxLayers is how many times over a text may be escaped and still be searched, such
// as a URL in a JSON text in another JSON text.
const maxLayers = 3

// places finds the bytes in a text with which an escape may begin.
type places struct {
	text []byte
	at   [len(introducers)]int // the next place of each introducer
}

func newPlaces(text []byte) *places {
	p := &places{text: text}
	for i := range p.at {
		p.at[i] = -1
	}
	return p
}

// next returns the first place at or behind from, which must not fall from call to
// call, and false if there is none.
func (p *places) next(from int) (at int, ok bool) {
	at = len(p.text)
	for i := range p.at {
		if p.at[i] < from {
			p.at[i] = len(p.text)
			if n := bytes.IndexByte(p.text[from:], introducers[i]); n >= 0 {
				p.at[i] = from + n
			}
		}
		at = min(at, p.at[i])
	}
	return at, at < len(p.text)
}

// isEscapeSyntax reports whether an escape may contain the byte.
func isEscapeSyntax(c byte) bool {
	switch c {
	case '\\', '%', '&', '#', ';', '{', '}':
		return true
	}
	return isAlphanumeric(c)
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unescape returns a text with one kind of escapes replaced by their characters, which is
// always shorter, and the number of escapes. ends means the text ends there: an escape
// cut short is then left out.
func unescape(text []byte, introducer byte, ends bool) (plain []byte, escapes int) {
	done := 0
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], introducer)
		if next < 0 {
			break
		}
		at += next
		e, ok := readEscape(text[at:])
		switch {
		case ok && !(e.cut && ends):
			plain = append(append(plain, text[done:at]...), e.text[:e.n]...)
			at += e.length
			done = at
			escapes++
		case e.cut && ends:
			return append(plain, text[done:at]...), escapes
		default:
			at++
		}
	}
	if escapes == 0 {
		return text, 0
	}
	return append(plain, text[done:]...), escapes
}

// escape is one that was read.
type escape struct {
	text   [utf8.UTFMax]byte // the escaped character in UTF-8, or one byte of it
	n      int               // bytes of text
	length int               // bytes of the escape
	cut    bool              // the end of the text cuts it short, or may do so
}

// escapeReader reads on behind the introducer of an escape.
type escapeReader struct {
	b  []byte
	at int
}

// readEscape reads the escape with which b begins. It fails if there is none, or if
// the end cuts it short.
func readEscape(b []byte) (e escape, ok bool) {
	r := escapeReader{b, 1}
	switch b[0] {
	case '\\':
		e, ok = r.backslash()
	case '%':
		e, ok = r.percent()
	case '&':
		e, ok = r.entity()
	}
	e.cut = r.at > len(b)
	return e, ok
}

// unitEscape reads the most common escape, \u and four digits. It fails for all others,
// and for surrogates.
func unitEscape(b []byte) (v rune, ok bool) {
	if len(b) < len(`\u0000`) || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := digit(c)
		if d < 0 {
			return 0, false
		}
		v = v<<4 | d
	}
	return v, !utf16.IsSurrogate(v)
}

// next returns the next byte, 0 behind the end.
func (r *escapeReader) next() byte {
	r.at++
	if r.at > len(r.b) {
		return 0
	}
	return r.b[r.at-1]
}

func (r *escapeReader) byteAs(v byte) escape {
	return escape{text: [utf8.UTFMax]byte{v}, n: 1, length: r.at}
}

func (r *escapeReader) runeAs(v rune) escape {
	e := escape{length: r.at}
	e.n = utf8.EncodeRune(e.text[:], v)
	return e
}

// hex reads that many digits.
func (r *escapeReader) hex(digits int) (v rune, ok bool) {
	for range digits {
		d := digit(r.next())
		if d < 0 {
			return 0, false
		}
		v = v<<4 | d
	}
	return v, true
}

// digit is the value of a hexadecimal digit, -1 of anything else.
func digit(c byte) rune { return rune(digits[c]) }

var digits = func() (values [256]int8) {
	for c := range values {
		values[c] = -1
	}
	for i := range 10 {
		values['0'+i] = int8(i)
	}
	for i := range 6 {
		values['a'+i], values['A'+i] = int8(10+i), int8(10+i)
	}
	return values
}()

// backslash reads an escape of JSON, or of another language that escapes with a
// backslash.
func (r *escapeReader) backslash() (escape, bool) {
	switch c := r.next(); {
	case c == 'u':
		return r.unicode()
	case c == 'U':
		v, ok := r.hex(8)
		return r.runeAs(v), ok
	case c == 'x':
		v, ok := r.hex(2)
		return r.byteAs(byte(v)), ok
	case c >= '0' && c <= '3':
		high, low := digit(r.next()), digit(r.next())
		return r.byteAs(byte(rune(c-'0')<<6 | high<<3 | low)), high >= 0 && high < 8 && low >= 0 && low < 8
	}
	c := r.b[min(1, len(r.b)-1)]
	return r.byteAs(c), len(r.b) > 1 && c > ' ' && c < utf8.RuneSelf && !isAlphanumeric(c)
}

// unicode reads the digits behind \u: units, or any number of digits in braces.
func (r *escapeReader) unicode() (escape, bool) {
	if r.at == len(r.b) || r.b[r.at] != '{' {
		return r.units('\\')
	}
	r.next()
	v := rune(0)
	for range mostDigits {
		c := r.next()
		if c == '}' {
			return r.runeAs(v), true
		}
		d := digit(c)
		if d < 0 {
			break
		}
		v = min(v<<4|d, utf8.MaxRune+1)
	}
	return escape{}, false
}

// units reads four digits, or two times four of a surrogate pair.
func (r *escapeReader) units(introducer byte) (escape, bool) {
	v, ok := r.hex(4)
	if !ok || !utf16.IsSurrogate(v) {
		return r.runeAs(v), ok
	}
	if r.next() != introducer || r.next() != 'u' {
		return escape{}, false
	}
	low, ok := r.hex(4)
	return r.runeAs(utf16.DecodeRune(v, low)), ok
}

// percent reads an escape of a URL: two digits, or as old browsers wrote it units
// behind a u.
func (r *escapeReader) percent() (escape, bool) {
	if r.at < len(r.b) && r.b[r.at] == 'u' {
		r.next()
		return r.units('%')
	}
	v, ok := r.hex(2)
	return r.byteAs(byte(v)), ok
}

const (
	longestEntity = 32 // name of HTML
	mostDigits    = 32 // of the number of a character, which may begin with zeros
)

// entity reads an escape of HTML, by a name or a number.
func (r *escapeReader) entity() (escape, bool) {
	begin := r.at
	c := r.next()
	if c == '#' {
		return r.numbered()
	}
	for isAlphanumeric(c) && r.at-begin < longestEntity {
		c = r.next()
	}
	if c != ';' || r.at == begin+1 {
		return escape{}, false
	}
	name := string(r.b[:r.at])
	switch name { // the usual names
	case "&amp;":
		return r.byteAs('&'), true
	case "&quot;":
		return r.byteAs('"'), true
	}
	decoded := html.UnescapeString(name)
	v, size := utf8.DecodeRuneInString(decoded)
	return r.runeAs(v), decoded != name && size == len(decoded)
}

// numbered reads the number of a character, decimal or behind an x hexadecimal.
// Browsers take one without the semicolon, too.
func (r *escapeReader) numbered() (escape, bool) {
	base := rune(10)
	if r.at < len(r.b) && r.b[r.at]|0x20 == 'x' {
		r.next()
		base = 16
	}
	begin, v := r.at, rune(0)
	for r.at-begin < mostDigits {
		c := r.next()
		if c == ';' && r.at > begin+1 {
			return r.runeAs(v), true
		}
		d := digit(c)
		if d < 0 || d >= base {
			e := r.runeAs(v)
			e.length = r.at - 1
			return e, e.length > begin
		}
		v = min(v*base+d, utf8.MaxRune+1)
	}
	return r.runeAs(v), true
}
