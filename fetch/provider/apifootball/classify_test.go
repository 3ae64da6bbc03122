package apifootball_test

import (
	"net/http"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
)

func TestClassify(t *testing.T) {
	errors := func(object string) string {
		return `{"get":"odds","parameters":{"date":"2026-11-22"},"errors":` + object + `,"results":0,"paging":{"current":1,"total":1},"response":[]}`
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   string
	}{
		{"a list", 200, `{"get":"odds","parameters":[],"errors":[],"results":0,"paging":{"current":1,"total":1},"response":[]}`, provider.Accepted, ""},
		{"errors is an empty object", 200, errors(`{}`), provider.Accepted, ""},
		{"the status of the account", 200, `{"get":"status","parameters":[],"errors":[],"results":1,"response":{"account":{}}}`, provider.Accepted, ""},
		{"an object that is no status", 200, `{"get":"odds","errors":[],"response":{}}`, provider.Rejected, "NO_ENVELOPE"},
		{"no key", 200, errors(`{"token":"Error/Missing application key. Go to https://example.com to learn how to get your API application key."}`), provider.CredentialFault, "token"},
		{"suspended account", 200, errors(`{"access":"Your account is suspended"}`), provider.PermissionFault, "access"},
		{"the day is used up", 200, errors(`{"requests":"You have reached the request limit for the day"}`), provider.Limited, "requests"},
		{"the minute is used up", 200, errors(`{"rateLimit":"Too many requests. Your rate limit is 10 requests per minute."}`), provider.Limited, "rateLimit"},
		{"not in the plan", 200, errors(`{"plan":"Free plans do not have access to this season, try from 2022 to 2024."}`), provider.PermissionFault, "plan"},
		{"a parameter is missing", 200, errors(`{"required":"At least one parameter is required."}`), provider.Rejected, "required"},
		{"a parameter is wrong", 200, errors(`{"league":"The League field cannot be used with the Search field."}`), provider.Rejected, "PARAMETER"},
		{"the gravest of several", 200, errors(`{"required":"x","rateLimit":"x","token":"x"}`), provider.CredentialFault, "token"},
		{"a key that is no parameter", 200, errors(`{"Some New Thing":"x"}`), provider.Rejected, "UNKNOWN_ERROR"},
		{"a list of errors", 200, errors(`["x"]`), provider.Rejected, "UNKNOWN_ERROR"},
		{"a text", 200, errors(`"x"`), provider.Rejected, "UNKNOWN_ERROR"},
		{"their fault", 204, errors(`{"time":"2026-11-22T10:00:00+00:00","bug":"This is on our side","report":"odds"}`), provider.Retryable, "bug"},
		{"nothing", 204, ``, provider.Retryable, "EMPTY_BODY"},
		{"timeout", 499, `{"message":"Time-out"}`, provider.Retryable, "SERVER_ERROR"},
		{"server error", 500, `{"message":"Internal error"}`, provider.Retryable, "SERVER_ERROR"},
		{"too many", 429, `{"message":"Too many requests"}`, provider.Limited, "UNEXPLAINED_STATUS"},
		{"too many, a page", 429, `<html>`, provider.Limited, "UNEXPLAINED_STATUS"},
		{"a page", 200, `<html>`, provider.Retryable, "NOT_JSON"},
		{"a page that refuses", 403, `<html>`, provider.Retryable, "NOT_JSON"},
		{"an envelope that refuses", 403, `{"hello":1}`, provider.PermissionFault, "UNEXPLAINED_STATUS"},
		{"no envelope", 200, `{"hello":1}`, provider.Rejected, "NO_ENVELOPE"},
		{"cut", 200, `{"get":"odds","errors":[],"resp`, provider.Retryable, "INVALID_JSON"},
		{"two responses", 200, `{"errors":[],"response":[],"response":[]}`, provider.Rejected, "DOUBTFUL_JSON"},
		{"not UTF-8", 200, "{\"errors\":[],\"response\":[\"\xff\"]}", provider.Rejected, "DOUBTFUL_JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := apifootball.Classify(c.status, http.Header{}, []byte(c.body)); v.Kind != c.kind || v.Code != c.code {
				t.Errorf("%+v, want kind %d %s", v, c.kind, c.code)
			}
		})
	}
}

// TestQuota: the quota of the day is renewed at 00:00 UTC by the provider's clock; that of
// the minute is waited for a while at a time.
func TestQuota(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	const date = "Sun, 22 Nov 2026 22:59:57 GMT"
	ok := []byte(`{"get":"odds","errors":[],"response":[]}`)
	day := []byte(`{"get":"odds","errors":{"requests":"x"},"response":[]}`)
	minute := []byte(`{"get":"odds","errors":{"rateLimit":"x"},"response":[]}`)
	v := apifootball.Classify(200, header("Date", date, "x-ratelimit-requests-limit", "7500", "x-ratelimit-requests-remaining", "12", "X-RateLimit-Remaining", "0"), ok)
	if v.Kind != provider.Accepted || v.Quota == nil || *v.Quota != (provider.Quota{Left: 12, Limit: 7500, Resets: time.Hour + 3*time.Second}) {
		t.Errorf("%+v %+v", v, v.Quota)
	}
	if v = apifootball.Classify(200, header("X-RateLimit-Remaining", "3"), ok); v.Quota != nil {
		t.Errorf("a quota of the minute is taken for the day's: %+v", v.Quota)
	}
	for _, c := range []struct {
		body []byte
		h    http.Header
		want time.Duration
	}{
		{day, header("Date", date), time.Hour + 3*time.Second},
		{day, header(), 0},
		{minute, header("Date", date), 3 * time.Second},
		{minute, header("Date", "Sun, 22 Nov 2026 22:59:03 GMT"), 10 * time.Second},
		{minute, header(), 10 * time.Second},
		{minute, header("Date", date, "x-ratelimit-requests-remaining", "0"), time.Hour + 3*time.Second},
	} {
		if v := apifootball.Classify(200, c.h, c.body); v.Kind != provider.Limited || v.Wait != c.want {
			t.Errorf("%s %v: waits %v, want %v", c.body, c.h, v.Wait, c.want)
		}
	}
}

// TestRecordedErrors: the recorded refusals have the meanings in the table.
func TestRecordedErrors(t *testing.T) {
	for file, code := range map[string]string{"injuries-error.json": "required", "team-leipzig-error.json": "PARAMETER"} {
		if v := apifootball.Classify(200, http.Header{}, recorded(t, "errors/"+file)); v.Kind != provider.Rejected || v.Code != code {
			t.Errorf("%s: %+v", file, v)
		}
	}
}
