package accounts_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/accounts"
)

// safeBuffer is a log that is written and read concurrently.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestWatchKeepsTheLastGoodOne(t *testing.T) {
	path := write(t, "version: 1\ntenants: [{id: a}]\n")
	f, err := accounts.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var log safeBuffer
	got := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		accounts.Watch(ctx, f, accounts.WatchOptions{Now: time.Now, Poll: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)), Refused: func() {}},
			func(f *accounts.File) error { got <- strings.Join(f.IDs(), ","); return nil })
	}()
	put := func(s string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		select {
		case ids := <-got:
			if ids != want {
				t.Errorf("generation %q in force, want %q", ids, want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("no new generation, want %q; log:\n%s", want, log.String())
		}
	}
	said := func(want string) {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); !strings.Contains(log.String(), want); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the log never said %q:\n%s", want, log.String())
			}
		}
	}
	put("version: 1\ntenants: [{id: a}, {id: b}]\n")
	expect("a,b")
	put("version: 1\ntenants: [{id: a}, {id: b}\n")
	said(path + ":")
	put("version: 1\ntenants: [{id: a}, {id: b, status: GONE}]\n")
	said(path + `:2: tenant b: status: \"GONE\"`)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	said("no such file")
	put("version: 1\ntenants: [{id: c}]\n")
	said("tenant a: is in force, and not in the file any more")
	put(seal(t, "version: 1\ntenants: [{id: c}]\n"))
	expect("c")
	cancel()
	<-done
	if len(got) > 0 {
		t.Errorf("an unasked generation: %s", <-got)
	}
}

// seal returns a text as sealed by mkt tenant validate --seal.
func seal(t *testing.T, text string) string {
	t.Helper()
	path := write(t, text)
	edit(t, path, func(*accounts.Editor) error { return nil })
	return raw(t, path)
}
