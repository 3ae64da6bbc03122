package sportmonks

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
)

func TestReadPlan(t *testing.T) {
	const nothing = `"message":"No result(s) found matching your request.","subscription":[{"plans":[{"plan":"Pro","sport":"Football"}]}]`
	for _, c := range []struct {
		name, endpoint, body string
		plan                 string
		want                 []provider.Capability
	}{
		{"names", "fixtures/date", `{"data":[],"subscription":[{"plans":[{"plan":"Pro","sport":"Football"},{"plan":"Bat","sport":"Cricket"}],"add_ons":[{"add_on":"In-play","sport":"Football"}]}]}`,
			"Pro, In-play", nil},
		{"add-ons of older answers", "fixtures/date", `{"data":[],"subscription":[{"meta":[],"plans":[{"plan":7,"sport":"Football"}],"add_ons":["x"]}]}`, "", nil},
		{"prices", "fixtures/multi", `{"data":[{"id":1,"odds":[{"id":5}]}]}`, "", []provider.Capability{provider.Prematch}},
		{"an empty list of prices", "fixtures/multi", `{"data":[{"id":1},{"id":2,"odds":[]}]}`, "", []provider.Capability{provider.Prematch}},
		{"fixtures without a list of prices", "fixtures/multi", `{"data":[{"id":1,"odds":null},{"id":2}]}`, "", nil},
		{"nothing found, or not in the plan", "fixtures/multi", `{` + nothing + `}`, "Pro", nil},
		{"in play", "livescores/inplay", `{"data":[{"id":1,"statistics":[],"events":[]},{"id":2,"statistics":[{"id":9}],"events":[{"id":3,"player_id":null}]}]}`, "",
			[]provider.Capability{provider.LiveStats, provider.Timeline}},
		{"players", "livescores/inplay", `{"data":[{"id":2,"events":[{"id":3,"player_id":32612}]}]}`, "", []provider.Capability{provider.Timeline, provider.PlayerEvents}},
		{"prices in play", "odds/inplay/fixtures", `{"data":[{"id":2}]}`, "", []provider.Capability{provider.LiveOdds}},
		{"no prices in play", "odds/inplay/fixtures", `{"data":[],` + nothing + `}`, "Pro", nil},
	} {
		p := readPlan(provider.Answered{Payload: provider.Payload{Endpoint: c.endpoint, Body: []byte(c.body)}})
		if !slices.Equal(p.Includes, c.want) || p.Name != c.plan || !p.EndsAt.IsZero() {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// The quota of another entity is not the one that cycles use.
func TestQuotaOfEntity(t *testing.T) {
	limit := func(entity string) string {
		return `"rate_limit":{"resets_in_seconds":600,"remaining":0,"requested_entity":"` + entity + `"}`
	}
	for _, c := range []struct {
		status int
		body   string
		kind   provider.Kind
		quota  bool
	}{
		{http.StatusOK, `{"data":[],` + limit("Fixture") + `}`, provider.Accepted, true},
		{http.StatusOK, `{"data":[],` + limit("InplayOdd") + `}`, provider.Accepted, false},
		{http.StatusTooManyRequests, `{"message":"Too Many Attempts.",` + limit("Fixture") + `}`, provider.Limited, true},
		{http.StatusTooManyRequests, `{"message":"Too Many Attempts.",` + limit("InplayOdd") + `}`, provider.Rejected, false},
		{http.StatusTooManyRequests, `{"message":"Too Many Attempts."}`, provider.Limited, false},
	} {
		v := Classify(c.status, http.Header{}, []byte(c.body))
		if v.Kind != c.kind || (v.Quota != nil) != c.quota || (v.Wait > 0) != c.quota || c.quota && v.Wait != 10*time.Minute {
			t.Errorf("%d %s: %+v", c.status, c.body, v)
		}
	}
}
