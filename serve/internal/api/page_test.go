package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"mkt/serve/internal/api"
)

var (
	fetched   = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	processed = fetched.Add(time.Second)
	published = fetched.Add(2 * time.Second)
	times     = api.Freshness{ProviderFetchedAt: &fetched, ProcessedAt: &processed, PublishedAt: &published}
)

func body(p *api.Page, now time.Time, stale bool) string {
	return string(p.AppendTail(bytes.Clone(p.Head()), now, stale))
}

func TestListPage(t *testing.T) {
	var l api.List
	l.Add([]byte(`{"a":1}`))
	l.Add([]byte(`{"a":2}`))
	p := l.Page(api.Pagination{Limit: 2, NextCursor: "x", HasMore: true}, times, api.FixtureListMeta(7, 3, "betsapi", "c", 41))
	const want = `{"data":[{"a":1},{"a":2}],"pagination":{"limit":2,"next_cursor":"x","has_more":true},` +
		`"meta":{"provider_fetched_at":"2026-11-20T09:07:00.000Z","processed_at":"2026-11-20T09:07:01.000Z","published_at":"2026-11-20T09:07:02.000Z",` +
		`"age_ms":2500,"fixture_count":7,"filtered_count":3,"source_provider":"betsapi","index_stale":true,"changes_cursor":"c","changes_seq":41}}`
	if got := body(p, fetched.Add(2500*time.Millisecond), true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Lists share buffers. A page that is kept must not be a part of one.
func TestPagesShareNoMemory(t *testing.T) {
	page := func(item string) *api.Page {
		var l api.List
		for range 1000 {
			l.Add([]byte(item))
		}
		return l.Page(api.Pagination{Limit: 1000}, times, api.Meta{})
	}
	first := page(`"first"`)
	before := body(first, fetched, false)
	for range 100 {
		other := page(`"other"`)
		if got := body(first, fetched, false); got != before {
			t.Fatal("a page changed when another was made")
		}
		if strings.Contains(body(other, fetched, false), "first") {
			t.Fatal("a page contains items of another")
		}
		new(api.List).AppendArray(nil)
	}
}

func TestEmptyPages(t *testing.T) {
	var l api.List
	p := l.Page(api.Pagination{Limit: 50}, api.Freshness{}, api.ChangesMeta(api.Window{FirstSeq: 1}))
	const want = `{"data":[],"pagination":{"limit":50,"next_cursor":null,"has_more":false},` +
		`"meta":{"provider_fetched_at":null,"processed_at":null,"published_at":null,"age_ms":null,` +
		`"window":{"first_seq":1,"last_seq":0,"retained_from":null}}}`
	if got := body(p, fetched, false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d, err := api.Document(struct {
		A string `json:"a"`
	}{"<&>"})
	if err != nil || body(d, fetched, false) != `{"data":{"a":"<&>"},"meta":{}}` {
		t.Errorf("document %s, %v", body(d, fetched, false), err)
	}
}

func TestAgeIsNeverNegative(t *testing.T) {
	p := api.Object([]byte(`{}`), times)
	if got := body(p, fetched.Add(-time.Hour), false); !strings.Contains(got, `"age_ms":0}`) {
		t.Error(got)
	}
}

func TestETagCoversEverythingButTheAge(t *testing.T) {
	page := func(item string, f api.Freshness, count int) *api.Page {
		var l api.List
		l.Add([]byte(item))
		return l.Page(api.Pagination{Limit: 1}, f, api.FixtureListMeta(count, 1, "betsapi", "c", 41))
	}
	base := page("1", times, 1)
	if base.ETag(false) != page("1", times, 1).ETag(false) {
		t.Error("the same page has two ETags")
	}
	later := times
	later.PublishedAt = &fetched
	seen := map[string]string{base.ETag(false): "base"}
	for name, tag := range map[string]string{
		"item": page("2", times, 1).ETag(false), "times": page("1", later, 1).ETag(false),
		"count": page("1", times, 2).ETag(false), "stale": base.ETag(true),
	} {
		if other, ok := seen[tag]; ok {
			t.Errorf("%s has the ETag of %s: %s", name, other, tag)
		}
		seen[tag] = name
		if !strings.HasPrefix(tag, `W/"`) || !strings.HasSuffix(tag, `"`) {
			t.Errorf("%s: %s is not a weak validator", name, tag)
		}
	}
}

func TestGzipHasTheSameBody(t *testing.T) {
	for _, size := range []int{0, 1, 100, 100_000, 3_000_000} {
		item, _ := json.Marshal(strings.Repeat("0123456789 ü", size/12+1)[:size])
		p := api.Object(item, times)
		now := fetched.Add(time.Hour)
		for range 2 { // the second answer uses the head that was made for the first
			tail := p.AppendTail(nil, now, false)
			zipped := p.AppendGzipTail(bytes.Clone(p.GzipHead()), tail)
			r, err := gzip.NewReader(bytes.NewReader(zipped))
			must(t, err)
			got, err := io.ReadAll(r)
			if err != nil || string(got) != body(p, now, false) {
				t.Errorf("size %d: %v, equal %v", size, err, string(got) == body(p, now, false))
			}
			now = now.Add(time.Minute)
		}
	}
}

func TestErrorBody(t *testing.T) {
	got := string(api.AppendError(nil, api.Refusef(api.InvalidParameter, "limit must be 1 to %d", 200), "r1"))
	if got != `{"error":{"code":"INVALID_PARAMETER","message":"limit must be 1 to 200","request_id":"r1"}}` {
		t.Error(got)
	}
	got = string(api.AppendError(nil, api.Because(api.InternalError, io.ErrUnexpectedEOF), ""))
	if strings.Contains(got, "EOF") || !strings.Contains(got, `"request_id":null`) {
		t.Errorf("the cause leaked, or the id is not null: %s", got)
	}
}
