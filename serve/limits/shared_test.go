package limits_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/limits"
)

var must, eventually = check.Must, check.Eventually

// server can be stopped and started again under the same address.
type server struct {
	address     string
	stop, start func()
	flush       func()
}

// servers runs a test against two servers: one in the process, and the real one where it is
// installed.
func servers(t *testing.T, test func(*testing.T, *server)) {
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		m := miniredis.NewMiniRedis()
		must(t, m.Start())
		t.Cleanup(m.Close)
		m.ClockTTL(true)
		test(t, &server{m.Addr(), m.Close, func() { must(t, m.Restart()) }, m.FlushAll})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, startRedis(t))
	})
}

func startRedis(t *testing.T, settings ...string) *server {
	t.Helper()
	program := needs.Program(t, "redis-server", "such as Debian's package redis-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &server{address: l.Addr().String()}
	must(t, l.Close())
	_, port, err := net.SplitHostPort(s.address)
	must(t, err)
	dir := t.TempDir()
	var running *exec.Cmd
	s.stop = func() {
		_ = running.Process.Kill()
		_ = running.Wait()
	}
	s.start = func() {
		running = exec.Command(program, append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir, "--logfile", filepath.Join(dir, "log")}, settings...)...)
		must(t, running.Start())
		eventually(t, "redis-server listens", func() bool {
			c, err := net.Dial("tcp", s.address)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	s.flush = func() {
		c, err := net.Dial("tcp", s.address)
		must(t, err)
		defer c.Close()
		_, err = c.Write([]byte("FLUSHALL\r\n"))
		must(t, err)
		_, err = c.Read(make([]byte, 64))
		must(t, err)
	}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

const beat = 20 * time.Millisecond

// replica is one counting process.
type replica struct {
	*limits.Shared
	log  *logBuffer
	stop func()
}

// patience is the budget of tests in which nothing is slow but the machine.
const patience = 10 * time.Second

func open(t *testing.T, url, name string, budget time.Duration) *replica {
	t.Helper()
	a, err := cluster.ParseAddress(url)
	must(t, err)
	r := &replica{log: new(logBuffer)}
	r.Shared = limits.Open(a, limits.Options{Replica: name, Now: time.Now, Log: slog.New(slog.NewTextHandler(r.log, nil)), Budget: budget}.Every(beat))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	r.stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(r.stop)
	return r
}

// group opens replicas, and waits until they know of each other.
func group(t *testing.T, url string, n int, budget time.Duration) []*replica {
	t.Helper()
	var list []*replica
	for i := range n {
		list = append(list, open(t, url, fmt.Sprint("replica", i), budget))
	}
	eventually(t, "all know of each other", func() bool {
		return !slices.ContainsFunc(list, func(r *replica) bool { return r.Stats().Replicas != n })
	})
	return list
}

func (r *replica) take(id string, l account.Limit) error {
	_, err := r.Take(context.Background(), id, l, time.Now())
	return err
}

func limited(err error) bool {
	var refusal *api.Error
	return errors.As(err, &refusal) && refusal.Code == api.RateLimited && refusal.RetryAfter >= time.Second
}

// flood takes tokens from all replicas at once until all refuse, and returns how many there
// were. Every answer is a token or a refusal.
func flood(t *testing.T, list []*replica, id string, l account.Limit) int {
	t.Helper()
	var taken atomic.Int64
	var wait sync.WaitGroup
	for _, r := range list {
		for range 4 {
			wait.Go(func() {
				for {
					err := r.take(id, l)
					if err == nil {
						taken.Add(1)
						continue
					}
					if !limited(err) {
						t.Errorf("not a refusal of the contract: %v", err)
					}
					return
				}
			})
		}
	}
	wait.Wait()
	return int(taken.Load())
}

// C6: a limit is exact over four replicas; while the server is away each allows its share;
// when it is back, the limit is exact again.
func TestExactOverFourReplicas(t *testing.T) {
	servers(t, func(t *testing.T, s *server) {
		list := group(t, "redis://"+s.address, 4, patience)
		perHour := account.Limit{Requests: 1, Per: time.Hour, Burst: 121} // nothing is refilled during the test
		if n := flood(t, list, "acme", perHour); n != 121 {
			t.Errorf("%d requests passed, want 121", n)
		}
		if n := flood(t, list, "", perHour); n != 121 {
			t.Errorf("%d anonymous requests passed, want 121", n)
		}
		s.stop()
		for i, want := range map[string]int{"fresh": 4 * (121 / 4), "acme": 0} { // a used-up bucket stays empty
			if n := flood(t, list, i, perHour); n != want {
				t.Errorf("without the server: %d requests of %s passed, want %d", n, i, want)
			}
		}
		for _, r := range list {
			if r.Stats().Exact || r.log.count("does not answer") != 1 {
				t.Errorf("%+v, logged %d times", r.Stats(), r.log.count("does not answer"))
			}
		}
		s.start()
		eventually(t, "the limits are exact again", func() bool {
			return !slices.ContainsFunc(list, func(r *replica) bool { return !r.Stats().Exact || r.Stats().Replicas != 4 })
		})
		if n := flood(t, list, "later", perHour); n != 121 {
			t.Errorf("with the server again: %d requests passed, want 121", n)
		}
		s.flush() // every bucket is full once more, and nothing else
		if n := flood(t, list, "flushed", perHour); n != 121 {
			t.Errorf("after a flush: %d requests passed, want 121", n)
		}
		for _, r := range list {
			if r.log.count("answers again") != 1 {
				t.Errorf("logged %d times that the server is back", r.log.count("answers again"))
			}
		}
	})
}

// A proxy holding back every answer makes no request slow: after the first few failures
// nobody asks any more.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	p := newProxy(t, m.Addr(), 0)
	list := group(t, "redis://"+p.address, 2, 0)
	eventually(t, "the server answers in time", func() bool { return list[0].Stats().Exact })
	must(t, list[0].take("acme", account.DefaultLimit))
	p.hold.Store(true)
	for range 600 {
		if err := list[0].take("acme", account.DefaultLimit); err != nil && !limited(err) {
			t.Fatal(err)
		}
	}
	if st := list[0].Stats(); st.Exact || st.Shares < 60 {
		t.Errorf("%+v", st)
	}
	if list[0].log.count("reason=slow") == 0 {
		t.Error("it was not logged that the server is slow")
	}
	p.hold.Store(false)
	eventually(t, "the limits are exact again", func() bool { return list[0].Stats().Exact })
}

// A later command uses a connection if making it took longer than a command may, as TLS to a
// distant server can.
func TestSlowConnection(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	m.RequireAuth("s3cret-of-redis")
	p := newProxy(t, m.Addr(), 8*limits.CommandTime) // longer than Open tries
	r := open(t, "redis://:s3cret-of-redis@"+p.address, "a", 0)
	if r.Stats().Exact {
		t.Fatal("the connection was not slow")
	}
	eventually(t, "the limits are exact", func() bool { return r.Stats().Exact })
	must(t, r.take("acme", account.DefaultLimit))
	if n := p.made.Load(); n > 50 {
		t.Errorf("%d connections were made", n)
	}
}

// A restart of the server ends every connection; one command notices it for all.
func TestRestartBetweenTwoCommands(t *testing.T) {
	servers(t, func(t *testing.T, s *server) {
		a, err := cluster.ParseAddress("redis://" + s.address)
		must(t, err)
		r := limits.Open(a, limits.Options{Replica: "a", Budget: patience, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		take := func() {
			if _, err := r.Take(t.Context(), "acme", account.Limit{Requests: 1, Per: time.Hour, Burst: 1000}, time.Now()); err != nil {
				t.Error(err)
			}
		}
		var wait sync.WaitGroup
		for range 16 { // so that there are several connections
			wait.Go(func() {
				for range 10 {
					take()
				}
			})
		}
		wait.Wait()
		s.stop()
		s.start()
		for range 20 {
			take()
		}
		if st := r.Stats(); !st.Exact || st.Shares > 1 {
			t.Errorf("%+v, want at most one decision by the share", st)
		}
	})
}

type proxy struct {
	address string
	delay   time.Duration // of the first answer on each connection, which is that to AUTH
	made    atomic.Int64
	hold    atomic.Bool
}

func newProxy(t *testing.T, to string, delay time.Duration) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String(), delay: delay}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.made.Add(1)
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); server.Close() }()
			go func() {
				defer client.Close()
				time.Sleep(p.delay)
				for buf := make([]byte, 4096); ; {
					n, err := server.Read(buf)
					for p.hold.Load() {
						time.Sleep(10 * time.Millisecond)
					}
					if err != nil {
						return
					}
					if _, err := client.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return p
}

// A server refusing every command is treated like one that is away.
func TestServerThatRefuses(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	m.RequireUserAuth("web", "s3cret-of-redis")
	r := open(t, "redis://web:wrong-s3cret@"+m.Addr()+"/1?prefix=other", "a", patience)
	if err := r.take("acme", account.DefaultLimit); err != nil {
		t.Error(err)
	}
	if r.Stats().Exact || r.log.count("reason=refused") != 1 || r.log.count("s3cret") != 0 {
		t.Errorf("%+v\n%s", r.Stats(), r.log.b.String())
	}
	good := open(t, "redis://web:s3cret-of-redis@"+m.Addr()+"/1?prefix=other", "a", patience)
	must(t, good.take("acme", account.DefaultLimit))
	if !good.Stats().Exact || !m.DB(1).Exists("other:rate:acme") {
		t.Errorf("%+v, %v", good.Stats(), m.DB(1).Keys())
	}
}

// The results are those of a single process, to the nanosecond, whatever the limit.
func TestSameAsOneProcess(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	m.SetTime(at)
	r := open(t, "redis://"+m.Addr(), "a", patience)
	compareWithOneProcess(t, r.Shared, at, m.SetTime)
}

// Sockets are counted over all replicas, without those of a killed one after a while. While
// the server is away each replica allows its share, and afterwards they are counted again.
func TestSocketsOverFourReplicas(t *testing.T) {
	servers(t, func(t *testing.T, s *server) {
		list := group(t, "redis://"+s.address, 4, patience)
		const most = 8
		openAll := func(id string) (n int) {
			var wait sync.WaitGroup
			var count atomic.Int64
			for i, r := range list {
				for j := range most {
					wait.Go(func() {
						if r.Open(context.Background(), id, fmt.Sprint(i, "-", j), most) {
							count.Add(1)
						}
					})
				}
			}
			wait.Wait()
			return int(count.Load())
		}
		if n := openAll("acme"); n != most {
			t.Errorf("%d sockets are open, want %d", n, most)
		}
		closeAll := func(id string) {
			for i, r := range list {
				for j := range most {
					r.Close(id, fmt.Sprint(i, "-", j))
				}
			}
		}
		closeAll("acme")
		// A refresh that is under way adds a closed socket again, and then removes it.
		eventually(t, "as many sockets can be opened again", func() bool {
			n := openAll("acme")
			if n > most {
				t.Fatalf("after all were closed: %d sockets are open, want %d", n, most)
			}
			if n < most {
				closeAll("acme")
			}
			return n == most
		})
		s.stop()
		if n := openAll("other"); n != most {
			t.Errorf("without the server: %d sockets are open, want %d", n, most)
		}
		s.start()
		eventually(t, "the open sockets are counted again", func() bool {
			if !list[0].Stats().Exact || !list[0].Open(context.Background(), "other", "one more", most) {
				return list[0].Stats().Exact
			}
			list[0].Close("other", "one more")
			return false
		})
	})
}

// A replica that was killed neither closes its sockets nor withdraws: both expire.
func TestSocketsOfAKilledReplicaExpire(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	m.SetTime(at)
	a, err := cluster.ParseAddress("redis://" + m.Addr())
	must(t, err)
	killed := limits.Open(a, limits.Options{Replica: "killed", Budget: patience, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	alive := open(t, "redis://"+m.Addr(), "alive", patience)
	const most = 4
	for i := range most {
		if from := []*limits.Shared{killed, alive.Shared}[i%2]; !from.Open(t.Context(), "acme", fmt.Sprint(i), most) {
			t.Fatalf("socket %d is refused", i)
		}
	}
	if alive.Open(t.Context(), "acme", "more", most) {
		t.Fatal("one more than the maximum is allowed")
	}
	eventually(t, "the killed replica counts as alive at first", func() bool { return alive.Stats().Replicas == 2 })
	m.SetTime(at.Add(9 * time.Second))
	eventually(t, "the living one refreshes its sockets", func() bool {
		refreshed := 0
		sockets, err := m.ZMembers("mkt:sockets:acme")
		must(t, err)
		for _, socket := range sockets {
			if ms, err := m.ZScore("mkt:sockets:acme", socket); err == nil && ms >= float64(at.Add(19*time.Second).UnixMilli()) {
				refreshed++
			}
		}
		return refreshed == most/2
	})
	m.SetTime(at.Add(11 * time.Second))
	for i := range most/2 + 1 {
		if open := alive.Open(t.Context(), "acme", fmt.Sprint("again", i), most); open != (i < most/2) {
			t.Errorf("socket %d after the other replica was killed: %v", i, open)
		}
	}
	eventually(t, "the killed replica does not count any more", func() bool { return alive.Stats().Replicas == 1 })
}

// Requests that end while the connections are closed, or after, are judged by the share, and
// no connection is left.
func TestRequestsWhileItEnds(t *testing.T) {
	t.Parallel()
	for range 20 {
		m := miniredis.RunT(t)
		r := open(t, "redis://"+m.Addr(), "a", patience)
		ctx, leave := context.WithCancel(t.Context())
		var asking, wait sync.WaitGroup
		ended := make(chan struct{})
		asking.Add(100)
		for range 100 { // more than there are connections
			wait.Go(func() {
				began := sync.OnceFunc(asking.Done)
				for after := 0; after < 3; { // requests
					if _, err := r.Take(ctx, "acme", account.Limit{Requests: 1, Per: time.Second, Burst: 1e6}, time.Now()); err != nil {
						t.Errorf("a request while it ends: %v", err)
					}
					began()
					select {
					case <-ended:
						after++
					default:
					}
				}
			})
		}
		asking.Wait()
		wait.Go(leave)
		r.stop()
		close(ended)
		wait.Wait()
		eventually(t, "no connection is left", func() bool { return m.CurrentConnectionCount() == 0 })
		m.Close()
	}
}

// A connection that is made after the end is closed.
func TestConnectionAfterItEnded(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	a, err := cluster.ParseAddress("redis://" + m.Addr())
	must(t, err)
	var begun atomic.Int64
	ended := make(chan struct{})
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		begun.Add(1)
		<-ended
		return net.Dial(network, address)
	}
	s := limits.Open(a, limits.Options{Replica: "a", Budget: 20 * time.Millisecond, Now: time.Now, Log: slog.New(slog.DiscardHandler), Dial: dial})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Run(ctx)
	eventually(t, "a connection is being made", func() bool { return begun.Load() > 0 })
	close(ended)
	eventually(t, "each was made, and none is left", func() bool {
		return m.TotalConnectionCount() == int(begun.Load()) && m.CurrentConnectionCount() == 0
	})
}

// After a flush, the number of replicas stays as it was until all had time to announce
// themselves again: otherwise the share of the first one would be the whole limit.
func TestReplicasAfterAFlush(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	a, err := cluster.ParseAddress("redis://" + m.Addr())
	must(t, err)
	var list [2]*limits.Shared
	for i, name := range []string{"a", "b"} {
		list[i] = limits.Open(a, limits.Options{Replica: name, Budget: patience, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	}
	m.FlushAll()
	for n := 1; n <= 10; n++ {
		must(t, list[1].Beat(t.Context()))
		if got := list[1].Stats().Replicas; (got == 2) != (n < 10) {
			t.Errorf("%d announcements after the flush: %d replicas", n, got)
		}
	}
	must(t, list[0].Beat(t.Context()))
	must(t, list[1].Beat(t.Context()))
	if got := list[1].Stats().Replicas; got != 2 {
		t.Errorf("%d replicas, want 2", got)
	}
}
