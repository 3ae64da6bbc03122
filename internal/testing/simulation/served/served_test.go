package served

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/simulation"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/football"
	"mkt/serve"
	"mkt/serve/account"
)

var (
	seed    = flag.Uint64("seed", 1, "the seed of the world")
	logs    = flag.String("log", "", "a file for the log")
	minutes = flag.Int("minutes", 6, "simulated minutes with faults")
	once    = flag.Bool("once", false, "run the world once, and compare no logs")

	shrinking = flag.Duration("shrink", 2*time.Minute, "time for finding the shortest history of a failure")
)

// providers are those of the accounts of the world.
var providers = map[string]string{"acme": "betsapi", "bolt": "sportmonks", "cato": "apifootball", "dune": "theoddsapi", "gale": "betsapi", "echo": "betsapi", "fern": "sportmonks"}

// token is the same in both processes.
func token(id string) string {
	text, err := account.NewToken(rand.NewChaCha8([32]byte([]byte(id + strings.Repeat(" ", 32))[:32])))
	if err != nil {
		panic(err)
	}
	return text
}

// dataVariable has the data root of a server in a process of its own.
const dataVariable = "MKT_SERVED_DATA"

// clockIsSet is what a server says when its clock shows the time that it was told.
const clockIsSet = "the clock is set"

// TestServer is the server of the other test. Libraries keep pools that must not be shared with the
// bubble of a simulated clock, so that it is a process of its own.
func TestServer(t *testing.T) {
	data := needs.Env(t, dataVariable, "the other test sets it")
	var list []account.Account
	for id, provider := range providers {
		a := account.Account{ClientID: id, Name: id, Status: account.Active, TokenDigests: [][32]byte{account.Digest(token(id))}, Features: map[string]bool{},
			Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}, football.LiveIntelligence: {}}, Limit: account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000},
			Provider: account.Provider{Name: provider, Configured: true}}
		for _, p := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
			for _, f := range account.ProductFeatures(p) {
				a.Features[f] = true
			}
		}
		list = append(list, a)
	}
	generation, err := account.NewGeneration(list)
	check.Must(t, err)
	registry := new(account.Registry)
	registry.Swap(generation)
	ctx, cancel := context.WithCancel(t.Context())
	var now atomic.Int64
	go func() {
		for times := bufio.NewScanner(os.Stdin); times.Scan(); { // until the parent ends
			ns, err := strconv.ParseInt(times.Text(), 10, 64)
			if err != nil {
				panic(err) // of the other test
			}
			now.Store(ns)
			fmt.Println(clockIsSet)
		}
		cancel()
	}()
	check.Must(t, serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: data, UsageDir: t.TempDir(), Accounts: registry, Poll: 20 * time.Millisecond,
		Now:      func() time.Time { return time.Unix(0, now.Load()) },
		Realtime: serve.Realtime{Tick: 20 * time.Millisecond, PingTimeout: time.Minute},
		Ready:    func(base string) { fmt.Println("ready " + base) }}))
}

// result is what a world reports to the other process.
type result struct {
	simulation.Result
	Asked, Dialled, Pushed int // requests, connections and pushes of the servers
}

// TestOne runs the world of another process of these tests.
func TestOne(t *testing.T) {
	simulation.ForProcess(t, func(o simulation.Options) result {
		servers, dir := map[string]*server{}, t.TempDir()
		for _, name := range []string{"r1", "r2"} {
			servers[name] = newServer(t, filepath.Join(dir, name))
		}
		o.Serve = func(name string) (string, simulation.Server) { return servers[name].data, servers[name] }
		r := result{Result: simulation.Run(t, o)}
		for _, s := range servers {
			r.Asked, r.Dialled, r.Pushed = r.Asked+s.asked, r.Dialled+s.dialled, r.Pushed+s.pushed
		}
		return r
	})
}

// Clients of the API see what the publications have, at whichever replica they ask, over HTTP and over
// sockets, and nothing of another account. The same seed gives the same log.
func TestServedWorld(t *testing.T) {
	runs := 2
	if *once {
		runs = 1
	}
	o := simulation.Options{Seed: *seed, Length: time.Duration(*minutes) * time.Minute, Cluster: true, Quiet: true}
	results := make([]result, runs)
	t.Run("runs", func(t *testing.T) {
		for i := range runs {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				results[i] = simulation.InProcess[result](t, os.Args[0], o)
			})
		}
	})
	if t.Failed() {
		return
	}
	r := &results[0]
	t.Logf("%d operations, %d events, %d publications, %d requests, %d connections, %d pushes, log %s, %s",
		r.Operations, len(r.Events), r.Published, r.Asked, r.Dialled, r.Pushed, r.Hash(), r.Took.Round(time.Millisecond))
	if *logs != "" {
		check.Must(t, os.WriteFile(*logs, r.Log, 0o600))
	}
	if r.Failure != "" {
		small := simulation.Shrink(t, os.Args[0], o, r.Result, time.Now().Add(*shrinking))
		t.Errorf("seed %d: %s\nthe shortest history found of the same failure has %d of %d events:\n  %s\n  %s", *seed, r.Failure,
			len(small.Events), len(r.Events), strings.Join(small.Events, "\n  "), small.Failure)
	}
	if again := &results[runs-1]; !bytes.Equal(r.Log, again.Log) {
		t.Errorf("two runs differ: %s", simulation.FirstDifference(r.Log, again.Log))
	}
	if r.Failure == "" && (r.Asked < 50 || r.Dialled < 20 || r.Pushed < 20) {
		t.Errorf("the servers were asked %d times, had %d connections, and sent %d pushes", r.Asked, r.Dialled, r.Pushed)
	}
}

