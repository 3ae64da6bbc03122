package serve_test

import (
	"encoding/json"
	"testing"
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// hurriedWorld has an account whose markets are due every minute, with one publication of that time.
func hurriedWorld(t *testing.T) (*world, time.Time) {
	w := newWorld(t)
	w.add("acme", func(a *account.Account) {
		a.Cadence[football.MarketEngine], a.Cadence[football.LiveIntelligence] = time.Minute, 0
	})
	w.publish("acme", 3, 1, 1)
	w.start()
	return w, newestAt(t, w)
}

// A schedule that runs less often for the sake of the provider's quota makes nothing stale
// too early, and data late by its pace is stale. The account's own cadence is kept.
func TestPaceDecidesWhatIsStale(t *testing.T) {
	t.Parallel()
	w, published := hurriedWorld(t)
	cadence := func() int64 {
		var body struct {
			Data struct {
				Products []struct {
					CadenceMS int64 `json:"cadence_ms"`
				}
			}
		}
		must(t, json.Unmarshal([]byte(w.get("/account", "acme").body), &body))
		return body.Data.Products[0].CadenceMS
	}
	is := func(after time.Duration, ms int64, stale bool) {
		t.Helper()
		w.setClock(published.Add(after))
		eventually(t, "the cadence", func() bool { return cadence() == ms })
		if got := w.get("/fixtures", "acme").page(t).Meta.IndexStale; got != stale {
			t.Errorf("%s after the publication: stale %v", after, got)
		}
		want := map[bool]string{true: "DEGRADED STALE", false: "HEALTHY "}[stale]
		if got, _ := w.healthOf("market_engine", "acme"); got != want {
			t.Errorf("%s after the publication: %s, want %s", after, got, want)
		}
	}
	is(119*time.Second, 60_000, false)
	is(121*time.Second, 60_000, true)
	p := health.Pace{At: published, Every: 10 * time.Minute, Cadence: 11 * time.Minute, Until: published.Add(40 * time.Minute), CredentialFingerprint: fingerprint}
	must(t, health.WritePace(w.root("acme").FS, p))
	is(121*time.Second, 660_000, false)
	is(21*time.Minute, 660_000, false)
	is(23*time.Minute, 660_000, true)
	is(40*time.Minute, 60_000, true) // the schedule has not renewed it
	p = health.Pace{At: published, Cadence: time.Minute, Slower: 10 * time.Minute, SlowerUntil: published.Add(8 * time.Minute), Until: published.Add(8 * time.Minute), CredentialFingerprint: fingerprint}
	must(t, health.WritePace(w.root("acme").FS, p))
	is(7*time.Minute, 600_000, false) // published at the slower pace
	is(8*time.Minute, 60_000, true)
	p.CredentialFingerprint = "another"
	must(t, health.WritePace(w.root("acme").FS, p))
	is(7*time.Minute, 60_000, true)
}

// Data is late because the provider's quota is used up, and the reason says so: no cycle
// fails, since none is tried, and the first one may have used it up before any pace was decided.
func TestUsedUpQuotaIsTheReason(t *testing.T) {
	t.Parallel()
	w, published := hurriedWorld(t)
	until := published.Add(time.Hour)
	w.root("acme").Record(health.Run{Step: health.StepFetch, Cycle: "c", OK: true, StartedAt: published, FinishedAt: published, LastOKAt: &published,
		CredentialFingerprint: fingerprint, Quota: &health.Quota{At: published, UsedUpUntil: &until}})
	for after, want := range map[time.Duration]string{time.Minute: "HEALTHY ", 10 * time.Minute: "DEGRADED RATE_LIMITED", 61 * time.Minute: "DEGRADED STALE"} {
		w.setClock(published.Add(after))
		eventually(t, want, func() bool { got, _ := w.healthOf("market_engine", "acme"); return got == want })
	}
}
