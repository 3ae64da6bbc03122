package api

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// The primitives of JSON. All append to dst and return it.

// timeLayout: UTC, milliseconds always written, so that times sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, timeLayout)
	return append(dst, '"')
}

func appendTimeOrNull(dst []byte, t *time.Time) []byte {
	if t == nil {
		return append(dst, "null"...)
	}
	return appendTime(dst, *t)
}

func appendStringOrNull(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	return appendString(dst, *s)
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// plain tells which bytes stand for themselves in a JSON string.
var plain = func() (ok [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		ok[c] = c != '"' && c != '\\'
	}
	return ok
}()

// appendString writes s as a JSON string. Bytes that are not UTF-8 become the
// replacement character: JSON has no other way to carry them.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError && r >= utf8.RuneSelf || r == utf8.RuneError && size > 1 {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, r)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

func appendEscaped(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case utf8.RuneError:
		return append(dst, "\uFFFD"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4&0xF], hexDigits[r&0xF])
}
