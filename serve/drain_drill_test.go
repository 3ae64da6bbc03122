package serve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/health"
	"mkt/serve/account"
)

const (
	slowReaders = 500 // of an answer of 300 kB, over some seconds
	slowSenders = 500 // of a request's body, over some seconds
	drainSocks  = 200 // eight an account, every fifth by polling
	socksEach   = 8
)

// S2: SIGTERM to the real binary with a thousand slow requests and two hundred sockets.
// Every request is answered completely, every socket is closed, new clients are refused,
// and the process exits with 0 within 30 seconds.
func TestDrainOfTheBinary(t *testing.T) {
	d := newDrained(t, needs.Env(t, "MKT_BINARY", "scripts/drills/drain.sh sets it"))
	d.start()
	var sockets []*socket
	for i := range drainSocks {
		sockets = append(sockets, d.socket(i))
	}
	var slow sync.WaitGroup
	began := make(chan struct{})
	for range slowReaders {
		slow.Go(func() { d.read(began) })
	}
	for range slowSenders {
		slow.Go(func() { d.send(began) })
	}
	close(began)
	eventually(t, "all are under way", func() bool { return d.inFlight() == slowReaders+slowSenders })

	asked := time.Now()
	must(t, d.server.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- d.server.Wait() }()
	time.Sleep(50 * time.Millisecond)
	if a, err := http.Get(d.url + "/api/v1/status"); err == nil {
		if a.Body.Close(); a.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("who comes new is answered %d", a.StatusCode)
		}
	}
	underWay := d.inFlight()
	for _, s := range sockets {
		s.ended()
	}
	slow.Wait()
	must(t, <-ended)
	took := time.Since(asked)
	if took > 30*time.Second {
		t.Errorf("it took %v to end", took)
	}
	t.Logf("SIGTERM with %d requests under way and %d sockets: %d answered whole, all sockets closed, exit 0 after %v (%d were still under way when others were turned away)",
		slowReaders+slowSenders, drainSocks, d.whole, took.Round(10*time.Millisecond), underWay)
	if d.whole != slowReaders+slowSenders {
		t.Errorf("%d were answered whole", d.whole)
	}
}

type drained struct {
	t           *testing.T
	binary, dir string
	tokens      []string
	server      *exec.Cmd
	url, admin  string

	mu    sync.Mutex
	whole int
}

func accountOf(n int) string { return fmt.Sprintf("acme-%02d", n) }

func newDrained(t *testing.T, binary string) *drained {
	d := &drained{t: t, binary: binary, dir: t.TempDir()}
	sealed := "-----BEGIN AGE ENCRYPTED FILE-----\nsealed\n-----END AGE ENCRYPTED FILE-----"
	var file strings.Builder
	file.WriteString("version: 1\ntenants:\n")
	for n := range drainSocks / socksEach {
		token, err := account.NewToken(nil)
		must(t, err)
		d.tokens = append(d.tokens, token)
		fmt.Fprintf(&file, "  - id: %s\n    status: ACTIVE\n    tokens: [{sha256: %x}]\n    products: {market_engine: {}, live_intelligence: {}}\n", accountOf(n), account.Digest(token))
		fmt.Fprintf(&file, "    rate_limit: {requests: 1000000, per: 1m, burst: 1000000}\n    provider:\n      name: betsapi\n      credential: |\n        %s\n", strings.ReplaceAll(sealed, "\n", "\n        "))
		root := servetest.NewRoot(t, filepath.Join(d.dir, "data"), accountOf(n))
		root.PublishNext(3, 200)
		root.Record(health.Run{Step: "fetch", Cycle: "c", OK: true, StartedAt: servetest.Start, FinishedAt: servetest.Start, CredentialFingerprint: credential.Fingerprint(sealed)})
	}
	must(t, os.WriteFile(filepath.Join(d.dir, "tenants.yaml"), []byte(file.String()), 0o600))
	return d
}

func (d *drained) start() {
	d.t.Helper()
	d.server = exec.Command(d.binary, "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--output", "json", "--tenants", filepath.Join(d.dir, "tenants.yaml"), "--data", filepath.Join(d.dir, "data"))
	log, err := os.Create(filepath.Join(d.dir, "log"))
	must(d.t, err)
	d.server.Dir, d.server.Stderr = d.dir, log
	out, err := d.server.StdoutPipe()
	must(d.t, err)
	must(d.t, d.server.Start())
	d.t.Cleanup(func() { log.Close(); d.server.Process.Kill() })
	var ready struct {
		BaseURL  string `json:"base_url"`
		AdminURL string `json:"admin_url"`
	}
	must(d.t, json.NewDecoder(out).Decode(&ready))
	d.url, d.admin = ready.BaseURL, ready.AdminURL
}

func (d *drained) socket(n int) *socket {
	d.t.Helper()
	id := n / socksEach
	c, err := socketiotest.Dial(d.t.Context(), socketiotest.Options{URL: d.url + "/realtime/", Auth: map[string]any{"token": d.tokens[id]}, Polling: n%5 == 4})
	must(d.t, err)
	s := &socket{d.t, c}
	d.t.Cleanup(c.Close)
	s.next("ready")
	if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK {
		d.t.Fatalf("%+v", a)
	}
	return s
}

func (d *drained) inFlight() int {
	a, err := http.Get(d.admin + "/metrics")
	if err != nil {
		return -1
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	_, rest, _ := strings.Cut(string(text), "\nmkt_http_requests_in_flight ")
	n := -1
	fmt.Sscan(rest, &n)
	return n
}

// pace is the pause of a slow client between two reads.
const pace = 150 * time.Millisecond

// read reads an answer so slowly that the server is writing it all the time: with small
// segments and a small buffer, it does not fit into the buffers of the kernel.
func (d *drained) read(began <-chan struct{}) {
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536)
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
		})
	}}
	<-began
	c, err := dialer.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		d.t.Error(err)
		return
	}
	defer c.Close()
	c.Write(head("/api/v1/fixtures/"+servetest.FixtureID(accountOf(0), 1)+"/markets?limit=200", d.tokens[0], ""))
	d.answered(bufio.NewReaderSize(&dripping{c}, 8<<10), `"market_id"`, 200)
}

type dripping struct{ io.Reader }

func (r *dripping) Read(p []byte) (int, error) {
	time.Sleep(pace)
	return r.Reader.Read(p)
}

func (d *drained) send(began <-chan struct{}) {
	<-began
	c, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		d.t.Error(err)
		return
	}
	defer c.Close()
	c.Write(head("/api/v1/fixtures", d.tokens[0], "Transfer-Encoding: chunked\r\n"))
	for range 40 { // six seconds: a request may take ten
		time.Sleep(pace)
		if _, err := io.WriteString(c, "1\r\nx\r\n"); err != nil {
			d.t.Error(err)
			return
		}
	}
	io.WriteString(c, "0\r\n\r\n")
	d.answered(bufio.NewReader(c), `"fixture_id"`, 3)
}

func (d *drained) answered(in *bufio.Reader, each string, times int) {
	a, err := http.ReadResponse(in, nil)
	if err != nil {
		d.t.Error(err)
		return
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK || !json.Valid(body) || strings.Count(string(body), each) != times {
		d.t.Errorf("%d, %v: %d bytes, %d times %s: %.200s", a.StatusCode, err, len(body), strings.Count(string(body), each), each, body)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.whole++
}
