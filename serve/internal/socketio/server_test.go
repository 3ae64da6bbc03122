package socketio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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
			h.told("connect " + c.auth)
			if got := <-h.sockets; got.ID() != id || ids[id] || !strings.HasPrefix("/custom", got.Namespace()) {
				t.Errorf("id %q, namespace %q; the client has %q", got.ID(), got.Namespace(), id)
			}
			ids[id] = true
			s.send("1" + c.namespace)
			h.told("disconnect " + socketio.ReasonClient)
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

// What the handler sends while it decides follows the acceptance.
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
			h.told("connect ")
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

// A client that goes while it is judged holds no place.
func TestGoneWhileConnecting(t *testing.T) {
	h := start(t, socketio.Options{})
	h.entering = func(ctx context.Context, s *socketio.Socket) error {
		s.Drop("gone")
		<-ctx.Done()
		return nil
	}
	s := h.open()
	s.send("0")
	h.told("connect ", "disconnect gone")
	if got := h.server.Stats(); got.Sockets != 0 || got.Pending != 0 || got.Sessions != 0 {
		t.Errorf("stats %+v", got)
	}
}

func TestConnectTimeout(t *testing.T) {
	o := socketio.Options{ConnectTimeout: 50 * time.Millisecond}
	t.Run("silent", func(t *testing.T) {
		h := start(t, o)
		h.open().want("closed")
		if got := h.server.Stats(); got.Pending != 0 || got.Closed["connect timeout"] != 1 {
			t.Errorf("stats %+v", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		h := start(t, o)
		h.entering = func(context.Context, *socketio.Socket) error { return &socketio.Refusal{Message: "no"} }
		s := h.open()
		s.send("0")
		s.want(`4{"message":"no"}`, "closed")
	})
	t.Run("left", func(t *testing.T) {
		h := start(t, o)
		s := h.open()
		s.send("0")
		s.wantJoined("")
		time.Sleep(100 * time.Millisecond)
		s.send("1")
		h.told("connect ", "disconnect "+socketio.ReasonClient)
		s.want("closed")
	})
	t.Run("polling", func(t *testing.T) {
		h := start(t, o)
		h.do("GET", "", "")
		time.Sleep(100 * time.Millisecond)
		if got := h.server.Stats(); got.Closed["connect timeout"] != 1 {
			t.Errorf("stats %+v", got)
		}
	})
}

func TestPendingLimit(t *testing.T) {
	h := start(t, socketio.Options{MaxPending: 2})
	h.join()
	h.open()
	h.open()
	if got := h.do("GET", "", ""); !strings.Contains(got, "No room") {
		t.Errorf("got %q", got)
	}
	if got := h.server.Stats(); got.Pending != 2 || got.Sockets != 1 || got.Refused != 1 {
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
	h.told("connect ", "disconnect "+socketio.ReasonClient, "event message")
	s.send("0/custom")
	s.wantJoined("/custom,")
	s.conn.Close()
	h.told("connect ", "disconnect "+socketio.ReasonTransport, "disconnect "+socketio.ReasonTransport)
}

func TestServerDisconnects(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	peer := <-h.sockets
	peer.Send(socketio.NewRawPacket("last", json.RawMessage(`1`)))
	peer.Disconnect()
	peer.Disconnect()
	s.want(`2["last",1]`, "1")
	h.told("disconnect " + socketio.ReasonServer)
	if peer.Send(socketio.NewRawPacket("late", json.RawMessage(`1`))) {
		t.Error("a socket that has left takes packets")
	}
	s.send(`2["message",1]`) // sent before the client knew
	s.send("0")
	s.wantJoined("")
	h.told("connect ")
	(<-h.sockets).Drop("mine")
	s.want("closed")
	h.told("disconnect mine")
}

// A panic costs one connection.
func TestPanic(t *testing.T) {
	h := start(t, socketio.Options{})
	other, s := h.join(), h.join()
	s.send(`2["panic"]`)
	s.want("closed")
	h.told("disconnect " + socketio.ReasonPanic)
	other.send(`2["message"]`)
	other.want(`2["message-back"]`)
}

func TestShutdown(t *testing.T) {
	h := start(t, socketio.Options{})
	s := h.join()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := h.server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	s.want("closed")
	h.told("disconnect " + socketio.ReasonShutdown)
}

// The whole conversation over polling.
func TestPolling(t *testing.T) {
	h := start(t, socketio.Options{})
	text := h.do("GET", "", "")
	var o struct{ Sid string }
	if err := json.Unmarshal([]byte(text[1:]), &o); err != nil {
		t.Fatal(err)
	}
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
