package serve_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	w := shared(t)
	for _, path := range []string{"/fixtures", "/fixtures/" + servetest.FixtureID("acme", 0) + "/markets", "/changes", "/live"} {
		for _, bad := range []string{"0", "201", "-1", "+1", "1.0", "1e2", "abc", " ", " 1", "1 ", "01", "0x10", "999999999999999999999", "５０", "50;", "null", "1000"} {
			if r := w.get(path+"?limit="+url.QueryEscape(bad), "acme"); r.code() != "INVALID_PARAMETER" {
				t.Errorf("%s, limit %q: %d %s", path, bad, r.status, r.code())
			}
		}
		for good, want := range map[string]int{"1": 1, "50": 50, "199": 199, "200": 200} {
			if p := w.get(path+"?limit="+good, "acme").page(t); p.Pagination.Limit != want {
				t.Errorf("%s, limit %s: %d", path, good, p.Pagination.Limit)
			}
		}
		for _, query := range []string{"", "?limit=", "?limit=&cursor="} {
			if p := w.get(path+query, "acme").page(t); p.Pagination.Limit != 50 {
				t.Errorf("%s%s: default limit %d", path, query, p.Pagination.Limit)
			}
		}
	}
}

func TestTimestampsAreStrict(t *testing.T) {
	t.Parallel()
	w := shared(t)
	for _, name := range []string{"starts_after", "starts_before"} {
		for _, bad := range []string{
			" ", "2026", "2026-11-20", "2026-11-20T10:00", "2026-11-20T10:00:00", "2026-11-20 10:00:00Z", "20261120T100000Z", "2026-11-20T10:00:00+0100",
			"2026-11-20T10:00:00+1:00", "2026-13-20T10:00:00Z", "2026-02-30T10:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z",
			"2026-11-20T1:00:00Z", "2026-11-20T10:00:00,5Z", "2026-11-20T10:00:00Z ", "1763633400", "now", "2026-11-20T10:00:00+24:00", "\x00",
			"2026-11-20T10:00:00.Z", "2026-11-20T10:00:00 01:00", "2026-11-20T10:00:00 Z", "2026-11-20 10:00:00 01:00",
			"2026-11-20T10:00:00." + strings.Repeat("0", 200) + "Z", "2026-11-20T10:00:00K", "2026-11-20T10:00:00\u212a", "2026-11-20\u017f10:00:00Z", "2026-11-20T10:00:00Zx",
		} {
			if r := w.get("/fixtures?"+name+"="+url.QueryEscape(bad), "acme"); r.code() != "INVALID_PARAMETER" {
				t.Errorf("%s=%q: %d %s", name, bad, r.status, r.code())
			}
		}
	}
	// Sample n starts n hours after servetest.Start, the fourth has no start.
	for query, want := range map[string]int{
		"starts_after=2026-11-20T09:00:00Z": 4, "starts_after=2026-11-20T09:00:00.001Z": 3, "starts_after=2026-11-20T09:00:00.0000001Z": 3,
		"starts_before=2026-11-20T09:00:00Z": 0, "starts_before=2026-11-20T09:00:00.0000001Z": 1, "starts_before=2026-11-20T10:00:00.5%2B01:00": 1,
		"starts_after=0000-01-01T00:00:00Z": 4, "starts_before=9999-12-31T23:59:59Z": 4, "starts_after=2026-11-20T11:00:00Z&starts_before=2026-11-20T10:00:00Z": 0,
		"starts_after=2026-11-20t10:00:00z": 3, "starts_after=2026-11-20t11:00:00%2b01:00": 3, "starts_after=2026-11-20T10:00:00.0z": 3,
		"starts_after=2026-11-20T09:00:00-01:00": 3, "starts_after=2026-11-20T10:00:00-00:00": 3,
		"starts_after=2026-11-20T10:00:00.00000000000000000001Z": 2, "starts_after=2026-11-20T10:00:00.0000000000000000000Z": 3, "starts_before=2026-11-20T09:59:59.999999999999Z": 1,
		"starts_after=2026-11-20T09:59:60Z": 3, "starts_after=2026-11-20T09:59:60.001Z": 2, "starts_before=2026-11-20T10:59:60%2B01:00": 1, "starts_after=2026-11-20T23:59:60Z": 0,
		"starts_before=2026-10-31T23:59:60Z": 0, "starts_after=2026-11-01T00:59:60%2B01:00": 4,
		"starts_after=": 5, "starts_after=&starts_before=": 5, "league=&starts_after=2026-11-20T10:00:00Z": 3, "league=": 5,
	} {
		if p := w.get("/fixtures?"+query, "acme").page(t); len(p.Data) != want || p.Meta.FilteredCount != want {
			t.Errorf("%s: %d fixtures, filtered_count %d, want %d", query, len(p.Data), p.Meta.FilteredCount, want)
		}
	}
}

