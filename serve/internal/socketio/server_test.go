package socketio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/serve/internal/socketio"
)

func TestConnect(t *testing.T) {
	cases := map[string]struct{ packet, namespace, auth string }{
		"main":                  {"0", "", ""},
		"main, with payload":    {`0{"token":"123"}`, "", `{"token":"123"}`},
		"main, by name":         {`0/,{"token":"123"}`, "", `{"token":"123"}`},
		"custom":                {"0/custom,", "/custom,", ""},
		"custom, without comma": {"0/custom", "/custom,", ""},
		"custom, with payload":  {`0/custom,{"a":1}`, "/custom,", `{"a":1}`},
	}
	ids := map[string]bool{}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, socketio.Options{})
			s := h.open()
			s.send(c.packet)
			id := s.wantJoined(c.namespace)
			h.wantCalls("connect " + c.auth)
			if got := <-h.sockets; got.ID() != id || ids[id] || !strings.HasPrefix("/custom", got.Namespace()) {
				t.Errorf("id %q, namespace %q; the client has %q", got.ID(), got.Namespace(), id)
			}
			ids[id] = true
			s.send("1" + c.namespace)
			h.wantCalls("disconnect " + socketio.ReasonClient)
		})
	}
}

func TestUnknownNamespace(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	s.send("0/random")
	s.want(`4/random,{"message":"Invalid namespace"}`)
	s.send(`2["message",1]`)
	s.want(`2["message-back",1]`)
}

func TestSentWithinConnect(t *testing.T) {
	h := start(t, socketio.Options{})
	h.entering = func(_ context.Context, s *socketio.Socket) error {
		s.Send(socketio.NewRawPacket("ready", json.RawMessage(`{"v":1}`)))
		s.Send(socketio.NewRawPacket("live", json.RawMessage(`2`)))
		return nil
	}
	s := h.open()
	s.send("0")
	s.wantJoined("")
	s.want(`2["ready",{"v":1}]`, `2["live",2]`)
}

