package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// EncodeHeader encodes a JSON header; equal values have equal bytes.
func EncodeHeader(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// DecodeHeader decodes a JSON header whose format is at most known; nothing may follow
// it. A later format is ErrNewer, whatever else is in the header. Unknown fields are
// ignored: a newer build may have added them within the format.
func DecodeHeader(what string, data []byte, known int, v any) error {
	var header struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(data, &header) == nil {
		if err := CheckFormat(what, header.Format, known); err != nil {
			return err
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("data after the end")
	}
	return nil
}

// CheckFormat returns ErrNewer for a format that is later than the known one.
func CheckFormat(what string, format, known int) error {
	if format <= known {
		return nil
	}
	return fmt.Errorf("%s: format %d, and this version reads up to %d: %w", what, format, known, ErrNewer)
}
