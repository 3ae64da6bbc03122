package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"mkt/internal/cluster"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// system is a server and its workers, on the clock of a synctest bubble.
type system struct {
	t      *testing.T
	server *miniredis.Miniredis
	away   atomic.Bool
	silent atomic.Bool // accepts connections, and answers nothing
	joined int
}

func run(t *testing.T, test func(*testing.T, *system)) {
	synctest.Test(t, func(t *testing.T) {
		s := &system{t: t, server: miniredis.NewMiniRedis()}
		s.server.ClockTTL(true)
		defer s.server.Close()
		test(t, s)
	})
}

var address = func() cluster.Address {
	a, err := cluster.ParseAddress("redis://10.0.0.2")
	if err != nil {
		panic(err)
	}
	return a
}()

// process is a worker, or a command.
type process struct {
	*cluster.Conn
	*cluster.Member
	isCut  atomic.Bool
	ahead  atomic.Int64 // nanoseconds by which its clock is ahead
	conns  chan net.Conn
	leave  context.CancelFunc
	left   chan struct{}
	number int
	change atomic.Int64
}

func (s *system) open(name, installation string) *process {
	p := &process{conns: make(chan net.Conn, 1000)}
	p.Conn = cluster.Open(cluster.Options{Address: address, Name: name, Installation: installation,
		Now: func() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) },
		Dial: func(context.Context, string, string) (net.Conn, error) {
			if s.away.Load() || p.isCut.Load() {
				return nil, errors.New("connection refused")
			}
			if s.silent.Load() {
				conn, _ := net.Pipe()
				return conn, nil
			}
			conn, err := s.server.Dial()
			p.conns <- conn
			return conn, err
		}})
	return p
}

// cut ends the connections of a process, and lets it make no others.
func (p *process) cut() {
	p.isCut.Store(true)
	for len(p.conns) > 0 {
		(<-p.conns).Close()
	}
}

func (s *system) join(name string) *process {
	p := s.open(name, "key")
	p.number = s.joined
	s.joined++
	ctx, leave := context.WithCancel(s.t.Context())
	p.leave, p.left = leave, make(chan struct{})
	p.Member = p.Join(func() { p.change.Add(1) })
	go func() {
		p.Member.Run(ctx)
		p.Conn.Close()
		close(p.left)
	}()
	s.t.Cleanup(func() { leave(); <-p.left })
	return p
}

var accounts = func() (list []string) {
	for i := range 300 {
		list = append(list, fmt.Sprint("account-", i))
	}
	return list
}()

// owners returns the worker of each account, and fails if one has several.
func owners(t *testing.T, workers ...*process) map[string]int {
	t.Helper()
	of := map[string]int{}
	for _, a := range accounts {
		for _, w := range workers {
			if w.Owns(a) {
				if other, taken := of[a]; taken {
					t.Fatalf("%s belongs to the workers %d and %d", a, other, w.number)
				}
				of[a] = w.number
			}
		}
	}
	return of
}

// moved compares two answers of owners: only accounts of a gone worker may have moved.
func moved(t *testing.T, before, after map[string]int, gone int) {
	t.Helper()
	if len(after) != len(accounts) {
		t.Errorf("%d of %d accounts have a worker", len(after), len(accounts))
	}
	for a, w := range before {
		if now := after[a]; now == gone || w != gone && now != w {
			t.Fatalf("%s moved from worker %d to %d", a, w, now)
		}
	}
}

const counted = 8 * time.Second // by then a new server knows its workers

func TestAccountsMoveWithTheirWorkers(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, b, c := s.join("a"), s.join("b"), s.join("c")
		time.Sleep(4 * time.Second)
		if n := len(owners(t, a, b, c)); n != 0 {
			t.Errorf("%d accounts have a worker while the workers are counted", n)
		}
		time.Sleep(counted - 4*time.Second)
		first := owners(t, a, b, c)
		share := map[int]int{}
		for _, w := range first {
			share[w]++
		}
		for w, n := range share {
			if n < 70 || n > 130 {
				t.Errorf("worker %d has %d of %d accounts", w, n, len(accounts))
			}
		}
		moved(t, first, owners(t, a, b, c), -1)
		b.cut() // as if it was killed
		time.Sleep(7 * time.Second)
		moved(t, first, owners(t, a, c), 1)
		for account, w := range first {
			if b.Owns(account) != (w == 1) {
				t.Fatalf("%s: the accounts of a worker without the server changed", account)
			}
		}
		c.leave()
		<-c.left
		time.Sleep(1100 * time.Millisecond)
		moved(t, owners(t, a), owners(t, a), 2)
		if c.Owns("account-0") || a.change.Load() == 0 {
			t.Error("the accounts did not come")
		}
	})
}

