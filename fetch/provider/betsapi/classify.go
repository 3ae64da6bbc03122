package betsapi

import (
	"net/http"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
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

// usual: the statuses have their usual meanings.
var usual = answer.ByStatus(answer.Usual)

// Classify judges a complete answer. The body decides: refusals have the status 200 as
// well, and pages of the front server may have any. The transport finds out how long to
// wait from the quota headers.
func Classify(status int, _ http.Header, body []byte) provider.Verdict {
	return answer.Classify(func(d *strictjson.Document) provider.Verdict { return judge(d, status, body) })
}

func judge(d *strictjson.Document, status int, body []byte) provider.Verdict {
	if v, ok := usual.Judge(d, status, body, "{"); !ok {
		return v
	}
	envelope := d.Root()
	if succeeded(envelope) {
		if k := envelope.Get(wire.KeyResults).Kind(); k != strictjson.Array && k != strictjson.Object {
			return provider.Verdict{Kind: provider.Rejected, Code: answer.NoEnvelope}
		}
		return provider.Verdict{Kind: provider.Accepted}
	}
	word := envelope.Get(wire.KeyError).Text()
	if kind, known := kinds[word]; known {
		return provider.Verdict{Kind: kind, Code: word}
	}
	if word != "" {
		return usual(status, answer.Unknown)
	}
	return usual(status, answer.NoEnvelope)
}
