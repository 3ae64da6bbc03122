package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/serve/account"
)

// R1: each way of losing a right closes the channels concerned, within two ticks and with its
// code; nothing is pushed afterwards; the connection stays open, and a subscribe succeeds
// once the cause is gone.
func TestSocketLosesARight(t *testing.T) {
	t.Parallel()
	expired := begin.Add(-time.Second)
	cases := []*losing{{name: "nothing", id: "acme"}}
	for name, c := range map[string]struct {
		lose   func(*account.Account)
		closed map[string]string // channel → code
	}{
		"suspended": {func(a *account.Account) { a.Status = account.Suspended }, both("CLIENT_SUSPENDED")},
		"revoked":   {func(a *account.Account) { a.Status = account.Revoked }, both("CLIENT_REVOKED")},
		"expired": {func(a *account.Account) {
			a.Subscriptions[football.MarketEngine] = account.Subscription{Expires: &expired}
		}, map[string]string{"changes": "SUBSCRIPTION_REQUIRED"}},
		"live unsubscribed":     {func(a *account.Account) { delete(a.Subscriptions, football.LiveIntelligence) }, map[string]string{"live": "SUBSCRIPTION_REQUIRED"}},
		"changes off":           {func(a *account.Account) { a.Features["changes"] = false }, map[string]string{"changes": "FEATURE_NOT_ENABLED"}},
		"live_match off":        {func(a *account.Account) { a.Features["live_match"] = false }, map[string]string{"live": "FEATURE_NOT_ENABLED"}},
		"provider without live": {func(a *account.Account) { a.Provider.Capabilities = []football.Capability{football.Prematch} }, map[string]string{"live": "PROVIDER_NOT_CONNECTED"}},
		"provider disabled":     {func(a *account.Account) { a.Provider.Disabled = true }, both("PROVIDER_NOT_CONNECTED")},
		"another credential":    {func(a *account.Account) { a.Provider.Fingerprint = "untested" }, both("PROVIDER_NOT_CONNECTED")},
	} {
		cases = append(cases, &losing{name: name, id: fmt.Sprint("acme-", len(cases)), closed: c.closed, lose: c.lose})
	}
	w := newWorld(t)
	for _, c := range cases {
		w.add(c.id, nil)
		w.publish(c.id, 3, 1, 1)
		w.publishLive(c.id, 3)
	}
	w.start()
	witness, _ := w.connect(cases[0].id) // its account loses nothing
	for _, c := range cases {
		c.socket, _ = w.connect(c.id)
		subscribe(c.socket)
	}
	subscribe(witness)
	for _, c := range cases {
		w.add(c.id, c.lose)
	}
	for _, c := range cases {
		c.socket.closed(c.closed)
		w.publish(c.id, 2, 1, 2) // new publications are not for it
		w.live(c.id).Publish(servetest.LiveSamples(c.id, 3, 2, begin))
	}
	witness.both()
	w.live(cases[0].id).Publish(nil)
	witness.live() // a whole tick lies between
	for _, c := range cases {
		if c.lose != nil {
			c.open(t)
			c.socket.quiet()
		}
		for _, channel := range []string{"changes", "live"} {
			if a := c.socket.ask("subscribe", map[string]any{"channel": channel}); a.Error.Code != c.closed[channel] {
				t.Errorf("%s: %s: %+v, want %q", c.name, channel, a, c.closed[channel])
			}
		}
		w.regain(c.id)
		eventually(t, c.name+" can subscribe again and gets what it has missed", func() bool {
			a := c.socket.ask("subscribe", map[string]any{"channel": "changes", "cursor": 3})
			return a.OK && len(a.Events) == 2 && c.socket.ask("subscribe", map[string]any{"channel": "live"}).OK
		})
	}
}

func (s *socket) both() {
	s.t.Helper()
	left := map[string]bool{"changes": true, "live": true}
	for len(left) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
		e, err := s.Next(ctx)
		cancel()
		must(s.t, err)
		if !left[e.Name] {
			s.t.Fatalf("%s came, waiting for %v", e.Name, left)
		}
		checked(s.t, e.Name, e.Args)
		delete(left, e.Name)
	}
}

type losing struct {
	name, id string
	lose     func(*account.Account) // nil: nothing
	closed   map[string]string      // channel → code
	socket   *socket
}

