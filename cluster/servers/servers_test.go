package servers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gomodule/redigo/redis"

	"mkt/cluster/servers"
	"mkt/internal/cluster/store/object"
	"mkt/internal/cluster/store/s3store"
	"mkt/internal/testing/check"
)

func startStore(t *testing.T) *servers.Store {
	t.Helper()
	s, err := servers.StartStore(t.TempDir())
	check.Must(t, err)
	t.Cleanup(s.Stop)
	authenticate(t, s.Env())
	return s
}

func authenticate(t *testing.T, env []string) {
	t.Helper()
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
}

// bucket is a bucket of the driver that mkt uses, with short forms of its operations.
type bucket struct{ object.Bucket }

func open(t *testing.T, text string) bucket {
	t.Helper()
	address, err := url.Parse(text)
	check.Must(t, err)
	b, err := s3store.Open(t.Context(), address)
	check.Must(t, err)
	t.Cleanup(func() { b.Close() })
	return bucket{b}
}

// create writes an object if it does not exist.
func create(ctx context.Context, b bucket, key, text string) error {
	return b.Write(ctx, key, strings.NewReader(text), true)
}

func (b bucket) read(ctx context.Context, key string) ([]byte, error) {
	r, _, err := b.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func (b bucket) has(ctx context.Context, key string) bool {
	_, err := b.Look(ctx, key)
	return err == nil
}

// isKind reports whether an error of a bucket is of a kind.
func isKind(err error, k object.Kind) bool {
	var e *object.Error
	return errors.As(err, &e) && e.Kind == k
}

// Of eight writers of a record through two gateways, one wins, and the others are told so.
func TestStoreCreatesOnce(t *testing.T) {
	s := startStore(t)
	other, err := s.Another()
	check.Must(t, err)
	t.Cleanup(other.Stop)
	buckets := []bucket{open(t, s.URL("")), open(t, other.URL(""))}
	for round := range 20 {
		key := fmt.Sprintf("commits/%020d.json", round)
		var wins atomic.Int32
		var winner atomic.Value
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				text := fmt.Sprint("writer ", i)
				switch err := create(t.Context(), buckets[i%2], key, text); {
				case err == nil:
					wins.Add(1)
					winner.Store(text)
				case !isKind(err, object.Exists):
					t.Error(err)
				}
			})
		}
		group.Wait()
		got, err := buckets[round%2].read(t.Context(), key)
		if err != nil || wins.Load() != 1 || string(got) != winner.Load() {
			t.Fatalf("%d winners, the object says %q: %v", wins.Load(), got, err)
		}
	}
}

// A store that was killed has everything again when it starts.
func TestStoreStartsAgain(t *testing.T) {
	s := startStore(t)
	b := open(t, s.URL(""))
	check.Must(t, create(t.Context(), b, "a/b=c/object", "kept"))
	s.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // The SDK would try three times.
	if _, err := b.read(ctx, "a/b=c/object"); err == nil {
		t.Fatal("a stopped store answers")
	}
	check.Must(t, s.Start())
	if got, err := b.read(t.Context(), "a/b=c/object"); err != nil || string(got) != "kept" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := os.ReadFile(s.File("a/b=c/object")); err != nil || string(got) != "kept" {
		t.Errorf("the file of the object: %q %v", got, err)
	}
}

func TestForgetfulIgnoresConditions(t *testing.T) {
	f, err := servers.StartForgetful()
	check.Must(t, err)
	t.Cleanup(f.Stop)
	authenticate(t, []string{"AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any"})
	b := open(t, f.URL(""))
	for _, text := range []string{"first", "second"} {
		check.Must(t, create(t.Context(), b, "object", text))
	}
	if got, err := b.read(t.Context(), "object"); err != nil || string(got) != "second" {
		t.Errorf("%q %v", got, err)
	}
}

