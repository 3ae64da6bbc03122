package strictjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeUnicode reads an escape with four hexadecimal digits, such as \u00e9, at the start of s, or two
// of them that are a surrogate pair. It returns the character and its length in s, 0 if it is none.
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
