package serve_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/health"
)

// A stopped feed is reported without a new snapshot: there is no momentum, for that
// reason; the visual state and the timeline are STALE; the validator changes; and the health
// shows it.
func TestStaleIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.live("acme").Record(health.Run{Step: "fetch", Cycle: "c", OK: true, FinishedAt: servetest.Start, CredentialFingerprint: fingerprint})
	w.publishLive("acme", 7)
	w.start()
	path := "/live/" + servetest.FixtureID("acme", 0)
	at := begin.Add(-2 * time.Second).Add(time.Minute) // still fresh in that instant
	w.setClock(at)
	fresh := w.get(path, "acme")
	if !strings.Contains(fresh.body, `"feed_age_ms":61000},"unavailable_reason":null`) {
		t.Errorf("at the last instant: %s", fresh.body)
	}
	list := w.get("/live", "acme")
	w.setClock(at.Add(time.Millisecond))
	for _, p := range []string{path, "/live?limit=200"} {
		body := w.get(p, "acme").body
		if !strings.Contains(body, `"visual_state":{"state":"STALE","side_proven":"NONE","certainty":"UNKNOWN","since":"2026-11-20T09:10:58.000Z"},"momentum":null,"unavailable_reason":"FEED_STALE"`) {
			t.Errorf("%s: %s", p, body)
		}
	}
	if w.get(path, "acme", "If-None-Match", fresh.header.Get("ETag")).status != 200 || w.get("/live", "acme", "If-None-Match", list.header.Get("ETag")).status != 200 {
		t.Error("the validator of the fresh answer is still good")
	}
	if body := w.get(path+"/momentum", "acme").body; !strings.Contains(body, `"momentum":null,"unavailable_reason":"FEED_STALE"`) {
		t.Error(body)
	}
	// A sample may be on its way for ten seconds, so the entry ends ten seconds ago.
	for late, until := range map[time.Duration]string{time.Millisecond: "09:10:58.000", 12 * time.Second: "09:11:00.000"} {
		w.setClock(at.Add(late))
		if body := w.get(path+"/timeline", "acme").body; !strings.Contains(body, `,{"at":"2026-11-20T09:10:58.000Z","minute":29,"second":7,"state":"STALE","certainty":"UNKNOWN","side_proven":"NONE","until":"2026-11-20T`+until+`Z","entry_id":"en_0c2k9q4r7m000-smworeh1s"}]`) {
			t.Error(body)
		}
	}
	if body := w.get("/status", "acme").body; !strings.Contains(body, `{"component":"live_intelligence","status":"DEGRADED","code":"FEED_STALE"`) {
		t.Error(body)
	}
	// A fixture that has left play does not become stale.
	if body := w.get("/live/"+servetest.FixtureID("acme", 5), "acme").body; strings.Contains(body, "STALE") {
		t.Error(body)
	}
}

// Before the first cycle the answer is 503; if nothing is in play, it is an empty page.
func TestNothingInPlay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.start()
	if r := w.get("/live", "acme"); r.code() != "DATA_NOT_READY" || r.header.Get("Retry-After") == "" {
		t.Errorf("before the first cycle: %d %s", r.status, r.body)
	}
	w.live("acme").Publish(nil)
	eventually(t, "an empty page", func() bool {
		r := w.get("/live", "acme")
		return r.status == 200 && strings.HasPrefix(r.body, `{"data":[],"pagination":{"limit":50,"next_cursor":null,"has_more":false},"meta":{"live_fixture_count":0,`)
	})
	var body struct{ Data json.RawMessage }
	must(t, json.Unmarshal([]byte(w.get("/live", "acme", "Accept-Encoding", "gzip").body), &body))
}
