package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/internal/testing/check"
)

const canary = "CANARY-0123456789-abcdef"

// adapter is the smallest provider: a token in the query, and a first letter for the kind
// of an answer.
func adapter() provider.Provider {
	return provider.Provider{
		Name: "tiny", BaseURL: "https://tiny.example", Hosts: []string{"tiny.example", "localhost"},
		Budget: provider.Budget{Burst: 1000, Concurrency: 4, MaxBody: 1 << 20},
		Authorize: func(r *http.Request, credential string) {
			q := r.URL.Query()
			q.Set("token", credential)
			r.URL.RawQuery = q.Encode()
		},
		Classify: func(status int, _ http.Header, body []byte) provider.Verdict {
			kinds := map[string]provider.Verdict{
				"{": {}, "c": {Kind: provider.CredentialFault, Code: "AUTHORIZE_FAILED"}, "p": {Kind: provider.PermissionFault, Code: "PERMISSION_DENIED"},
				"l": {Kind: provider.Limited, Code: "TOO_MANY_REQUESTS"}, "r": {Kind: provider.Retryable, Code: "INTERNAL_SERVER_ERROR"},
			}
			if v, ok := kinds[string(body[:min(1, len(body))])]; ok {
				return v
			}
			return provider.Verdict{Kind: provider.Rejected, Code: "NOT_JSON"}
		},
	}
}

// quick are limits that a test can wait for.
var quick = Limits{
	Run: time.Minute, Tries: 3, Wait: time.Millisecond, MaxWait: 5 * time.Millisecond, Confirm: 10 * time.Millisecond, Break: 20 * time.Millisecond,
	Connect: check.Limit, TLS: check.Limit, Header: check.Limit, Body: check.Limit, Window: check.Limit, MinRate: 1 << 10,
}

// bench is one client, its server and the requests that arrived there.
type bench struct {
	*Client
	t     *testing.T
	log   *strings.Builder
	mu    sync.Mutex
	kept  []Answer
	usage atomic.Int64
}

func (b *bench) ask(ctx context.Context) (Answer, error) {
	b.t.Helper()
	a, err := b.Get(ctx, provider.Request{Endpoint: "tiny/list", Path: "/v1/list", Query: url.Values{"page": {"1"}}}, func(a Answer) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.kept = append(b.kept, a)
		return nil
	})
	clean(b.t, err)
	return a, err
}

// clean fails the test if an error reveals the credential or an address, in
// any way of printing it or anything it wraps.
func clean(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := fmt.Sprintf("%v|%+v|%#v|%q", err, err, err, err)
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		text += fmt.Sprintf("|%v|%#v", e, e)
	}
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	for _, bad := range []string{"http://", "https://", "token=", "/v1/list", "127.0.0.1"} {
		if strings.Contains(text, bad) {
			t.Errorf("the error reveals %q: %s", bad, text)
		}
	}
	if scrubber.Found([]byte(text)) {
		t.Errorf("the error reveals the credential: %s", text)
	}
}

func newBench(t *testing.T, baseURL string, change func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, log: &strings.Builder{}}
	o := Options{
		Provider: adapter(), Account: "acme", BaseURL: baseURL, AllowPrivateAddress: true,
		Credential: credential.NewSecret(canary), Limits: quick, Now: time.Now, Monotonic: time.Now,
		Log:   slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Usage: func(endpoint string, n int) { b.usage.Add(int64(n)) },
	}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Client = c
	t.Cleanup(func() {
		c.Close()
		if strings.Contains(b.log.String(), "CANARY") {
			t.Errorf("the log reveals the credential: %s", b.log)
		}
	})
	return b
}

// serve answers with the handler, on http.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// speak answers each connection with the very bytes given, and then closes it
// or, with hold, keeps it.
func speak(t *testing.T, text string, hold bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, text)
				if hold {
					time.Sleep(2 * time.Second)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestAnswerIsHandedOver(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("token") != canary || r.URL.Path != "/base/v1/list" || r.URL.Query().Get("page") != "1" {
			t.Errorf("asked for %s", r.URL)
		}
		w.Header().Set("X-Kept", "yes")
		io.WriteString(w, `{"success":1}`)
	})
	at := time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	b := newBench(t, s.URL+"/base/", func(o *Options) { o.Now = func() time.Time { return at } })
	a, err := b.ask(t.Context())
	if err != nil || string(a.Body) != `{"success":1}` || a.Attempt != 1 || a.Status != 200 || a.Header.Get("X-Kept") != "yes" || !a.At.Equal(at) {
		t.Errorf("%+v, %v", a, err)
	}
	if b.Requests() != 1 || b.usage.Load() != 1 || len(b.kept) != 1 || b.Stopped() != nil {
		t.Errorf("requests %d, usage %d, kept %d, stopped %v", b.Requests(), b.usage.Load(), len(b.kept), b.Stopped())
	}
}

func TestBaseURL(t *testing.T) {
	for _, c := range []struct {
		url     string
		private bool
		want    string // part of the error, "" = fine
	}{
		{"", false, ""},
		{"https://tiny.example", false, ""},
		{"https://TINY.example:443/proxy", false, ""},
		{"http://tiny.example", false, "want https"},
		{"https://tiny.example:8443", false, "not one of the provider's"},
		{"https://other.example", false, "not one of the provider's"},
		{"https://tiny.example.evil.example", false, "not one of the provider's"},
		{"https://127.0.0.1", false, "not one of the provider's"},
		{"http://127.0.0.1:8080", true, ""},
		{"https://127.0.0.1:8080", true, ""},
		{"ftp://127.0.0.1", true, "scheme"},
		{"https://user:pass@tiny.example", false, "without user"},
		{"https://tiny.example?token=" + canary, false, "without user"},
		{"://" + canary, false, "want https"},
		{"tiny.example", false, "want https"},
	} {
		_, err := New(Options{Provider: adapter(), BaseURL: c.url, AllowPrivateAddress: c.private, Now: time.Now, Monotonic: time.Now})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), canary)) {
			t.Errorf("%s, private %v: %v, want %q", c.url, c.private, err, c.want)
		}
	}
}

// The flag does not open the metadata service, nor a public host in clear.
func TestWhereTheFlagLeads(t *testing.T) {
	for _, c := range []struct {
		base    string
		flag    bool
		address string
		allowed bool
	}{
		{"https://tiny.example", false, "8.8.8.8:443", true},
		{"https://tiny.example", false, "127.0.0.1:443", false},
		{"https://tiny.example", true, "127.0.0.1:443", true},
		{"https://tiny.example", true, "8.8.8.8:443", true},
		{"http://tiny.example", true, "8.8.8.8:80", false},
		{"http://mine.example", true, "8.8.8.8:80", false},
		{"https://mine.example", true, "8.8.8.8:443", false},
		{"http://mine.example", true, "192.168.0.2:80", true},
		{"http://169.254.169.254", true, "169.254.169.254:80", false},
		{"http://mine.example", true, "[fd00:ec2::254]:80", false},
	} {
		client, err := New(Options{Provider: adapter(), BaseURL: c.base, AllowPrivateAddress: c.flag, Now: time.Now, Monotonic: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		network := "tcp4"
		if strings.HasPrefix(c.address, "[") {
			network = "tcp6"
		}
		if err := client.checkAddress(t.Context(), network, c.address, nil); (err == nil) != c.allowed {
			t.Errorf("%s, flag %v, at %s: %v", c.base, c.flag, c.address, err)
		}
	}
}
