package serve_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/serve/account"
)

// Whatever is wrong with a message, it is answered with a code, and the
// connection goes on.
func TestSocketMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", nil)
	w.publish("acme", 5, 1, 1)
	w.start()
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
		{"subscribe", on(`"cursor":1e21`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":9007199254740992`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":99999999999999999999`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":"3"`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":null`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":true`), "INVALID_PARAMETER"},
		{"subscribe", on(`"cursor":[3]`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":0`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":201`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":"10"`), "INVALID_PARAMETER"},
		{"subscribe", on(`"backlog":null`), "INVALID_PARAMETER"},
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
	// More arguments are ignored; a message without an answer is carried out.
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

// A subscribe is one request of the channel's product: it takes from the rate
// limit and is counted. Pushes are not.
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

// A client that floods is read slowly, and nobody else notices.
func TestSocketFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", nil)
	w.add("other", nil)
	w.publish("other", 3, 1, 1)
	w.start()
	flood, _ := w.connect("acme")
	var sent atomic.Int64
	began := time.Now()
	go func() {
		for flood.Emit("subscribe", "junk") == nil {
			sent.Add(1)
		}
	}()
	s, _ := w.connect("other")
	for i := 0; i < 20 || sent.Load() < 3000; i++ {
		if a := s.ask("subscribe", map[string]any{"channel": "changes", "cursor": i % 4}); !a.OK {
			t.Fatalf("%+v", a)
		}
	}
	carriedOut := w.metric(`mkt_socket_messages_refused_total{code="BAD_REQUEST"}`)
	if most := 200 + float64(time.Since(began)/(10*time.Millisecond)) + 1; carriedOut < 1 || carriedOut > most {
		t.Errorf("of %d messages %v were carried out, want some and at most %v", sent.Load(), carriedOut, most)
	}
	flood.Close()
}
