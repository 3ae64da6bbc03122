package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// appendText writes a JSON string like the provider's software: letters
// outside ASCII as \u escapes, slashes escaped (recorded: "KIL\/Hemne").
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '/':
			b = append(b, '\\', byte(r))
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r >= ' ' && r < utf8.RuneSelf:
			b = append(b, byte(r))
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		}
	}
	return append(b, '"')
}

func quotedText(s string) []byte { return appendText(nil, s) }

// appendEpoch writes seconds since 1970 as the string the provider sends.
func appendEpoch(b []byte, t time.Time) []byte {
	return append(strconv.AppendInt(append(b, '"'), t.Unix(), 10), '"')
}

// marketKey makes a market's key of its name (betsapi.md, section 6.2): lower
// case, blanks, slashes and dashes to one underscore, the rest as it is.
func marketKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" /-\r\n", r) }), "_")
}
