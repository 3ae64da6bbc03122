package serve_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/serve/internal/api"
)

var cursors = flag.Int("cursors", 200, "random cursors of each collection")

var collections = map[string]api.Scope{
	"/fixtures": {Collection: api.FixtureList, ClientID: "acme"},
	"/changes":  {Collection: api.ChangeFeed, ClientID: "acme"},
	"/live":     {Collection: api.LiveList, ClientID: "acme"},
	"/fixtures/" + servetest.FixtureID("acme", 0) + "/markets": {Collection: api.MarketList, ClientID: "acme", Filter: servetest.FixtureID("acme", 0) + ";;"},
}

// L2: the answer to any cursor, whether damaged, invented, of another collection, or valid
// but with a position that never existed, is a page or INVALID_CURSOR. (-cursors 10000 is
// the long run.)
func TestRandomCursors(t *testing.T) {
	t.Parallel()
	w := shared(t)
	random := rand.New(rand.NewPCG(1, 2))
	pages, refused := 0, 0
	for range *cursors {
		for path, scope := range collections {
			cursor, well := randomCursor(random, scope)
			r := w.get(path+"?limit=2&cursor="+url.QueryEscape(cursor), "acme")
			switch {
			case r.code() == "INVALID_CURSOR":
				refused++
			case (well || cursor == "") && r.status == 200: // an empty cursor is an absent one
				pages++
			default:
				t.Fatalf("%s, cursor %q: %d %s", path, cursor, r.status, r.body)
			}
		}
	}
	t.Logf("%d cursors: %d pages, %d times INVALID_CURSOR", pages+refused, pages, refused)
}

// randomCursor invents a cursor. If well is true, it is valid, so that there may be a page
// for it.
func randomCursor(random *rand.Rand, scope api.Scope) (cursor string, well bool) {
	b := make([]byte, random.IntN(80))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	position := []string{string(b), fmt.Sprint(random.Uint64()), "history-acme:" + fmt.Sprint(random.Uint64()>>random.IntN(64)), "history-acme:" + string(b), ":", "fx_", "mk_",
		servetest.FixtureID("acme", random.IntN(9)), "mk_" + string(b), strings.Repeat("z", random.IntN(90)), ""}[random.IntN(11)]
	good := scope.Cursor(position)
	switch random.IntN(5) {
	case 0: // one letter changed
		b := []byte(good)
		b[random.IntN(len(b))] = "ABCDwxyz0189-_=."[random.IntN(16)]
		return string(b), string(b) == good
	case 1: // random bytes in the right clothes
		return base64.RawURLEncoding.EncodeToString(b), false
	case 2:
		return string(b), false
	case 3: // of another collection or account
		other := []api.Scope{{Collection: api.Collection("fmclx"[random.IntN(5)]), ClientID: "acme", Filter: "x"}, {Collection: scope.Collection, ClientID: "other", Filter: scope.Filter}}[random.IntN(2)]
		return other.Cursor(position), false
	}
	return good, true
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
