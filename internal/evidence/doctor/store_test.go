package doctor_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

const prefix = "client_id=acme/product=market_engine/"

var storeFaults = []struct {
	name   string
	change func(h *installation, b *storetest.Memory)
	want   []string
}{
	{"as pushed", func(*installation, *storetest.Memory) {}, nil},
	{"another history", func(h *installation, b *storetest.Memory) {
		key := prefix + layout.Commit(2)
		other, err := snapshot.ParseCommit(b.Get(h.t, key))
		check.Must(h.t, err)
		other.RunID = "of another installation"
		record, err := layout.EncodeHeader(other)
		check.Must(h.t, err)
		b.Set(h.t, key, record)
	}, []string{"FAIL STORE_DIVERGED"}},
	{"no commit", func(h *installation, b *storetest.Memory) {
		b.Remove(h.t, prefix+layout.Commit(2))
	}, []string{"FAIL STORE_LACKS"}},
	{"another id key", func(h *installation, b *storetest.Memory) {
		b.Set(h.t, layout.IDKeyFingerprintFile, []byte("0123456789abcdef0123456789abcdef\n"))
	}, []string{"FAIL STORE_ID_KEY"}},
	{"a pack that lost", func(h *installation, b *storetest.Memory) {
		b.Set(h.t, prefix+fmt.Sprintf("packs/%020d-0000000000000000.tar", 2), []byte("x"))
	}, []string{"NOTE STORE_LOST"}},
	{"a clock that is behind", func(h *installation, b *storetest.Memory) {
		h.options.Store = storeAt(b, func() time.Time { return time.Now().Add(-time.Minute) })
	}, []string{"FAIL STORE_CLOCK"}},
	{"a damaged commit", func(h *installation, b *storetest.Memory) {
		b.Set(h.t, prefix+layout.Commit(3), []byte("{}"))
	}, []string{"FAIL STORE_DAMAGED"}},
	{"slow", func(h *installation, b *storetest.Memory) {
		at := time.Now()
		h.options.Store = storeAt(b, func() time.Time { at = at.Add(3 * time.Second); return at })
	}, []string{"WARN STORE_SLOW"}},
	{"no worker", func(h *installation, _ *storetest.Memory) { h.redis(nil) }, []string{"WARN REDIS_NO_WORKERS"}},
	{"ignores conditions", answering(nil), []string{"FAIL STORE_UNSAFE"}},
	{"no bucket", answering(&object.Error{Kind: object.NoBucket}), []string{"FAIL STORE_BUCKET"}},
	{"full", answering(&object.Error{Kind: object.Full}), []string{"FAIL STORE_FULL"}},
	{"refuses", answering(&object.Error{Kind: object.Denied}), []string{"FAIL STORE_REFUSES"}},
	{"an address that no driver opens", func(h *installation, _ *storetest.Memory) {
		h.options.Store = openAt("s3://bucket")
	}, []string{"FAIL STORE_INVALID"}},
	{"accounts that the store does not have", func(h *installation, _ *storetest.Memory) {
		h.options.SharedTenants = true
	}, []string{"WARN ACCOUNTS_BY_HAND"}},
	{"accounts changed by hand", func(h *installation, b *storetest.Memory) {
		h.share(b)
		h.write(h.options.Tenants, h.read(h.options.Tenants)+"\n")
	}, []string{"WARN TENANTS_UNSEALED", "WARN ACCOUNTS_BY_HAND"}},
	{"newer accounts", func(h *installation, b *storetest.Memory) {
		h.share(b)
		check.Must(h.t, store.New(b, store.Options{}).Accounts().Commit(h.t.Context(), 2, []byte(h.read(h.options.Tenants)), nil))
	}, []string{"WARN ACCOUNTS_BEHIND"}},
	{"invalid accounts", func(h *installation, b *storetest.Memory) {
		h.share(b)
		check.Must(h.t, store.New(b, store.Options{}).Accounts().Commit(h.t.Context(), 2, []byte("{"), nil))
	}, []string{"FAIL ACCOUNTS_INVALID"}},
	{"shared accounts", func(h *installation, b *storetest.Memory) { h.share(b) }, nil},
	{"no answer", func(_ *installation, b *storetest.Memory) { b.Close() }, []string{"FAIL STORE_AWAY"}},
	{"a replica without the newest publication", func(h *installation, _ *storetest.Memory) {
		check.Must(h.t, os.RemoveAll(h.root))
		h.options.Keyless = true
		h.later(10 * time.Minute)
	}, []string{"WARN REPLICA_BEHIND"}},
	{"a worker without the newest publication", func(h *installation, _ *storetest.Memory) {
		check.Must(h.t, os.RemoveAll(h.root))
	}, nil},
}

// TestObjectStore: a fault of an object store, or of this machine's copy of it, is found, and nothing
// is left in the store.
func TestObjectStore(t *testing.T) {
	for _, c := range storeFaults {
		t.Run(c.name, func(t *testing.T) {
			h := newInstallation(t)
			b := storetest.NewMemory()
			h.options.Store, h.options.StoreName = storeAt(b, time.Now), "s3://bucket/prefix"
			s, err := h.options.Store(t.Context())
			check.Must(t, err)
			root, err := durable.OpenRoot(h.root)
			check.Must(t, err)
			defer root.Close()
			_, err = s.Dataset("acme", product).Push(t.Context(), root, store.PushOptions{})
			check.Must(t, err)
			data, err := durable.OpenRoot(filepath.Dir(filepath.Dir(h.root)))
			check.Must(t, err)
			defer data.Close()
			check.Must(t, s.SyncIDKey(t.Context(), data))
			c.change(h, b)
			r := doctor.Run(t.Context(), h.options)
			if got := names(r); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v\n%+v", got, c.want, r.Findings)
			}
			if r.Healthy != !slices.ContainsFunc(c.want, func(w string) bool { return strings.HasPrefix(w, "FAIL") }) {
				t.Errorf("healthy: %v", r.Healthy)
			}
			for _, bad := range r.Findings {
				if bad.What == "" || bad.Fix == "" || bad.File == "" {
					t.Errorf("not a whole finding: %+v", bad)
				}
			}
			if c.name == "no answer" {
				return
			}
			if left := b.Keys("probe/"); len(left) > 0 {
				t.Error("a probe is left in the store")
			}
		})
	}
}

// share puts the accounts into a store, by an edit that changes nothing.
func (h *installation) share(b *storetest.Memory) {
	h.t.Helper()
	h.options.SharedTenants = true
	_, err := accounts.Copy{Path: h.options.Tenants, Origin: store.New(b, store.Options{}).Accounts()}.Edit(h.t.Context(), func(*accounts.Editor) error { return nil })
	check.Must(h.t, err)
}

func storeAt(b *storetest.Memory, now func() time.Time) func(context.Context) (*store.Store, error) {
	return func(context.Context) (*store.Store, error) { return store.New(b, store.Options{Now: now}), nil }
}

func openAt(url string) func(context.Context) (*store.Store, error) {
	return func(ctx context.Context) (*store.Store, error) { return store.Open(ctx, store.Options{URL: url}) }
}

// answering makes a store that has nothing, and answers every write with one error or none.
func answering(err error) func(*installation, *storetest.Memory) {
	return func(h *installation, b *storetest.Memory) {
		h.options.Store = func(context.Context) (*store.Store, error) {
			return store.New(refusing{storetest.NewMemory(), err}, store.Options{}), nil
		}
	}
}

type refusing struct {
	*storetest.Memory
	err error
}

func (r refusing) Write(context.Context, string, io.Reader, bool) error { return r.err }
