package serve_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"mkt/internal/testing/servetest"
)

func everyRoute(as string) map[string]string {
	id := servetest.FixtureID(as, 0)
	return map[string]string{
		"/status": "/status", "/schema": "/schema", "/fixtures": "/fixtures", "/fixtures/{id}": "/fixtures/" + id,
		"/fixtures/{id}/markets": "/fixtures/" + id + "/markets", "/fixtures/{id}/markets/{market_id}": "/fixtures/" + id + "/markets/" + servetest.ID("mk_", id, "/", 0),
		"/live": "/live", "/live/{id}": "/live/" + id, "/live/{id}/timeline": "/live/" + id + "/timeline", "/live/{id}/momentum": "/live/" + id + "/momentum", "/live/{id}/stats": "/live/" + id + "/stats",
		"/changes": "/changes", "/account": "/account", "/account/provider": "/account/provider", "/account/usage": "/account/usage",
	}
}

// kind is the kind of a route with regard to refusals.
func kind(route string) string {
	switch {
	case route == "/status":
		return "open"
	case strings.HasPrefix(route, "/fixtures/{id}/markets"):
		return "markets"
	case route == "/fixtures" || route == "/fixtures/{id}":
		return "fixtures"
	case route == "/changes":
		return "changes"
	case route == "/live/{id}/momentum" || route == "/live/{id}/stats":
		return "add-ons"
	case strings.HasPrefix(route, "/live"):
		return "live"
	}
	return "account"
}

func TestEveryRouteInEveryState(t *testing.T) {
	t.Parallel()
	w := shared(t)
	ok := map[string]string{"open": "200 ", "account": "200 ", "fixtures": "200 ", "markets": "200 ", "changes": "200 ", "live": "200 ", "add-ons": "200 "}
	data := func(s string) map[string]string {
		return map[string]string{"open": "200 ", "account": "200 ", "fixtures": s, "markets": s, "changes": s, "live": s, "add-ons": s}
	}
	all := func(s string) map[string]string {
		return map[string]string{"open": "200 ", "account": s, "fixtures": s, "markets": s, "changes": s, "live": s, "add-ons": s}
	}
	markets := data("200 ")
	markets["markets"] = "403 FEATURE_NOT_ENABLED"
	markets["add-ons"] = "403 FEATURE_NOT_ENABLED"
	without := maps.Clone(ok) // live statistics, which its provider does not sell
	without["live"], without["add-ons"] = "409 PROVIDER_NOT_CONNECTED", "409 PROVIDER_NOT_CONNECTED"
	for as, want := range map[string]map[string]string{
		"nolive": without,
		"acme":   ok, "stale": ok, "nofeature": markets,
		"":            all("401 INVALID_API_TOKEN"),
		"bogus":       all("401 INVALID_API_TOKEN"),
		"suspended":   all("403 CLIENT_SUSPENDED"),
		"revoked":     all("403 CLIENT_REVOKED"),
		"nothing":     data("403 SUBSCRIPTION_REQUIRED"),
		"expired":     data("403 SUBSCRIPTION_REQUIRED"),
		"early":       data("403 SUBSCRIPTION_REQUIRED"),
		"unconnected": data("409 PROVIDER_NOT_CONNECTED"),
		"disabled":    data("409 PROVIDER_NOT_CONNECTED"),
		"fresh":       data("503 DATA_NOT_READY"),
		"unreachable": data("502 UPSTREAM_UNAVAILABLE"),
	} {
		for route, path := range everyRoute(as) {
			r := w.get(path, as)
			if got := fmt.Sprint(r.status, " ", r.code()); got != want[kind(route)] {
				t.Errorf("%q, %s: %s, want %s", as, route, got, want[kind(route)])
			}
			if origin := w.get(path, as, "Origin", "https://evil.example"); as == "acme" && route != "/status" && origin.code() != "ORIGIN_NOT_ALLOWED" {
				t.Errorf("%s from an unlisted origin: %d %s", route, origin.status, origin.code())
			}
		}
	}
}

func TestEveryMethodOnEveryRoute(t *testing.T) {
	t.Parallel()
	w := shared(t)
	routes := everyRoute("acme")
	routes["nowhere"], routes["root"] = "//nowhere", "//"
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get", "OPTIONS"} {
		for route, path := range routes {
			r := w.do(method, path, "acme")
			want := http.StatusMethodNotAllowed
			if method == "OPTIONS" {
				want = http.StatusNoContent
			}
			if r.status != want || r.header.Get("Allow") != "GET, OPTIONS" || r.header.Get("X-Request-Id") == "" {
				t.Errorf("%s %s: %d %v", method, route, r.status, r.header)
			}
		}
	}
}

