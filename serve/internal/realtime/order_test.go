package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/gate"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/socketio"
)

// bench is a service without a clock: a test makes its rounds, in any order.
type bench struct {
	t       *testing.T
	dir     string
	service *Service
	library *reader.Library
	client  *socketiotest.Client
}

func newBench(t *testing.T) *bench {
	dir := t.TempDir()
	token, err := account.NewToken(nil)
	must(t, err)
	accounts := new(account.Registry)
	g, err := account.NewGeneration([]account.Account{{
		ClientID: "acme", Status: account.Active, TokenDigests: [][32]byte{account.Digest(token)}, Limit: account.Limit{Requests: 1000, Per: time.Minute, Burst: 1000},
		Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}, football.LiveIntelligence: {}},
		Features:      map[string]bool{account.Changes: true, account.LiveMatch: true},
	}})
	must(t, err)
	accounts.Swap(g)
	products := []football.Product{football.MarketEngine, football.LiveIntelligence}
	library, err := reader.Open(reader.Options{DataDir: dir, CacheDir: t.TempDir(), Products: products, Clients: func() []string { return nil }})
	must(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	library.Run(ended) // nothing was published before
	b := &bench{t: t, dir: dir, library: library, service: New(Options{
		Gate:    &gate.Gate{Accounts: accounts, Limiter: new(gate.TokenBuckets), Now: time.Now},
		Sockets: new(gate.OpenSockets), Usage: gate.NewUsage(nil, "test", time.Now, nil), Library: library,
		Connected:    func(*account.Account, football.Product) bool { return true },
		NewRequestID: func() string { return "req_1" }, Now: time.Now,
	})}
	server := httptest.NewServer(socketio.New(socketio.Options{Namespaces: map[string]socketio.Handler{"/": b.service}, KeepHeaders: KeepHeaders}))
	t.Cleanup(func() { server.Close(); must(t, library.Close()) })
	b.client, err = socketiotest.Dial(t.Context(), socketiotest.Options{URL: server.URL + "/realtime/", Auth: map[string]any{"token": token}})
	must(t, err)
	t.Cleanup(b.client.Close)
	return b
}

// load loads the new publications.
func (b *bench) load(p football.Product) { b.library.Tenant("acme").Dataset(p).Refresh(b.t.Context()) }

// round returns a round that has its view of a channel already, as one that has begun its visit.
func (b *bench) round(ch int) *round {
	r := b.service.newRound(b.connection().tenant, b.service.o.Gate.Accounts.Load())
	r.view(ch)
	b.t.Cleanup(r.release)
	return r
}

func (b *bench) connection() (c *connection) {
	check.Eventually(b.t, "the client is connected", func() bool {
		b.service.mu.Lock()
		t := b.service.tenants["acme"]
		b.service.mu.Unlock()
		if t == nil || len(t.members()) == 0 {
			return false
		}
		c = t.members()[0]
		return true
	})
	return c
}

type reply struct {
	OK          bool
	Cursor      uint64
	ProcessedAt time.Time `json:"processed_at"`
}

func (b *bench) subscribe(payload map[string]any) (r reply) {
	b.t.Helper()
	args, err := b.client.Call(b.t.Context(), "subscribe", payload)
	must(b.t, err)
	must(b.t, json.Unmarshal(args[0], &r))
	if !r.OK {
		b.t.Fatalf("refused: %s", args[0])
	}
	return r
}

// pushes returns the names of the events that arrived until now.
func (b *bench) pushes() (names []string) {
	b.t.Helper()
	_, err := b.client.Call(b.t.Context(), "unsubscribe", map[string]any{"channel": "nothing"}) // its reply follows them
	must(b.t, err)
	over, cancel := context.WithCancel(b.t.Context())
	cancel()
	for {
		e, err := b.client.Next(over)
		if errors.Is(err, context.Canceled) {
			return names
		}
		must(b.t, err)
		names = append(names, e.Name)
	}
}

// A round may begin before a snapshot is loaded, and reach a connection after a subscribe was
// answered from that snapshot. It sends nothing older.
func TestNoPushIsOlderThanTheReply(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	root := servetest.NewLiveRoot(t, b.dir, "acme")
	root.Publish(servetest.LiveSamples("acme", 3, 1, servetest.Start))
	b.load(football.LiveIntelligence)
	late := b.round(live)
	root.Publish(servetest.LiveSamples("acme", 3, 2, servetest.Start))
	b.load(football.LiveIntelligence)
	b.pushes()
	if r := b.subscribe(map[string]any{"channel": "live"}); !r.ProcessedAt.Equal(servetest.Start.Add(servetest.LiveTick - time.Second)) {
		t.Fatalf("the reply is of a snapshot processed at %s", r.ProcessedAt)
	}
	b.connection().serve(late)
	b.connection().serve(b.round(live))
	if got := b.pushes(); len(got) != 0 {
		t.Errorf("pushed after the reply: %q", got)
	}
	root.Publish(servetest.LiveSamples("acme", 3, 3, servetest.Start))
	b.load(football.LiveIntelligence)
	b.connection().serve(b.round(live))
	if got := b.pushes(); len(got) != 1 {
		t.Errorf("after the next snapshot: %q", got)
	}
}

// The same after a restore: a round with a view of the history before does not end the connection of a
// client with a subscription to the new one.
func TestNoRoundOfTheHistoryBeforeTheReply(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	servetest.NewRoot(t, b.dir, "acme").PublishNext(4, 1)
	b.load(football.MarketEngine)
	late := b.round(changes)
	restored := servetest.NewRoot(t, b.dir, "acme").At(1)
	restored.History, restored.Late, restored.Commit.LastSeq, restored.Manifest.Changes = "restored", 3*time.Hour, 1_000_000, nil
	restored.PublishNext(2, 1)
	b.load(football.MarketEngine)
	if r := b.subscribe(map[string]any{"channel": "changes"}); r.Cursor != 1_000_002 {
		t.Fatalf("%+v", r)
	}
	b.connection().serve(late)
	b.pushes()
	c := b.connection()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone || !c.on[changes] {
		t.Error("the subscription has ended")
	}
}

// Events pushed during a repeated subscribe are not sent again.
func TestSubscribingAgainDoublesNoEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	root := servetest.NewRoot(t, b.dir, "acme")
	root.PublishNext(4, 1)
	b.load(football.MarketEngine)
	b.pushes()
	b.subscribe(map[string]any{"channel": "changes"})
	c := b.connection()

	c.mu.Lock() // as a round that pushes has it
	answered := make(chan reply)
	go func() { answered <- b.subscribe(map[string]any{"channel": "changes"}) }()
	check.Eventually(t, "the second subscribe is being handled", func() bool { return b.subscribes() == 2 })
	time.Sleep(50 * time.Millisecond) // until it waits for the lock
	root.PublishNext(3, 1)
	b.load(football.MarketEngine)
	c.pushChanges(b.round(changes))
	c.mu.Unlock()

	if r := <-answered; r.Cursor != 7 {
		t.Errorf("the reply after a push of the events up to 7 has cursor %d", r.Cursor)
	}
	c.serve(b.round(changes))
	if got := b.pushes(); len(got) != 1 {
		t.Errorf("%d pushes of the same events", len(got))
	}
}

func (b *bench) subscribes() (n int64) {
	days, _ := b.service.o.Usage.Of("acme")
	for _, day := range days {
		for _, route := range day.Requests {
			n += route.Count
		}
	}
	return n
}
