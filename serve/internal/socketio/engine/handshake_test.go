package engine_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/serve/internal/socketio/engine"
)

func TestOpenPacket(t *testing.T) {
	h := start(t, engine.Options{PingInterval: 7 * time.Second, PingTimeout: 3 * time.Second, MaxPayload: 1234})
	overPolling := h.do("GET", hello+"&t=abc&b64=1&other=x", "")
	if overPolling.status != 200 || overPolling.header.Get("Cache-Control") != "no-store" ||
		overPolling.header.Get("Content-Type") != "text/plain; charset=UTF-8" {
		t.Errorf("got %+v", overPolling)
	}
	ids := map[any]bool{}
	for transport, text := range map[string]string{"polling": overPolling.body, "websocket": h.dial("EIO=4&transport=websocket").next()} {
		var got map[string]any
		if err := json.Unmarshal([]byte(text[1:]), &got); err != nil || text[0] != '0' {
			t.Fatalf("%s: %q", transport, text)
		}
		ids[got["sid"]] = true
		upgrades := []any{"websocket"}
		if transport == "websocket" {
			upgrades = []any{}
		}
		want := map[string]any{"sid": got["sid"], "upgrades": upgrades, "pingInterval": 7000.0, "pingTimeout": 3000.0, "maxPayload": 1234.0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", transport, diff)
		}
	}
	if len(ids) != 2 {
		t.Errorf("ids %v", ids)
	}
}

func TestRefusals(t *testing.T) {
	h := start(t, engine.Options{})
	poll := h.poll()
	const (
		transport = `{"code":0,"message":"Transport unknown"}`
		method    = `{"code":2,"message":"Bad handshake method"}`
		request   = `{"code":3,"message":"Bad request"}`
		version   = `{"code":5,"message":"Unsupported protocol version"}`
	)
	cases := []struct{ name, method, query, want string }{
		{"no transport", "GET", "EIO=4", transport},
		{"unknown transport", "GET", "EIO=4&transport=abc", transport},
		{"a name that every object has", "GET", "EIO=4&transport=constructor", transport},
		{"another one", "GET", "EIO=4&transport=__proto__", transport},
		{"transport before version", "GET", "EIO=3&transport=abc", transport},
		{"transport before sid", "GET", "EIO=4&transport=abc&sid=x", transport},
		{"unknown sid", "GET", "EIO=4&transport=polling&sid=x", unknown},
		{"unknown sid, posted", "POST", "EIO=4&transport=polling&sid=x", unknown},
		{"sid before version", "GET", "EIO=3&transport=polling&sid=x", unknown},
		{"POST without sid", "POST", hello, method},
		{"PUT without sid", "PUT", hello, method},
		{"method before version", "POST", "EIO=3&transport=polling", method},
		{"websocket without upgrade", "GET", "EIO=4&transport=websocket", request},
		{"upgrade before version", "GET", "EIO=3&transport=websocket", request},
		{"websocket without upgrade, with sid", "GET", "EIO=4&transport=websocket&sid=" + poll.sid, request},
		{"another method with sid", "DELETE", poll.query(), request},
		{"long target", "GET", hello + "&t=" + strings.Repeat("x", 4<<10), request},
		{"no version", "GET", "transport=polling", version},
		{"no number", "GET", "transport=polling&EIO=abc", version},
		{"old version", "GET", "transport=polling&EIO=3", version},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := h.do(c.method, c.query, "", "Origin", "https://app.example")
			if a.status != 400 || a.body != c.want {
				t.Errorf("got %d %s, want 400 %s", a.status, a.body, c.want)
			}
			if a.header.Get("Access-Control-Allow-Origin") != "https://app.example" || a.header.Get("Content-Type") != "application/json" {
				t.Errorf("headers %v", a.header)
			}
		})
	}
	for _, query := range []string{hello, poll.query()} {
		if a := h.do("GET", query, "", "X-Long", strings.Repeat("x", 16<<10)); a.status != 400 || a.body != request {
			t.Errorf("long headers: %d %s", a.status, a.body)
		}
	}
	poll.post("4a")
	if a := h.do("GET", poll.query()+"&EIO=3", ""); a.status == 400 {
		t.Error("the version was asked for again")
	}
}

