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

func plain(v any, kind string) any {
	switch v := v.(type) {
	case time.Time:
		return timeOf(v, kind)
	case duckdb.Decimal:
		return json.Number(v.String())
	case *big.Int:
		return json.Number(v.String())
	case duckdb.UUID:
		return v.String()
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %v", v.Months, v.Days, time.Duration(v.Micros)*time.Microsecond)
	case []byte:
		if kind == "UUID" && len(v) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
		}
		return fmt.Sprintf("%x", v)
	case float64:
		return floatOf(v)
	case float32:
		return floatOf(float64(v))
	case []any:
		for i := range v {
			v[i] = plain(v[i], "")
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k], "")
		}
		return v
	case duckdb.OrderedMap:
		return mapOf(v)
	}
	return v
}

// mapOf returns a map as a list of pairs, because its keys may be of any type.
func mapOf(m duckdb.OrderedMap) any {
	pairs, values := []any{}, m.Values()
	for i, k := range m.Keys() {
		pairs = append(pairs, map[string]any{"key": plain(k, ""), "value": plain(values[i], "")})
	}
	return pairs
}

// floatOf returns a text for the values that JSON cannot represent.
func floatOf(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}

func timeOf(t time.Time, kind string) string {
	switch kind {
	case "DATE":
		return t.Format(time.DateOnly)
	case "TIME":
		return t.Format("15:04:05.999999")
	}
	form := "2006-01-02T15:04:05.000Z"
	if t.Nanosecond()%int(time.Millisecond) != 0 { // computed: stored values have milliseconds
		form = "2006-01-02T15:04:05.999999999Z"
	}
	return t.UTC().Format(form)
}

// Text returns a value in the form for people; nil is "NULL".
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
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
