package betsapi

import (
	"net/http"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// kinds are the meanings of the provider's error words.
var kinds = map[string]provider.Kind{
	api.ErrAuthorize:   provider.CredentialFault,
	api.ErrPermission:  provider.PermissionFault,
	api.ErrTooMany:     provider.Limited,
	api.ErrRequired:    provider.Rejected,
	api.ErrInvalid:     provider.Rejected,
	api.ErrNotFound:    provider.Rejected,
	api.ErrMethod:      provider.Rejected,
	api.ErrMaintenance: provider.Retryable,
	api.ErrInternal:    provider.Retryable,
}

// authorize puts the token on a request's query.
func authorize(r *http.Request, credential string) {
	q := r.URL.Query()
	q.Set(api.ParamToken, credential)
	r.URL.RawQuery = q.Encode()
}

// usual: the statuses have their usual meanings.
var usual = decode.ByStatus(decode.Usual)

// Classify judges a complete answer. The body decides: refusals have the status 200 as
// well, and pages of the front server may have any. The transport finds out how long to
// wait from the quota headers.
func Classify(status int, _ http.Header, body []byte) provider.Verdict {
	return decode.Classify(func(d *strictjson.Document) provider.Verdict { return judge(d, status, body) })
}

func judge(d *strictjson.Document, status int, body []byte) provider.Verdict {
	if v, ok := usual.Judge(d, status, body, "{"); !ok {
		return v
	}
	envelope := d.Root()
	if succeeded(envelope) {
		if k := envelope.Get(api.KeyResults).Kind(); k != strictjson.Array && k != strictjson.Object {
			return provider.Verdict{Kind: provider.Rejected, Code: decode.NoEnvelope}
		}
		return provider.Verdict{Kind: provider.Accepted}
	}
	word := envelope.Get(api.KeyError).Text()
	if kind, known := kinds[word]; known {
		return provider.Verdict{Kind: kind, Code: word}
	}
	if word != "" {
		return usual(status, decode.Unknown)
	}
	return usual(status, decode.NoEnvelope)
}
