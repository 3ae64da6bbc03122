package served

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/simulation"
	"mkt/internal/check"
	"mkt/internal/needs"
	"mkt/publish/football"
	"mkt/serve"
	"mkt/serve/account"
)

var (
	seed    = flag.Uint64("seed", 1, "the seed of the world")
	logs    = flag.String("log", "", "a file for the log")
	minutes = flag.Int("minutes", 6, "simulated minutes with faults")
)

// providers are those of the accounts of the world.
var providers = map[string]string{"acme": "betsapi", "bolt": "sportmonks", "cato": "apifootball", "dune": "theoddsapi"}

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

// TestServer is the server of the other test. Libraries keep pools that must not be shared with the
// bubble of a simulated clock, so that it is a process of its own.
func TestServer(t *testing.T) {
	data := needs.Env(t, dataVariable, "the other test sets it")
	var list []account.Account
	for id, provider := range providers {
		a := account.Account{ClientID: id, Name: id, Status: account.Active, TokenDigests: [][32]byte{account.Digest(token(id))}, Features: map[string]bool{},
			Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}}, Limit: account.Limit{Requests: 1_000_000, Per: time.Minute, Burst: 1_000_000},
			Provider: account.Provider{Name: provider, Configured: true}}
		for _, f := range account.ProductFeatures(football.MarketEngine) {
			a.Features[f] = true
		}
		list = append(list, a)
	}
	generation, err := account.NewGeneration(list)
	check.Must(t, err)
	registry := new(account.Registry)
	registry.Swap(generation)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent ends
		cancel()
	}()
	check.Must(t, serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: data, UsageDir: t.TempDir(), Accounts: registry, Poll: 20 * time.Millisecond,
		Ready: func(base string) { fmt.Println("ready " + base) }}))
}

// Clients of the API see what the publications have, at whichever replica they ask, and nothing of
// another account.
func TestServedWorld(t *testing.T) {
	servers, dir := map[string]*server{}, t.TempDir()
	for _, name := range []string{"r1", "r2"} {
		servers[name] = newServer(t, filepath.Join(dir, name))
	}
	r := simulation.Run(t, simulation.Options{Seed: *seed, Length: time.Duration(*minutes) * time.Minute, Cluster: true, Quiet: true,
		Serve: func(name string) (string, simulation.Server) { return servers[name].data, servers[name] }})
	asked := servers["r1"].asked + servers["r2"].asked
	t.Logf("%d operations, %d events, %d publications, %d requests, %s", r.Operations, len(r.Events), r.Published, asked, r.Took.Round(time.Millisecond))
	if *logs != "" {
		check.Must(t, os.WriteFile(*logs, r.Log, 0o600))
	}
	if r.Failure != "" {
		t.Errorf("seed %d: %s", *seed, r.Failure)
	}
	if asked < 50 {
		t.Errorf("the servers were asked %d times", asked)
	}
}

// server is mkt serve over the data root of a replica. The simulation calls it from its bubble, in which
// no goroutine of net/http may stay: another goroutine sends the requests.
type server struct {
	data    string
	base    string
	asked   int
	ask     chan request
	answers chan answer
}

type request struct {
	account, path string
	until         uint64 // seq to wait for; 0: none
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
	s := &server{data: data, ask: make(chan request), answers: make(chan answer)}
	lines := bufio.NewScanner(out)
	for s.base == "" && lines.Scan() {
		s.base, _ = strings.CutPrefix(lines.Text(), "ready ")
		if s.base == lines.Text() {
			s.base = ""
		}
	}
	if s.base == "" {
		t.Fatal("the server did not start")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	go s.work()
	t.Cleanup(func() {
		close(s.ask)
		in.Close()
		_ = cmd.Wait()
	})
	return s
}

func (s *server) work() {
	client := &http.Client{Timeout: 20 * time.Second}
	for q := range s.ask {
		a := s.get(client, q.account, q.path)
		for end := time.Now().Add(10 * time.Second); q.until > 0 && !reached(a, q.until) && time.Now().Before(end); a = s.get(client, q.account, q.path) {
			time.Sleep(5 * time.Millisecond)
		}
		s.answers <- a
	}
}

func reached(a answer, seq uint64) bool {
	var page struct {
		Meta struct {
			Seq uint64 `json:"changes_seq"`
		} `json:"meta"`
	}
	return a.status == http.StatusOK && json.Unmarshal(a.body, &page) == nil && page.Meta.Seq >= seq
}

func (s *server) get(client *http.Client, account, path string) answer {
	q, err := http.NewRequest(http.MethodGet, s.base+"/api/v1"+path, nil)
	if err != nil {
		return answer{}
	}
	q.Header.Set("Authorization", "Bearer "+token(account))
	got, err := client.Do(q)
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
func (s *server) Get(account, path string) (int, []byte) {
	s.asked++
	s.ask <- request{account: account, path: path}
	a := <-s.answers
	return a.status, a.body
}

// Await implements simulation.Server.
func (s *server) Await(account string, seq uint64) bool {
	s.ask <- request{account: account, path: "/fixtures?limit=1", until: max(seq, 1)}
	return reached(<-s.answers, seq)
}