func TestRefusal(t *testing.T) {
	cases := map[string]struct {
		err  error
		want string
	}{
		"with data":    {&socketio.Refusal{Message: "no", Data: map[string]string{"code": "<X>"}}, `4{"message":"no","data":{"code":"<X>"}}`},
		"without data": {&socketio.Refusal{Message: "no"}, `4{"message":"no"}`},
		"wrapped":      {fmt.Errorf("secret: %w", &socketio.Refusal{Message: "no"}), `4{"message":"no"}`},
		"any error":    {errors.New("secret"), `4{"message":"Internal error"}`},
		"unencodable":  {&socketio.Refusal{Message: "no", Data: func() {}}, `4{"message":"no"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, socketio.Options{})
			h.entering = func(_ context.Context, s *socketio.Socket) error {
				s.Send(socketio.NewRawPacket("ready", json.RawMessage(`1`)))
				return c.err
			}
			s := h.open()
			s.send("0")
			s.want(c.want)
			h.wantCalls("connect ")
			if (<-h.sockets).Send(socketio.NewRawPacket("late", json.RawMessage(`1`))) {
				t.Error("a refused socket takes packets")
			}
			h.entering = nil
			s.send("0") // once more, on the same connection
			s.wantJoined("")
			if got := h.server.Stats(); got.Sockets != 1 || got.Pending != 0 {
				t.Errorf("stats %+v", got)
			}
		})
	}
}

// A client that disconnects while the handler decides about it is no longer counted.
func TestGoneWhileConnecting(t *testing.T) {
	h := start(t, socketio.Options{})
	h.entering = func(ctx context.Context, s *socketio.Socket) error {
		s.Drop("gone")
		<-ctx.Done()
		return nil
	}
	s := h.open()
	s.send("0")
	h.wantCalls("connect ", "disconnect gone")
	if got := h.server.Stats(); got.Sockets != 0 || got.Pending != 0 || got.Sessions != 0 {
		t.Errorf("stats %+v", got)
	}
}

func TestConnectTimeout(t *testing.T) {
	o := socketio.Options{ConnectTimeout: time.Second}
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		h := start(t, o)
		h.open().want("closed")
		h.eventually(func(s socketio.Stats) bool { return s.Pending == 0 && s.Closed["connect timeout"] == 1 })
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		h := start(t, o)
		h.entering = func(context.Context, *socketio.Socket) error { return &socketio.Refusal{Message: "no"} }
		s := h.open()
		s.send("0")
		s.want(`4{"message":"no"}`, "closed")
	})
	t.Run("left", func(t *testing.T) {
		t.Parallel()
		h := start(t, o)
		s := h.open()
		s.send("0")
		s.wantJoined("")
		time.Sleep(1200 * time.Millisecond)
		s.send("1")
		h.wantCalls("connect ", "disconnect "+socketio.ReasonClient)
		s.want("closed")
	})
	t.Run("polling", func(t *testing.T) {
		t.Parallel()
		h := start(t, o)
		h.do("GET", "", "")
		h.eventually(func(s socketio.Stats) bool { return s.Closed["connect timeout"] == 1 })
	})
}

// If too many connections have not joined a namespace, the oldest is evicted: of the same
// peer, or else of the peer with most of them.
func TestPendingLimit(t *testing.T) {
	var peer atomic.Pointer[string]
	from := func(name string) { peer.Store(&name) }
	from("a")
	h := start(t, socketio.Options{MaxPending: 5, MaxOfPeer: 3, Peer: func(*http.Request) string { return *peer.Load() }})
	h.join() // has joined, and is not among them
	open := func(name string, n int) (list []socket) {
		from(name)
		for range n {
			list = append(list, h.open())
		}
		return list
	}
	joins := func(what string, list ...socket) {
		t.Helper()
		for _, s := range list {
			s.send("0")
			s.wantJoined("")
			h.wantCalls("connect ")
			s.send("1")
			s.conn.Close()
			h.wantCalls("disconnect " + socketio.ReasonClient)
		}
		check.Eventually(t, what, func() bool { return h.server.Stats().Pending <= 5-len(list) })
	}
	cut := func(what string, list ...socket) {
		t.Helper()
		for _, s := range list {
			if got := s.next(); got == "closed" || strings.Contains(got, "reset") {
				continue
			}
			t.Errorf("%s: still open", what)
		}
	}
	flood := open("flood", 20) // three of them are left
	cut("the flood's oldest", flood[:17]...)
	others := open("b", 2)
	more := open("c", 1) // in the place of the flood's oldest
	cut("the oldest of who has most", flood[17])
	if got := h.server.Stats(); got.Pending != 5 || got.Evicted != 18 || got.Refused != 0 || got.Sockets != 1 {
		t.Errorf("stats %+v", got)
	}
	joins("those who were left", flood[18], flood[19], others[0], others[1], more[0])

	// The same over polling, and nothing of the evicted ones remains.
	from("flood")
	for range 3000 {
		h.do("GET", "", "")
	}
	if got := h.server.Stats(); got.Pending != 3 || got.Sessions != 4 || got.Refused != 0 {
		t.Errorf("stats %+v", got)
	}
}

func TestPendingDuringConnect(t *testing.T) {
	h := start(t, socketio.Options{MaxPending: 2, MaxOfPeer: 2})
	release := make(chan struct{})
	h.entering = func(context.Context, *socketio.Socket) error { <-release; return nil }
	var list []socket
	for range 2 {
		s := h.open()
		s.send("0")
		h.wantCalls("connect ")
		list = append(list, s)
	}
	if got := h.do("GET", "", ""); !strings.Contains(got, "Too many connections") {
		t.Errorf("got %q", got)
	}
	close(release)
	for _, s := range list {
		s.wantJoined("")
	}
	h.open()
	if got := h.server.Stats(); got.Pending != 1 || got.Sockets != 2 || got.Refused != 1 || got.Evicted != 0 {
		t.Errorf("stats %+v", got)
	}
}

// A client that has left its last namespace counts as pending again.
func TestPendingAfterTheLastNamespace(t *testing.T) {
	h := start(t, socketio.Options{MaxPending: 1, ConnectTimeout: time.Hour})
	s := h.join()
	s.send("1")
	h.wantCalls("disconnect " + socketio.ReasonClient)
	other := h.open()
	s.want("closed")
	other.send("0")
	other.wantJoined("")
	if got := h.server.Stats(); got.Pending != 0 || got.Evicted != 1 {
		t.Errorf("stats %+v", got)
	}
}

func TestDisconnect(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	s.send("0/custom")
	s.wantJoined("/custom,")
	s.send("1/custom")
	s.send(`2["message","still here"]`)
	s.want(`2["message-back","still here"]`)
	h.wantCalls("connect ", "disconnect "+socketio.ReasonClient, "event message")
	s.send("0/custom")
	s.wantJoined("/custom,")
	s.conn.Close()
	h.wantCalls("connect ", "disconnect "+socketio.ReasonTransport, "disconnect "+socketio.ReasonTransport)
}

func TestServerDisconnects(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	peer := <-h.sockets
	peer.Send(socketio.NewRawPacket("last", json.RawMessage(`1`)))
	peer.Disconnect()
	peer.Disconnect()
	s.want(`2["last",1]`, "1")
	h.wantCalls("disconnect " + socketio.ReasonServer)
	if peer.Send(socketio.NewRawPacket("late", json.RawMessage(`1`))) {
		t.Error("a socket that has left takes packets")
	}
	s.send(`2["message",1]`) // sent before the client knew
	s.send("0")
	s.wantJoined("")
	h.wantCalls("connect ")
	(<-h.sockets).Drop("mine")
	s.want("closed")
	h.wantCalls("disconnect mine")
}

func TestPanic(t *testing.T) {
	h := start(t, socketio.Options{})
	other, s := h.join(), h.join()
	s.send(`2["panic"]`)
	s.want("closed")
	h.wantCalls("disconnect " + socketio.ReasonPanic)
	other.send(`2["message"]`)
	other.want(`2["message-back"]`)
}

func TestPolling(t *testing.T) {
	h := start(t, socketio.Options{})
	text := h.do("GET", "", "")
	var o struct{ Sid string }
	must(t, json.Unmarshal([]byte(text[1:]), &o))
	sid := "&sid=" + o.Sid
	if got := h.do("POST", sid, "40\x1e42[\"message\",\"a\"]\x1e451-7[\"x\",{\"_placeholder\":true,\"num\":0}]\x1ebAQI="); got != "ok" {
		t.Fatalf("got %q", got)
	}
	socket := <-h.sockets
	if socket.ID() == o.Sid {
		t.Error("the public id is the secret one")
	}
	want := fmt.Sprintf("40{\"sid\":%q}\x1e42[\"message-back\",\"a\"]\x1e461-7[{\"_placeholder\":true,\"num\":0}]\x1ebAQI=", socket.ID())
	if got := h.do("GET", sid, ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := h.do("POST", sid, "40"); !strings.Contains(got, "Bad request") {
		t.Errorf("got %q", got)
	}
	if got := h.do("GET", sid, ""); got != "6\x1e1" {
		t.Errorf("got %q", got)
	}
}
