package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/serve/account"
)

// readable reports whether a browser shows the answer to a page of that origin.
func readable(r reply, origin string) bool {
	return r.header.Get("Access-Control-Allow-Origin") == origin && strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "X-Request-Id")
}

// A page may read the answers of the accounts whose lists allow it, and all answers that
// are the same for everybody.
func TestOriginsThatMayRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, status := range map[string]account.Status{"acme": account.Active, "suspended": account.Suspended, "revoked": account.Revoked} {
		w.add(id, func(a *account.Account) { a.Status, a.Origins = status, []string{"https://app.example"} })
	}
	w.add("hurried", func(a *account.Account) {
		a.Origins, a.Limit = []string{"https://app.example"}, account.Limit{Requests: 1, Per: 1 << 40, Burst: 1}
	})
	w.publish("acme", 1, 1, 1)
	w.publish("hurried", 1, 1, 1)
	w.start()
	w.get("/account", "hurried")
	for _, c := range []struct {
		path, as, want string
		own, others    bool // a page of a listed origin may read it, and one of any other
	}{
		{"/fixtures", "acme", "200 ", true, false},
		{"/fixtures", "", "401 INVALID_API_TOKEN", true, true},
		{"/fixtures", "unknown", "401 INVALID_API_TOKEN", true, true},
		{"/account", "mkt_", "401 INVALID_API_TOKEN", true, true},
		{"/fixtures", "suspended", "403 CLIENT_SUSPENDED", true, false},
		{"/fixtures", "revoked", "403 CLIENT_REVOKED", true, false},
		{"/fixtures?limit=0", "acme", "400 INVALID_PARAMETER", true, false},
		{"/fixtures?%", "acme", "400 BAD_REQUEST", true, false},
		{"/fixtures/x", "acme", "404 FIXTURE_NOT_FOUND", true, false},
		{"/live", "acme", "503 DATA_NOT_READY", true, false},
		{"/account", "hurried", "429 RATE_LIMITED", true, false},
		{"/status", "acme", "200 ", true, false},
		{"/status", "suspended", "200 ", true, false},
		{"/status", "", "200 ", false, false},
		{"/nowhere", "acme", "404 NOT_FOUND", false, false},
		{"/fixtures?league=" + strings.Repeat("x", 5000), "acme", "413 REQUEST_TOO_LARGE", false, false},
	} {
		for _, origin := range []string{"https://app.example", "https://evil.example", "null"} {
			r := w.get(c.path, c.as, "Origin", origin)
			want, may := c.want, c.own
			if origin != "https://app.example" {
				may = c.others
				if c.as == "acme" && c.path != "/status" && c.want != "404 NOT_FOUND" && !strings.HasPrefix(c.want, "413") || c.as == "hurried" {
					want = "403 ORIGIN_NOT_ALLOWED"
				}
			}
			if got := fmt.Sprint(r.status, " ", r.code()); got != want || readable(r, origin) != may || !strings.Contains(r.header.Get("Vary"), "Origin") {
				t.Errorf("%.60s as %q from %s: %s, want %s, readable %v: %v", c.path, c.as, origin, got, want, may, r.header)
			}
		}
		if r := w.get(c.path, c.as); r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%.60s as %q, without an origin: %v", c.path, c.as, r.header)
		}
		if r := w.get(c.path, c.as, "Origin", "https://app.example", "Origin", "https://evil.example"); r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%.60s as %q, with two origins: %v", c.path, c.as, r.header)
		}
	}
	if r := w.do("POST", "/fixtures", "acme", "Origin", "https://app.example"); r.status != 405 || r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("POST: %d %v", r.status, r.header)
	}
}

// A page can notice that the service is draining: its preflight still succeeds, and it may
// read the refusal.
func TestDrainingIsReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	if r, err := w.sendPlain("/test/drain", "acme"); err != nil || r.status != 200 {
		t.Fatalf("%+v, %v", r, err)
	}
	const origin = "https://anywhere.example"
	for _, as := range []string{"acme", "", "unknown"} {
		r := w.get("/fixtures", as, "Origin", origin)
		if r.code() != "SERVICE_UNAVAILABLE" || r.header.Get("Retry-After") == "" || !readable(r, origin) {
			t.Errorf("as %q: %d %s %v", as, r.status, r.body, r.header)
		}
	}
	r := w.do("OPTIONS", "/fixtures", "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization")
	if r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != origin || r.header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("the preflight: %d %v", r.status, r.header)
	}
	if r := w.get("/fixtures", "acme"); r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Vary") == "" {
		t.Errorf("without an origin: %v", r.header)
	}
}