// What the server forgets, or a new server never knew, moves no account and loses no lease.
func TestServerForgets(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, b := s.join("a"), s.join("b")
		time.Sleep(counted)
		first := owners(t, a, b)
		held, lease, err := a.Take(t.Context(), "acme", "market_engine", "test")
		check.Must(t, err)
		for range 3 {
			s.server.FlushAll()
			for range 100 {
				time.Sleep(50 * time.Millisecond)
				moved(t, first, owners(t, a, b), -1)
			}
		}
		time.Sleep(time.Second) // the lease was renewed since
		var taken *cluster.TakenError
		if _, _, err := b.Take(t.Context(), "acme", "market_engine", "test"); !errors.As(err, &taken) || held.Err() != nil {
			t.Errorf("the lease was lost: %v, %v", err, held.Err())
		}
		lease.Release()
		s.away.Store(true)
		s.server.FlushAll()
		a.cut()
		b.cut()
		time.Sleep(time.Minute)
		moved(t, first, owners(t, a, b), -1)
		var away *cluster.AwayError
		if !errors.As(a.Trouble(), &away) {
			t.Errorf("trouble: %v", a.Trouble())
		}
		s.away.Store(false)
		a.isCut.Store(false)
		b.isCut.Store(false)
		for range 200 {
			time.Sleep(100 * time.Millisecond)
			moved(t, first, owners(t, a, b), -1)
		}
		if a.Trouble() != nil {
			t.Errorf("trouble: %v", a.Trouble())
		}
	})
}

// A server that no worker reached for a while still knows since when it counts, and nobody who is
// alive. The first worker that reaches it again does not take the accounts of all others.
func TestServerOutOfReach(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, b := s.join("a"), s.join("b")
		time.Sleep(counted)
		first := owners(t, a, b)
		a.cut()
		b.cut()
		time.Sleep(time.Minute)
		b.isCut.Store(false)
		for range 30 {
			time.Sleep(100 * time.Millisecond)
			moved(t, first, owners(t, a, b), -1)
		}
		a.isCut.Store(false)
		time.Sleep(counted)
		moved(t, first, owners(t, a, b), -1)
	})
}

// A worker does not wait for each answer of a server that has stopped answering.
func TestServerIsSilent(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a := s.join("a")
		time.Sleep(counted)
		s.silent.Store(true)
		for len(a.conns) > 0 {
			(<-a.conns).Close()
		}
		took := func() time.Duration {
			began := time.Now()
			var away *cluster.AwayError
			if _, _, err := a.Take(t.Context(), "acme", "live_intelligence", "test"); !errors.As(err, &away) || away.Outcome != cluster.Slow {
				t.Errorf("a lease: %v", err)
			}
			a.Announce("acme", "live_intelligence", 1)
			return time.Since(began)
		}
		time.Sleep(6 * time.Second)
		if d := took(); d > 0 || !a.Owns("acme") {
			t.Errorf("a server that is silent was waited for %v", d)
		}
		s.silent.Store(false)
		time.Sleep(4 * time.Second)
		_, lease, err := a.Take(t.Context(), "acme", "live_intelligence", "test")
		check.Must(t, err)
		lease.Release()
	})
}

func TestClocks(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, b := s.join("a"), s.join("b")
		time.Sleep(counted)
		before := owners(t, a, b)
		for _, ahead := range []time.Duration{time.Hour, -time.Hour, 3 * time.Second} {
			b.ahead.Store(int64(ahead))
			time.Sleep(5 * time.Second)
			moved(t, before, owners(t, a, b), 1)
			var clock *cluster.ClockError
			if _, _, err := b.Take(t.Context(), "acme", "market_engine", "test"); !errors.As(err, &clock) || (clock.Ahead-ahead).Abs() > time.Second {
				t.Errorf("a lease by a clock that is %v ahead: %v", ahead, err)
			}
			if !errors.As(b.Trouble(), &clock) {
				t.Errorf("trouble: %v", b.Trouble())
			}
			b.ahead.Store(0)
			time.Sleep(5 * time.Second)
			moved(t, before, owners(t, a, b), -1)
		}
	})
}

// Two installations that use one server and prefix by mistake share no accounts.
func TestInstallations(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, other := s.join("a"), s.open("other", "another key")
		ctx, end := context.WithCancel(t.Context())
		member, ended := other.Join(func() {}), make(chan struct{})
		go func() { member.Run(ctx); close(ended) }()
		time.Sleep(counted)
		if n := len(owners(t, a)); n != len(accounts) || member.Team() != 1 {
			t.Errorf("%d accounts, %d workers", n, member.Team())
		}
		list, err := a.Workers(t.Context())
		check.Must(t, err)
		if len(list) != 2 || list[0].Name != "a" || list[1].Installation != "another key" {
			t.Errorf("workers: %+v", list)
		}
		end()
		<-ended
		other.Close()
	})
}

