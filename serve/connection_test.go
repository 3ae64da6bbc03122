package serve_test

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/account"
)

// tested records a test of the connection that sent one request.
func (w *world) tested(id, code, credential string, at time.Time) {
	w.t.Helper()
	root, err := durable.OpenRoot(filepath.Join(w.dataDir, layout.Tenant(id)))
	must(w.t, err)
	defer root.Close()
	must(w.t, health.Record(root, health.Run{Step: health.StepProbe, FinishedAt: at, OK: code == "", Code: health.Code(code), CredentialFingerprint: credential}))
	must(w.t, health.AddCalls(root, at, map[string]int64{"bet365/upcoming": 1}))
}

func (w *world) provider(id string) string {
	w.t.Helper()
	var answer struct {
		Data struct {
			Status        string
			LastSuccessAt *time.Time `json:"last_success_at"`
			LastAttemptAt *time.Time `json:"last_attempt_at"`
			LastError     *string    `json:"last_error"`
		}
	}
	must(w.t, json.Unmarshal([]byte(w.get("/account/provider", id).body), &answer))
	clock := func(t *time.Time) string {
		if t == nil {
			return "never"
		}
		return t.Format("15:04")
	}
	d := answer.Data
	text := d.Status + " " + clock(d.LastSuccessAt) + " " + clock(d.LastAttemptAt)
	if d.LastError != nil {
		text += " " + *d.LastError
	}
	return text
}

// Before the data of an account was looked at for the first time, it is not ready: whether
// its credential was accepted is not known.
func TestDataNotLookedAtYet(t *testing.T) {
	t.Parallel()
	w := published(t, 2, 1)
	w.add("unconnected", func(a *account.Account) { a.Provider = account.Provider{} })
	h, end, err := serve.NewIdle(serve.Options{DataDir: w.dataDir, CacheDir: t.TempDir(), Accounts: w.registry, Now: w.now})
	must(t, err)
	defer func() { must(t, end()) }()
	for id, want := range map[string]string{"acme": "DATA_NOT_READY", "unconnected": "PROVIDER_NOT_CONNECTED"} {
		r := httptest.NewRequest("GET", "/api/v1/fixtures", nil)
		r.Header.Set("Authorization", "Bearer "+w.token(id))
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if !strings.Contains(answer.Body.String(), `"code":"`+want+`"`) {
			t.Errorf("%s: %s, want %s", id, answer.Body, want)
		}
		if after := answer.Header().Get("Retry-After"); id == "acme" && after != "1" {
			t.Errorf("the data is there in a moment, and the client shall wait %q seconds", after)
		}
	}
}

