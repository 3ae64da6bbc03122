package simulator

import "encoding/json"

// JSON returns the JSON of a value of a dialect's own types.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("emulator: " + err.Error()) // such types can always be marshalled
	}
	return b
}

// AppendArray appends items as a JSON array.
func AppendArray(b []byte, items [][]byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return append(b, ']')
}