// Each fault does what it says to a client that uses the same library as mkt.
func TestProxyFaults(t *testing.T) {
	s := startStore(t)
	p, err := servers.StartProxy(s.Address)
	check.Must(t, err)
	t.Cleanup(p.Stop)
	direct, retrying := open(t, s.URL("")), open(t, p.URL(""))
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	b := open(t, p.URL(""))
	inject := func(n int, fault servers.Fault) {
		p.Reset()
		p.Inject(func(op servers.Operation) servers.Fault {
			if n == 0 || op.N == n {
				return fault
			}
			return servers.Fault{}
		})
	}

	t.Run("an answer is lost", func(t *testing.T) {
		stored := false
		inject(1, servers.Fault{DropAnswer: true, After: func() { stored = direct.has(t.Context(), "lost") }})
		// The SDK asks again, and meets what the first request has written.
		if err := create(t.Context(), retrying, "lost", "text"); !isKind(err, object.Exists) {
			t.Error(err)
		}
		if counts := p.Counts(); !stored || len(counts) != 1 || counts[servers.Create].Operations != 2 {
			t.Error(stored, counts)
		}
	})
	t.Run("a request is lost", func(t *testing.T) {
		inject(0, servers.Fault{DropRequest: true})
		if err := create(t.Context(), b, "never", "text"); err == nil {
			t.Error("it was written")
		}
		if direct.has(t.Context(), "never") {
			t.Error("it was written")
		}
	})
	t.Run("refusals", func(t *testing.T) {
		for _, why := range []*servers.Refusal{servers.SlowDown, servers.Conflict, servers.Denied, servers.Full} {
			inject(0, servers.Fault{Refuse: why})
			if err := create(t.Context(), b, "refused", "text"); err == nil || !strings.Contains(err.Error(), why.Code) {
				t.Errorf("%s: %v", why.Code, err)
			}
		}
	})
	t.Run("an object is truncated", func(t *testing.T) {
		check.Must(t, direct.Write(t.Context(), "long", bytes.NewReader(make([]byte, 100_000)), false))
		inject(0, servers.Fault{Truncate: 5_000})
		r, _, err := b.Read(t.Context(), "long")
		check.Must(t, err)
		defer r.Close()
		if n, err := io.Copy(io.Discard, r); err == nil || n > 5_000 {
			t.Error(n, err)
		}
	})
	t.Run("none", func(t *testing.T) {
		p.Heal()
		p.Reset()
		big := make([]byte, 3<<20) // large enough for "Expect: 100-continue"
		if err := b.Write(t.Context(), "big", bytes.NewReader(big), false); err != nil {
			t.Error(err)
		}
		if got, err := b.read(t.Context(), "big"); err != nil || len(got) != len(big) {
			t.Error(len(got), err)
		}
		counts, size := p.Counts(), int64(len(big))
		put, get := counts[servers.Put], counts[servers.Get]
		if len(counts) != 2 || put.Operations != 1 || put.Sent < size || get.Operations != 1 || get.Received != size {
			t.Error(counts)
		}
	})
}

// A server that starts again is empty, and forgets what has an expiry.
func TestRedis(t *testing.T) {
	r, err := servers.StartRedis()
	check.Must(t, err)
	t.Cleanup(r.Stop)
	get := func(key string) (string, error) { return redis.String(r.Do("GET", key)) }
	_, err = r.Do("SET", "kept", "text")
	check.Must(t, err)
	_, err = r.Do("SET", "lease", "text", "PX", 20)
	check.Must(t, err)
	check.Eventually(t, "a lease expires", func() bool { _, err := get("lease"); return err == redis.ErrNil })
	if text, err := get("kept"); err != nil || text != "text" {
		t.Errorf("%q %v", text, err)
	}
	r.Stop()
	if _, err := get("kept"); err == nil || err == redis.ErrNil {
		t.Errorf("a server that is stopped: %v", err)
	}
	check.Must(t, r.Start())
	if _, err := get("kept"); err != redis.ErrNil {
		t.Errorf("a server that was started again: %v", err)
	}
}
