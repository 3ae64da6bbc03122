package work_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"mkt/cluster/servers"
	"mkt/internal/coordination"
	"mkt/internal/testing/check"
)

// startOne starts one server with options of its own.
func startOne(t *testing.T, change func(*server.Options)) string {
	t.Helper()
	o := server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, StoreDir: t.TempDir()}
	change(&o)
	s, err := server.NewServer(&o)
	check.Must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// until waits until a connection has a trouble; "" is none.
func until(t *testing.T, c *coordination.Conn, code coordination.Code) *coordination.Trouble {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		switch trouble := c.Trouble(); {
		case trouble == nil && code == "":
			return nil
		case trouble != nil && trouble.Code == code && !strings.Contains(trouble.What, "being made"):
			return trouble
		}
	}
	t.Fatalf("the trouble is %v, want %s", c.Trouble(), code)
	return nil
}

// What is wrong with NATS is told apart, by messages that hold no password and say what to do.
func TestTrouble(t *testing.T) {
	t.Parallel()
	withUser := startOne(t, func(o *server.Options) { o.Username, o.Password, o.JetStream = "me", "s3cret", true })
	_, host, _ := strings.Cut(withUser, "://")
	for name, c := range map[string]struct {
		url  string
		code coordination.Code
		says string
	}{
		"nobody there":   {"nats://me:s3cret@127.0.0.1:1", coordination.Unreachable, "start one"},
		"wrong password": {"nats://me:s3cret2@" + host, coordination.Refused, "USER:PASSWORD"},
		"no user":        {"nats://" + host, coordination.Refused, "USER:PASSWORD"},
		"no JetStream":   {startOne(t, func(*server.Options) {}), coordination.NoJetStream, "--jetstream"},
		"works":          {"nats://me:s3cret@" + host, coordination.Starting, ""},
	} {
		conn := open(t, c.url, name)
		trouble := until(t, conn, c.code)
		if text := trouble.Error(); !strings.Contains(text, c.says) || strings.Contains(text, "s3cret") {
			t.Errorf("%s: %s", name, text)
		}
		if _, err := conn.Take(t.Context(), run("acme", "live_intelligence", "test")); err == nil {
			t.Errorf("%s: a lease was taken", name)
		}
	}
}

// A worker that hears one of a newer version, or of another installation to which the bucket
// belongs, takes no lease while that one is there.
func TestNotTogether(t *testing.T) {
	t.Parallel()
	url := startOne(t, func(o *server.Options) { o.JetStream = true })
	conn := open(t, url, "old")
	until(t, conn, "")
	member, err := conn.Join(1, func() {})
	check.Must(t, err)
	defer member.End()
	raw, err := nats.Connect(url)
	check.Must(t, err)
	defer raw.Close()
	say := func(text string) {
		for range 3 {
			check.Must(t, raw.Publish("mkt.beat", []byte(text)))
		}
	}
	say("garbage")
	say(`{"format":2,"instance":"new","name":"elsewhere","version":"9","installation":"ab12","able":true}`)
	if trouble := until(t, conn, coordination.Newer); !strings.Contains(trouble.Error(), "elsewhere") {
		t.Error(trouble)
	}
	until(t, conn, "") // it is gone

	other := open(t, url, "other", func(o *coordination.Options) { o.Installation = "cd34" })
	stranger, err := other.Join(1, func() {})
	check.Must(t, err)
	defer stranger.End()
	if trouble := until(t, other, coordination.Foreign); !strings.Contains(trouble.Error(), "cluster=NAME") {
		t.Error(trouble)
	}
	if trouble := conn.Trouble(); trouble != nil {
		t.Errorf("the worker that was there: %v", trouble)
	}
	apart := open(t, url+"?cluster=live", "apart", func(o *coordination.Options) { o.Installation = "cd34" })
	until(t, apart, coordination.Starting)
}

// leaderOf returns the server that leads the bucket of the leases.
func leaderOf(t *testing.T, cluster *servers.NATS) string {
	t.Helper()
	raw, err := nats.Connect(cluster.URL())
	check.Must(t, err)
	defer raw.Close()
	js, err := jetstream.New(raw)
	check.Must(t, err)
	stream, err := js.Stream(t.Context(), "KV_mkt-leases")
	check.Must(t, err)
	return stream.CachedInfo().Cluster.Leader
}

