package admin_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/testing/check"
	"mkt/serve/admin"
)

var must = check.Must

func open(t *testing.T, o admin.Options) *admin.Server {
	t.Helper()
	o.Listen, o.Version = "127.0.0.1:0", "1.2.3"
	s, err := admin.Open(o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func ask(t *testing.T, method, url, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	must(t, err)
	r.Host = host
	a, err := http.DefaultClient.Do(r)
	must(t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	must(t, err)
	return a.StatusCode, string(body)
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:0": "here", "127.1.2.3:9081": "here", "[::1]:9081": "here", "localhost:9081": "here", "[::ffff:127.0.0.1]:1": "here",
		":9081": "remote", "0.0.0.0:9081": "remote", "[::]:9081": "remote", "10.0.0.1:9081": "remote", "example.com:9081": "remote",
		"localhost.example.com:1": "remote", "127.0.0.1.example.com:1": "remote", "169.254.1.1:80": "remote",
		"": "wrong", "9081": "wrong", "127.0.0.1": "wrong", "127.0.0.1:": "wrong", "127.0.0.1:http": "wrong", "127.0.0.1:65536": "wrong", "127.0.0.1:-1": "wrong", "::1:80": "wrong",
	} {
		err, allowed := admin.CheckAddress(address, false), admin.CheckAddress(address, true)
		got := "here"
		switch {
		case errors.Is(err, admin.ErrRemote):
			got = "remote"
		case err != nil:
			got = "wrong"
		}
		if got != want || (allowed == nil) == (want == "wrong") {
			t.Errorf("%q is %s (%v; where others may come: %v), want %s", address, got, err, allowed, want)
		}
	}
	if _, err := admin.Open(admin.Options{Listen: "0.0.0.0:0"}); !errors.Is(err, admin.ErrRemote) {
		t.Errorf("opened for everybody: %v", err)
	}
}

func TestReadySaysWhyNot(t *testing.T) {
	s := open(t, admin.Options{})
	check := func(status int, text string) {
		t.Helper()
		if got, body := ask(t, "GET", s.URL()+"/readyz", ""); got != status || body != text+"\n" {
			t.Errorf("%d %q, want %d %q", got, body, status, text)
		}
	}
	check(503, "not ready: starting")
	s.ReadyWhen(func() error { return errors.New("draining") })
	check(503, "not ready: draining")
	s.ReadyWhen(func() error { return nil })
	check(200, "ready")
	if status, body := ask(t, "GET", s.URL()+"/livez", ""); status != 200 || body != "alive\n" {
		t.Errorf("live: %d %q", status, body)
	}
}

func TestRegistryIsNotGlobal(t *testing.T) {
	s := open(t, admin.Options{})
	n := prometheus.NewCounter(prometheus.CounterOpts{Name: "mkt_test_total", Help: "x."})
	s.Metrics.MustRegister(n)
	n.Add(3)
	_, body := ask(t, "GET", s.URL()+"/metrics", "")
	for _, want := range []string{"mkt_test_total 3\n", `mkt_build_info{version="1.2.3"} 1`, "go_goroutines ", "process_resident_memory_bytes "} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if _, other := ask(t, "GET", open(t, admin.Options{}).URL()+"/metrics", ""); strings.Contains(other, "mkt_test_total") {
		t.Error("another process's metrics are shown")
	}
}

// Unknown paths and methods are refused, and so are web pages whose name resolves to
// loopback.
func TestRefusals(t *testing.T) {
	s := open(t, admin.Options{})
	remote := open(t, admin.Options{Remote: true})
	for _, c := range []struct {
		s                  *admin.Server
		method, path, host string
		want               int
	}{
		{s, "GET", "/", "", 200}, {s, "HEAD", "/livez", "", 200}, {s, "POST", "/metrics", "", 405}, {s, "DELETE", "/readyz", "", 405},
		{s, "GET", "/debug/pprof/", "", 404}, {s, "GET", "/api/v1/status", "", 404}, {s, "GET", "/metrics/", "", 404},
		{s, "GET", "/metrics", "evil.example", 403}, {s, "GET", "/readyz", "evil.example:9081", 403}, {s, "GET", "/metrics", "localhost", 200}, {s, "GET", "/metrics", "[::1]:1", 200},
		{remote, "GET", "/metrics", "mkt.internal:9081", 200},
	} {
		if got, body := ask(t, c.method, c.s.URL()+c.path, c.host); got != c.want {
			t.Errorf("%s %s at %q: %d, want %d: %.80s", c.method, c.path, c.host, got, c.want, body)
		}
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	must(t, err)
	defer c.Close()
	fmt.Fprintf(c, "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX: %s\r\n\r\n", strings.Repeat("x", 64<<10))
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if answer, _ := io.ReadAll(c); strings.Contains(string(answer), "alive") {
		t.Error("a head of 64 KiB was read")
	}
}

func TestCloseFreesTheAddress(t *testing.T) {
	s := open(t, admin.Options{})
	must(t, s.Close())
	if _, err := http.Get(s.URL() + "/livez"); err == nil {
		t.Error("still answers")
	}
	again, err := admin.Open(admin.Options{Listen: strings.TrimPrefix(s.URL(), "http://")})
	if err != nil {
		t.Fatalf("the address is still taken: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
