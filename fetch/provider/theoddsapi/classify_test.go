package theoddsapi_test

import (
	"net/http"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
)

func errorBody(code string) string {
	return `{"message":"no","error_code":"` + code + `","details_url":"https://provider/errors"}`
}

func TestClassify(t *testing.T) {
	const (
		accepted   = provider.Accepted
		credential = provider.CredentialFault
		permission = provider.PermissionFault
		limited    = provider.Limited
		again      = provider.Retryable
		rejected   = provider.Rejected
	)
	whole := `[{"id":"a1","bookmakers":[]}]`
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   provider.Kind
		code   string
	}{
		{"a list", 200, whole, accepted, ""},
		{"an empty list", 200, " []\n", accepted, ""},
		{"an event", 200, `{"id":"a1","bookmakers":[]}`, accepted, ""},
		{"no id", 200, `{"bookmakers":[]}`, rejected, "NO_ENVELOPE"},
		{"a number", 200, `5`, again, "NOT_JSON"},
		{"a list with 500", 500, whole, again, "NO_ENVELOPE"},
		{"a list with 404", 404, whole, rejected, "NO_ENVELOPE"},
		{"no key", 401, errorBody("MISSING_KEY"), credential, "MISSING_KEY"},
		{"wrong key", 401, errorBody("INVALID_KEY"), credential, "INVALID_KEY"},
		{"wrong key with 200", 200, errorBody("INVALID_KEY"), credential, "INVALID_KEY"},
		{"ended subscription", 401, errorBody("DEACTIVATED_KEY"), credential, "DEACTIVATED_KEY"},
		{"credits, with the status of a wrong key", 401, errorBody("OUT_OF_USAGE_CREDITS"), limited, "OUT_OF_USAGE_CREDITS"},
		{"too fast", 429, errorBody("EXCEEDED_FREQ_LIMIT"), limited, "EXCEEDED_FREQ_LIMIT"},
		{"plan", 401, errorBody("HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN"), permission, "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN"},
		{"plan with 403", 403, errorBody("HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN"), permission, "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN"},
		{"bookmaker", 422, errorBody("INVALID_BOOKMAKERS"), rejected, "INVALID_BOOKMAKERS"},
		{"market", 422, errorBody("INVALID_MARKET"), rejected, "INVALID_MARKET"},
		{"markets", 422, errorBody("INVALID_MARKET_COMBO"), rejected, "INVALID_MARKET_COMBO"},
		{"no market", 422, errorBody("MISSING_MARKET"), rejected, "MISSING_MARKET"},
		{"region", 400, errorBody("INVALID_REGION"), rejected, "INVALID_REGION"},
		{"no region", 422, errorBody("MISSING_REGION"), rejected, "MISSING_REGION"},
		{"date", 422, errorBody("INVALID_DATE_FORMAT"), rejected, "INVALID_DATE_FORMAT"},
		{"format", 422, errorBody("INVALID_ODDS_FORMAT"), rejected, "INVALID_ODDS_FORMAT"},
		{"sport", 404, errorBody("UNKNOWN_SPORT"), rejected, "UNKNOWN_SPORT"},
		{"sport's key", 422, errorBody("INVALID_SPORT"), rejected, "INVALID_SPORT"},
		{"event", 404, errorBody("EVENT_NOT_FOUND"), rejected, "EVENT_NOT_FOUND"},
		{"event's id", 422, errorBody("INVALID_EVENT_ID"), rejected, "INVALID_EVENT_ID"},
		{"events' ids", 422, errorBody("INVALID_EVENT_IDS"), rejected, "INVALID_EVENT_IDS"},
		{"scores", 422, errorBody("INVALID_SCORES_DAYS_FROM"), rejected, "INVALID_SCORES_DAYS_FROM"},
		{"all", 422, errorBody("INVALID_ALL_SPORTS_PARAM"), rejected, "INVALID_ALL_SPORTS_PARAM"},
		{"another parameter", 422, errorBody("INVALID_COMMENCE_TIME_FROM"), rejected, "INVALID_PARAMETER"},
		{"unknown code", 422, errorBody("TEAPOT"), rejected, "UNKNOWN_ERROR"},
		{"unknown code with 401", 401, errorBody("TEAPOT"), credential, "UNEXPLAINED_STATUS"},
		{"unknown code with 503", 503, errorBody("TEAPOT"), again, "UNKNOWN_ERROR"},
		{"a code that is no text", 200, `{"id":"a1","error_code":null}`, rejected, "UNKNOWN_ERROR"},
		{"the front server's fault", 502, `{"message":"Internal server error"}`, again, "NO_ENVELOPE"},
		{"the front server's refusal", 403, `{"message":"Forbidden"}`, permission, "UNEXPLAINED_STATUS"},
		{"the front server's limit", 429, `{"message":"Too Many Requests"}`, limited, "UNEXPLAINED_STATUS"},
		{"empty", 200, "", again, "EMPTY_BODY"},
		{"page", 200, "<!DOCTYPE html>", again, "NOT_JSON"},
		{"page with 401", 401, "<html>", credential, "UNEXPLAINED_STATUS"},
		{"cut", 200, whole[:20], again, "INVALID_JSON"},
		{"not UTF-8", 200, "[\"\xff\"]", rejected, "DOUBTFUL_JSON"},
		{"two ids", 200, `{"id":"a1","id":"a2"}`, rejected, "DOUBTFUL_JSON"},
	} {
		v := theoddsapi.Classify(c.status, nil, []byte(c.body))
		if v.Kind != c.kind || v.Code != c.code {
			t.Errorf("%s: %v %q, want %v %q", c.name, v.Kind, v.Code, c.kind, c.code)
		}
	}
}

// The headers state the rest of the month's credits, whatever the answer is.
func TestQuota(t *testing.T) {
	h := http.Header{}
	h.Set("Date", "Mon, 30 Nov 2026 23:59:00 GMT")
	h.Set("x-requests-remaining", "17574")
	h.Set("x-requests-used", "2426")
	want := provider.Quota{Left: 17574, Limit: 20000, Resets: time.Minute}
	for _, body := range []string{`[]`, errorBody("EVENT_NOT_FOUND"), `<html>`} {
		if v := theoddsapi.Classify(200, h, []byte(body)); v.Quota == nil || *v.Quota != want || v.Wait != 0 {
			t.Errorf("%s: %+v, wait %v", body, v.Quota, v.Wait)
		}
	}
	if v := theoddsapi.Classify(401, h, []byte(errorBody("OUT_OF_USAGE_CREDITS"))); v.Wait != time.Minute {
		t.Errorf("credits: wait %v", v.Wait)
	}
	h.Set("Date", "Tue, 01 Dec 2026 00:00:00 GMT")
	if v := theoddsapi.Classify(401, h, []byte(errorBody("OUT_OF_USAGE_CREDITS"))); v.Wait != 31*24*time.Hour {
		t.Errorf("credits on the first day: wait %v", v.Wait)
	}
	if v := theoddsapi.Classify(429, h, []byte(errorBody("EXCEEDED_FREQ_LIMIT"))); v.Wait != time.Second {
		t.Errorf("frequency: wait %v", v.Wait)
	}
	for _, left := range []string{"", "many", "NaN"} {
		h.Set("x-requests-remaining", left)
		if v := theoddsapi.Classify(200, h, []byte(`[]`)); v.Quota != nil {
			t.Errorf("%q left: %+v", left, v.Quota)
		}
	}
}
