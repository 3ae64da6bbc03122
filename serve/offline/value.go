package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// plain returns a value of the engine as JSON has it: exact numbers, times in UTC as text.
func plain(v any, kind string) any {
	switch v := v.(type) {
	case time.Time:
		return timeOf(v, kind)
	case duckdb.Decimal, *big.Int:
		return json.Number(fmt.Sprint(v))
	case []byte:
		if kind == "UUID" && len(v) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
		}
		return fmt.Sprintf("%x", v)
	case float32:
		return plain(float64(v), kind)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // which JSON cannot represent
			return fmt.Sprint(v)
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i], "")
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k], "")
		}
	case duckdb.OrderedMap: // its keys may be of any type
		pairs, values := []any{}, v.Values()
		for i, k := range v.Keys() {
			pairs = append(pairs, map[string]any{"key": plain(k, ""), "value": plain(values[i], "")})
		}
		return pairs
	case fmt.Stringer:
		return v.String()
	}
	return v
}

func timeOf(t time.Time, kind string) string {
	form := "2006-01-02T15:04:05.000Z"
	switch {
	case kind == "DATE":
		form = time.DateOnly
	case kind == "TIME":
		form = "15:04:05.999999"
	case t.Nanosecond()%int(time.Millisecond) != 0: // computed: stored values have milliseconds
		form = "2006-01-02T15:04:05.999999999Z"
	}
	return t.UTC().Format(form)
}

// Text returns a value in the form for people; nil is "NULL".
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []any, map[string]any:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err == nil {
			return string(bytes.TrimSpace(b.Bytes()))
		}
	}
	return fmt.Sprint(v)
}
