package console_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/console"
	"mkt/internal/console/access"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
)

// serve serves a console over an empty data root, and returns its address.
func serve(t *testing.T, access access.Rules) string {
	t.Helper()
	o := console.Options{Now: time.Now, Version: "test", Log: slog.New(slog.DiscardHandler)}
	o.Data, o.Tenants = t.TempDir(), "tenants.yaml"
	o.Access, o.Doctor = access, func(context.Context) doctor.Report { return doctor.Report{} }
	o.StartAPI = func(context.Context) (string, func(string) (string, bool), error) {
		return "", nil, errors.New("not here")
	}
	c, err := console.New(o)
	check.Must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
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

func ask(t *testing.T, method, address, host string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/", nil)
	check.Must(t, err)
	r.Host = host
	answer, err := http.DefaultClient.Do(r)
	check.Must(t, err)
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// A page of another site whose name points to this machine gets nothing, and nothing can be
// changed.
func TestAccess(t *testing.T) {
	address := serve(t, access.Rules{Hosts: []string{"mkt.example.org"}})
	for _, c := range []struct {
		method, host string
		want         int
	}{
		{"GET", address, 200}, {"HEAD", address, 200}, {"GET", "localhost:1", 200}, {"GET", "[::1]:80", 200}, {"GET", "MKT.example.org", 200},
		{"GET", "attacker.example", 421}, {"GET", "127.0.0.1.attacker.example", 421}, {"GET", "localhost.attacker.example:80", 421}, {"GET", "192.0.2.1", 421},
		{"POST", address, 405}, {"PUT", address, 405}, {"DELETE", address, 405},
	} {
		answer := ask(t, c.method, address, c.host)
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

// Whoever guesses passwords has to wait, and nobody else. The tries come back with time.
func TestWrongPasswords(t *testing.T) {
	var now atomic.Int64
	o := console.Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }, Version: "test", Log: slog.New(slog.DiscardHandler)}
	o.Data, o.Tenants = t.TempDir(), "tenants.yaml"
	o.Access, o.Doctor = access.Rules{Password: "correct password", BehindProxy: true}, func(context.Context) doctor.Report { return doctor.Report{} }
	c, err := console.New(o)
	check.Must(t, err)
	status := func(from, password string) int {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/static/page.css", nil)
		r.Header.Set("X-Forwarded-For", "203.0.113.9, "+from) // the first is the client's own claim
		if password != "" {
			r.SetBasicAuth("anybody", password)
		}
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "6" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}
		return w.Code
	}
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expect("without a password", status("192.0.2.1", ""), 401)
	for range 30 {
		expect("with the password", status("192.0.2.1", "correct password"), 200)
	}
	for range 9 {
		expect("a wrong password", status("2001:db8::1", "wrong password"), 401)
	}
	expect("with the password", status("2001:db8::2", "correct password"), 200)
	expect("the tenth, from the same network", status("2001:db8::2", "wrong password"), 401)
	expect("the right one after ten", status("2001:db8::3", "correct password"), 429)
	expect("somebody else", status("192.0.2.1", "correct password"), 200)
	now.Add(6)
	expect("a try has come back", status("2001:db8::1", "wrong password"), 401)
	expect("and is used", status("2001:db8::1", "correct password"), 429)
	for range 100 { // mistyped now and then
		now.Add(60)
		expect("a wrong password each minute", status("192.0.2.7", "wrong password"), 401)
		expect("and then the right one", status("192.0.2.7", "correct password"), 200)
	}
	for i := range 5000 { // bounded
		status(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "wrong password")
	}
	expect("one more of a flood", status("10.200.0.1", "correct password"), 429)
	now.Add(3600)
	expect("after the flood", status("10.200.0.1", "correct password"), 200)
}

// The API is tried only by the console's own pages: another port of this machine is the same site to a
// browser, and not the same origin.
func TestOnlyOwnPagesTry(t *testing.T) {
	t.Parallel()
	address := serve(t, access.Rules{})
	for _, c := range []struct {
		name, header, value string
		status              int
	}{
		{"own page", "Sec-Fetch-Site", "same-origin", http.StatusServiceUnavailable},
		{"typed by a person", "Sec-Fetch-Site", "none", http.StatusServiceUnavailable},
		{"another port", "Sec-Fetch-Site", "same-site", http.StatusBadRequest},
		{"another site", "Sec-Fetch-Site", "cross-site", http.StatusBadRequest},
		{"a program", "", "", http.StatusServiceUnavailable},
		{"an older browser, own page", "Origin", "http://" + address, http.StatusServiceUnavailable},
		{"an older browser, another port", "Origin", "http://127.0.0.1:1", http.StatusBadRequest},
		{"an older browser, a file", "Origin", "null", http.StatusBadRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/try/acme/api/v1/fixtures", nil)
		check.Must(t, err)
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		answer, err := http.DefaultClient.Do(r)
		check.Must(t, err)
		answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.name, answer.StatusCode, c.status)
		}
	}
}
