package api

import (
	"strconv"
	"time"
	"unicode/utf8"

	"mkt/publish/football"
)

// The functions below append one member of a JSON object to dst and return it. key is
// everything before the value: the name with its quotes and colon, and the punctuation
// before it. Bodies are written in this way and not with encoding/json because it is
// several times faster.

func addText(dst []byte, key, s string) []byte { return appendString(append(dst, key...), s) }

// addNonEmpty is addText, but an empty string is null.
func addNonEmpty(dst []byte, key, s string) []byte {
	if s == "" {
		return addNull(dst, key)
	}
	return addText(dst, key, s)
}

func addTextOrNull(dst []byte, key string, s *string) []byte {
	if s == nil {
		return addNull(dst, key)
	}
	return addText(dst, key, *s)
}

func addTexts(dst []byte, key string, list []string) []byte {
	return appendArray(append(dst, key...), list, func(dst []byte, s *string) []byte { return appendString(dst, *s) })
}

func addInt(dst []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(dst, key...), n, 10)
}

func addIntOrNull(dst []byte, key string, n *int32) []byte {
	if n == nil {
		return addNull(dst, key)
	}
	return addInt(dst, key, int64(*n))
}

// addDigits adds a price or counter as the JSON number with the provider's own digits:
// 1.90 stays 1.90. A text that is not a plain decimal number is null.
func addDigits(dst []byte, key string, digits *string) []byte {
	if digits == nil || !football.PlainDecimal(*digits) {
		return addNull(dst, key)
	}
	return append(append(dst, key...), *digits...)
}

func addBool(dst []byte, key string, b bool) []byte {
	return strconv.AppendBool(append(dst, key...), b)
}

func addTime(dst []byte, key string, t time.Time) []byte { return appendTime(append(dst, key...), t) }

func addTimeOrNull(dst []byte, key string, t *time.Time) []byte {
	if t == nil {
		return addNull(dst, key)
	}
	return addTime(dst, key, *t)
}

func addNull(dst []byte, key string) []byte { return append(append(dst, key...), "null"...) }

// addFreshness adds the times of the data, without its age. It has no comma at its
// beginning.
func addFreshness(dst []byte, f Freshness) []byte {
	dst = addTimeOrNull(dst, `"provider_fetched_at":`, f.ProviderFetchedAt)
	dst = addTimeOrNull(dst, `,"processed_at":`, f.ProcessedAt)
	return addTimeOrNull(dst, `,"published_at":`, f.PublishedAt)
}

// absentNames are the contract's names of the columns that have another name.
var absentNames = map[string]string{
	"odds_fractional":   "odds.fractional",
	"odds_decimal":      "odds.decimal",
	"odds_decimal_text": "odds.decimal",
	"clock_period":      "clock.period",
	"clock_minute":      "clock.minute",
	"clock_second":      "clock.second",
	"clock_added":       "clock.added",
	"clock_running":     "clock.running",
	"score_home":        "score.home",
	"score_away":        "score.away",
}

// addAbsent adds the optional key that distinguishes "not sent" from "sent without a
// value": the nullable fields that the provider did not send, if there are any.
func addAbsent(dst []byte, columns []string) []byte {
	if len(columns) == 0 {
		return dst
	}
	return appendArray(append(dst, `,"absent":`...), columns, func(dst []byte, name *string) []byte {
		if other, ok := absentNames[*name]; ok {
			return appendString(dst, other)
		}
		return appendString(dst, *name)
	})
}

func appendArray[T any](dst []byte, list []T, appendItem func(dst []byte, item *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, &list[i])
	}
	return append(dst, ']')
}

// timeLayout always has milliseconds, so that times sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendTime appends a time in the layout. It takes less than half as long as the standard library, and a page has
// hundreds of times.
func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(dst, '"'), timeLayout), '"')
	}
	hour, minute, second := t.Clock()
	digit := func(n, unit int) byte { return byte('0' + n/unit%10) }
	ms := t.Nanosecond() / 1e6
	return append(dst, '"', digit(year, 1000), digit(year, 100), digit(year, 10), digit(year, 1),
		'-', digit(int(month), 10), digit(int(month), 1), '-', digit(day, 10), digit(day, 1),
		'T', digit(hour, 10), digit(hour, 1), ':', digit(minute, 10), digit(minute, 1), ':', digit(second, 10), digit(second, 1),
		'.', digit(ms, 100), digit(ms, 10), digit(ms, 1), 'Z', '"')
}

// plain contains the bytes that a JSON string may have without escaping.
var plain = func() (ok [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		ok[c] = c != '"' && c != '\\'
	}
	return ok
}()

// appendString appends s as a JSON string. Bytes that are not UTF-8 are replaced by the
// replacement character, because JSON cannot represent them.
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
