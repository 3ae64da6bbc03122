package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/internal/testing/servetest"
)

func escapeAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '/' {
			b.WriteByte('/')
			continue
		}
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}

// Percent-encoding in a path changes nothing, on any route and in any id: the answer, the
// log and the counters stay the same.
func TestPathsArePercentDecoded(t *testing.T) {
	t.Parallel()
	w := published(t, 2, 20)
	w.publishLive("acme", 2)
	w.start()
	id := servetest.FixtureID("acme", 0)
	markets := "/fixtures/" + id + "/markets/"
	suffixed := servetest.ID("mk_", id, "/", 18) + "~aaaaaaaa"
	paths := everyRoute("acme")
	paths["suffixed"], paths["by name"] = markets+suffixed, markets+"TOTAL_GOALS"
	for route, path := range paths {
		plain := w.get(path, "acme", "X-Request-Id", "same")
		if plain.status != 200 {
			t.Fatalf("%s: %d %s", path, plain.status, plain.body)
		}
		for name, same := range map[string]string{
			"underscores": strings.ReplaceAll(path, "_", "%5F"), "lower case": strings.ReplaceAll(path, "_", "%5f"), "as Java writes it": strings.ReplaceAll(path, "~", "%7E"),
			"every letter": escapeAll(path), "the ids": strings.ReplaceAll(path, id, escapeAll(id)),
		} {
			r := w.get(same, "acme", "X-Request-Id", "same")
			if r.status != plain.status || r.header.Get("ETag") != plain.header.Get("ETag") || route != "/account/usage" && r.body != plain.body {
				t.Errorf("%s, %s: %d %.300s\nwant %d %.300s", route, name, r.status, r.body, plain.status, plain.body)
			}
			for method, want := range map[string]int{"HEAD": 405, "POST": 405, "OPTIONS": 204} {
				if r := w.do(method, same, "acme"); r.status != want {
					t.Errorf("%s %s, %s: %d", method, route, name, r.status)
				}
			}
		}
	}
	if list := w.get(strings.TrimSuffix(markets, "/")+"?limit=5", "acme").page(t); list.Pagination.NextCursor != nil {
		next := strings.TrimSuffix(escapeAll(markets), "/") + "?limit=5&cursor=" + *list.Pagination.NextCursor
		if r := w.get(next, "acme"); r.status != 200 {
			t.Errorf("a cursor of the same path in another spelling: %d %s", r.status, r.body)
		}
	}
	for route := range everyRoute("acme") {
		eventually(t, "the log names "+route, func() bool { return strings.Contains(w.log.String(), "route="+route+" ") })
	}
	if log := w.log.String(); strings.Contains(log, "%") || strings.Contains(log, id) {
		t.Errorf("the log holds a path:\n%s", log)
	}
	if usage := w.get("/account/usage", "acme").body; strings.Contains(usage, "%") {
		t.Errorf("usage holds a path: %s", usage)
	}
}

func TestPathsAreDecodedOnce(t *testing.T) {
	t.Parallel()
	w := shared(t)
	own, foreign := servetest.FixtureID("acme", 0), servetest.FixtureID("other", 1)
	for path, want := range map[string]string{
		"/fixtures/" + strings.ReplaceAll(own, "_", "%255F"):                      "FIXTURE_NOT_FOUND",
		"/fixtures/" + strings.ReplaceAll(own, "_", "%25255F"):                    "FIXTURE_NOT_FOUND",
		"/fixtures/" + escapeAll(foreign):                                         "FIXTURE_NOT_FOUND",
		"/live/" + escapeAll(foreign) + "/timeline":                               "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "%00":                                                "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "%20":                                                "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "%0D%0AX-Injected:%201":                              "FIXTURE_NOT_FOUND",
		"/fixtures/%FF%FE":                                                        "FIXTURE_NOT_FOUND",
		"/fixtures/%C3%A9":                                                        "FIXTURE_NOT_FOUND",
		"/fixtures/" + strings.Repeat("%41", 1000):                                "FIXTURE_NOT_FOUND",
		"/fixtures/" + strings.Repeat("%41", 2000):                                "REQUEST_TOO_LARGE",
		"/fixtures/%2E%2E":                                                        "FIXTURE_NOT_FOUND",
		"/fixtures/%2F":                                                           "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "%2Fmarkets":                                         "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "%2Fmarkets\xff":                                     "FIXTURE_NOT_FOUND",
		"/fixtures/\xc3\xa9":                                                      "FIXTURE_NOT_FOUND",
		"/fixtures/..%2F" + own:                                                   "FIXTURE_NOT_FOUND",
		"/fixtures/" + own + "/markets/%2F":                                       "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/%20":                                       "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/%00":                                       "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/TOTAL%255FGOALS":                           "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/total_goals":                               "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/TOTAL%2BGOALS":                             "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/TOTAL_GOALS%3Fperiod=FT":                   "MARKET_NOT_FOUND",
		"/fixtures/" + own + "/markets/" + servetest.ID("mk_", own, "/", 0) + "%": "BAD_REQUEST",
		"/fixtures/%":                       "BAD_REQUEST",
		"/fixtures/%zz":                     "BAD_REQUEST",
		"/fixtures/%4":                      "BAD_REQUEST",
		"/fixtures/":                        "NOT_FOUND",
		"/fixtures/" + own + "/":            "NOT_FOUND",
		"/fixtures/" + own + "/markets/":    "NOT_FOUND",
		"/status/":                          "NOT_FOUND",
		"/status%2F":                        "NOT_FOUND",
		"//api%2Fv1/status":                 "NOT_FOUND",
		"//api/v1%2Fstatus":                 "NOT_FOUND",
		"//api/v1/%2e/status":               "NOT_FOUND",
		"//api/v1/fixtures/%2e%2e/%73tatus": "NOT_FOUND",
	} {
		target := "/api/v1" + path
		if strings.HasPrefix(path, "//") {
			target = path[1:]
		}
		a, body := raw(t, w, "GET "+target+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+w.tokens["acme"]+"\r\n\r\n")
		r := reply{status: a.StatusCode, header: a.Header, body: body}
		if r.code() != want || r.status/100 != 4 || a.Header.Get("X-Injected") != "" {
			t.Errorf("%.100s: %d %.300s, want %s", path, r.status, r.body, want)
		}
	}
}
