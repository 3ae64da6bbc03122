package emulator

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// appendText writes a JSON string like the provider's software: letters
// outside ASCII as \u escapes, slashes escaped (recorded: "KIL\/Hemne").
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\' || c == '/':
				b = append(b, '\\', c)
			case c == '\r':
				b = append(b, '\\', 'r')
			case c == '\n':
				b = append(b, '\\', 'n')
			case c < 0x20:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				b = append(b, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r > 0xffff {
			r -= 0x10000
			b = appendUnit(b, 0xd800+r>>10)
			r = 0xdc00 + r&0x3ff
		}
		b = appendUnit(b, r)
	}
	return append(b, '"')
}

func appendUnit(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

func quotedText(s string) []byte { return appendText(nil, s) }

// appendEpoch writes seconds since 1970 as the string the provider sends.
func appendEpoch(b []byte, t time.Time) []byte {
	return append(strconv.AppendInt(append(b, '"'), t.Unix(), 10), '"')
}

// marketKey makes a market's key of its name (betsapi.md, section 6.2): lower
// case, blanks, slashes and dashes to one underscore, the rest as it is.
func marketKey(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch r {
		case ' ', '/', '-', '\r', '\n':
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
