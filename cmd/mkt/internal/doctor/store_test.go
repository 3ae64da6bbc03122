package doctor_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"mkt/cmd/mkt/internal/doctor"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/store"
)

const prefix = "client_id=acme/product=market_engine/"

var storeFaults = []struct {
	name   string
	change func(h *installation, b *blob.Bucket)
	want   []string
}{
	{"as pushed", func(*installation, *blob.Bucket) {}, nil},
	{"another history", func(h *installation, b *blob.Bucket) {
		key := prefix + layout.Commit(2)
		record, err := b.ReadAll(h.t.Context(), key)
		must(h.t, err)
		other, err := snapshot.ParseCommit(record)
		must(h.t, err)
		other.RunID = "of another installation"
		record, err = layout.EncodeHeader(other)
		must(h.t, err)
		must(h.t, b.WriteAll(h.t.Context(), key, record, nil))
	}, []string{"FAIL STORE_DIVERGED"}},
	{"no commit", func(h *installation, b *blob.Bucket) {
		must(h.t, b.Delete(h.t.Context(), prefix+layout.Commit(2)))
	}, []string{"FAIL STORE_LACKS"}},
	{"another id key", func(h *installation, b *blob.Bucket) {
		must(h.t, b.WriteAll(h.t.Context(), layout.IDKeyFingerprintFile, []byte("0123456789abcdef\n"), nil))
	}, []string{"FAIL STORE_ID_KEY"}},
	{"a pack that lost", func(h *installation, b *blob.Bucket) {
		must(h.t, b.WriteAll(h.t.Context(), prefix+fmt.Sprintf("packs/%020d-0000000000000000.tar", 2), []byte("x"), nil))
	}, []string{"NOTE STORE_LOST"}},
	{"a clock that is behind", func(h *installation, b *blob.Bucket) {
		h.options.Store = storeAt(b, func() time.Time { return time.Now().Add(-time.Minute) })
	}, []string{"FAIL STORE_CLOCK"}},
	{"a damaged commit", func(h *installation, b *blob.Bucket) {
		must(h.t, b.WriteAll(h.t.Context(), prefix+layout.Commit(3), []byte("{}"), nil))
	}, []string{"FAIL STORE_DAMAGED"}},
	{"slow", func(h *installation, b *blob.Bucket) {
		at := time.Now()
		h.options.Store = storeAt(b, func() time.Time { at = at.Add(3 * time.Second); return at })
	}, []string{"WARN STORE_SLOW"}},
	{"ignores conditions", answering(http.StatusOK), []string{"FAIL STORE_UNSAFE"}},
	{"no bucket", answering(http.StatusNotFound), []string{"FAIL STORE_BUCKET"}},
	{"full", answering(http.StatusInsufficientStorage), []string{"FAIL STORE_FULL"}},
	{"refuses", answering(http.StatusForbidden), []string{"FAIL STORE_REFUSES"}},
	{"no such parameter", func(h *installation, _ *blob.Bucket) {
		h.options.Store = openAt("s3://bucket?nonsense=1")
	}, []string{"FAIL STORE_INVALID"}},
	{"accounts that the store does not have", func(h *installation, _ *blob.Bucket) {
		h.options.SharedTenants = true
	}, []string{"WARN ACCOUNTS_BY_HAND"}},
	{"accounts changed by hand", func(h *installation, b *blob.Bucket) {
		h.share(b)
		h.write(h.options.Tenants, h.read(h.options.Tenants)+"\n")
	}, []string{"WARN TENANTS_UNSEALED", "WARN ACCOUNTS_BY_HAND"}},
	{"newer accounts", func(h *installation, b *blob.Bucket) {
		h.share(b)
		must(h.t, store.New(b, store.Options{}).Accounts().Commit(h.t.Context(), 2, []byte(h.read(h.options.Tenants)), nil))
	}, []string{"WARN ACCOUNTS_BEHIND"}},
	{"invalid accounts", func(h *installation, b *blob.Bucket) {
		h.share(b)
		must(h.t, store.New(b, store.Options{}).Accounts().Commit(h.t.Context(), 2, []byte("{"), nil))
	}, []string{"FAIL ACCOUNTS_INVALID"}},
	{"shared accounts", func(h *installation, b *blob.Bucket) { h.share(b) }, nil},
	{"no answer", func(_ *installation, b *blob.Bucket) { b.Close() }, []string{"FAIL STORE_AWAY"}},
	{"a replica without the newest publication", func(h *installation, _ *blob.Bucket) {
		must(h.t, os.RemoveAll(h.root))
		h.options.Keyless = true
		h.later(10 * time.Minute)
	}, []string{"WARN REPLICA_BEHIND"}},
	{"a worker without the newest publication", func(h *installation, _ *blob.Bucket) {
		must(h.t, os.RemoveAll(h.root))
	}, nil},
}

