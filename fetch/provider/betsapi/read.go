package betsapi

import (
	"fmt"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// readEnvelope returns the envelope and the results of an archived answer of a list endpoint,
// which may have been parsed before. It is an error when the bytes do not parse, when the
// envelope does not say success or has a key twice, and when there is no list: of an answer with
// a damaged envelope nothing can be believed.
func readEnvelope(d *strictjson.Document, p provider.Payload) (envelope, results strictjson.Value, err error) {
	if envelope, err = decode.Root(d, p); err != nil {
		return envelope, results, err
	}
	if envelope.Repeats() {
		return envelope, results, fmt.Errorf("the envelope has a key twice")
	}
	if !succeeded(envelope) {
		return envelope, results, fmt.Errorf("the envelope does not say success")
	}
	if results = envelope.Get(api.KeyResults); results.Kind() != strictjson.Array {
		return envelope, results, fmt.Errorf("%s is no list", api.KeyResults)
	}
	return envelope, results, nil
}

// succeeded reports whether an envelope says so: 1, or "1" as some clients have
// seen.
func succeeded(envelope strictjson.Value) bool {
	v := envelope.Get(api.KeySuccess)
	return v.Text() == "1" && (v.Kind() == strictjson.Number || v.Kind() == strictjson.String)
}

// adapter is the provider's market adapter. It has no state.
type adapter struct{ decode.MarketEndpoints }
