package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve"
)

type push struct {
	Events []json.RawMessage
	Cursor uint64
}

func (s *socket) changes() push {
	s.t.Helper()
	var p push
	must(s.t, json.Unmarshal(s.next("changes"), &p))
	return p
}

func (w *world) overHTTP(as string, after uint64) (events []string) {
	w.t.Helper()
	cursor := ""
	for {
		r := w.get("/changes?limit=200"+cursor, as)
		if r.code() == "INVALID_CURSOR" { // the window has moved on meanwhile
			cursor, events = "", nil
			continue
		}
		var body struct{ Data []json.RawMessage }
		must(w.t, json.Unmarshal([]byte(r.body), &body))
		for _, e := range body.Data {
			if seqOf(w.t, e) > after {
				events = append(events, string(e))
			}
		}
		p := r.page(w.t)
		if !p.Pagination.HasMore {
			return events
		}
		cursor = "&cursor=" + *p.Pagination.NextCursor
	}
}

func seqOf(t testing.TB, e json.RawMessage) uint64 {
	t.Helper()
	var i item
	must(t, json.Unmarshal(e, &i))
	return i.Seq
}

func texts(list []json.RawMessage) (out []string) {
	for _, e := range list {
		out = append(out, string(e))
	}
	return out
}

// A bootstrap over HTTP continues over the socket, from the seq of the first page. It gets
// every event after the state it read exactly once, whatever was published while it paged.
func TestSocketContinuesAfterABootstrap(t *testing.T) {
	t.Parallel()
	w := published(t, 9, 1).start()
	s, _ := w.connect("acme")
	first := w.get("/fixtures?limit=2", "acme").page(t)
	if want := w.root("acme").Commit.LastSeq; first.Meta.ChangesSeq != want {
		t.Fatalf("changes_seq %d, want %d", first.Meta.ChangesSeq, want)
	}
	version := 1
	for next := first.Pagination.NextCursor; next != nil; {
		version++
		w.publish("acme", 9, 1, version)
		eventually(t, "it is served", func() bool {
			return w.get("/fixtures?limit=1", "acme").page(t).Meta.ChangesSeq == w.root("acme").Commit.LastSeq
		})
		p := w.get("/fixtures?limit=2&cursor="+*next, "acme").page(t)
		if p.Meta.ChangesSeq != w.root("acme").Commit.LastSeq {
			t.Errorf("a page of version %d has changes_seq %d", version, p.Meta.ChangesSeq)
		}
		next = p.Pagination.NextCursor
	}
	over := w.get("/changes?limit=200&cursor="+first.Meta.ChangesCursor, "acme")
	var polled struct{ Data []json.RawMessage }
	must(t, json.Unmarshal([]byte(over.body), &polled))
	a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": first.Meta.ChangesSeq})
	if !a.OK || !slices.Equal(texts(a.Events), texts(polled.Data)) || len(a.Events) != 9*(version-1) || seqOf(t, a.Events[0]) != first.Meta.ChangesSeq+1 {
		t.Errorf("the socket gives %d events up to %d, polling %d: %+v", len(a.Events), a.Cursor, len(polled.Data), a.Error)
	}
	w.publish("acme", 3, 1, version+1)
	if p := s.changes(); len(p.Events) != 3 || seqOf(t, p.Events[0]) != a.Cursor+1 {
		t.Errorf("the next push begins after %d: %+v", a.Cursor, p)
	}
}

func TestSocketChangesBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.publish("acme", 30, 1, 1) // seq 1 to 30
	w.publish("acme", 10, 1, 2) // seq 31 to 40
	w.start()
	s, _ := w.connect("acme")
	all := w.overHTTP("acme", 0)
	for _, c := range []struct {
		payload map[string]any
		events  []string
		cursor  uint64
	}{
		{map[string]any{}, nil, 40},
		{map[string]any{"cursor": 40}, nil, 40},
		{map[string]any{"cursor": 39}, all[39:], 40},
		{map[string]any{"cursor": 12, "backlog": 200}, all[12:], 40},
		{map[string]any{"cursor": 0, "backlog": 7}, all[:7], 7},
		{map[string]any{"cursor": 0}, all, 40},
		{map[string]any{"backlog": 7}, nil, 40},
	} {
		c.payload["channel"] = "changes"
		a := s.ask("subscribe", c.payload)
		if !a.OK || a.Channel != "changes" || a.Cursor != c.cursor || fmt.Sprint(texts(a.Events)) != fmt.Sprint(c.events) || a.Window.FirstSeq != 1 || a.Window.LastSeq != 40 {
			t.Errorf("%v: %d events, %+v", c.payload, len(a.Events), a)
		}
		s.ask("unsubscribe", map[string]any{"channel": "changes"})
	}
}

