package theoddsapi

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
)

func TestReadPlan(t *testing.T) {
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	both := []provider.Capability{provider.Prematch, provider.LiveOdds}
	priced := func(start string) string { return `{"id":"a","commence_time":` + start + `,"bookmakers":[{}]}` }
	for _, c := range []struct {
		name, endpoint, body string
		want                 []provider.Capability
	}{
		{"before the kick-off", "odds", `[` + priced(`"2026-11-20T15:00:01Z"`) + `]`, both[:1]},
		{"in play", "odds", `[` + priced(`"2026-11-20T18:00:00Z"`) + `,` + priced(`"2026-11-20T15:00:00Z"`) + `]`, both},
		{"one fixture", "event/odds", priced(`"2026-11-20T18:00:00Z"`), both[:1]},
		{"an unknown kick-off", "odds", `[` + priced(`null`) + `]`, both[:1]},
		{"without prices", "odds", `[{"id":"a","commence_time":"2026-11-20T18:00:00Z","bookmakers":[]}]`, nil},
		{"nothing", "odds", `[]`, nil},
		{"fixtures", "events", `[` + priced(`"2026-11-20T18:00:00Z"`) + `]`, nil},
	} {
		p := readPlan(provider.Answered{Payload: provider.Payload{Endpoint: c.endpoint, FetchedAt: now, Body: []byte(c.body)}})
		if !slices.Equal(p.Includes, c.want) || p.Name != "" {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	p := readPlan(provider.Answered{Payload: provider.Payload{Endpoint: "sports", Body: []byte(`[]`)}, Quota: &provider.Quota{Left: 499, Limit: 500}})
	if p.Name != "500 credits a month" {
		t.Errorf("%+v", p)
	}
}
