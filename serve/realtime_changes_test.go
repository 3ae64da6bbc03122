package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
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

// A repeated subscribe starts again without duplicates; a refused one changes nothing; after
// an unsubscribe there are no pushes.
func TestSocketSubscribesAgain(t *testing.T) {
	t.Parallel()
	w := published(t, 4, 1).start()
	s, _ := w.connect("acme")
	other, _ := w.connect("acme")
	for _, s := range []*socket{s, other} {
		for range 3 {
			if a := s.ask("subscribe", map[string]any{"channel": "changes", "backlog": 7}); len(a.Events) != 0 || a.Cursor != 4 {
				t.Errorf("%+v", a)
			}
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

// Publications that are larger than a page come in pages, which follow each other.
func TestSocketPagesOfAPublication(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 1).start()
	for i, polling := range []bool{false, true} {
		s, _ := w.connect("acme", transport(polling))
		last := s.ask("subscribe", map[string]any{"channel": "changes"}).Cursor
		for version := range 3 {
			w.publish("acme", 450, 1, 2+3*i+version)
		}
		for end := last + 3*450; last < end; {
			p := s.changes()
			for _, e := range p.Events {
				if last++; seqOf(t, e) != last {
					t.Fatalf("seq %d in place of %d", seqOf(t, e), last)
				}
			}
			if p.Cursor != last || len(p.Events) > 200 {
				t.Fatalf("%d events, cursor %d after seq %d", len(p.Events), p.Cursor, last)
			}
		}
		s.Close()
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