// A cursor beyond the end of the log, over HTTP and the socket: the data here may be a copy
// behind the client's. The page is empty and the cursor stays, and the events after it
// follow once they are here. INVALID_CURSOR is the answer once something newer ends before it.
func TestCursorBeyondTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("new", nil)
	w.fetched("new")
	w.publish("acme", 30, 1, 1)
	var copied atomic.Int64
	w.edit = func(o *serve.Options) {
		o.Fetch = func(context.Context, string, football.Product) error { copied.Add(1); return nil }
	}
	w.start()
	s, _ := w.connect("acme")
	httpCursor := func(seq uint64) string { return collections["/changes"].Cursor(fmt.Sprint("history-acme:", seq)) }
	try := func(want string, cursors ...uint64) {
		t.Helper()
		for _, cursor := range cursors {
			w.setClock(w.now().Add(time.Second))
			over := w.get("/changes?cursor="+httpCursor(cursor), "acme")
			got := over.code()
			if got == "" {
				got = fmt.Sprint(len(over.page(t).Data), *over.page(t).Pagination.NextCursor == httpCursor(cursor))
			}
			a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": cursor})
			here := a.Error.Code
			if a.OK {
				here = fmt.Sprint(len(a.Events), a.Cursor == cursor)
			}
			if got != want || here != want {
				t.Errorf("cursor %d: %s over HTTP, %s over the socket, want %s", cursor, got, here, want)
			}
		}
	}
	try("0 true", 30, 31, 40, 1<<52, 1<<53-1)
	if copied.Load() < 4 {
		t.Errorf("asked %d times for what other replicas have", copied.Load())
	}
	for _, cursor := range []any{1 << 53, -1, 30.5, "30", true, []int{30}, json.RawMessage("30.0"), json.RawMessage("3e1"), json.RawMessage("1e400")} {
		if a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": cursor}); a.Error.Code != "INVALID_PARAMETER" {
			t.Errorf("cursor %v: %+v", cursor, a)
		}
	}
	far, _ := w.connect("acme")
	far.ask("subscribe", map[string]any{"channel": "changes", "cursor": 1 << 52})
	s.ask("subscribe", map[string]any{"channel": "changes", "cursor": 33})
	w.publish("acme", 5, 1, 2) // up to 35, an hour later
	if p := s.changes(); len(p.Events) != 2 || seqOf(t, p.Events[0]) != 34 || p.Cursor != 35 {
		t.Errorf("after the events are here: %+v", p)
	}
	far.ended()
	w.setClock(servetest.Start.Add(time.Hour + time.Minute))
	try("INVALID_CURSOR", 40, 1<<52, 1<<53-1)
	try("0 true", 35, 36)

	w.publishLive("acme", 3)
	for _, cursor := range []any{41, "nonsense"} {
		if a := s.ask("subscribe", map[string]any{"channel": "live", "cursor": cursor}); !a.OK {
			t.Errorf("live, with a cursor: %+v", a)
		}
	}
	before, _ := w.connect("new") // nothing has been published yet
	for cursor := range uint64(2) {
		if a := before.ask("subscribe", map[string]any{"channel": "changes", "cursor": cursor}); !a.OK || a.Cursor != cursor {
			t.Errorf("before the first publication, cursor %d: %+v", cursor, a)
		}
	}
}

// The events that did not fit into the first page follow in pushes of at most 200, complete
// and in order, over either transport.
func TestSocketChangesBeyondTheFirstPage(t *testing.T) {
	t.Parallel()
	w := published(t, 900, 1).start()
	all := w.overHTTP("acme", 0)
	for name, how := range map[string][]func(*socketiotest.Options){"websocket": nil, "polling": {overPolling}} {
		s, _ := w.connect("acme", how...)
		a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": 100, "backlog": 3})
		got, cursor := texts(a.Events), a.Cursor
		for len(got) < 800 {
			p := s.changes()
			got, cursor = append(got, texts(p.Events)...), p.Cursor
			if len(p.Events) > 200 || cursor != seqOf(t, p.Events[len(p.Events)-1]) {
				t.Fatalf("%s: a push of %d events, cursor %d", name, len(p.Events), cursor)
			}
		}
		if len(a.Events) != 3 || cursor != 900 || fmt.Sprint(got) != fmt.Sprint(all[100:]) {
			t.Errorf("%s: %d events, %d in the answer, cursor %d", name, len(got), len(a.Events), cursor)
		}
		s.Close()
	}
}