// server is mkt serve over the data root of a replica. The simulation calls it from its bubble, in which
// no goroutine of net/http may stay: another goroutine does the work.
type server struct {
	data    string
	base    string
	client  *http.Client
	clock   io.Writer      // sets the server's clock
	said    *bufio.Scanner // what the server says
	now     time.Time      // on its clock
	work    chan func()
	done    chan struct{}
	asked   int
	dialled int
	pushed  int
}

type answer struct {
	status int
	body   []byte
}

func newServer(t *testing.T, data string) *server {
	check.Must(t, os.MkdirAll(data, 0o750))
	cmd := exec.Command(os.Args[0], "-test.run=^TestServer$")
	cmd.Env = append(os.Environ(), dataVariable+"="+data)
	in, err := cmd.StdinPipe()
	check.Must(t, err)
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	s := &server{data: data, clock: in, said: bufio.NewScanner(out), client: &http.Client{Timeout: 20 * time.Second}, work: make(chan func()), done: make(chan struct{})}
	for s.base == "" && s.said.Scan() {
		s.base, _ = strings.CutPrefix(s.said.Text(), "ready ")
		if s.base == s.said.Text() {
			s.base = ""
		}
	}
	if s.base == "" {
		t.Fatal("the server did not start")
	}
	go func() {
		for do := range s.work {
			do()
			s.done <- struct{}{}
		}
	}()
	t.Cleanup(func() {
		close(s.work)
		in.Close()
		_ = cmd.Wait()
	})
	return s
}

// outside does something outside of the bubble, and waits for it. The server's clock shows the simulated time.
func (s *server) outside(do func()) {
	now := time.Now()
	s.work <- func() {
		s.set(now)
		do()
	}
	<-s.done
}

func (s *server) set(now time.Time) {
	if now.Equal(s.now) {
		return
	}
	s.now = now
	if _, err := fmt.Fprintln(s.clock, now.UnixNano()); err != nil {
		return // it ended, as its answers show
	}
	for s.said.Scan() && s.said.Text() != clockIsSet {
	}
}

func (s *server) get(account, path string) answer {
	q, err := http.NewRequest(http.MethodGet, s.base+"/api/v1"+path, nil)
	if err != nil {
		return answer{}
	}
	q.Header.Set("Authorization", "Bearer "+token(account))
	got, err := s.client.Do(q)
	if err != nil {
		return answer{}
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}
	}
	return answer{got.StatusCode, body}
}

// Get implements simulation.Server.
func (s *server) Get(account, path string) (status int, body []byte) {
	var a answer
	s.asked++
	s.outside(func() { a = s.get(account, path) })
	return a.status, a.body
}

// Together implements simulation.Server.
func (s *server) Together(accounts []string, path string) (bodies map[string][]byte) {
	s.asked += len(accounts)
	bodies = map[string][]byte{}
	s.outside(func() {
		answers := make([]answer, len(accounts))
		var all sync.WaitGroup
		for i, account := range accounts {
			all.Go(func() { answers[i] = s.get(account, path) })
		}
		all.Wait()
		for i, account := range accounts {
			bodies[account] = answers[i].body
		}
	})
	return bodies
}

// Await implements simulation.Server.
func (s *server) Await(account, path string, isNewest func(body []byte) bool) (is bool) {
	s.outside(func() {
		for end := time.Now().Add(10 * time.Second); !is && time.Now().Before(end); {
			a := s.get(account, path)
			if is = a.status == http.StatusOK && isNewest(a.body); !is {
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	return is
}

// Dial implements simulation.Server.
func (s *server) Dial(account string) (c simulation.Socket, err error) {
	s.dialled++
	s.outside(func() {
		ctx, cancel := context.WithTimeout(context.Background(), socketLimit)
		defer cancel()
		var client *socketiotest.Client
		client, err = socketiotest.Dial(ctx, socketiotest.Options{URL: s.base + "/realtime/", Auth: map[string]any{"token": token(account)}})
		c = &socket{s, client}
	})
	return c, err
}

// socketLimit is much longer than a server needs.
const socketLimit = time.Minute

// socket is a connection to a server.
type socket struct {
	*server
	client *socketiotest.Client
}

// Call implements simulation.Socket.
func (c *socket) Call(event string, payload any) (a []byte, err error) {
	c.outside(func() {
		ctx, cancel := context.WithTimeout(context.Background(), socketLimit)
		defer cancel()
		var args []json.RawMessage
		if args, err = c.client.Call(ctx, event, payload); err == nil && len(args) > 0 {
			a = args[0]
		}
	})
	return a, err
}

// Next implements simulation.Socket.
func (c *socket) Next() (event string, payload []byte, err error) {
	c.outside(func() {
		ctx, cancel := context.WithTimeout(context.Background(), socketLimit)
		defer cancel()
		var e socketiotest.Event
		if e, err = c.client.Next(ctx); err == nil && len(e.Args) > 0 {
			event, payload = e.Name, e.Args[0]
			c.pushed++
		}
		if errors.Is(err, socketiotest.ErrClosed) {
			err = io.EOF
		}
	})
	return event, payload, err
}

// Cut implements simulation.Socket.
func (c *socket) Cut() { c.outside(c.client.Close) }
