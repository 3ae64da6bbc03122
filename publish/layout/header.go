package layout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

// EncodeHeader encodes a JSON header; equal values have equal bytes. Its times have milliseconds,
// and so sort as texts.
func EncodeHeader(v any) ([]byte, error) {
	data, err := EncodeShortTimes(v)
	return FixTimes(data), err
}

// EncodeShortTimes is [EncodeHeader] as it was before 2026-11-23, when times had no zeros at the
// end of their fractions. It is for a header whose very bytes are needed again.
func EncodeShortTimes(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// timeMember is a member of JSON with the key of a time, and a value as encoding/json makes it of
// a time in UTC.
var timeMember = regexp.MustCompile(`("(?:[a-z_]+_)?(?:at|from|until|since)": ?"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"`)

// FixTimes gives the times in our JSON three digits of fraction. Texts of others never have such
// keys there.
func FixTimes(data []byte) []byte {
	return timeMember.ReplaceAllFunc(data, func(member []byte) []byte {
		m := timeMember.FindSubmatch(member)
		fraction := append(append([]byte("."), bytes.TrimPrefix(m[2], []byte("."))...), "000"...)
		return slices.Concat(m[1], fraction[:len(".000")], []byte(`Z"`))
	})
}

// DecodeHeader decodes a JSON header whose format is at most known; nothing may follow it. A
// later format is [ErrNewer], whatever else is in the header. Unknown fields are ignored: a newer
// build may have added them within the format. v points to a struct. It is decoded before its
// format is checked, because nearly every header has a known format.
func DecodeHeader(what string, data []byte, known int, v any) error {
	err := json.Unmarshal(data, v)
	format := reflect.ValueOf(v).Elem().FieldByName("Format")
	if err == nil && format.IsValid() && format.Int() <= int64(known) {
		return nil
	}
	var header struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(data, &header) == nil && header.Format > known {
		reflect.ValueOf(v).Elem().SetZero()
		return CheckFormat(what, header.Format, known)
	}
	return err
}

// CheckFormat returns [ErrNewer] for a format later than the known one.
func CheckFormat(what string, format, known int) error {
	if format <= known {
		return nil
	}
	return fmt.Errorf("%s: format %d, and this version reads up to %d: %w", what, format, known, ErrNewer)
}
