package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
)

type liveBody struct {
	Data []json.RawMessage
	Meta struct {
		LiveFixtureCount  int    `json:"live_fixture_count"`
		ProviderFetchedAt string `json:"provider_fetched_at"`
		ProcessedAt       string `json:"processed_at"`
		PublishedAt       string `json:"published_at"`
	}
}

func (s *socket) live() (b liveBody) {
	s.t.Helper()
	must(s.t, json.Unmarshal(s.next("live"), &b))
	return b
}

// The push is the body of GET /live?limit=200 with the true total, and is sent only if the
// snapshot advances.
func TestSocketLiveIsThatOfHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.publishLive("acme", 12) // 10 of them in play
	w.start()
	var list []*socket
	for _, how := range [][]func(*socketiotest.Options){nil, nil, {overPolling}, {compressed(new(atomic.Int64))}} {
		s, _ := w.connect("acme", how...)
		a := s.ask("subscribe", map[string]any{"channel": "live"})
		if !a.OK || a.ProcessedAt == nil || *a.ProcessedAt != "2026-11-20T08:59:59.000Z" || a.FixtureCount != 10 {
			t.Fatalf("%+v", a)
		}
		list = append(list, s)
	}
	for version, n := range []int{24, 300, 0, 6} {
		w.live("acme").Publish(servetest.LiveSamples("acme", n, version+2, begin))
		var want liveBody
		for i, s := range list {
			got := s.live()
			if i == 0 {
				must(t, json.Unmarshal([]byte(w.get("/live?limit=200", "acme").body), &want))
			}
			if got.Meta != want.Meta || fmt.Sprint(texts(got.Data)) != fmt.Sprint(texts(want.Data)) || len(got.Data) != min(200, got.Meta.LiveFixtureCount) {
				t.Errorf("%d fixtures: %d over the socket, %d over HTTP, %+v, %+v", n, len(got.Data), len(want.Data), got.Meta, want.Meta)
			}
		}
	}
	list[0].ask("unsubscribe", map[string]any{"channel": "live"})
	for range 2 {
		w.live("acme").Publish(nil)
		list[1].live()
	}
	list[0].quiet()
}

// A client that offers compression gets less than a quarter of the bytes, unless it is switched off.
func TestSocketCompression(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		t.Run(fmt.Sprintf("off %v", off), func(t *testing.T) {
			w := newWorld(t, "acme")
			w.fetched("acme")
			w.publishLive("acme", 12)
			w.realtime.Uncompressed = off
			w.start()
			read := new(atomic.Int64)
			s, _ := w.connect("acme", compressed(read))
			if a := s.ask("subscribe", map[string]any{"channel": "live"}); !a.OK {
				t.Fatalf("%+v", a)
			}
			before := read.Load()
			w.live("acme").Publish(servetest.LiveSamples("acme", 240, 2, begin))
			body := s.next("live")
			if got := read.Load() - before; (got > int64(len(body)/4)) != off {
				t.Errorf("a push of %d bytes took %d", len(body), got)
			}
		})
	}
}

