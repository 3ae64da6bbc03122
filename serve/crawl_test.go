package serve_test

import (
	"testing"

	"mkt/internal/testing/needs"
)

// A server that runs elsewhere, for example `mkt demo`, is read completely, and every
// answer is checked against docs/openapi.yaml:
//
//	MKT_BASE_URL=http://127.0.0.1:8080 MKT_TOKEN=mkt_… go test ./serve -run Crawl -v
func TestCrawl(t *testing.T) {
	url, token := needs.Env(t, "MKT_BASE_URL", "a running server to walk"), needs.Env(t, "MKT_TOKEN", "of an account there")
	w := newWorld(t)
	w.url = url
	for _, path := range []string{"/status", "/schema", "/account", "/account/provider", "/account/usage"} {
		w.get(path, token)
	}
	fixtures, markets := 0, 0
	for f := range w.walk("/fixtures", token) {
		fixtures++
		w.get("/fixtures/"+f.FixtureID, token)
		for m := range w.walk("/fixtures/"+f.FixtureID+"/markets", token) {
			if markets++; markets%50 == 0 {
				w.get("/fixtures/"+f.FixtureID+"/markets/"+m.MarketID, token, "Accept-Encoding", "gzip")
			}
		}
	}
	events, last := 0, uint64(0)
	for e := range w.walk("/changes", token) {
		if last != 0 && e.Seq != last+1 {
			t.Errorf("seq %d after %d", e.Seq, last)
		}
		events, last = events+1, e.Seq
	}
	live, detailed := 0, 0
	for f := range w.walk("/live", token) {
		live++
		w.get("/live/"+f.FixtureID, token)
		if f.DetailAvailable {
			detailed++
			for _, part := range []string{"timeline", "momentum", "stats"} {
				w.get("/live/"+f.FixtureID+"/"+part, token)
			}
		}
	}
	t.Logf("%d fixtures, %d markets, %d events, %d live, %d of them detailed", fixtures, markets, events, live, detailed)
}

// walk pages through a collection, unless its fixture has been removed.
func (w *world) walk(path, as string) func(yield func(item) bool) {
	return func(yield func(item) bool) {
		for cursor := ""; ; {
			r := w.get(path+"?limit=200"+cursor, as)
			if r.code() == "FIXTURE_NOT_FOUND" {
				return
			}
			p := r.page(w.t)
			for _, i := range p.Data {
				if !yield(i) {
					return
				}
			}
			if !p.Pagination.HasMore {
				return
			}
			cursor = "&cursor=" + *p.Pagination.NextCursor
		}
	}
}