func TestRefusedWebsockets(t *testing.T) {
	h := start(t, engine.Options{})
	for _, query := range []string{"transport=websocket", "EIO=abc&transport=websocket", "EIO=4", "EIO=4&transport=abc", "EIO=4&transport=websocket&sid=x"} {
		if _, err := h.tryDial(query); err == nil {
			t.Errorf("%s: accepted", query)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	h := start(t, engine.Options{})
	const app = "https://app.example"
	preflight := h.do("OPTIONS", hello, "", "Origin", app, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,x-mine")
	want := map[string]string{
		"Access-Control-Allow-Origin": app, "Access-Control-Allow-Methods": "GET, POST",
		"Access-Control-Allow-Headers": "authorization,x-mine", "Access-Control-Allow-Credentials": "",
	}
	for name, value := range want {
		if got := preflight.header.Get(name); got != value || preflight.status != 204 {
			t.Errorf("%d %s: %q, want %q", preflight.status, name, got, value)
		}
	}
	if odd := h.do("OPTIONS", hello, "", "Origin", app, "Access-Control-Request-Headers", "a;b"); odd.header.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type" {
		t.Errorf("got %v", odd.header)
	}
	p := h.poll()
	for name, a := range map[string]answer{
		"handshake": h.do("GET", hello, "", "Origin", app),
		"push":      h.do("POST", p.query(), "4a", "Origin", app),
		"poll":      h.do("GET", p.query(), "", "Origin", app),
	} {
		if a.status != 200 || a.header.Get("Access-Control-Allow-Origin") != app || a.header.Get("Vary") != "Origin" {
			t.Errorf("%s: %d %v", name, a.status, a.header)
		}
	}
	if own := h.do("GET", hello, ""); own.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got %v", own.header)
	}
}

func TestSessionLimit(t *testing.T) {
	h := start(t, engine.Options{MaxSessions: 2})
	h.poll()
	s := h.websocket()
	if a := h.do("GET", hello, "", "Origin", "https://app.example"); a.status != 503 || a.header.Get("Retry-After") == "" || a.header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("got %+v", a)
	}
	if _, err := h.tryDial("EIO=4&transport=websocket"); err == nil {
		t.Error("accepted a session above the limit")
	}
	s.send("1")
	h.reason()
	h.poll()
	if got := h.server.Stats(); got.Opened != 3 || got.Refused != 2 || got.Sessions != 2 {
		t.Errorf("stats %+v", got)
	}
}

func TestRefusedByReceiver(t *testing.T) {
	h := start(t, engine.Options{Open: func(*engine.Session) engine.Receiver { return nil }})
	if a := h.do("GET", hello, ""); a.status != http.StatusServiceUnavailable {
		t.Errorf("got %+v", a)
	}
	if got := h.server.Stats(); got.Opened != 0 || got.Refused != 1 || got.Sessions != 0 {
		t.Errorf("stats %+v", got)
	}
}

func TestWebsocketOnly(t *testing.T) {
	h := start(t, engine.Options{WebsocketOnly: true})
	h.expect(h.do("GET", hello, ""), 400, `{"code":0,"message":"Transport unknown: connect with the websocket transport alone"}`)
	s := h.websocket()
	s.send("4a")
	s.want("4a")
}

func TestKeptHeaders(t *testing.T) {
	h := start(t, engine.Options{KeepHeaders: []string{"authorization", "Origin"}})
	h.do("GET", hello, "", "Authorization", "Bearer x", "Cookie", "y")
	s := <-h.opened
	if diff := cmp.Diff(http.Header{"Authorization": {"Bearer x"}}, s.Header()); diff != "" {
		t.Error(diff)
	}
}
