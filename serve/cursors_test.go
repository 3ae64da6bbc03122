package serve_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/serve/internal/api"
)

var collections = map[string]api.Scope{
	"/fixtures": {Collection: api.FixtureList, ClientID: "acme"},
	"/changes":  {Collection: api.ChangeFeed, ClientID: "acme"},
	"/live":     {Collection: api.LiveList, ClientID: "acme"},
	"/fixtures/" + servetest.FixtureID("acme", 0) + "/markets": {Collection: api.MarketList, ClientID: "acme", Filter: servetest.FixtureID("acme", 0) + ";;"},
}

// L2: at and near the edges of the window, over HTTP and the socket, for every position that
// exists and the next few: one before the window is INVALID_CURSOR, its beginning returns
// all events, its end none, and neither does a newer one, which may be of a newer copy of the log.
func TestCursorsAtTheEdges(t *testing.T) {
	t.Parallel()
	w := published(t, 4, 1).start()
	s, _ := w.connect("acme")
	tried := 0
	for version := 2; version <= 5; version++ {
		list := servetest.Samples("acme", 3+version, 1, version)
		c := w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: version % 3})
		eventually(t, "it is served", func() bool { return w.get("/changes?limit=1", "acme").page(t).Meta.Window.LastSeq == c.LastSeq })
		w.setClock(c.PublishedAt)
		for position := range c.LastSeq + 4 {
			tried += w.edge(t, s, c.HistoryID, position, c.FirstSeq, c.LastSeq)
		}
		far := uint64(version)
		for _, position := range []uint64{math.MaxInt64 - far, 1<<53 - far} {
			tried += w.edge(t, s, c.HistoryID, position, c.FirstSeq, c.LastSeq)
		}
	}
	for _, position := range []string{"", ":", "history-acme", "history-acme:", "history-acme:-1", "history-acme:+8", "history-acme: 8", "history-acme:08x", "history-acme:9223372036854775808",
		"history-acme:18446744073709551616", "elsewhere:8", ":8", "history-acme:8:8", "history-acme\x00:8"} {
		if r := w.get("/changes?cursor="+collections["/changes"].Cursor(position), "acme"); r.code() != "INVALID_CURSOR" {
			t.Errorf("position %q: %d %s", position, r.status, r.body)
		}
	}
	for path := range collections {
		for other, scope := range collections {
			position := "history-acme:8"
			if r := w.get(path+"?cursor="+scope.Cursor(position), "acme"); path != other && r.code() != "INVALID_CURSOR" {
				t.Errorf("a cursor of %s on %s: %d %s", other, path, r.status, r.body)
			}
		}
	}
	t.Logf("%d positions, each by three limits and over the socket", tried)
}

// An invented cursor whose position looks like a filter does not replace the cached page of
// another request.
func TestInventedCursorDoesNotChangeOtherPages(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 1).start()
	made := w.get("/fixtures?limit=3&cursor="+collections["/fixtures"].Cursor(" ;;serie"), "acme").page(t)
	asked := w.get("/fixtures?limit=3&league=serie%20", "acme").page(t)
	if made.Meta.FilteredCount != 30 || asked.Meta.FilteredCount != 3 {
		t.Errorf("%d fixtures with the cursor, %d with the filter", made.Meta.FilteredCount, asked.Meta.FilteredCount)
	}
}

func (w *world) edge(t *testing.T, s *socket, history string, position, first, last uint64) int {
	t.Helper()
	w.setClock(w.now().Add(time.Second)) // a position ahead is looked for, once in a while
	want := 0
	if position < last {
		want = int(last - position)
	}
	for _, limit := range []int{1, 7, 200} {
		cursor := collections["/changes"].Cursor(fmt.Sprint(history, ":", position))
		r := w.get(fmt.Sprintf("/changes?limit=%d&cursor=%s", limit, cursor), "acme")
		if position+1 < first {
			if r.code() != "INVALID_CURSOR" {
				t.Errorf("position %d, and the window begins at %d: %d %s", position, first, r.status, r.body)
			}
			continue
		}
		p := r.page(t)
		shown := min(limit, want)
		next := collections["/changes"].Cursor(fmt.Sprint(history, ":", position+uint64(shown)))
		if len(p.Data) != shown || p.Pagination.HasMore != (want > limit) || *p.Pagination.NextCursor != next || shown > 0 && p.Data[0].Seq != position+1 {
			t.Errorf("position %d of %d to %d, limit %d: %+v", position, first, last, limit, p)
		}
	}
	if position >= 1<<53 {
		return 1 // no number of JavaScript's
	}
	a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": position})
	switch {
	case position+1 < first:
		if a.Error.Code != "INVALID_CURSOR" {
			t.Errorf("socket, position %d, and the window begins at %d: %+v", position, first, a)
		}
	case !a.OK || len(a.Events) != want || a.Cursor != position+uint64(want):
		t.Errorf("socket, position %d of %d to %d: %+v", position, first, last, a)
	}
	s.ask("unsubscribe", map[string]any{"channel": "changes"})
	return 1
}
