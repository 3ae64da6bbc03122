package serve_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/socketiotest"
	"mkt/serve/account"
)

// Any wrong message is answered with a code, and the connection continues.
func TestSocketMessages(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 1).start()
	s, _ := w.connect("acme")
	on := func(fields string) string { return `{"channel":"changes",` + fields + `}` }
	for _, c := range []struct{ name, payload, want string }{
		{"subscribe", ``, "BAD_REQUEST"},
		{"subscribe", `null`, "BAD_REQUEST"},
		{"subscribe", `"changes"`, "BAD_REQUEST"},
		{"subscribe", `7`, "BAD_REQUEST"},
		{"subscribe", `["changes"]`, "BAD_REQUEST"},
		{"subscribe", `{}`, "INVALID_PARAMETER"},
		{"subscribe", `{"channel":null}`, "INVALID_PARAMETER"},
		{"subscribe", `{"channel":1}`, "INVALID_PARAMETER"},
		{"subscribe", `{"Channel":"changes"}`, "INVALID_PARAMETER"},
		{"subscribe", `{"channel":""}`, "NOT_FOUND"},
		{"subscribe", `{"channel":"Changes"}`, "NOT_FOUND"},
		{"subscribe", `{"channel":"__proto__"}`, "NOT_FOUND"},
		{"subscribe", on(`"cursor":-1`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":-0`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":1.5`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":3.0`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":1e400`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":1e21`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":9007199254740992`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":99999999999999999999`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":"3"`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":null`), ""},
		{"subscribe", on(`"cursor":true`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":[3]`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":0`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":201`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":"10"`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":null`), ""},
		{"subscribe", on(`"backlog":10.5`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":3,"unknown":{"a":1}`), ""},
		{"subscribe", on(`"backlog":200`), ""},
		{"subscribe", on(`"backlog":1`), ""},
		{"subscribe", `{"channel":"live","cursor":"ignored","backlog":0}`, ""},
		{"unsubscribe", ``, "BAD_REQUEST"},
		{"unsubscribe", `{"channel":"nothing"}`, "NOT_FOUND"},
		{"unsubscribe", `{"channel":"changes"}`, ""},
		{"unsubscribe", `{"channel":"changes"}`, ""}, // again
		{"publish", `{"channel":"changes"}`, "NOT_FOUND"},
	} {
		var args []any
		if c.payload != "" {
			args = append(args, json.RawMessage(c.payload))
		}
		if a := s.ask(c.name, args...); a.Error.Code != c.want || a.OK != (c.want == "") {
			t.Errorf("%s %s: %+v, want %q", c.name, c.payload, a, c.want)
		}
	}
	// More arguments are ignored; a message without an acknowledgement is handled.
	if a := s.ask("subscribe", map[string]any{"channel": "live"}, "more"); !a.OK {
		t.Errorf("with a second argument: %+v", a)
	}
	must(t, s.Emit("nothing", 1))
	must(t, s.Emit("subscribe"))
	must(t, s.Emit("subscribe", map[string]any{"channel": "changes"}))
	s.quiet()
	w.publish("acme", 2, 1, 2)
	s.next("changes")
}

// A subscribe is one request of the channel's product: it counts towards the rate limit and
// the usage. Pushes do not.
func TestSocketIsMetered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", func(a *account.Account) { a.Limit = account.Limit{Requests: 60, Per: time.Minute, Burst: 5} })
	w.publish("acme", 3, 1, 1)
	w.start()
	s, _ := w.connect("acme")
	for _, c := range []struct {
		payload map[string]any
		want    string
	}{
		{map[string]any{"channel": "changes"}, ""},
		{map[string]any{"channel": "live"}, ""},
		{map[string]any{"channel": "changes", "cursor": "x"}, "INVALID_PARAMETER"}, // as over HTTP
		{map[string]any{"channel": "changes", "cursor": 0}, ""},
		{map[string]any{"channel": "nothing"}, "NOT_FOUND"}, // costs nothing
		{map[string]any{"channel": "changes"}, ""},
		{map[string]any{"channel": "changes"}, "RATE_LIMITED"},
	} {
		a := s.ask("subscribe", c.payload)
		if a.Error.Code != c.want || c.want == "RATE_LIMITED" && a.Error.RetryAfter != 1 {
			t.Errorf("%v: %+v", c.payload, a)
		}
	}
	w.publish("acme", 3, 1, 2)
	s.next("changes")
	w.setClock(begin.Add(time.Minute))
	usage := w.get("/account/usage", "acme").body
	for _, want := range []string{`{"route":"realtime/changes","product":"market_engine","count":4}`, `{"route":"realtime/live","product":"live_intelligence","count":1}`} {
		if !strings.Contains(usage, want) {
			t.Errorf("no %s in %s", want, usage)
		}
	}
}

// The messages of a client that floods are handled at a limited rate; if too many wait, it
// is disconnected; and nobody else notices.
func TestSocketFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("other", nil)
	w.publish("other", 3, 1, 1)
	w.start()
	flood, _ := w.connect("acme")
	began := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for flood.Emit("subscribe", "junk") == nil {
		}
	}()
	s, _ := w.connect("other")
	for i, over := 0, false; !over; i++ {
		if a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": i % 4}); !a.OK {
			t.Fatalf("%+v", a)
		}
		select {
		case <-done:
			over = true
		default:
		}
	}
	eventually(t, "it is closed for that", func() bool { return w.metric(`mkt_socket_disconnects_total{reason="message flood"}`) == 1 })
	carriedOut := w.metric(`mkt_socket_messages_refused_total{code="BAD_REQUEST"}`)
	if most := 200 + float64(time.Since(began)/(10*time.Millisecond)) + 1; carriedOut > most {
		t.Errorf("%v messages were carried out, want at most %v", carriedOut, most)
	}
	w.connect("acme")
}

// Up to the limit of a packet, a refusal and an answer are each sent as one packet.
func TestSocketLongMessages(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 1).start()
	long := strings.Repeat("x", 16_000)
	for name, how := range map[string][]func(*socketiotest.Options){"websocket": nil, "polling": {overPolling}} {
		for _, as := range []string{strings.Repeat("x", 5000), strings.Repeat("mkt_", 2500), long} {
			if got := w.refused(as, how...); got != "INVALID_API_TOKEN" {
				t.Errorf("%s: a token of %d characters: %s", name, len(as), got)
			}
		}
		header := append([]func(*socketiotest.Options){withAuth(nil), withHeader("Authorization", "Bearer "+long[:15_000])}, how...)
		if got := w.refused("", header...); got != "INVALID_API_TOKEN" {
			t.Errorf("%s: a long header: %s", name, got)
		}
		s, _ := w.connect("acme", how...)
		for want, payload := range map[string]map[string]any{
			"":                  {"channel": "changes", "more": long},
			"NOT_FOUND":         {"channel": long},
			"INVALID_PARAMETER": {"channel": "changes", "cursor": json.RawMessage(strings.Repeat("9", 10_000))},
		} {
			if a := s.ask("subscribe", payload); a.Error.Code != want {
				t.Errorf("%s: %+v, want %q", name, a, want)
			}
		}
	}
}