// Tests of the connection and runs change its status, the 409 of data routes and
// /account/provider, while the server runs.
func TestConnection(t *testing.T) {
	w := newWorld(t)
	w.add("acme", func(a *account.Account) { a.Provider.Fingerprint = "new" })
	w.publish("acme", 3, 2, 1) // with the credential before
	w.start()
	at := func(minute int) time.Time { return begin.Add(time.Duration(minute-10) * time.Minute) }
	check := func(want, fixtures string) {
		t.Helper()
		eventually(t, want, func() bool { return w.provider("acme") == want })
		if code := w.get("/fixtures", "acme").code(); code != fixtures {
			t.Errorf("%s: fixtures answer %q", want, code)
		}
		status := w.get("/status", "acme").body
		if state := strings.Fields(want)[0]; state != "CONNECTED" && !strings.Contains(status, `"code":"`+state+`"`) {
			t.Errorf("%s: health is %s", want, status)
		}
		if account := w.get("/account", "acme").body; !strings.Contains(account, `"provider":{"name":"betsapi","status":"`+strings.Fields(want)[0]+`"}`) {
			t.Errorf("%s: account is %s", want, account)
		}
	}
	check("VERIFYING never never", "PROVIDER_NOT_CONNECTED")
	w.tested("acme", "CREDENTIAL_REJECTED", "new", at(11))
	check("INVALID_CREDENTIAL never 09:11 CREDENTIAL_REJECTED", "PROVIDER_NOT_CONNECTED")
	w.tested("acme", "", "new", at(12))
	check("CONNECTED 09:12 09:12", "")
	for i := range 3 {
		w.root("acme").Record(health.Run{Step: health.StepFetch, Cycle: "c", Code: "PROVIDER_UNREACHABLE", FinishedAt: at(13 + i), CredentialFingerprint: "new"})
	}
	check("DEGRADED 09:12 09:15 PROVIDER_UNREACHABLE", "")
	w.tested("acme", "PROVIDER_UNREACHABLE", "new", at(16))
	check("DEGRADED 09:12 09:16 PROVIDER_UNREACHABLE", "")
	w.root("acme").Record(health.Run{Step: health.StepFetch, Cycle: "c", OK: true, FinishedAt: at(17), CredentialFingerprint: "new"})
	check("CONNECTED 09:17 09:17", "")
	w.root("acme").Record(health.Run{Step: health.StepFetch, Cycle: "c", Code: "CREDENTIAL_REJECTED", FinishedAt: at(18), CredentialFingerprint: "new"})
	check("INVALID_CREDENTIAL 09:17 09:18 CREDENTIAL_REJECTED", "PROVIDER_NOT_CONNECTED")
	w.tested("acme", "RATE_LIMITED", "new", at(19))
	check("CONNECTED 09:17 09:19 RATE_LIMITED", "")
	w.add("acme", func(a *account.Account) { a.Provider.Disabled = true })
	check("DISABLED 09:17 09:19 RATE_LIMITED", "PROVIDER_NOT_CONNECTED")

	eventually(t, "four calls by tests", func() bool {
		return strings.Contains(w.get("/account/usage", "acme").body, `"provider_calls":[{"endpoint":"bet365/upcoming","count":4}]`)
	})
}

// An account without any product has a connection too.
func TestConnectionWithoutAProduct(t *testing.T) {
	w := newWorld(t)
	w.add("acme", func(a *account.Account) { a.Subscriptions = nil })
	w.start()
	w.tested("acme", "", fingerprint, begin)
	eventually(t, "CONNECTED", func() bool { return w.provider("acme") == "CONNECTED 09:10 09:10" })
}

// The account's plan, as tests and cycles find it, changes its capabilities while the
// server runs. Another credential begins with none.
func TestCapabilities(t *testing.T) {
	w := newWorld(t)
	w.add("acme", nil)
	w.add("other", func(a *account.Account) { a.Provider.Fingerprint = "new" })
	w.publish("acme", 3, 2, 1)
	w.publish("other", 3, 2, 1) // with the credential before
	w.start()
	check := func(id, want string) {
		t.Helper()
		eventually(t, id+": "+want, func() bool {
			return strings.Contains(w.get("/account/provider", id).body, `"capabilities":[`+want+`]`)
		})
	}
	record := func(at int, run health.Run) {
		t.Helper()
		run.FinishedAt, run.CredentialFingerprint = begin.Add(time.Duration(at)*time.Minute), fingerprint
		w.live("acme").Record(run)
	}
	check("acme", `"prematch"`)
	check("other", "")
	record(1, health.Run{Step: health.StepFetch, Cycle: "c", OK: true, Plan: planOf(begin.Add(time.Minute), true, football.PlayerEvents, football.LiveStats, football.LiveTimeline)})
	check("acme", `"prematch","live_stats","timeline","player_events"`)
	record(2, health.Run{Step: health.StepFetch, Cycle: "d", Code: "PERMISSION_DENIED", Plan: planOf(begin.Add(2*time.Minute), false, football.LiveStats)})
	check("acme", `"prematch","timeline","player_events"`)
	root, err := durable.OpenRoot(filepath.Join(w.dataDir, layout.Tenant("acme")))
	must(t, err)
	defer root.Close()
	must(t, health.Record(root, health.Run{Step: health.StepProbe, FinishedAt: begin.Add(3 * time.Minute), OK: true, CredentialFingerprint: fingerprint,
		Plan: planOf(begin.Add(3*time.Minute), true, football.LiveStats, football.LiveOdds)}))
	check("acme", `"prematch","live_odds","live_stats","timeline","player_events"`)
}
