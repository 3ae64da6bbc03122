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
	"sync"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/testing/check"
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
