package serve_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"mkt/serve/internal/servetest"
	"mkt/serve/internal/socketio/socketiotest"
)

// snapshot is the payload of a live event, or the body of GET /live.
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

// What is pushed is the body of GET /live?limit=200, with the true total beside
// it, and only when the snapshot advances.
func TestSocketLiveIsThatOfHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", nil)
	w.fetched("acme")
	w.publishLive("acme", 12) // 10 of them in play
	w.start()
	var list []*socket
	for _, how := range [][]func(*socketiotest.Options){nil, nil, {overPolling}} {
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

// A client that subscribes before there is anything gets the first snapshot.
func TestSocketLiveFromTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", nil)
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
