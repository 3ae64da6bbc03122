package all_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
)

var isPath = regexp.MustCompile(`^(/[A-Za-z0-9_,-]+)+$`).MatchString

// FuzzReadPlan: whatever a provider answers to one probe, the next one can be sent, and
// nothing is shown that the provider does not sell.
func FuzzReadPlan(f *testing.F) {
	for _, body := range []string{
		`{"success":1,"results":[{"id":"171","stats":{"attacks":["1","2"]},"events":[{"id":"1"}]}]}`,
		`{"data":[{"id":1,"state_id":2,"odds":[],"statistics":[{}],"events":[{"player_id":7}]}],"subscription":[{"plans":[{"plan":"Pro","sport":"Football"}]}]}`,
		`{"errors":[],"response":[{"fixture":{"id":7,"status":{"short":"1H"}},"events":[{"player":{"id":7}}],"statistics":[{}]}]}`,
		`{"get":"status","errors":[],"response":{"subscription":{"plan":"Pro","end":"2027-04-10T23:24:27+00:00"}}}`,
		`[{"key":"soccer_a","group":"Soccer","active":true,"has_outrights":false},{"id":"a","commence_time":"2026-11-20T18:00:00Z","bookmakers":[{}]}]`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range all.All() {
			probing := provider.Probing{Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Bookmaker: p.Bookmaker("")}
			for _, probe := range p.Probes {
				r, ok := probe(probing)
				if !ok {
					continue
				}
				if !isPath(r.Path) {
					t.Fatalf("%s: %+v", p.Name, r)
				}
				a := provider.Payload{Endpoint: r.Endpoint, Query: r.Query, FetchedAt: probing.Now, Body: body}
				for _, c := range p.ReadPlan(provider.Answered{Payload: a}).Includes {
					if !slices.Contains(p.Capabilities, c) {
						t.Fatalf("%s %s: %s is not sold", p.Name, r.Endpoint, c)
					}
				}
				probing.Answers = append(probing.Answers, a)
			}
		}
	})
}
