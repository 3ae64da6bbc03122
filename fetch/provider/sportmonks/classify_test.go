package sportmonks_test

import (
	"net/http"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
)

func TestClassify(t *testing.T) {
	const (
		accepted   = provider.Accepted
		credential = provider.CredentialFault
		permission = provider.PermissionFault
		limited    = provider.Limited
		retryable  = provider.Retryable
		rejected   = provider.Rejected
	)
	const quota = `"rate_limit":{"resets_in_seconds":120,"remaining":7,"requested_entity":"Fixture"}`
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   string
		wait   time.Duration
		left   int // -1: not said
	}{
		{"a list", 200, `{"data":[],` + quota + `}`, accepted, "", 0, 7},
		{"one object", 200, `{"data":{"id":1}}`, accepted, "", 0, -1},
		{"nothing found, with a list", 200, `{"data":[],"message":"No result(s) found matching your request. Either …",` + quota + `}`, accepted, "", 0, 7},
		{"nothing found, without data", 200, `{"message":"No result(s) found matching your request. Either the query did not return any results or you don't have access to it via your current subscription."}`, accepted, "", 0, -1},
		{"nothing found, status 404", 404, `{"message":"No result(s) found matching your request."}`, rejected, "NOT_FOUND", 0, -1},
		{"the last request of the window", 200, `{"data":[],"rate_limit":{"resets_in_seconds":90,"remaining":0,"requested_entity":"Fixture"}}`, accepted, "", 90 * time.Second, 0},
		{"a damaged rate limit", 200, `{"data":[],"rate_limit":{"resets_in_seconds":"soon","remaining":7}}`, accepted, "", 0, -1},
		{"a rate limit beyond belief", 200, `{"data":[],"rate_limit":{"resets_in_seconds":999999999,"remaining":7}}`, accepted, "", 0, -1},
		{"a rate limit twice", 200, `{"data":[],"rate_limit":{"remaining":1,"remaining":7,"resets_in_seconds":1}}`, accepted, "", 0, -1},
		{"a wrong token", 401, `{"message":"Unauthenticated."}`, credential, "UNAUTHENTICATED", 0, -1},
		{"a wrong token under 200", 200, `{"message":"Unauthenticated."}`, credential, "UNAUTHENTICATED", 0, -1},
		{"not in the plan", 403, `{"message":"You do not have access to this endpoint.","code":5002}`, permission, "NOT_IN_PLAN", 0, -1},
		{"not in the plan, under 200", 200, `{"message":"Your current subscription does not hold the include odds."}`, permission, "NOT_IN_PLAN", 0, -1},
		{"quota used up", 429, `{"message":"Too Many Attempts.",` + quota + `}`, limited, "TOO_MANY_REQUESTS", 120 * time.Second, 7},
		{"quota used up, no body", 429, ``, limited, "TOO_MANY_REQUESTS", 0, -1},
		{"quota used up, under 200", 200, `{"message":"Too many requests"}`, limited, "TOO_MANY_REQUESTS", 0, -1},
		{"a bad request", 400, `{"message":"The requested include 'odd' does not exist.","link":"https://…","code":5001}`, rejected, "BAD_REQUEST", 0, -1},
		{"an unknown message", 200, `{"message":"Happy new year"}`, rejected, "UNKNOWN_ERROR", 0, -1},
		{"neither data nor a message", 200, `{"timezone":"UTC"}`, rejected, "NO_ENVELOPE", 0, -1},
		{"data that are a text", 200, `{"data":"nothing"}`, rejected, "NO_ENVELOPE", 0, -1},
		{"data under another status", 404, `{"data":[]}`, rejected, "NOT_FOUND", 0, -1},
		{"the server's own fault", 500, `{"message":"Server Error"}`, retryable, "SERVER_ERROR", 0, -1},
		{"a page of the front server", 502, `<html>bad gateway</html>`, retryable, "NOT_JSON", 0, -1},
		{"a refusal of the front server", 403, `<html>denied</html>`, retryable, "NOT_JSON", 0, -1},
		{"a page with a good status", 200, `<html>hello</html>`, retryable, "NOT_JSON", 0, -1},
		{"cut short", 200, `{"data":[{"id":1},{"i`, retryable, "INVALID_JSON", 0, -1},
		{"empty", 200, " \n", retryable, "EMPTY_BODY", 0, -1},
		{"not UTF-8", 200, "{\"data\":[\"\xff\"]}", rejected, "DOUBTFUL_JSON", 0, -1},
		{"data twice", 200, `{"data":[],"data":[1]}`, rejected, "DOUBTFUL_JSON", 0, -1},
		{"data twice, status 500", 500, `{"data":[],"data":[1]}`, retryable, "DOUBTFUL_JSON", 0, -1},
		{"401 without an envelope", 401, `no`, credential, "UNAUTHENTICATED", 0, -1},
	} {
		v := sportmonks.Classify(c.status, http.Header{}, []byte(c.body))
		left := -1
		if v.Quota != nil {
			left = v.Quota.Left
		}
		if v.Kind != c.kind || v.Code != c.code || v.Wait != c.wait || left != c.left {
			t.Errorf("%s: kind %d, code %q, wait %v, left %d, want %d %q %v %d", c.name, v.Kind, v.Code, v.Wait, left, c.kind, c.code, c.wait, c.left)
		}
	}
}
