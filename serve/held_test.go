package serve_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// healthOf returns "STATUS CODE" of a component, and the overall status.
func (w *world) healthOf(component, as string) (part, whole string) {
	w.t.Helper()
	var body struct {
		Data struct {
			Health struct {
				Status     string
				Components []struct{ Component, Status, Code string }
			}
		}
	}
	must(w.t, json.Unmarshal([]byte(w.get("/status", as).body), &body))
	for _, c := range body.Data.Health.Components {
		if c.Component == component {
			part = fmt.Sprint(c.Status, " ", c.Code)
		}
	}
	return part, body.Data.Health.Status
}

// Fixtures that are kept because a listing lacks too many of them show in the health until a
// publication keeps none.
func TestHeldRemovalsShowInHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", func(a *account.Account) { a.Cadence[football.LiveIntelligence] = 0 })
	is := func(component, want, whole string) {
		t.Helper()
		eventually(t, component+" is "+want, func() bool {
			part, all := w.healthOf(component, "acme")
			return part == want && all == whole
		})
	}
	market := func(held int64) {
		list := servetest.Samples("acme", 3, 1, 1)
		w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), Held: held})
	}
	market(30)
	w.fetched("acme")
	w.publishLive("acme", 2)
	w.start()
	is("market_engine", "DEGRADED LISTING_HELD", "DEGRADED")
	is("live_intelligence", "HEALTHY ", "DEGRADED")
	if p := w.get("/fixtures", "acme").page(t); p.Meta.IndexStale || len(p.Data) != 3 {
		t.Errorf("a held listing makes no index stale: %+v", p.Meta)
	}
	w.root("acme").Record(health.Run{Step: "transform", Code: "QUARANTINED", FinishedAt: begin})
	is("market_engine", "DEGRADED QUARANTINED", "DEGRADED") // the failure comes first
	w.root("acme").Record(health.Run{Step: "transform", OK: true, FinishedAt: begin})
	is("market_engine", "DEGRADED LISTING_HELD", "DEGRADED")
	w.root("acme").Late = -59 * time.Minute // an hour later it would be a time that is to come
	market(0)
	is("market_engine", "HEALTHY ", "HEALTHY")

	live := func(held int64) {
		w.live("acme").Held = held
		w.live("acme").Publish(servetest.LiveSamples("acme", 2, 1, begin.Add(-2*time.Second)))
	}
	live(21)
	is("live_intelligence", "DEGRADED LISTING_HELD", "DEGRADED")
	live(0)
	is("live_intelligence", "HEALTHY ", "HEALTHY")
}

// An unknown code in a state file is not shown to clients.
func TestUnknownCodesAreInternal(t *testing.T) {
	t.Parallel()
	w := published(t, 1, 1)
	w.root("acme").Record(health.Run{Step: "fetch", Cycle: "d", Code: "open /some/path: no such file", FinishedAt: begin, CredentialFingerprint: fingerprint})
	w.start()
	if part, _ := w.healthOf("market_engine", "acme"); part != "DEGRADED INTERNAL" {
		t.Errorf("health is %s", part)
	}
	var body struct {
		Data struct {
			LastError string `json:"last_error"`
		}
	}
	must(t, json.Unmarshal([]byte(w.get("/account/provider", "acme").body), &body))
	if body.Data.LastError != "INTERNAL" {
		t.Errorf("last_error is %s", body.Data.LastError)
	}
}
