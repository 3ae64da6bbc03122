package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/socketiotest"
)

// socket is a client's connection. Everything that it receives is checked against
// docs/asyncapi.yaml.
type socket struct {
	t testing.TB
	*socketiotest.Client
}

// dial connects as an account, or without a token, by websocket unless how says otherwise.
func (w *world) dial(as string, how ...func(*socketiotest.Options)) (*socket, error) {
	w.t.Helper()
	o := socketiotest.Options{URL: w.url + "/realtime/"}
	if as != "" {
		o.Auth = map[string]any{"token": w.token(as)}
	}
	for _, edit := range how {
		edit(&o)
	}
	ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
	defer cancel()
	c, err := socketiotest.Dial(ctx, o)
	if err != nil {
		return nil, err
	}
	w.t.Cleanup(c.Close)
	return &socket{w.t, c}, nil
}

func (w *world) token(as string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if token, ok := w.tokens[as]; ok {
		return token
	}
	return as
}

func transport(polling bool) func(*socketiotest.Options) {
	return func(o *socketiotest.Options) { o.Polling = polling }
}

var overPolling = transport(true)

// compressed offers compression, and adds the bytes read to read.
func compressed(read *atomic.Int64) func(*socketiotest.Options) {
	return func(o *socketiotest.Options) { o.Deflate, o.Read = true, read }
}

func withHeader(name, value string) func(*socketiotest.Options) {
	return func(o *socketiotest.Options) {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, value)
	}
}

func withAuth(auth any) func(*socketiotest.Options) {
	return func(o *socketiotest.Options) { o.Auth = auth }
}

func (w *world) connect(as string, how ...func(*socketiotest.Options)) (*socket, ready) {
	w.t.Helper()
	s, err := w.dial(as, how...)
	must(w.t, err)
	var r ready
	must(w.t, json.Unmarshal(s.next("ready"), &r))
	return s, r
}

func (w *world) refused(as string, how ...func(*socketiotest.Options)) string {
	w.t.Helper()
	s, err := w.dial(as, how...)
	var refusal *socketiotest.ConnectError
	if !errors.As(err, &refusal) {
		if err == nil {
			s.Close()
		}
		w.t.Fatalf("not refused: %v", err)
	}
	var data struct{ Code, Message string }
	must(w.t, json.Unmarshal(checked(w.t, "connect_error", []json.RawMessage{refusal.Data}), &data))
	if data.Message != refusal.Message {
		w.t.Errorf("err.message is %q, err.data.message %q", refusal.Message, data.Message)
	}
	return data.Code
}

func (s *socket) next(name string) json.RawMessage {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
	defer cancel()
	e, err := s.Next(ctx)
	if err != nil {
		s.t.Fatalf("waiting for %s: %v", name, err)
	}
	payload := checked(s.t, e.Name, e.Args)
	if e.Name != name {
		s.t.Fatalf("%s came in place of %s: %.300s", e.Name, name, payload)
	}
	return payload
}

// ended waits for the end of the connection; events before it are an error.
func (s *socket) ended() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
	defer cancel()
	if e, err := s.Next(ctx); !errors.Is(err, socketiotest.ErrClosed) {
		s.t.Fatalf("the connection goes on: %s, %v", e.Name, err)
	}
}

// quiet checks that nothing has arrived. Whatever could arrive must already be sent: the
// answer to a message follows it.
func (s *socket) quiet() {
	s.t.Helper()
	s.ask("unsubscribe", map[string]any{"channel": "nothing"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		s.t.Fatalf("%s came: %.300s, %v", e.Name, e.Args, err)
	}
}

func (s *socket) ask(name string, payload ...any) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
	defer cancel()
	args, err := s.Call(ctx, name, payload...)
	must(s.t, err)
	described := map[string]string{"subscribe": "subscribed", "unsubscribe": "unsubscribed"}[name]
	if described == "" {
		described = "unsubscribed"
	}
	var a answer
	must(s.t, json.Unmarshal(checked(s.t, described, args), &a))
	return a
}

type ready struct {
	ClientID   string `json:"client_id"`
	Contract   string
	ServerTime string `json:"server_time"`
	TickMS     int    `json:"tick_ms"`
	Channels   []channelState
}

type channelState struct {
	Channel, Mirrors string
	Available        bool
	Reason           string
}

type answer struct {
	OK      bool
	Channel string
	Cursor  uint64
	Events  []json.RawMessage
	Window  struct {
		FirstSeq uint64 `json:"first_seq"`
		LastSeq  uint64 `json:"last_seq"`
	}
	ProcessedAt  *string `json:"processed_at"`
	FixtureCount int     `json:"fixture_count"`
	Error        struct {
		Code       string
		RetryAfter int `json:"retry_after"`
	}
}
