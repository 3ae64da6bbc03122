package work_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mkt/cluster/servers"
	"mkt/fetch/credential"
	"mkt/internal/testing/check"
)

// system is a data root with accounts, a provider that sees which worker asks for which account,
// and workers in processes of their own.
type system struct {
	t        *testing.T
	dir      string
	binary   string
	work     string // the setting
	accounts []string
	sealed   map[string]string
	provider *httptest.Server
	schedule string

	mu      sync.Mutex // guards what follows
	now     map[string]map[*worker]int
	last    map[string]*worker   // by account: who asked last
	asked   map[string]time.Time // by account: when it was asked last
	overlap []string             // accounts that two live workers asked at once
	leases  map[string]int       // by account: the process that holds its lease
	orphans map[string]orphan    // accounts of workers that were stopped, not asked for since
	waited  []time.Duration      // of orphans that another worker ran
	longest string
}

type orphan struct {
	since time.Time
	of    *worker
}

// worker is one process of mkt schedule.
type worker struct {
	*exec.Cmd
	index, life int
	admin       string // its address
	log         string // its file
	gone        bool   // killed, or told to stop; system.mu
	ended       chan error
}

func newSystem(t *testing.T, workSetting string, accounts int, schedule string) *system {
	t.Helper()
	binary, err := servers.MKT()
	check.Must(t, err)
	s := &system{t: t, dir: t.TempDir(), binary: binary, work: workSetting, schedule: schedule, sealed: map[string]string{},
		now: map[string]map[*worker]int{}, last: map[string]*worker{}, asked: map[string]time.Time{}, orphans: map[string]orphan{}, leases: map[string]int{}}
	s.run("init", ".")
	simulator := s.command("simulate", "--listen", "127.0.0.1:0", "--fixtures", "10", "--in-play", "4", "--quota", "100000000", "--output", "json")
	out, err := simulator.StdoutPipe()
	s.must(errors.Join(err, simulator.Start()))
	t.Cleanup(func() { _ = simulator.Process.Kill(); _ = simulator.Wait() })
	var ready struct {
		URL   string `json:"base_url"`
		Token string `json:"token"`
	}
	s.must(json.NewDecoder(out).Decode(&ready))
	go io.Copy(io.Discard, out)
	key, err := credential.LoadIdentity(filepath.Join(s.dir, "seal.key"))
	s.must(err)
	for i := range accounts {
		id := fmt.Sprintf("account-%03d", i)
		s.sealed[id], err = credential.Seal(key.Recipient(), id, "betsapi", []byte(ready.Token))
		s.must(err)
		s.accounts = append(s.accounts, id)
	}
	s.provider = s.newProvider(ready.URL)
	s.watchLeases()
	return s
}

// watchLeases notes which process holds the lease of which account.
func (s *system) watchLeases() {
	conn, err := nats.Connect(s.work, nats.MaxReconnects(-1))
	s.must(err)
	s.t.Cleanup(conn.Close)
	_, err = conn.Subscribe("$KV.mkt-leases.*.live_intelligence", func(m *nats.Msg) {
		var holder struct{ Name string }
		_ = json.Unmarshal(m.Data, &holder) // a release has no holder
		_, number, _ := strings.Cut(holder.Name, "(process ")
		process, _ := strconv.Atoi(strings.TrimSuffix(number, ")"))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leases[strings.Split(m.Subject, ".")[2]] = process
	})
	s.must(err)
}

func (s *system) must(err error) {
	s.t.Helper()
	check.Must(s.t, err)
}

func (s *system) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.binary, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	return cmd
}

func (s *system) run(args ...string) string {
	s.t.Helper()
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("mkt %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

var workers sync.Map // by the first word of the path: *worker

// newProvider returns a provider at /WORKER/ACCOUNT/, which forwards to the simulator.
func (s *system) newProvider(simulator string) *httptest.Server {
	target, err := url.Parse(simulator)
	s.must(err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // a worker that was killed
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
		who, known := workers.Load(words[0])
		if !known || len(words) < 3 {
			http.NotFound(w, r)
			return
		}
		defer s.note(words[1], who.(*worker))()
		r.URL.Path = "/" + words[2]
		proxy.ServeHTTP(w, r)
	}))
	s.t.Cleanup(server.Close)
	return server
}

// note records a request for an account; the function that it returns ends it.
func (s *system) note(account string, w *worker) (end func()) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, is := s.orphans[account]; is && o.of != w {
		waited := now.Sub(o.since)
		if len(s.waited) == 0 || waited > slices.Max(s.waited) {
			s.longest = fmt.Sprintf("%s of worker %d.%d, by %d.%d", account, o.of.index, o.of.life, w.index, w.life)
		}
		s.waited = append(s.waited, waited)
		delete(s.orphans, account)
	}
	if s.now[account] == nil {
		s.now[account] = map[*worker]int{}
	}
	for other, n := range s.now[account] {
		if other != w && n > 0 && !other.gone && !w.gone {
			s.overlap = append(s.overlap, account)
		}
	}
	s.now[account][w]++
	s.last[account], s.asked[account] = w, now
	return func() {
		s.mu.Lock()
		s.now[account][w]--
		s.mu.Unlock()
	}
}