// The data of another account is answered as if it did not exist, byte for byte except for
// the request id.
func TestAccountsAreSeparate(t *testing.T) {
	t.Parallel()
	w := shared(t)
	foreign := servetest.FixtureID("other", 1)
	foreignMarket := servetest.ID("mk_", foreign, "/", 0)
	own := servetest.FixtureID("acme", 1)
	unknown, unknownMarket := servetest.ID("fx_", "nobody"), servetest.ID("mk_", "nobody")
	next := func(path string) string {
		p := w.get(path, "other").page(t)
		if p.Pagination.NextCursor == nil {
			t.Fatalf("%s has no next page", path)
		}
		return *p.Pagination.NextCursor
	}
	tag := w.get("/fixtures/"+foreign, "other").header.Get("ETag")
	for name, paths := range map[string][2]string{
		"fixture":            {"/fixtures/" + foreign, "/fixtures/" + unknown},
		"markets":            {"/fixtures/" + foreign + "/markets", "/fixtures/" + unknown + "/markets"},
		"market":             {"/fixtures/" + foreign + "/markets/" + foreignMarket, "/fixtures/" + unknown + "/markets/" + unknownMarket},
		"market by name":     {"/fixtures/" + foreign + "/markets/TOTAL_GOALS", "/fixtures/" + unknown + "/markets/TOTAL_GOALS"},
		"market on own":      {"/fixtures/" + own + "/markets/" + foreignMarket, "/fixtures/" + own + "/markets/" + unknownMarket},
		"fixture cursor":     {"/fixtures?cursor=" + next("/fixtures?limit=1"), "/fixtures?cursor=AAAA"},
		"market cursor":      {"/fixtures/" + own + "/markets?cursor=" + next("/fixtures/"+foreign+"/markets?limit=1"), "/fixtures/" + own + "/markets?cursor=AAAA"},
		"live fixture":       {"/live/" + foreign, "/live/" + unknown},
		"timeline":           {"/live/" + foreign + "/timeline", "/live/" + unknown + "/timeline"},
		"momentum":           {"/live/" + foreign + "/momentum", "/live/" + unknown + "/momentum"},
		"stats":              {"/live/" + foreign + "/stats", "/live/" + unknown + "/stats"},
		"live cursor":        {"/live?cursor=" + next("/live?limit=1"), "/live?cursor=AAAA"},
		"change cursor":      {"/changes?cursor=" + next("/changes?limit=1"), "/changes?cursor=AAAA"},
		"bootstrap position": {"/changes?cursor=" + w.get("/fixtures", "other").page(t).Meta.ChangesCursor, "/changes?cursor=AAAA"},
	} {
		theirs := w.get(paths[0], "acme", "X-Request-Id", "same", "If-None-Match", tag)
		none := w.get(paths[1], "acme", "X-Request-Id", "same")
		for _, h := range []string{"Date", "Ratelimit"} {
			theirs.header.Del(h)
			none.header.Del(h)
		}
		if theirs.status != none.status || theirs.status < 400 || theirs.body != none.body || fmt.Sprint(theirs.header) != fmt.Sprint(none.header) {
			t.Errorf("%s: foreign %d %s %v\nunknown %d %s %v", name, theirs.status, theirs.body, theirs.header, none.status, none.body, none.header)
		}
	}
	for _, path := range []string{"/fixtures?limit=200", "/changes?limit=200", "/live?limit=200", "/account", "/account/usage", "/account/provider", "/status"} {
		if body := w.get(path, "acme").body; strings.Contains(body, "other") || strings.Contains(body, foreign) {
			t.Errorf("%s shows something of another account: %s", path, body)
		}
	}
}

func TestAnonymousAnswersAreIdentical(t *testing.T) {
	t.Parallel()
	w := shared(t)
	wrong := strings.Replace(w.tokens["acme"], "mkt_", "mkt-", 1)
	for _, path := range []string{"/status", "/schema", "/fixtures", "/account"} {
		for _, origin := range []string{"https://acme.example", "https://anywhere.example"} {
			base := w.get(path, "", "X-Request-Id", "same", "Origin", origin)
			for _, as := range []string{"x", wrong, w.tokens["acme"][:52], strings.Repeat("a", 4000), "mkt_" + strings.Repeat("0", 49)} {
				r := w.get(path, as, "X-Request-Id", "same", "Origin", origin)
				for _, h := range []string{"Date", "Ratelimit"} { // those of /status count down
					r.header.Del(h)
					base.header.Del(h)
				}
				if r.status != base.status || r.body != base.body || fmt.Sprint(r.header) != fmt.Sprint(base.header) {
					t.Errorf("%s with %.60s: %d %s %v, without a token %d %s %v", path, as, r.status, r.body, r.header, base.status, base.body, base.header)
				}
			}
		}
	}
}
