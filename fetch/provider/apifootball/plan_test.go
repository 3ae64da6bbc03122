package apifootball

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
)

func TestReadPlan(t *testing.T) {
	ends := time.Date(2027, 4, 10, 23, 24, 27, 0, time.UTC)
	all := []provider.Capability{provider.LiveStats, provider.Timeline, provider.PlayerEvents}
	for _, c := range []struct {
		name, endpoint, body string
		want                 provider.Plan
	}{
		{"status", "status", `{"get":"status","errors":[],"response":{"account":{"email":"a@b.example"},"subscription":{"plan":"Pro","end":"2027-04-10T23:24:27+00:00","active":true},"requests":{"current":12,"limit_day":100}}}`,
			provider.Plan{Name: "Pro", EndsAt: ends}},
		{"status without a plan", "status", `{"get":"status","errors":[],"response":{"subscription":{"plan":null,"end":7}}}`, provider.Plan{}},
		{"odds", "odds", `{"errors":[],"response":[{}]}`, provider.Plan{Includes: []provider.Capability{provider.Prematch}}},
		{"no odds on that day", "odds", `{"errors":[],"response":[]}`, provider.Plan{}},
		{"live odds", "odds/live", `{"errors":[],"response":[{}]}`, provider.Plan{Includes: []provider.Capability{provider.LiveOdds}}},
		{"no live odds now", "odds/live", `{"errors":[],"response":[]}`, provider.Plan{}},
		{"a list of fixtures", "fixtures", `{"errors":[],"response":[{"events":[{}]}]}`, provider.Plan{}},
		{"details", "fixtures/ids", `{"errors":[],"response":[{"events":[{"player":{"id":null}},{"player":{"id":7}}],"statistics":[{}]}]}`, provider.Plan{Includes: all}},
		{"a list in play", "fixtures/live", `{"errors":[],"response":[{"events":[]},{"events":[{"player":{"id":null}}]}]}`, provider.Plan{Includes: all[1:2]}},
		{"a refusal", "odds", `{"errors":{"plan":"no"},"response":[]}`, provider.Plan{}},
	} {
		p := readPlan(provider.Answered{Payload: provider.Payload{Endpoint: c.endpoint, Body: []byte(c.body)}})
		if !slices.Equal(p.Includes, c.want.Includes) || p.Name != c.want.Name || !p.EndsAt.Equal(c.want.EndsAt) {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// The status says how many requests are left, if no header does.
func TestQuotaInStatus(t *testing.T) {
	for body, left := range map[string]int{
		`{"current":12,"limit_day":100}`:   88,
		`{"current":120,"limit_day":100}`:  0,
		`{"current":"12","limit_day":100}`: 88,
		`{"current":-1,"limit_day":100}`:   -1,
		`{"current":12}`:                   -1,
		`[]`:                               -1,
	} {
		v := Classify(http.StatusOK, http.Header{}, []byte(`{"get":"status","errors":[],"response":{"requests":`+body+`}}`))
		if v.Kind != provider.Accepted || (v.Quota == nil) != (left < 0) || left >= 0 && (v.Quota.Left != left || v.Quota.Limit != 100) {
			t.Errorf("%s: %+v", body, v)
		}
	}
	header := http.Header{"X-Ratelimit-Requests-Limit": {"7500"}, "X-Ratelimit-Requests-Remaining": {"7000"}}
	v := Classify(http.StatusOK, header, []byte(`{"get":"status","errors":[],"response":{"requests":{"current":12,"limit_day":100}}}`))
	if v.Quota == nil || v.Quota.Left != 7000 {
		t.Errorf("%+v", v)
	}
}