// TestObjectStore: what is wrong with an object store, or with what this machine has of it, is
// found, and nothing is left in the store.
func TestObjectStore(t *testing.T) {
	for _, c := range storeFaults {
		t.Run(c.name, func(t *testing.T) {
			h := newInstallation(t)
			b := memblob.OpenBucket(nil)
			h.options.Store, h.options.StoreName = storeAt(b, time.Now), "s3://bucket/prefix"
			s, err := h.options.Store(t.Context())
			must(t, err)
			root, err := durable.OpenRoot(h.root)
			must(t, err)
			defer root.Close()
			_, err = s.Dataset("acme", product).Push(t.Context(), root, store.PushOptions{})
			must(t, err)
			data, err := durable.OpenRoot(filepath.Dir(filepath.Dir(h.root)))
			must(t, err)
			defer data.Close()
			must(t, s.SyncIDKey(t.Context(), data))
			c.change(h, b)
			r := doctor.Run(t.Context(), h.options)
			if got := names(r); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v\n%+v", got, c.want, r.Bad())
			}
			if r.Healthy != !slices.ContainsFunc(c.want, func(w string) bool { return strings.HasPrefix(w, "FAIL") }) {
				t.Errorf("healthy: %v", r.Healthy)
			}
			for _, bad := range r.Bad() {
				if bad.What == "" || bad.Fix == "" || bad.File == "" {
					t.Errorf("not a whole finding: %+v", bad)
				}
			}
			if c.name == "no answer" {
				return
			}
			if _, left := b.List(&blob.ListOptions{Prefix: "probe/"}).Next(t.Context()); left == nil {
				t.Error("a probe is left in the store")
			}
		})
	}
}

// share puts the accounts into a store, by an edit that changes nothing.
func (h *installation) share(b *blob.Bucket) {
	h.t.Helper()
	h.options.SharedTenants = true
	_, err := tenants.Copy{Path: h.options.Tenants, Origin: store.New(b, store.Options{}).Accounts()}.Edit(h.t.Context(), func(*tenants.Editor) error { return nil })
	must(h.t, err)
}

func storeAt(b *blob.Bucket, now func() time.Time) func(context.Context) (*store.Store, error) {
	return func(context.Context) (*store.Store, error) { return store.New(b, store.Options{Now: now}), nil }
}

func openAt(url string) func(context.Context) (*store.Store, error) {
	return func(ctx context.Context) (*store.Store, error) { return store.Open(ctx, store.Options{URL: url}) }
}

// answering makes the store an HTTP server that has nothing, and answers every write with one
// status.
func answering(status int) func(*installation, *blob.Bucket) {
	return func(h *installation, _ *blob.Bucket) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				w.WriteHeader(status)
				if status == http.StatusNotFound {
					fmt.Fprint(w, "<Error><Code>NoSuchBucket</Code></Error>")
				}
				return
			}
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
		}))
		h.t.Cleanup(server.Close)
		h.t.Setenv("AWS_ACCESS_KEY_ID", "any")
		h.t.Setenv("AWS_SECRET_ACCESS_KEY", "any")
		h.options.Store = openAt("s3://bucket?region=us-east-1&use_path_style=true&endpoint=" + server.URL)
	}
}
