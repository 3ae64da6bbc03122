package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/serve/account"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// server is mkt serve within this process, with its admin address.
type server struct {
	daemon.Ready
	log  *lockedBuffer
	stop func() int
}

func startServing(t *testing.T, args ...string) server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	s := server{log: new(lockedBuffer)}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--output", "json"}, args...), nil, in, s.log)
		in.Close()
	}()
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&s.Ready); err != nil {
		t.Fatalf("no ready line: %v\n%s", err, s.log)
	}
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { s.stop() })
	return s
}

func (s server) get(url, token string) (status int, header http.Header, body string, err error) {
	return get(context.Background(), http.DefaultClient, url, token)
}

// tenants.yaml is rewritten a hundred times a second, every third time with a mistake, while both
// accounts read. No answer is wrong or mixes two generations, the mistakes are refused with file,
// line and reason, and the final file is in force within two seconds.
func TestReloadUnderLoad(t *testing.T) {
	needs.Time(t, "rewrites tenants.yaml a hundred times a second")
	dir := t.TempDir()
	path := filepath.Join(dir, "tenants.yaml")
	tokens := map[string]string{}
	for _, id := range []string{"acme", "steady"} {
		token, err := account.NewToken(nil)
		check.Must(t, err)
		tokens[id] = token
	}
	content := func(n int, status string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "version: 1\ntenants:\n")
		for _, id := range []string{"acme", "steady"} {
			name, limit, state := "steady", 1_000_000, "ACTIVE"
			if id == "acme" {
				name, limit, state = fmt.Sprint("g", n), 1_000_000+n, status
			}
			fmt.Fprintf(&b, "  - id: %s\n    name: %s\n    status: %s\n    tokens: [{sha256: %x}]\n    rate_limit: {requests: %d, per: 1m, burst: %d}\n",
				id, name, state, account.Digest(tokens[id]), limit, limit)
		}
		return b.String()
	}
	put := func(text string) {
		t.Helper()
		check.Must(t, os.WriteFile(path+".new", []byte(text), 0o600))
		check.Must(t, os.Rename(path+".new", path))
	}
	put(content(0, "ACTIVE"))
	s := startServing(t, "--tenants", path, "--data", filepath.Join(dir, "data"))

	stop := make(chan struct{})
	var readers sync.WaitGroup
	generations := map[string]bool{}
	var answers atomic.Int64
	for id, token := range tokens {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, header, body, err := s.get(s.BaseURL+"/api/v1/account", token)
				var a struct {
					Data struct {
						ID        string `json:"client_id"`
						Name      string
						RateLimit struct{ Requests int } `json:"rate_limit"`
					}
				}
				if err != nil || status != 200 || json.Unmarshal([]byte(body), &a) != nil || a.Data.ID != id {
					t.Errorf("%s: %v %d %s", id, err, status, body)
					return
				}
				answers.Add(1)
				n := 0
				fmt.Sscanf(a.Data.Name, "g%d", &n)
				if a.Data.RateLimit.Requests != 1_000_000+n || header.Get("RateLimit-Policy") != fmt.Sprintf(`"default";q=%d;w=60`, 1_000_000+n) || (id == "steady") != (a.Data.Name == "steady") {
					t.Errorf("%s: of two generations: %v %s", id, header, body)
				}
				if id == "acme" {
					generations[a.Data.Name] = true
				}
			}
		})
	}
	const rewrites = 500
	began, turn := time.Now(), time.NewTicker(10*time.Millisecond)
	defer turn.Stop()
	for n := 1; n <= rewrites; n++ {
		status := "ACTIVE"
		if n%3 == 0 {
			status = "GONE"
		}
		put(content(n, status))
		<-turn.C
	}
	t.Logf("%d rewrites, %.0f a second", rewrites, rewrites/time.Since(began).Seconds())
	put(content(999, "GONE")) // the newest file is wrong: the last good one stays in force
	time.Sleep(1500 * time.Millisecond)
	close(stop)
	readers.Wait()
	t.Logf("%d answers, %d generations in force", answers.Load(), len(generations))
	if len(generations) < 3 {
		t.Errorf("only %v were in force", generations)
	}
	if log := s.log.String(); !strings.Contains(log, `tenants.yaml:5: tenant acme: status: \"GONE\"`) || strings.Contains(log, "panic") {
		t.Errorf("the log does not say where and why:\n%s", log)
	}
	_, _, metrics, err := s.get(s.AdminURL+"/metrics", "")
	if err != nil || !strings.Contains(metrics, "\nmkt_tenants_file_in_force 0\n") || strings.Contains(metrics, "\nmkt_tenants_edits_refused_total 0\n") {
		t.Errorf("%v\n%s", err, metrics)
	}

	put(content(1000, "SUSPENDED"))
	suspended := time.Now()
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, _, body, err := s.get(s.BaseURL+"/api/v1/account", tokens["acme"])
		if err == nil && status == 403 && strings.Contains(body, "CLIENT_SUSPENDED") {
			t.Logf("suspended after %v", time.Since(suspended).Round(time.Millisecond))
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not suspended within two seconds: %d %s %v", status, body, err)
		}
	}
	if _, _, metrics, _ := s.get(s.AdminURL+"/metrics", ""); !strings.Contains(metrics, "\nmkt_tenants_file_in_force 1\n") {
		t.Error("the file is in force, and the metric says no")
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
}

// Lost rights take effect even while the server drains.
func TestEditsReachADrainingServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "tenants.yaml")
	token, err := account.NewToken(nil)
	check.Must(t, err)
	put := func(status string) {
		t.Helper()
		text := fmt.Sprintf("version: 1\ntenants:\n  - id: acme\n    status: %s\n    tokens: [{sha256: %x}]\n", status, account.Digest(token))
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	put("ACTIVE")
	s := startServing(t, "--tenants", path, "--data", filepath.Join(dir, "data"), "--drain-delay", "3s")
	stopped := make(chan int, 1)
	go func() { stopped <- s.stop() }()
	for {
		if status, _, _, err := s.get(s.AdminURL+"/readyz", ""); err != nil {
			t.Fatal(err)
		} else if status == http.StatusServiceUnavailable {
			break
		}
	}
	put("SUSPENDED")
	for {
		status, _, body, err := s.get(s.BaseURL+"/api/v1/account", token)
		if err != nil || status != http.StatusOK && status != http.StatusForbidden {
			t.Fatalf("it ended before the edit was in force: %d %s %v", status, body, err)
		}
		if status == http.StatusForbidden {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if code := <-stopped; code != 0 {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
}
