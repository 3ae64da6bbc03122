package layout

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// EncodeHeader encodes a JSON header; equal values have equal bytes.
func EncodeHeader(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// DecodeHeader decodes a JSON header whose format is at most known; nothing may follow
// it. A later format is ErrNewer, whatever else is in the header. Unknown fields are
// ignored: a newer build may have added them within the format. v points to a struct, which
// is decoded before its format is known: nearly every header is of a known one.
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

// CheckFormat returns ErrNewer for a format that is later than the known one.
func CheckFormat(what string, format, known int) error {
	if format <= known {
		return nil
	}
	return fmt.Errorf("%s: format %d, and this version reads up to %d: %w", what, format, known, ErrNewer)
}
