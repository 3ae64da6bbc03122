package serve_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/socketiotest"
	"mkt/serve"
	"mkt/serve/account"
)

// With each way of sending the token, over each transport, with and without a trailing
// slash: ready is the first event and lists the channels.
func TestSocketReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// The tick is the default. With short ping intervals, the server soon notices a client that stopped between two polls.
	w.realtime = serve.Realtime{PingInterval: 500 * time.Millisecond, PingTimeout: 500 * time.Millisecond}
	w.add("acme", nil)
	w.add("poor", func(a *account.Account) {
		delete(a.Subscriptions, "live_intelligence")
		a.Provider.Disabled = true
	})
	w.publish("acme", 3, 1, 1)
	w.start()
	bearer := withHeader("Authorization", "Bearer "+w.token("acme"))
	for name, how := range map[string][]func(*socketiotest.Options){
		"auth":                  {},
		"auth, polling":         {overPolling},
		"header":                {withAuth(nil), bearer},
		"header, polling":       {withAuth(nil), bearer, overPolling},
		"header, empty token":   {withAuth(map[string]any{"token": ""}), bearer},
		"no slash":              {func(o *socketiotest.Options) { o.URL = strings.TrimSuffix(o.URL, "/") }},
		"no slash, polling":     {overPolling, func(o *socketiotest.Options) { o.URL = strings.TrimSuffix(o.URL, "/") }},
		"origin that is listed": {withHeader("Origin", "https://acme.example")},
	} {
		s, r := w.connect("acme", how...)
		want := ready{ClientID: "acme", Contract: "v1", ServerTime: "2026-11-20T09:10:00.000Z", TickMS: 2000, Channels: []channelState{
			{"changes", "/api/v1/changes", true, ""}, {"live", "/api/v1/live", true, ""}}}
		if fmt.Sprint(r) != fmt.Sprint(want) {
			t.Errorf("%s: ready is %+v", name, r)
		}
		s.Close()
		eventually(t, "the connection is released", func() bool {
			return strings.Count(w.log.String(), "socket ended") == strings.Count(w.log.String(), `msg="socket connected" `)
		})
	}
	_, r := w.connect("poor")
	if fmt.Sprint(r.Channels) != "[{changes /api/v1/changes false PROVIDER_NOT_CONNECTED} {live /api/v1/live false SUBSCRIPTION_REQUIRED}]" {
		t.Errorf("poor: ready is %+v", r)
	}
	if log := w.log.String(); strings.Contains(log, w.token("acme")) || strings.Contains(log, "EIO") {
		t.Error("the log holds a token or a query")
	}
}

func TestSocketChannelsNarrowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.realtime.Channels = []string{"live"}
	w.fetched("acme")
	w.start()
	s, r := w.connect("acme")
	if len(r.Channels) != 1 || r.Channels[0].Channel != "live" {
		t.Errorf("channels: %+v", r.Channels)
	}
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); a.OK || a.Error.Code != "NOT_FOUND" {
		t.Errorf("changes: %+v", a)
	}
}

// Refusals are sent as connect_error, in the order of HTTP's checks, and never as an HTTP
// status.
func TestSocketRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("paused", func(a *account.Account) { a.Status = account.Suspended })
	w.add("over", func(a *account.Account) { a.Status = account.Revoked })
	w.add("idle", func(a *account.Account) { a.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 1} })
	w.start()
	unknown, _ := account.NewToken(nil)
	elsewhere := withHeader("Origin", "https://elsewhere.example")
	for _, c := range []struct {
		name, as, want string
		how            []func(*socketiotest.Options)
	}{
		{name: "no token", want: "INVALID_API_TOKEN"},
		{name: "no token in the object", how: []func(*socketiotest.Options){withAuth(map[string]any{})}, want: "INVALID_API_TOKEN"},
		{name: "unknown token", as: unknown, want: "INVALID_API_TOKEN"},
		{name: "no token at all", as: "nonsense", want: "INVALID_API_TOKEN"},
		{name: "a number", how: []func(*socketiotest.Options){withAuth(map[string]any{"token": 7})}, want: "INVALID_API_TOKEN"},
		{name: "null", how: []func(*socketiotest.Options){withAuth(map[string]any{"token": nil})}, want: "INVALID_API_TOKEN"},
		{name: "a list, with a good header", how: []func(*socketiotest.Options){withAuth(map[string]any{"token": []string{w.token("acme")}}), withHeader("Authorization", "Bearer "+w.token("acme"))}, want: "INVALID_API_TOKEN"},
		{name: "another spelling", how: []func(*socketiotest.Options){withAuth(map[string]any{"Token": w.token("acme")})}, want: "INVALID_API_TOKEN"},
		{name: "a bad token with a good header", as: unknown, how: []func(*socketiotest.Options){withHeader("Authorization", "Bearer "+w.token("acme"))}, want: "INVALID_API_TOKEN"},
		{name: "another scheme", how: []func(*socketiotest.Options){withHeader("Authorization", "Basic "+w.token("acme"))}, want: "INVALID_API_TOKEN"},
		{name: "suspended", as: "paused", want: "CLIENT_SUSPENDED"},
		{name: "suspended, foreign origin", as: "paused", how: []func(*socketiotest.Options){elsewhere}, want: "CLIENT_SUSPENDED"},
		{name: "revoked", as: "over", want: "CLIENT_REVOKED"},
		{name: "foreign origin", as: "acme", how: []func(*socketiotest.Options){elsewhere}, want: "ORIGIN_NOT_ALLOWED"},
		{name: "foreign origin, polling", as: "acme", how: []func(*socketiotest.Options){elsewhere, overPolling}, want: "ORIGIN_NOT_ALLOWED"},
	} {
		if got := w.refused(c.as, c.how...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for range 3 { // a handshake does not count towards the rate limit
		s, _ := w.connect("idle")
		s.Close()
	}
}

// An account may have eight connections, also if many connect at once, and each connection
// is released exactly once, however it ends.
func TestSocketConnectionLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("other", nil)
	w.start()
	for round := range 3 {
		var taken, refused atomic.Int32
		var list [40]*socket
		var wait sync.WaitGroup
		for i := range list {
			wait.Go(func() {
				s, err := w.dial("acme", transport(i%4 == 3))
				var refusal *socketiotest.ConnectError
				switch {
				case err == nil:
					list[i] = s
					taken.Add(1)
				case errors.As(err, &refusal) && strings.Contains(string(refusal.Data), `"code":"RATE_LIMITED"`) &&
					strings.HasSuffix(string(refusal.Data), `,"retry_after":5}`):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if taken.Load() != 8 || refused.Load() != 32 {
			t.Fatalf("round %d: %d taken, %d refused", round, taken.Load(), refused.Load())
		}
		w.connect("other") // has its own
		left := 0
		for _, s := range list {
			if s == nil {
				continue
			}
			if left++; left%2 == 0 {
				s.Send("41")
				s.Send("1")
			}
			s.Close()
		}
		eventually(t, "every connection is released", func() bool {
			log := w.log.String()
			return strings.Count(log, `msg="socket ended" tenant=acme`) == strings.Count(log, `msg="socket connected" tenant=acme`)
		})
	}
}
