package sportmonks

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
)

// Error words. The provider says only a message, whose text is none of a closed set.
const (
	errEmpty      = "EMPTY_BODY"
	errNotJSON    = "NOT_JSON"      // a page of the front server
	errCut        = "INVALID_JSON"  // cut short, or not JSON after all
	errDoubtful   = "DOUBTFUL_JSON" // not UTF-8, beyond a limit, a key of the envelope twice: asking again will not help
	errEnvelope   = "NO_ENVELOPE"   // neither data nor a message
	errUnknown    = "UNKNOWN_ERROR"
	errRequest    = "BAD_REQUEST"
	errCredential = "UNAUTHENTICATED"
	errPlan       = "NOT_IN_PLAN"
	errNotFound   = "NOT_FOUND"
	errQuota      = "TOO_MANY_REQUESTS"
	errServer     = "SERVER_ERROR"
)

// Classify judges a complete answer. Data are an answer under the status 200 alone;
// an answer that found nothing is one too. What else comes is told by the status, for
// which a message of the provider must stand: the front server's pages mean nothing.
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
	root := d.Root()
	switch {
	case root.Repeats() && status == http.StatusOK:
		return provider.Verdict{Kind: provider.Rejected, Code: errDoubtful}
	case root.Repeats():
		return unexplained(status, errDoubtful)
	}
	v := judge(status, root)
	v.Quota = quotaOf(root)
	if v.Quota != nil && (v.Kind == provider.Limited || v.Quota.Left == 0) {
		v.Wait = v.Quota.Resets
	}
	return v
}

// judge judges a whole envelope.
func judge(status int, root strictjson.Value) provider.Verdict {
	data := root.Get(wire.KeyData).Kind()
	hasData := data == strictjson.Array || data == strictjson.Object
	if status == http.StatusOK && (hasData || foundNothing(root)) {
		return provider.Verdict{Kind: provider.Accepted}
	}
	message := root.Get(wire.KeyMessage)
	if message.Kind() != strictjson.String || message.Text() == "" {
		if status == http.StatusOK {
			return provider.Verdict{Kind: provider.Rejected, Code: errEnvelope}
		}
		return byStatus(status, errEnvelope)
	}
	if status == http.StatusOK { // an error under the wrong status
		return byMessage(message.Text())
	}
	return byStatus(status, errUnknown)
}

// byMessage judges a message that came with the status 200 and without data.
func byMessage(message string) provider.Verdict {
	message = strings.ToLower(message)
	switch {
	case strings.Contains(message, "unauthenticated"), strings.Contains(message, "api token"), strings.Contains(message, "api_token"):
		return provider.Verdict{Kind: provider.CredentialFault, Code: errCredential}
	case strings.Contains(message, "too many"):
		return provider.Verdict{Kind: provider.Limited, Code: errQuota}
	case strings.Contains(message, "subscription"), strings.Contains(message, "do not have access"), strings.Contains(message, "don't have access"):
		return provider.Verdict{Kind: provider.PermissionFault, Code: errPlan}
	}
	return provider.Verdict{Kind: provider.Rejected, Code: errUnknown}
}

// byStatus judges an envelope that holds no data.
func byStatus(status int, code string) provider.Verdict {
	kind := provider.Rejected
	switch {
	case status == http.StatusBadRequest:
		code = errRequest
	case status == http.StatusUnauthorized:
		kind, code = provider.CredentialFault, errCredential
	case status == http.StatusForbidden:
		kind, code = provider.PermissionFault, errPlan
	case status == http.StatusNotFound:
		code = errNotFound
	case status == http.StatusTooManyRequests:
		kind, code = provider.Limited, errQuota
	case status >= http.StatusInternalServerError:
		kind, code = provider.Retryable, errServer
	}
	return provider.Verdict{Kind: kind, Code: code}
}

// unexplained judges an answer without an envelope. A refusal of the front server is
// not one of the provider: only 401 and 429 have no other meaning.
func unexplained(status int, code string) provider.Verdict {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests:
		return byStatus(status, code)
	}
	return provider.Verdict{Kind: provider.Retryable, Code: code}
}

// firstOf is the first byte that is no white space, 0 when there is none.
func firstOf(body []byte) byte {
	for _, c := range body {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// invalid judges a body that begins like JSON and is none. One that was cut short may
// come whole the next time.
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

// maxResets is the longest window that is believed.
const maxResets = 24 * 60 * 60

// quotaOf reads what an answer says of the quota of the entity that was asked for:
// nil if it says nothing that can be read.
func quotaOf(root strictjson.Value) *provider.Quota {
	limit := root.Get(wire.KeyRateLimit)
	left, okLeft := whole(limit.Get(wire.KeyRemaining), 1<<30)
	resets, okResets := whole(limit.Get(wire.KeyResets), maxResets)
	if limit.Repeats() || !okLeft || !okResets {
		return nil
	}
	return &provider.Quota{Left: left, Resets: time.Duration(resets) * time.Second}
}