// L4: the same events over HTTP and the socket are identical, byte for byte, for every
// connection.
func TestSocketChangesAreThoseOfHTTP(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 1).start()
	var list []*socket
	for i := range 6 {
		s, _ := w.connect("acme", transport(i%3 == 2))
		if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK || a.Cursor != 5 {
			t.Fatalf("%+v", a)
		}
		list = append(list, s)
	}
	for version := 2; version <= 4; version++ {
		w.publish("acme", 3+version, 1, version)
	}
	var want []string
	eventually(t, "all is served", func() bool { want = w.overHTTP("acme", 5); return len(want) == 5+6+7 })
	for _, s := range list {
		var got []string
		for len(got) < len(want) {
			got = append(got, texts(s.changes().Events)...)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("over the socket %s\nover HTTP %s", got, want)
		}
		s.quiet()
	}
}

// A repeated subscribe starts again without duplicates; a refused one changes nothing; after
// an unsubscribe there are no pushes.
func TestSocketSubscribesAgain(t *testing.T) {
	t.Parallel()
	w := published(t, 4, 1).start()
	s, _ := w.connect("acme")
	other, _ := w.connect("acme")
	for _, s := range []*socket{s, other} {
		for range 3 {
			s.ask("subscribe", map[string]any{"channel": "changes"})
		}
	}
	if a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": -1}); a.OK {
		t.Error("subscribed with a cursor of -1")
	}
	w.publish("acme", 2, 1, 2)
	for _, s := range []*socket{s, other} {
		if p := s.changes(); len(p.Events) != 2 || p.Cursor != 6 {
			t.Errorf("%d events, cursor %d", len(p.Events), p.Cursor)
		}
	}
	s.ask("unsubscribe", map[string]any{"channel": "changes"})
	w.publish("acme", 2, 1, 3)
	other.changes()
	w.publish("acme", 2, 1, 4)
	other.changes() // so a whole tick lies between
	s.quiet()
	if a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": 6}); len(a.Events) != 4 {
		t.Errorf("%+v", a)
	}
}

// After a restore every position is invalid: the connection is closed, the client reconnects,
// and its subscribe is refused with INVALID_CURSOR.
func TestSocketAfterARestore(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 1)
	w.publish("acme", 5, 1, 2)
	w.start()
	following, _ := w.connect("acme")
	following.ask("subscribe", map[string]any{"channel": "changes"})
	idle, _ := w.connect("acme") // follows nothing

	restored := servetest.NewRoot(t, w.dataDir, "acme").At(1)
	restored.History, restored.Late = "restored", 3*time.Hour
	restored.Commit.Version, restored.Commit.LastSeq, restored.Manifest.Changes = 2, 1_000_000, nil
	list := servetest.Samples("acme", 4, 1, 3)
	restored.Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})

	following.ended()
	again, _ := w.connect("acme")
	if a := again.ask("subscribe", map[string]any{"channel": "changes", "cursor": 10}); a.Error.Code != "INVALID_CURSOR" {
		t.Errorf("%+v", a)
	}
	if a := idle.ask("subscribe", map[string]any{"channel": "changes"}); a.Cursor != 1_000_004 {
		t.Errorf("%+v", a)
	}
}

// Before the first publication the log is empty, and all events are later.
func TestSocketBeforeTheFirstPublication(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.start()
	s, r := w.connect("acme")
	if fmt.Sprint(r.Channels) != "[{changes /api/v1/changes true } {live /api/v1/live true }]" {
		t.Errorf("channels: %+v", r.Channels)
	}
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK || a.Cursor != 0 || a.Window.FirstSeq != 1 || a.Window.LastSeq != 0 {
		t.Errorf("%+v", a)
	}
	w.publish("acme", 2, 1, 1)
	if p := s.changes(); len(p.Events) != 2 || p.Cursor != 2 {
		t.Errorf("%+v", p)
	}
}

// While a publication is not loaded yet, its newest event is unknown, and a position in it
// would be a guess.
func TestSocketBeforeItIsLoaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.root("acme").Record(health.Run{Step: "publish", Cycle: "c", OK: true, FinishedAt: servetest.Start})
	w.start()
	s, r := w.connect("acme")
	if fmt.Sprint(r.Channels) != "[{changes /api/v1/changes false DATA_NOT_READY} {live /api/v1/live true }]" {
		t.Errorf("channels: %+v", r.Channels)
	}
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); a.Error.Code != "DATA_NOT_READY" || a.Error.RetryAfter != 60 {
		t.Errorf("%+v", a)
	}
	w.publish("acme", 2, 1, 1)
	eventually(t, "it can be subscribed to", func() bool { return s.ask("subscribe", map[string]any{"channel": "changes"}).OK })
}
