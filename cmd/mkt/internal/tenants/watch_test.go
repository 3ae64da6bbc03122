package tenants_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/tenants"
)

// safeBuffer is a log that a watcher writes and a test reads.
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
	f, err := tenants.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var log safeBuffer
	got := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tenants.Watch(ctx, f, tenants.WatchOptions{Poll: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))},
			func(f *tenants.File) { got <- strings.Join(f.IDs(), ",") })
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
	expect("c")
	cancel()
	<-done
	if len(got) > 0 {
		t.Errorf("an unasked generation: %s", <-got)
	}
}

// A file that is written in place, slowly, is half there for a while, and valid:
// nobody loses access for it.
func TestHalfWrittenFileIsNotBelieved(t *testing.T) {
	path := write(t, "version: 1\ntenants: [{id: a}]\n")
	from, err := tenants.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	refused := 0
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tenants.Watch(ctx, from, tenants.WatchOptions{Poll: time.Millisecond, Refused: func() { refused++ }}, func(f *tenants.File) {
			mu.Lock()
			defer mu.Unlock()
			seen[strings.Join(f.IDs(), ",")] = true
		})
	}()
	want := map[string]bool{}
	for round := range 8 {
		last := fmt.Sprint("c", round)
		want["a,b,"+last] = true
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"version: 1\n", "tenants:\n", "  - id: a\n", "  - id: b\n", "  - id: " + last + "\n"} {
			if _, err := f.WriteString(line); err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Microsecond)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			mu.Lock()
			whole := seen["a,b,"+last]
			mu.Unlock()
			if whole || time.Now().After(end) {
				break
			}
		}
	}
	cancel()
	<-done
	if !maps.Equal(seen, want) || refused > 0 {
		t.Errorf("generations %v, %d refused; want the whole ones alone", seen, refused)
	}
}