// A stopped feed becomes stale without a new snapshot: this is pushed once, as GET /live
// shows it, to all who did not see it stale at their subscribe.
func TestSocketLiveBecomesStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.publishLive("acme", 12)
	w.start()
	subscribed := func() *socket {
		s, _ := w.connect("acme")
		if a := s.ask("subscribe", map[string]any{"channel": "live"}); !a.OK {
			t.Fatalf("%+v", a)
		}
		return s
	}
	s, both := subscribed(), subscribed()
	both.ask("subscribe", map[string]any{"channel": "changes"})
	tick := func() { // a publication of the other channel, whose push shows that a tick has passed
		w.publish("acme", 3, 1, 1)
		both.next("changes")
	}
	w.setClock(begin.Add(50 * time.Second))
	tick()
	s.quiet() // not yet
	becomes := begin.Add(time.Minute)
	for round, version := range []int{2, 3} {
		w.setClock(becomes.Add(time.Second))
		if status := w.get("/status", "acme").body; !strings.Contains(status, "FEED_STALE") {
			t.Fatal(status)
		}
		var want liveBody
		must(t, json.Unmarshal([]byte(w.get("/live?limit=200", "acme").body), &want))
		for _, s := range []*socket{s, both} {
			got := s.live()
			if got.Meta != want.Meta || fmt.Sprint(texts(got.Data)) != fmt.Sprint(texts(want.Data)) {
				t.Errorf("round %d: %s\nover HTTP: %s", round, texts(got.Data), texts(want.Data))
			}
			if !strings.Contains(string(got.Data[0]), `"state":"STALE"`) || !strings.Contains(string(got.Data[0]), `"unavailable_reason":"FEED_STALE"`) {
				t.Errorf("round %d: %s", round, got.Data[0])
			}
		}
		late := subscribed() // has read over HTTP that it is
		w.setClock(becomes.Add(10 * time.Minute))
		tick()
		for _, s := range []*socket{s, both, late} {
			s.quiet() // it was pushed once
		}
		w.setClock(becomes.Add(time.Hour))
		w.live("acme").Publish(servetest.LiveSamples("acme", 12, version, becomes.Add(time.Hour-time.Second)))
		for _, s := range []*socket{s, both, late} {
			if got := s.live(); strings.Contains(string(got.Data[0]), "STALE") {
				t.Errorf("the feed is back: %s", got.Data[0])
			}
		}
		late.Close()
		becomes = becomes.Add(time.Hour + time.Minute)
	}
	// A snapshot that is already stale when it is loaded is pushed only once.
	w.live("acme").Publish(servetest.LiveSamples("acme", 12, 4, w.now().Add(-time.Hour)))
	if got := s.live(); !strings.Contains(string(got.Data[0]), "STALE") {
		t.Errorf("%s", got.Data[0])
	}
	both.live()
	tick()
	s.quiet()
}

// Fixtures with a stopped clock become stale later than those with a running one: that is
// pushed once more.
func TestSocketLiveAtRestBecomesStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	list := servetest.LiveSamples("acme", 3, 1, begin)
	for i := range list {
		if list[i].Row.FixtureID == servetest.FixtureID("acme", 1) {
			late, rests := begin.Add(3*time.Minute), false
			list[i].Row.StaleAt, list[i].Row.ClockRunning = &late, &rests
		}
	}
	w.live("acme").Publish(list)
	w.start()
	s, _ := w.connect("acme")
	if a := s.ask("subscribe", map[string]any{"channel": "live"}); !a.OK {
		t.Fatalf("%+v", a)
	}
	for _, at := range []struct {
		after time.Duration
		stale int
	}{{time.Minute, 2}, {3 * time.Minute, 3}} {
		w.setClock(begin.Add(at.after + time.Second))
		got := s.live()
		if n := strings.Count(fmt.Sprint(texts(got.Data)), `"state":"STALE"`); n != at.stale {
			t.Errorf("after %v %d fixtures are stale, want %d: %s", at.after, n, at.stale, texts(got.Data))
		}
	}
	w.setClock(begin.Add(time.Hour))
	s.quiet()
}

// A client that subscribes before there is a snapshot gets the first one.
func TestSocketLiveFromTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.fetched("acme")
	w.start()
	s, _ := w.connect("acme")
	if a := s.ask("subscribe", map[string]any{"channel": "live"}); !a.OK || a.ProcessedAt != nil || a.FixtureCount != 0 {
		t.Fatalf("%+v", a)
	}
	w.publishLive("acme", 6)
	if b := s.live(); len(b.Data) != 5 {
		t.Errorf("%+v", b.Meta)
	}
}

// A publication does not wait for the next tick, unless there was a push less than a tick
// ago.
func TestSocketPushesWithoutWaitingForATick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.realtime.Tick = time.Hour
	w.fetched("acme")
	w.publishLive("acme", 12)
	w.start()
	var list []*socket
	for range 3 {
		s, _ := w.connect("acme")
		s.ask("subscribe", map[string]any{"channel": "live"})
		list = append(list, s)
	}
	w.live("acme").Publish(servetest.LiveSamples("acme", 6, 2, begin))
	for _, s := range list {
		if got := s.live(); len(got.Data) != 5 {
			t.Errorf("%+v", got.Meta)
		}
	}
	w.live("acme").Publish(servetest.LiveSamples("acme", 12, 3, begin))
	eventually(t, "the next publication over HTTP", func() bool {
		return strings.Contains(w.get("/live", "acme").body, `"live_fixture_count":10`)
	})
	for _, s := range list {
		s.quiet()
	}
}