// start starts a worker and waits until it runs.
func (s *system) start(index, life int, args ...string) *worker {
	s.t.Helper()
	name := fmt.Sprintf("w%d-%d", index, life)
	w := &worker{index: index, life: life, log: filepath.Join(s.dir, name+".log"), ended: make(chan error, 1)}
	workers.Store(name, w)
	s.writeAccounts(name)
	w.Cmd = s.command(append([]string{"schedule", "--work", s.work, "--tenants", name + ".yaml", "--admin", "127.0.0.1:0", "--output", "json", "--log-format", "json"}, args...)...)
	log, err := os.Create(w.log)
	s.must(err)
	defer log.Close()
	w.Stderr = log
	out, err := w.StdoutPipe()
	s.must(errors.Join(err, w.Start()))
	var ready struct {
		URL string `json:"admin_url"`
	}
	s.must(json.NewDecoder(out).Decode(&ready))
	w.admin = ready.URL
	go func() {
		io.Copy(io.Discard, out)
		w.ended <- w.Wait()
	}()
	s.t.Cleanup(func() { _ = w.Process.Kill() })
	return w
}

// writeAccounts writes the accounts as one worker sees them: the path of the provider names it.
func (s *system) writeAccounts(name string) {
	var b strings.Builder
	b.WriteString("version: 1\ntenants:\n")
	for _, id := range s.accounts {
		fmt.Fprintf(&b, "  - id: %s\n    products: {live_intelligence: {}}\n    schedule: {live_intelligence: %q}\n    provider:\n      name: betsapi\n      base_url: %s/%s/%s\n      allow_private_address: true\n      credential: %q\n",
			id, s.schedule, s.provider.URL, name, id, s.sealed[id])
	}
	s.must(os.WriteFile(filepath.Join(s.dir, name+".yaml"), []byte(b.String()), 0o600))
}

// stop ends a worker by a signal. Its accounts are orphans until another worker asks for them.
func (s *system) stop(w *worker, by os.Signal) {
	s.t.Helper()
	s.mu.Lock()
	w.gone = true
	now := time.Now()
	for account, of := range s.last {
		if of == w {
			s.orphans[account] = orphan{now, w}
		}
	}
	for account, process := range s.leases { // it had begun to run them, and may not have asked the provider
		if process == w.Process.Pid {
			s.orphans[account] = orphan{now, w}
		}
	}
	s.mu.Unlock()
	s.must(w.Process.Signal(by))
	if by == syscall.SIGKILL {
		<-w.ended
	}
}

// awaitAll waits until every account was asked for after a time, by a worker that runs.
func (s *system) awaitAll(after time.Time, within time.Duration) time.Duration {
	s.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		late := 0
		s.mu.Lock()
		for _, id := range s.accounts {
			// A worker that was told to stop may still have asked for it.
			if _, orphan := s.orphans[id]; orphan || !s.asked[id].After(after) {
				late++
			}
		}
		s.mu.Unlock()
		if late == 0 {
			return time.Since(after)
		}
		if time.Since(began) > within {
			s.t.Fatalf("%d of %d accounts do not run after %s", late, len(s.accounts), within)
		}
	}
}

// logged counts the lines of all workers that contain a text.
func (s *system) logged(text string) (n int) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "w*.log"))
	for _, name := range files {
		f, err := os.Open(name)
		s.must(err)
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if strings.Contains(lines.Text(), text) {
				n++
			}
		}
		f.Close()
	}
	return n
}

// published counts the publications of all accounts.
func (s *system) published() int {
	all, _ := filepath.Glob(filepath.Join(s.dir, "data", "client_id=*", "product=*", "commits", "*"))
	return len(all)
}

// checkAlone fails if two workers ran one account at once: the provider sees it, and so does the
// lock of the account's folder, which all workers share here.
func (s *system) checkAlone() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.overlap) > 0 {
		s.t.Errorf("%d times two workers asked for one account at once: %v", len(s.overlap), s.overlap[:min(len(s.overlap), 5)])
	}
	if n := s.logged("another process is running this cycle"); n > 0 {
		s.t.Errorf("%d times two workers ran one account at once", n)
	}
}

// showLogs prints the logs of the workers if the test fails.
func (s *system) showLogs() {
	if !s.t.Failed() {
		return
	}
	files, _ := filepath.Glob(filepath.Join(s.dir, "w*.log"))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) > 12 {
			lines = slices.Concat(lines[:6], []string{"…"}, lines[len(lines)-6:])
		}
		s.t.Logf("%s:\n%s", filepath.Base(name), strings.Join(lines, "\n"))
	}
}
