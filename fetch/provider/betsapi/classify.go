package betsapi

import (
	"errors"
	"net/http"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
)

// Error codes of this package, for answers that have none of the provider.
const (
	errEmpty    = "EMPTY_BODY"
	errNotJSON  = "NOT_JSON"      // a page of the front server
	errCut      = "INVALID_JSON"  // cut short, or not JSON after all
	errDoubtful = "DOUBTFUL_JSON" // not UTF-8, beyond a limit, a key of the envelope twice: another try will not help
	errEnvelope = "NO_ENVELOPE"   // neither success nor an error, or no results
	errUnknown  = "UNKNOWN_ERROR" // an error word that is not in the closed set
	errStatus   = "UNEXPLAINED_STATUS"
)

// kinds are what the provider's error words mean.
var kinds = map[string]provider.Kind{
	wire.ErrAuthorize:   provider.CredentialFault,
	wire.ErrPermission:  provider.PermissionFault,
	wire.ErrTooMany:     provider.Limited,
	wire.ErrRequired:    provider.Rejected,
	wire.ErrInvalid:     provider.Rejected,
	wire.ErrNotFound:    provider.Rejected,
	wire.ErrMethod:      provider.Rejected,
	wire.ErrMaintenance: provider.Retryable,
	wire.ErrInternal:    provider.Retryable,
}

// authorize puts the token on a request's query.
func authorize(r *http.Request, credential string) {
	q := r.URL.Query()
	q.Set(wire.ParamToken, credential)
	r.URL.RawQuery = q.Encode()
}

// Classify judges a complete answer. The body decides: refusals have the status 200 as
// well, and pages of the front server may have any. The transport finds out how long to
// wait from the quota headers.
func Classify(status int, _ http.Header, body []byte) provider.Verdict {
	first := firstOf(body)
	switch {
	case first == 0:
		return unexplained(status, errEmpty)
	case first != '{':
		return unexplained(status, errNotJSON)
	}
	d := documents.Get().(*strictjson.Document)
	defer release(d)
	if err := d.Parse(body); err != nil {
		return invalid(status, err)
	}
	envelope := d.Root()
	switch {
	case envelope.Repeats() && status == http.StatusOK:
		return provider.Verdict{Kind: provider.Rejected, Code: errDoubtful}
	case envelope.Repeats():
		return unexplained(status, errDoubtful)
	}
	if succeeded(envelope) {
		if k := envelope.Get(wire.KeyResults).Kind(); k != strictjson.Array && k != strictjson.Object {
			return provider.Verdict{Kind: provider.Rejected, Code: errEnvelope}
		}
		return provider.Verdict{Kind: provider.Accepted}
	}
	word := envelope.Get(wire.KeyError).Text()
	if kind, known := kinds[word]; known {
		return provider.Verdict{Kind: kind, Code: word}
	}
	if word != "" {
		return byStatus(status, errUnknown)
	}
	return byStatus(status, errEnvelope)
}

// firstOf is the first byte that is no white space, 0 if there is none.
func firstOf(body []byte) byte {
	for _, c := range body {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// invalid judges a body that begins like JSON and is none. If it was cut short, the
// next try may succeed.
func invalid(status int, err error) provider.Verdict {
	var e *strictjson.Error
	if status == http.StatusOK && errors.As(err, &e) {
		switch e.Rule {
		case strictjson.RuleUTF8, strictjson.RuleDepth, strictjson.RuleString, strictjson.RuleNumber, strictjson.RuleValues:
			return provider.Verdict{Kind: provider.Rejected, Code: errDoubtful}
		}
	}
	return unexplained(status, errCut)
}

// unexplained judges an answer without an envelope. A refusal of the front
// server is not one of the provider: only 401 and 429 have no other meaning.
func unexplained(status int, code string) provider.Verdict {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests:
		return byStatus(status, code)
	}
	return provider.Verdict{Kind: provider.Retryable, Code: code}
}

// byStatus judges an envelope that says no known word.
func byStatus(status int, code string) provider.Verdict {
	kind := provider.Rejected
	switch {
	case status == http.StatusUnauthorized:
		kind, code = provider.CredentialFault, errStatus
	case status == http.StatusForbidden:
		kind, code = provider.PermissionFault, errStatus
	case status == http.StatusTooManyRequests:
		kind, code = provider.Limited, errStatus
	case status >= 500:
		kind = provider.Retryable
	}
	return provider.Verdict{Kind: kind, Code: code}
}