func TestLeagueIsLiteral(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 1).start()
	for league, want := range map[string]int{
		"": 30, "league": 5, "LEAGUE": 5, "la liga": 2, "%": 3, "_": 3, "'": 2, `"`: 2, `\`: 2, "süper": 3, "SÜPER": 3, "su\u0308per": 3, "STRASSE": 3, "straße": 3,
		"*": 0, ".": 0, "' OR '1'='1": 0, "%%": 0, "100% cup_a": 3, "; DROP TABLE fixture": 0, strings.Repeat("x", 200): 0,
	} {
		p := w.get("/fixtures?league="+url.QueryEscape(league), "acme").page(t)
		if p.Meta.FilteredCount != want || len(p.Data) != want {
			t.Errorf("league %q: %d, filtered_count %d, want %d", league, len(p.Data), p.Meta.FilteredCount, want)
		}
	}
	for _, bad := range []string{strings.Repeat("x", 201), "\xff", "a\x00b"} {
		if r := w.get("/fixtures?league="+url.QueryEscape(bad), "acme"); r.code() != "INVALID_PARAMETER" {
			t.Errorf("league %q: %d %s", bad, r.status, r.code())
		}
	}
}

func TestQueriesThatDoNotParse(t *testing.T) {
	t.Parallel()
	w := shared(t)
	many := "a=1" + strings.Repeat("&a=1", 64)
	for _, path := range everyRoute("acme") {
		for _, query := range []string{"%", "%zz", "a=%1", "a=1;b=2", "limit=%", many} {
			if r := w.get(path+"?"+query, "acme"); r.code() != "BAD_REQUEST" {
				t.Errorf("%s?%.20s: %d %s", path, query, r.status, r.code())
			}
		}
		for _, query := range []string{"", "&", "&&", "=", "a", "a=1&a=2", "A=b=c", "%20=x", "%6C=1"} {
			if r := w.get(path+"?"+query, "acme"); r.status != 200 {
				t.Errorf("%s?%s: %d %s", path, query, r.status, r.code())
			}
		}
	}
	for _, query := range []string{"cursor=a&cursor=a", "league=a&league=b", "starts_after=x&starts_after=y", "%6Cimit=1&limit=1"} {
		if r := w.get("/fixtures?"+query, "acme"); r.code() != "BAD_REQUEST" {
			t.Errorf("%s: %d %s", query, r.status, r.code())
		}
	}
}

// With an old cursor the next snapshot continues after the same id, and no fixture that is in
// both is skipped or shown twice.
func TestPagingAcrossPublications(t *testing.T) {
	t.Parallel()
	w := published(t, 60, 2).start()
	seen := map[string]int{}
	version := 1
	for cursor := ""; ; {
		path := "/fixtures?limit=7"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		p := w.get(path, "acme").page(t)
		for _, f := range p.Data {
			seen[f.FixtureID]++
		}
		if p.Pagination.NextCursor == nil {
			break
		}
		cursor = *p.Pagination.NextCursor
		version++
		published := servetest.Start.Add(time.Duration(version-1) * time.Hour).Format("2006-01-02T15:04:05.000Z")
		w.publish("acme", 60-version, 2, version) // one leaves with each publication
		eventually(t, "the next snapshot is served", func() bool { return w.get("/fixtures?limit=1", "acme").page(t).Meta.PublishedAt == published })
	}
	for n := range 60 - version {
		if id := servetest.FixtureID("acme", n); seen[id] != 1 {
			t.Errorf("fixture %d, which was always there, was shown %d times", n, seen[id])
		}
	}
}
