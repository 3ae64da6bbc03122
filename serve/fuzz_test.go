package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mkt/serve/internal/api"
)

// Whatever the query: a refusal of ours, or parameters within their bounds.
func FuzzParameters(f *testing.F) {
	for _, q := range []string{"", "limit=1", "limit=%31&cursor=x", "league=%ff&starts_after=2026-11-20T10:00:00Z", "a;b", "%", "&&&=&", "limit=１", "starts_after=2016-12-31t23:59:60.5z&limit="} {
		f.Add(q)
	}
	known := []string{"limit", "cursor", "league", "starts_after", "starts_before"}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := parseQuery(raw, known)
		if err != nil {
			if api.AsError(err).Code != api.BadRequest {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		c := &call{query: values}
		if n, err := c.limit(); err == nil && (n < 1 || n > 200) {
			t.Errorf("%q: limit %d", raw, n)
		}
		if filter, err := c.fixtureFilter(); err == nil && len(filter.League) > 12*mostText {
			t.Errorf("%q: %d bytes of league", raw, len(filter.League))
		}
		if p, err := c.position(api.Scope{Collection: api.FixtureList, ClientID: "a"}); err == nil && p != "" {
			t.Errorf("%q holds a cursor: %q", raw, p)
		}
	})
}

// Whatever the headers: no panic, and what they choose follows from them.
func FuzzHeaders(f *testing.F) {
	f.Add("gzip;q=0.5, *", `W/"x", "y"`, "abc")
	f.Add("*;q=0,gzip", "*", "\x00")
	f.Fuzz(func(t *testing.T, encoding, tags, id string) {
		if acceptsGzip([]string{encoding}) && !strings.ContainsAny(encoding, "gG*") {
			t.Errorf("%q accepts gzip", encoding)
		}
		if matches([]string{tags}, `W/"secret"`) && !strings.Contains(tags, "secret") && !strings.Contains(tags, "*") {
			t.Errorf("%q matches", tags)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header = http.Header{"X-Request-Id": {id}}
		if got := requestID(r); !decentID(got) {
			t.Errorf("%q is no id", got)
		}
	})
}
