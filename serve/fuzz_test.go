package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"mkt/serve/internal/api"
)

// Any query is refused with a refusal of ours, or has parameters within their bounds.
func FuzzParameters(f *testing.F) {
	for _, q := range []string{"", "limit=1", "limit=%31&cursor=x", "league=%ff&starts_after=2026-11-20T10:00:00Z", "a;b", "%", "&&&=&", "limit=１", "starts_after=2016-12-31t23:59:60.5z&limit="} {
		f.Add(q)
	}
	known := []string{"limit", "cursor", "league", "starts_after", "starts_before"}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := parseParams(raw, known)
		if err != nil {
			if api.AsError(err).Code != api.BadRequest {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if n, err := values.limit(); err == nil && (n < 1 || n > 200) {
			t.Errorf("%q: limit %d", raw, n)
		}
		if filter, err := fixtureFilter(values); err == nil && len(filter.League) > 12*maxText {
			t.Errorf("%q: %d bytes of league", raw, len(filter.League))
		}
		if p, err := values.position(api.Scope{Collection: api.FixtureList, ClientID: "a"}); err == nil && p != "" {
			t.Errorf("%q holds a cursor: %q", raw, p)
		}
	})
}

// Any query for a path of prices is refused, or has bounds that can be asked for together, and its cursor
// is one of ours for the same question.
func FuzzPathParameters(f *testing.F) {
	ours := api.Scope{Collection: api.PathPoints, ClientID: "a", Filter: "x"}
	for _, q := range []string{"", "at=2026-11-20T10:00:00Z", "from=2026-11-20T10:00:00Z&to=2026-11-20t11:00:00%2b02:00", "at=2026-11-20T10:00:00Z&cursor=x", "at=&from=", "to=0000-01-01T00:00:00Z",
		"from=9999-12-31T23:59:60Z&limit=200", "cursor=" + ours.Cursor("00000000000000000001sl_a")} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := parseParams(raw, []string{"limit", "cursor", "from", "to", "at"})
		if err != nil {
			return
		}
		b, err := boundsOf(values)
		if err != nil {
			if code := api.AsError(err).Code; code != api.InvalidParameter {
				t.Errorf("%q: %s", raw, code)
			}
			return
		}
		if _, paged := values.param("cursor"); !b.at.IsZero() && (!b.from.IsZero() || !b.to.IsZero() || paged) {
			t.Errorf("%q: a time together with a span or a page", raw)
		}
		for _, given := range []string{"from", "to", "at"} {
			if text, isThere := values.param(given); isThere && text != "" && b == (pathBounds{}) && !strings.Contains(text, "0001-01-01") && !strings.Contains(text, "0000-12-31") {
				t.Errorf("%q: %s is lost", raw, given)
			}
		}
		other := pathBounds{from: b.from.Add(time.Millisecond), to: b.to, at: b.at}
		if b.key() == other.key() {
			t.Errorf("%q: the key of a span is that of another one: %s", raw, b.key())
		}
		if p, err := values.position(ours); err == nil && p != "" && ours.Cursor(p) != values.Get("cursor") {
			t.Errorf("%q holds a cursor: %q", raw, p)
		}
	})
}

// However a path is encoded, the router sees one form of it, without additional separators.
func FuzzPaths(f *testing.F) {
	for _, path := range []string{"fixtures/fx_a~b", "fixtures/%7E/markets/\x00", "/../%2f", "a//b", "é\xff", " %2f"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		everyByte := ""
		for i := range len(path) {
			everyByte += fmt.Sprintf("%%%02x", path[i])
		}
		for _, target := range []string{"/" + (&url.URL{Path: path}).EscapedPath(), "/" + url.PathEscape(path), "/" + everyByte, "/" + path} {
			u, err := url.ParseRequestURI(target)
			if err != nil || u.Host != "" {
				continue
			}
			before := u.Path
			normalizePath(u)
			seen := echo.GetPath(&http.Request{URL: u})
			sent, _, _ := strings.Cut(target, "?")
			if strings.Count(seen, "/") != strings.Count(sent, "/") {
				t.Errorf("%q: the router sees %q", target, seen)
			}
			if again, err := url.PathUnescape(seen); err != nil || again != before {
				t.Errorf("%q: %q became %q: %v", target, before, seen, err)
			}
		}
	})
}