// While NATS is away, a lease that cannot be kept ends the run before another can take it, and
// nothing is taken. When it is back without its memory, nothing is taken for some time either, so
// that a lease that was lost and is still in force is not taken twice.
func TestLeaseAndNATSAway(t *testing.T) {
	t.Parallel()
	cluster := startNATS(t, 3)
	a, b := open(t, cluster.NodeURL(1), "a"), open(t, cluster.URL(), "b") // a's server is not the one that is cut off
	await(t, a)
	await(t, b)
	lease, err := a.Take(t.Context(), run("acme", "market_engine", "mkt schedule"))
	check.Must(t, err)
	ctx, cancel := lease.Bind(t.Context())
	defer func() { cancel() }()

	// One server of three is cut off, with whoever is connected to it: the others go on. That is
	// noticed although it may lead the bucket, and answer questions about it.
	c := open(t, cluster.NodeURL(0), "c")
	await(t, c)
	leads := leaderOf(t, cluster) == "nats-0"
	cluster.Split(0)
	for began := time.Now(); c.Stats().Server == "nats-0"; { // unless c finds another server
		if time.Since(began) > time.Minute {
			t.Fatalf("the server that is cut off is not noticed: %v", c.Trouble())
		}
		if _, err := c.Take(t.Context(), run("acme", "live_intelligence", "test")); err == nil && c.Stats().Server == "nats-0" {
			t.Fatal("a lease was taken from one server of three")
		}
		if trouble := c.Trouble(); trouble != nil && trouble.Code == coordination.NoQuorum {
			break
		}
	}
	cluster.Join()
	until(t, c, "")
	if ctx.Err() != nil { // the election of another leader may take longer than the lease lasts
		if !leads {
			t.Fatal("the lease was lost, although two of three servers were there")
		}
		lease.Release()
		await(t, a)
		if lease, err = a.Take(t.Context(), run("acme", "market_engine", "mkt schedule")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = lease.Bind(t.Context())
	}

	for i := range cluster.Nodes() {
		check.Must(t, cluster.Wipe(i))
	}
	for i := range cluster.Nodes() {
		check.Must(t, cluster.Start(i))
	}
	until(t, b, coordination.Starting)
	await(t, b)
	lost := ctx.Err() != nil // if the servers took longer to elect a leader than the lease lasts
	var taken *coordination.Taken
	if _, err := b.Take(t.Context(), run("acme", "market_engine", "test")); !lost && !errors.As(err, &taken) {
		t.Errorf("a lease that is held while NATS loses everything: %v", err)
	}

	for i := range cluster.Nodes() {
		cluster.Stop(i)
	}
	away := time.Now()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), coordination.ErrLost) || a.Stats().Lost == 0 {
		t.Errorf("the run ended because of %v", context.Cause(ctx))
	}
	t.Logf("the run was ended %s after NATS went away", time.Since(away).Round(100*time.Millisecond))
	lease.Release()
	until(t, a, coordination.Unreachable)
}

// C13: a worker whose clock is ahead or behind takes no lease, says why, and goes on trying: once
// the clock is set, it takes leases without being started again. One within two seconds does.
func TestClocks(t *testing.T) {
	t.Parallel()
	cluster := startNATS(t, 1)
	for name, by := range map[string]time.Duration{"ahead of": time.Hour, "behind": -time.Hour} {
		var wrong atomic.Int64
		wrong.Store(int64(by))
		c := open(t, cluster.URL(), "wrong", func(o *coordination.Options) {
			o.Now = func() time.Time { return time.Now().Add(time.Duration(wrong.Load())) }
		})
		until(t, c, coordination.Clock)
		if text := c.Trouble().Error(); !strings.Contains(text, name) || !strings.Contains(text, "timedatectl") {
			t.Errorf("it says: %s", text)
		}
		if got := c.Stats().Difference.Round(time.Second); got != -by {
			t.Errorf("the servers are %s ahead of a clock that is %s ahead", got, by)
		}
		var trouble *coordination.Trouble
		if _, err := c.Take(t.Context(), run("acme", "live_intelligence", "mkt schedule")); !errors.As(err, &trouble) || trouble.Code != coordination.Clock {
			t.Errorf("a lease for a worker whose clock is %s: %v", name, err)
		}
		wrong.Store(int64(time.Second))
		await(t, c)
		lease, err := c.Take(t.Context(), run("acme", "live_intelligence", "mkt schedule"))
		check.Must(t, err)
		lease.Release()
	}
}

// A publication is announced to all who listen, and an interruption is reported to them.
func TestNews(t *testing.T) {
	t.Parallel()
	cluster := startNATS(t, 1)
	type heard struct {
		client, product string
		version         uint64
	}
	var mu sync.Mutex
	var news []heard
	replica := open(t, cluster.URL(), "replica", func(o *coordination.Options) { o.Use = coordination.ForNews })
	worker := open(t, cluster.URL(), "worker", func(o *coordination.Options) { o.Use = coordination.ForNews })
	for _, c := range []*coordination.Conn{replica, worker} {
		until(t, c, "")
	}
	err := replica.Listen(t.Context(), func(client, product string, version uint64) {
		mu.Lock()
		defer mu.Unlock()
		news = append(news, heard{client, product, version})
	})
	check.Must(t, err)
	wait := func(what string, is func() bool) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			mu.Lock()
			done := is()
			mu.Unlock()
			if done {
				return
			}
			if time.Since(began) > 30*time.Second {
				t.Fatalf("%s: %v", what, news)
			}
		}
	}
	for i := range 3 { // until the subscription has reached the server
		worker.Announce("acme", "live_intelligence", uint64(i))
		time.Sleep(20 * time.Millisecond)
	}
	worker.Announce("acme", "market_engine", 1<<60)
	wait("a publication", func() bool {
		return len(news) > 0 && news[len(news)-1] == heard{"acme", "market_engine", 1 << 60}
	})
	cluster.Stop(0)
	until(t, replica, coordination.Unreachable)
	check.Must(t, cluster.Start(0))
	wait("an interruption", func() bool { return news[len(news)-1] == heard{} })
	until(t, worker, "")
	until(t, replica, "")
	for i := range uint64(50) {
		worker.Announce(fmt.Sprint("account-", i), "live_intelligence", i)
	}
	wait("fifty more", func() bool { return news[len(news)-1].client == "account-49" })
}
