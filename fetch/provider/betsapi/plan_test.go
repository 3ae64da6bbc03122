package betsapi

import (
	"slices"
	"testing"
	"time"

	"mkt/fetch/provider"
)

func TestReadPlan(t *testing.T) {
	for _, c := range []struct {
		name, endpoint, body string
		want                 []provider.Capability
	}{
		{"markets", "bet365/prematch", `{"success":1,"results":[{"FI":"1"}]}`, []provider.Capability{provider.Prematch}},
		{"no markets, and no refusal", "bet365/prematch", `{"success":1,"results":[]}`, []provider.Capability{provider.Prematch}},
		{"a list of fixtures", "bet365/upcoming", `{"success":1,"results":[{"id":"1"}]}`, nil},
		{"counters", "events/inplay", `{"success":1,"results":[{"id":"1"},{"id":"2","stats":{"attacks":["1","2"]}}]}`, []provider.Capability{provider.LiveStats}},
		{"matches without counters", "events/inplay", `{"success":1,"results":[{"id":"1"},{"id":"2","stats":{}},{"id":"3","stats":null}]}`, nil},
		{"no match in play", "events/inplay", `{"success":1,"results":[]}`, nil},
		{"events", "event/view", `{"success":1,"results":[{"id":"1","events":[{"id":"9","text":"1' - Corner"}]}]}`, []provider.Capability{provider.Timeline}},
		{"no events", "event/view", `{"success":1,"results":[{"id":"1","events":[]}]}`, nil},
		{"counters where nobody looks", "event/view", `{"success":1,"results":[{"id":"1","stats":{"attacks":["1","2"]}}]}`, nil},
		{"an error", "bet365/prematch", `{"success":0,"error":"PERMISSION_DENIED"}`, nil},
	} {
		p := readPlan(provider.Answered{Payload: provider.Payload{Endpoint: c.endpoint, Body: []byte(c.body)}})
		if !slices.Equal(p.Includes, c.want) || p.Name != "" || !p.EndsAt.IsZero() {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// Details are asked for fixtures of the list before them, and not at all if it is empty.
func TestProbes(t *testing.T) {
	answers := func(endpoint, body string) provider.Probing {
		return provider.Probing{Now: time.Now(), Answers: []provider.Payload{{Endpoint: endpoint, Body: []byte(body)}}}
	}
	r, ok := probePrematch(answers("bet365/upcoming", `{"success":1,"results":[{"id":"x"},{"id":"171"},{"id":"172"}]}`))
	if !ok || r.Query.Get("FI") != "171" {
		t.Errorf("%v, %v", r, ok)
	}
	r, ok = probeView(answers("events/inplay", `{"success":1,"results":[{"id":"1"},{"id":2}]}`))
	if !ok || r.Query.Get("event_id") != "1,2" {
		t.Errorf("%v, %v", r, ok)
	}
	for _, body := range []string{`{"success":1,"results":[]}`, `{"success":0,"error":"NOT_FOUND"}`, `<html>`, ``} {
		if r, ok := probeView(answers("events/inplay", body)); ok {
			t.Errorf("%q: %v", body, r)
		}
	}
}
