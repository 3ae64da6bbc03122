package betsapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
)

func TestClassify(t *testing.T) {
	const (
		accepted   = provider.Accepted
		credential = provider.CredentialFault
		permission = provider.PermissionFault
		limited    = provider.Limited
		again      = provider.Retryable
		rejected   = provider.Rejected
	)
	whole := `{"success":1,"pager":{"page":1,"per_page":50,"total":1},"results":[{"id":"1"}]}`
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   string
	}{
		{"whole", 200, whole, accepted, ""},
		{"success as text", 200, `{"success":"1","results":[]}`, accepted, ""},
		{"an object of results", 200, `{"success":1,"results":{}}`, accepted, ""},
		{"no results", 200, `{"success":1}`, rejected, "NO_ENVELOPE"},
		{"results of another kind", 200, `{"success":1,"results":"none"}`, rejected, "NO_ENVELOPE"},
		{"success of another kind", 200, `{"success":true,"results":[]}`, rejected, "NO_ENVELOPE"},
		{"no envelope", 200, `{"results":[]}`, rejected, "NO_ENVELOPE"},
		{"quota", 429, `{"success":0,"error":"TOO_MANY_REQUESTS","error_detail":"buy"}`, limited, "TOO_MANY_REQUESTS"},
		{"quota with 200", 200, `{"success":0,"error":"TOO_MANY_REQUESTS"}`, limited, "TOO_MANY_REQUESTS"},
		{"token", 200, `{"success": 0, "error": "AUTHORIZE_FAILED"}`, credential, "AUTHORIZE_FAILED"},
		{"token with 500", 500, `{"success":"0","error":"AUTHORIZE_FAILED"}`, credential, "AUTHORIZE_FAILED"},
		{"product", 403, `{"success":0,"error":"PERMISSION_DENIED"}`, permission, "PERMISSION_DENIED"},
		{"parameter", 200, `{"success":0,"error":"PARAM_INVALID","error_detail":"FI"}`, rejected, "PARAM_INVALID"},
		{"path", 404, `{"success":0,"error":"NOT_FOUND"}`, rejected, "NOT_FOUND"},
		{"maintenance", 503, `{"success":0,"error":"UNDER_MAINTENANCE"}`, again, "UNDER_MAINTENANCE"},
		{"their fault with 200", 200, `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`, again, "INTERNAL_SERVER_ERROR"},
		{"unknown word", 200, `{"success":0,"error":"TEAPOT"}`, rejected, "UNKNOWN_ERROR"},
		{"unknown word with 401", 401, `{"success":0,"error":"TEAPOT"}`, credential, "UNEXPLAINED_STATUS"},
		{"no word with 403", 403, `{"success":0}`, permission, "UNEXPLAINED_STATUS"},
		{"no word with 502", 502, `{}`, again, "NO_ENVELOPE"},
		{"empty", 200, "", again, "EMPTY_BODY"},
		{"blank", 200, " \r\n\t", again, "EMPTY_BODY"},
		{"empty 401", 401, "", credential, "UNEXPLAINED_STATUS"},
		{"page", 200, "<!DOCTYPE html><html>", again, "NOT_JSON"},
		{"page with 403", 403, "<html>blocked", again, "NOT_JSON"},
		{"page with 429", 429, "<html>slow down", limited, "UNEXPLAINED_STATUS"},
		{"cut", 200, whole[:40], again, "INVALID_JSON"},
		{"two answers", 200, whole + whole, again, "INVALID_JSON"},
		{"not UTF-8", 200, "{\"success\":1,\"results\":[\"\xff\"]}", rejected, "DOUBTFUL_JSON"},
		{"an item says two things", 200, `{"success":1,"results":[{"id":"1","id":"2"}]}`, accepted, ""},
		{"the envelope does", 200, `{"success":1,"success":1,"results":[]}`, rejected, "DOUBTFUL_JSON"},
		{"the envelope does, with 502", 502, `{"error":"A","error":"B"}`, again, "DOUBTFUL_JSON"},
		{"deep", 200, `{"success":1,"results":` + strings.Repeat("[", 100_000), rejected, "DOUBTFUL_JSON"},
	} {
		if v := betsapi.Classify(c.status, http.Header{}, []byte(c.body)); v.Kind != c.kind || v.Code != c.code {
			t.Errorf("%s: %d %q, want %d %q", c.name, v.Kind, v.Code, c.kind, c.code)
		}
	}
	for cut := range len(whole) {
		if v := betsapi.Classify(200, nil, []byte(whole[:cut])); v.Kind == accepted {
			t.Errorf("cut at %d: accepted", cut)
		}
	}
}

// TestRecordedErrors: the bodies as they came, or as the reference has them.
func TestRecordedErrors(t *testing.T) {
	for file, want := range map[string]provider.Verdict{
		"errors/too_many_requests_http429.json":       {Kind: provider.Limited, Code: "TOO_MANY_REQUESTS"},
		"reconstructed/errors/authorize_failed.json":  {Kind: provider.CredentialFault, Code: "AUTHORIZE_FAILED"},
		"reconstructed/errors/permission_denied.json": {Kind: provider.PermissionFault, Code: "PERMISSION_DENIED"},
		"reconstructed/errors/param_invalid.json":     {Kind: provider.Rejected, Code: "PARAM_INVALID"},
		"reconstructed/errors/param_required.json":    {Kind: provider.Rejected, Code: "PARAM_REQUIRED"},
		"reconstructed/errors/empty_results.json":     {Kind: provider.Accepted},
	} {
		if v := betsapi.Classify(200, nil, recorded(t, file)); v.Kind != want.Kind || v.Code != want.Code {
			t.Errorf("%s: %+v, want %+v", file, v, want)
		}
	}
}

func TestAuthorize(t *testing.T) {
	p := betsapi.Provider()
	r, err := http.NewRequest(http.MethodGet, p.BaseURL+"/v1/bet365/upcoming?sport_id=1&page=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Authorize(r, "se&cret=1")
	want := url.Values{"sport_id": {"1"}, "page": {"2"}, "token": {"se&cret=1"}}
	if got := r.URL.Query(); got.Encode() != want.Encode() {
		t.Errorf("%v, want %v", got, want)
	}
}
