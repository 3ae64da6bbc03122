package decode

import (
	"fmt"
	"strings"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/publish/football"
)

// IsText reports whether a value can hold a text: a string, or a number, which keeps its
// own characters.
func IsText(v strictjson.Value) bool {
	return v.Kind() == strictjson.String || v.Kind() == strictjson.Number
}

// IsWrong reports whether a value is in the place of a text and is none.
func IsWrong(v strictjson.Value) bool {
	return !IsText(v) && v.Kind() != strictjson.Absent && v.Kind() != strictjson.Null
}

// IsEmpty reports whether v holds nothing: null, {} or [], which PHP writes for an empty
// object as well.
func IsEmpty(v strictjson.Value) bool {
	return v.IsEmpty() || v.Kind() == strictjson.Absent || v.Kind() == strictjson.Null
}

// Field keeps the three states of a text: absent, null or "" (sent without a value), and
// present. Numbers keep their own characters. A value of another kind was sent without
// a readable value.
func Field(v strictjson.Value) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	if text := v.Text(); text != "" && IsText(v) {
		return football.Of(text)
	}
	return football.NullField[string]()
}

// IsDigits reports whether s consists of decimal digits, at least one.
func IsDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// ID returns an id that consists of up to 20 digits, sent as text or as a number; ""
// for anything else.
func ID(v strictjson.Value) string {
	if id := v.Text(); IsText(v) && IsDigits(id) && len(id) <= 20 {
		return id
	}
	return ""
}

// Whole reads a whole number of up to 12 digits, sent as text or as a number. It is not
// ok if the number is greater than most.
func Whole(v strictjson.Value, most int) (n int, ok bool) {
	digits := ID(v)
	if digits == "" || len(digits) > 12 {
		return 0, false
	}
	for _, c := range []byte(digits) {
		n = n*10 + int(c-'0')
	}
	return n, n <= most
}

// Epoch reads a time in seconds since 1970, which must have 9 or 10 digits.
func Epoch(v strictjson.Value) (t time.Time, ok bool) {
	seconds, ok := Whole(v, 9_999_999_999)
	if !ok || len(v.Text()) < 9 || seconds == 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}

// maxClip limits the kept part of a value not understood, in bytes.
const maxClip = 256

// Clip returns the text of a value. Of a long value other than text it returns only the
// beginning.
func Clip(v strictjson.Value) string {
	text := v.Text()
	if IsText(v) || len(text) <= maxClip {
		return text
	}
	return Head(text, maxClip) + "…"
}

// Head returns the beginning of a text, at most so many bytes of it.
func Head(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// CheckIDs returns an error if none of several items in a list could be read. A single
// item may be damaged, but several mean that the format is another one.
func CheckIDs(items, read int) error {
	if items > 1 && read == 0 {
		return fmt.Errorf("a list of %d items, and none has an id: its shape has changed", items)
	}
	return nil
}
