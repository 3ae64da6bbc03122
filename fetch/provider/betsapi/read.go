package betsapi

import (
	"fmt"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/publish/football"
)

// readResults parses an archived answer of a list endpoint and returns its
// results. It is an error when the bytes do not parse, when the envelope does
// not say success or has a key twice, and when there is no list: of an answer with
// a damaged envelope nothing can be believed.
func readResults(d *strictjson.Document, body []byte) (strictjson.Value, error) {
	if err := d.Parse(body); err != nil {
		return strictjson.Value{}, err
	}
	if d.Root().Repeats() {
		return strictjson.Value{}, fmt.Errorf("the envelope has a key twice")
	}
	if !succeeded(d.Root()) {
		return strictjson.Value{}, fmt.Errorf("the envelope does not say success")
	}
	results := d.Root().Get(wire.KeyResults)
	if results.Kind() != strictjson.Array {
		return strictjson.Value{}, fmt.Errorf("%s is no list", wire.KeyResults)
	}
	return results, nil
}

// succeeded reports whether an envelope says so: 1, or "1" as some clients have
// seen.
func succeeded(envelope strictjson.Value) bool {
	v := envelope.Get(wire.KeySuccess)
	return v.Text() == "1" && (v.Kind() == strictjson.Number || v.Kind() == strictjson.String)
}

// field keeps the three states of a text: absent, null or "" (the provider's
// spelling of no value), and present. Numbers keep their own characters. What is no
// text was sent without a value that can be read.
func field(v strictjson.Value) football.Field[string] {
	if v.Kind() == strictjson.Absent {
		return football.Field[string]{}
	}
	if text := v.Text(); text != "" && isText(v) {
		return football.Of(text)
	}
	return football.NullField[string]()
}

// identifier is a provider id: digits, sent as text or as a number; "" for
// anything else.
func identifier(v strictjson.Value) string {
	if v.Kind() != strictjson.String && v.Kind() != strictjson.Number {
		return ""
	}
	id := v.Text()
	if len(id) > 20 {
		return ""
	}
	for i := 0; i < len(id); i++ {
		if id[i] < '0' || id[i] > '9' {
			return ""
		}
	}
	return id
}

// epoch reads whole seconds since 1970, 0 if it is none of this century.
func epoch(v strictjson.Value) int64 {
	id := identifier(v)
	if len(id) < 9 || len(id) > 10 {
		return 0
	}
	var n int64
	for _, c := range []byte(id) {
		n = n*10 + int64(c-'0')
	}
	return n
}