func TestLeases(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		a, b := s.open("a", ""), s.open("b", "")
		defer a.Close()
		defer b.Close()
		take := func(p *process, want bool) (context.Context, *cluster.Lease) {
			t.Helper()
			held, lease, err := p.Take(t.Context(), "acme", "market_engine", "mkt cycle")
			var taken *cluster.TakenError
			if want != (err == nil) || !want && !errors.As(err, &taken) {
				t.Fatalf("want %v: %v", want, err)
			}
			if !want && (taken.Holder == "" || time.Until(taken.Gone) > 12*time.Second) {
				t.Errorf("taken by %+v", taken)
			}
			return held, lease
		}
		held, lease := take(a, true)
		_, other, err := b.Take(t.Context(), "acme", "live_intelligence", "mkt cycle")
		check.Must(t, err)
		other.Release()
		for range 60 {
			take(b, false)
			time.Sleep(time.Second)
		}
		check.Must(t, held.Err())
		lease.Release()
		if held.Err() == nil || context.Cause(held) != context.Canceled {
			t.Errorf("the context of a lease that was released: %v", context.Cause(held))
		}
		_, lease = take(b, true)
		key := address.Key("lease", "acme", "market_engine")
		value, _ := s.server.Get(key)
		lease.Release()
		_, lease = take(b, true)
		if next, _ := s.server.Get(key); next == value {
			t.Errorf("two leases of a process have the value %q: a late release of the first ends the second", value)
		}
		lease.Release()

		held, lease = take(a, true)
		a.cut()
		time.Sleep(8 * time.Second)
		take(b, false)
		time.Sleep(4100 * time.Millisecond) // the lease of a dead worker ends
		_, second := take(b, true)
		if held.Err() != nil {
			t.Error("a lease ended because the server does not answer")
		}
		a.isCut.Store(false)
		time.Sleep(6 * time.Second)
		if context.Cause(held) != cluster.ErrLost {
			t.Errorf("the lease that another worker has: %v", context.Cause(held))
		}
		lease.Release() // must not release that of the other
		take(a, false)
		second.Release()
		if st := a.Stats(); st.Taken != 2 || st.Lost != 1 || st.Busy != 1 {
			t.Errorf("%+v", st)
		}
	})
}

func TestNews(t *testing.T) {
	run(t, func(t *testing.T, s *system) {
		worker, replica := s.open("worker", ""), s.open("replica", "")
		defer worker.Close()
		defer replica.Close()
		var heard []string
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			replica.Listen(ctx, func(account, product string, version uint64) {
				heard = append(heard, fmt.Sprint(account, " ", product, " ", version))
			})
			close(ended)
		}()
		time.Sleep(time.Second)
		worker.Announce("acme", "market_engine", 7)
		time.Sleep(time.Minute) // nothing is heard for long, and the connection stays
		worker.Announce("acme", "market_engine", 8)
		time.Sleep(time.Second)
		replica.cut()
		time.Sleep(5 * time.Second)
		worker.Announce("acme", "market_engine", 9)
		replica.isCut.Store(false)
		time.Sleep(2 * time.Second)
		worker.Announce("globex", "live_intelligence", 1)
		time.Sleep(time.Second)
		end()
		<-ended
		want := []string{"  0", "acme market_engine 7", "acme market_engine 8", "  0", "globex live_intelligence 1"}
		if !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
	})
}

// The scripts do the same in the real server.
func TestRealServer(t *testing.T) {
	t.Parallel()
	program := needs.Program(t, "redis-server", "such as Debian's package redis-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	at := l.Addr().String()
	check.Must(t, l.Close())
	_, port, err := net.SplitHostPort(at)
	check.Must(t, err)
	server := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	check.Must(t, server.Start())
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	a, err := cluster.ParseAddress("redis://" + at)
	check.Must(t, err)
	one := cluster.Open(cluster.Options{Address: a, Name: "one", Now: time.Now})
	two := cluster.Open(cluster.Options{Address: a, Name: "two", Now: time.Now})
	defer one.Close()
	defer two.Close()
	check.Eventually(t, "the server answers", func() bool { _, err := one.Workers(t.Context()); return err == nil })
	heard := make(chan string, 100)
	go two.Listen(t.Context(), func(account, product string, version uint64) { heard <- fmt.Sprint(account, product, version) })
	if first := <-heard; first != "0" {
		t.Errorf("heard %q first", first)
	}
	one.Announce("acme", "market_engine", 3)
	if news := <-heard; news != "acmemarket_engine3" {
		t.Errorf("heard %q", news)
	}
	_, lease, err := one.Take(t.Context(), "acme", "market_engine", "mkt cycle")
	check.Must(t, err)
	var taken *cluster.TakenError
	if _, _, err := two.Take(t.Context(), "acme", "market_engine", "mkt cycle"); !errors.As(err, &taken) || taken.Holder != "mkt cycle on one" {
		t.Errorf("taken: %v", err)
	}
	lease.Release()
	_, lease, err = two.Take(t.Context(), "acme", "market_engine", "mkt cycle")
	check.Must(t, err)
	lease.Release()
	member := one.Join(func() {})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { member.Run(ctx); close(ended) }()
	check.Eventually(t, "the worker is known", func() bool { list, err := two.Workers(t.Context()); return err == nil && len(list) == 1 })
	check.Eventually(t, "the worker has the accounts", func() bool { return member.Owns("acme") })
	end()
	<-ended
	if list, err := two.Workers(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a worker that left: %v, %v", list, err)
	}
}
