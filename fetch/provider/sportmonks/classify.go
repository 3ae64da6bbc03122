package sportmonks

import (
	"net/http"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// Error codes of this package: the provider sends only messages, which are no closed set.
const (
	errRequest    = "BAD_REQUEST"
	errCredential = "UNAUTHENTICATED"
	errPlan       = "NOT_IN_PLAN"
	errNotFound   = "NOT_FOUND"
	errQuota      = "TOO_MANY_REQUESTS"
	errServer     = "SERVER_ERROR"
)

// Classify judges a complete answer. Data are accepted with the status 200 only, and so is
// the message that nothing was found. Otherwise the status decides if the provider sent a
// message with it; the status of a page of the front server means nothing.
func Classify(status int, _ http.Header, body []byte) provider.Verdict {
	return decode.Classify(func(d *strictjson.Document) provider.Verdict { return classify(d, status, body) })
}

func classify(d *strictjson.Document, status int, body []byte) provider.Verdict {
	if v, ok := decode.ByStatus(byStatus).Judge(d, status, body, "{"); !ok {
		return v
	}
	root := d.Root()
	v := judge(status, root)
	v.Quota = quotaOf(root)
	if entity := root.Get(api.KeyRateLimit).Get(api.KeyEntity); entity.Kind() == strictjson.String && entity.Text() != api.EntityFixture {
		// Each entity has a quota of its own, and all cycles ask for fixtures.
		if v.Quota = nil; v.Kind == provider.Limited {
			v.Kind = provider.Rejected
		}
	}
	if v.Quota != nil && (v.Kind == provider.Limited || v.Quota.Left == 0) {
		v.Wait = v.Quota.Resets
	}
	return v
}

// judge judges a complete envelope.
func judge(status int, root strictjson.Value) provider.Verdict {
	data := root.Get(api.KeyData).Kind()
	hasData := data == strictjson.Array || data == strictjson.Object
	if status == http.StatusOK && (hasData || foundNothing(root)) {
		return provider.Verdict{Kind: provider.Accepted}
	}
	message := root.Get(api.KeyMessage)
	if message.Kind() != strictjson.String || message.Text() == "" {
		if status == http.StatusOK {
			return provider.Verdict{Kind: provider.Rejected, Code: decode.NoEnvelope}
		}
		return byStatus(status, decode.NoEnvelope)
	}
	if status == http.StatusOK { // an error under the wrong status
		return byMessage(message.Text())
	}
	return byStatus(status, decode.Unknown)
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
	return provider.Verdict{Kind: provider.Rejected, Code: decode.Unknown}
}

// byStatus judges an envelope without data.
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

// maxResets is the longest window that is accepted, in seconds.
const maxResets = 24 * 60 * 60

// quotaOf reads the quota of the requested entity; nil if the answer does not have it in a
// form that can be read.
func quotaOf(root strictjson.Value) *provider.Quota {
	limit := root.Get(api.KeyRateLimit)
	left, okLeft := decode.Whole(limit.Get(api.KeyRemaining), 1<<30)
	resets, okResets := decode.Whole(limit.Get(api.KeyResets), maxResets)
	if limit.Repeats() || !okLeft || !okResets {
		return nil
	}
	return &provider.Quota{Left: left, Resets: time.Duration(resets) * time.Second}
}
