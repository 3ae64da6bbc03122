package betsapi

import (
	"fmt"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider/betsapi/internal/wire"
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
