package console_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/console"
	"mkt/cmd/mkt/internal/doctor"
)

// serve serves a console over an empty data root, and returns its address.
func serve(t *testing.T, access console.Access) string {
	t.Helper()
	env := cli.NewEnv(strings.NewReader(""), io.Discard, io.Discard, time.Now, "test")
	env.Data, env.Tenants = t.TempDir(), "tenants.yaml"
	c, err := console.New(console.Options{Env: env, Access: access, Doctor: func(context.Context) doctor.Report { return doctor.Report{} }})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func ask(t *testing.T, method, address, host, password string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	if password != "" {
		r.SetBasicAuth("anybody", password)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// A page of another site whose name points to this machine gets nothing, and nothing can be
// changed.
func TestAccess(t *testing.T) {
	address := serve(t, console.Access{Hosts: []string{"mkt.example.org"}})
	for _, c := range []struct {
		method, host string
		want         int
	}{
		{"GET", address, 200}, {"HEAD", address, 200}, {"GET", "localhost:1", 200}, {"GET", "[::1]:80", 200}, {"GET", "MKT.example.org", 200},
		{"GET", "attacker.example", 421}, {"GET", "127.0.0.1.attacker.example", 421}, {"GET", "localhost.attacker.example:80", 421}, {"GET", "192.0.2.1", 421},
		{"POST", address, 405}, {"PUT", address, 405}, {"DELETE", address, 405},
	} {
		answer := ask(t, c.method, address, c.host, "")
		if answer.StatusCode != c.want {
			t.Errorf("%s with the host %s: %d, want %d", c.method, c.host, answer.StatusCode, c.want)
		}
		for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
			if got := answer.Header.Get(name); !strings.Contains(got, want) {
				t.Errorf("%s with the host %s: %s is %q", c.method, c.host, name, got)
			}
		}
	}
}

// Whoever guesses passwords has to wait.
func TestWrongPasswords(t *testing.T) {
	address := serve(t, console.Access{Password: "correct password"})
	if got := ask(t, "GET", address, address, "").StatusCode; got != 401 {
		t.Errorf("without a password: %d", got)
	}
	if got := ask(t, "GET", address, address, "correct password").StatusCode; got != 200 {
		t.Errorf("with the password: %d", got)
	}
	for n := range 10 {
		if got := ask(t, "GET", address, address, "wrong password").StatusCode; got != 401 {
			t.Errorf("wrong password %d: %d", n, got)
		}
	}
	if got := ask(t, "GET", address, address, "correct password"); got.StatusCode != 429 || got.Header.Get("Retry-After") == "" {
		t.Errorf("after ten wrong passwords: %d, want 429", got.StatusCode)
	}
}