// open receives the messages of the channel that is still open, if there is one.
func (c *losing) open(t *testing.T) {
	t.Helper()
	if c.closed["changes"] == "" {
		if p := c.socket.changes(); len(p.Events) != 2 {
			t.Errorf("%s: %d events", c.name, len(p.Events))
		}
	}
	if c.closed["live"] == "" {
		c.socket.live()
	}
}

func both(code string) map[string]string { return map[string]string{"changes": code, "live": code} }

func subscribe(list ...*socket) {
	for _, s := range list {
		for _, channel := range []string{"changes", "live"} {
			if a := s.ask("subscribe", map[string]any{"channel": channel}); !a.OK {
				s.t.Fatalf("%s: %+v", channel, a)
			}
		}
	}
}

func (s *socket) closed(want map[string]string) {
	s.t.Helper()
	got := map[string]string{}
	for range want {
		var p struct {
			Channel string
			Error   struct{ Code string }
		}
		must(s.t, json.Unmarshal(s.next("channel_closed"), &p))
		got[p.Channel] = p.Error.Code
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("closed %v, want %v", got, want)
	}
}

func (w *world) regain(id string) {
	w.t.Helper()
	w.add(id, func(a *account.Account) {
		a.Status, a.Provider.Disabled, a.Provider.Fingerprint = account.Active, false, fingerprint
		a.Provider.Capabilities = []football.Capability{football.Prematch, football.LiveStats}
		a.Subscriptions = map[football.Product]account.Subscription{football.MarketEngine: {}, football.LiveIntelligence: {}}
		a.Features["changes"], a.Features["live_match"] = true, true
	})
}

// A term that expires while a client is connected is noticed without an edit.
func TestSocketExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := begin.Add(time.Hour)
	w.add("acme", func(a *account.Account) {
		a.Subscriptions[football.MarketEngine] = account.Subscription{Expires: &end}
	})
	w.publish("acme", 3, 1, 1)
	w.start()
	s, _ := w.connect("acme")
	s.ask("subscribe", map[string]any{"channel": "changes"})
	w.setClock(end)
	s.closed(map[string]string{"changes": "SUBSCRIPTION_REQUIRED"})
}

// A rotated token, a removed origin and a removed account end their connections and no
// others, without waiting for a tick. A client that reconnects is told the reason.
func TestSocketOfARotatedToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.realtime.Tick = time.Second
	second, _ := account.NewToken(nil)
	w.add("acme", func(a *account.Account) { a.TokenDigests = append(a.TokenDigests, account.Digest(second)) })
	w.add("gone", nil)
	w.publish("acme", 3, 1, 1)
	w.start()
	first, _ := w.connect("acme")
	polled, _ := w.connect("acme", overPolling)
	other, _ := w.connect(second)
	browser, _ := w.connect(second, withHeader("Origin", "https://acme.example"))
	w.add("acme", func(a *account.Account) { a.TokenDigests = [][32]byte{account.Digest(second)} })
	first.ended()
	polled.ended()
	if code := w.refused("acme"); code != "INVALID_API_TOKEN" {
		t.Error(code)
	}
	browser.ask("subscribe", map[string]any{"channel": "changes"})
	w.add("acme", func(a *account.Account) { a.Origins = nil })
	browser.ended()
	if code := w.refused(second, withHeader("Origin", "https://acme.example")); code != "ORIGIN_NOT_ALLOWED" {
		t.Error(code)
	}
	other.quiet()
	if a := other.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK {
		t.Errorf("%+v", a)
	}
	left, _ := w.connect("gone")
	w.remove("gone")
	left.ended()
}

func TestSocketsOfTwoAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var list [2]*socket
	for _, id := range []string{"acme", "other"} {
		w.add(id, nil)
		w.publish(id, 3, 1, 1)
	}
	w.start()
	for i, id := range []string{"acme", "other"} {
		list[i], _ = w.connect(id)
		subscribe(list[i])
	}
	for i, id := range []string{"acme", "other"} {
		w.publish(id, 2+i, 1, 2)
		for _, e := range list[i].changes().Events {
			var event item
			must(t, json.Unmarshal(e, &event))
			own := false
			for n := range 4 {
				own = own || event.FixtureID == servetest.FixtureID(id, n)
			}
			if !own {
				t.Errorf("%s was sent %s", id, e)
			}
		}
	}
	list[0].quiet()
}
