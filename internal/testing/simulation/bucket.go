package simulation

import (
	"bytes"
	"context"
	"io"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/testing/storetest"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Rates of the faults of one request to the object store.
const (
	storeKillRate  = 1.0 / 800
	storeAwayRate  = 1.0 / 150
	storeLostRate  = 1.0 / 150 // the store does it, and the answer is lost
	storeLateRate  = 1.0 / 300 // the client gives up, and the store does it later
	storeTwiceRate = 1.0 / 300 // a network repeats the request
	storeCutRate   = 1.0 / 300 // a body breaks off
)

var errAway = &object.Error{Kind: object.Away}

// depot is the object store of the world.
type depot struct {
	w       *world
	objects *storetest.Memory
	away    bool // for all, for a while

	mu   sync.Mutex
	late map[string]bool // objects that were stored after their client had given up, or once more
}

// latest is when a request has arrived, or does not any more.
const latest = 11 * time.Minute

// gone checks that nothing of a deleted account is stored, except what arrived late.
func (d *depot) gone(account string) {
	page, err := d.objects.List(context.Background(), object.Listing{Prefix: layout.Tenant(account) + "/"})
	if err != nil {
		d.w.fail(deletedGone, "%s: %v", account, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range page.Objects {
		if !d.late[o.Key] {
			d.w.fail(deletedGone, "%s in the object store: %s", account, o.Key)
		}
	}
}

// settled notes that everything of an account has arrived.
func (d *depot) settled(account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.late, func(key string, _ bool) bool { return strings.HasPrefix(key, layout.Tenant(account)+"/") })
}

// packs returns the versions whose publications the object store has, each with whether it arrived late, and the
// newest commit.
func (d *depot) packs(j job) (late map[uint64]bool, head snapshot.Commit, err error) {
	late = map[uint64]bool{}
	page, err := d.objects.List(context.Background(), object.Listing{Prefix: j.dir() + "/packs/"})
	d.mu.Lock()
	for _, o := range page.Objects {
		number, _, _ := strings.Cut(path.Base(o.Key), "-")
		version, _ := strconv.ParseUint(number, 10, 64)
		late[version] = late[version] || d.late[o.Key]
	}
	d.mu.Unlock()
	if err == nil {
		head, _, err = d.dataset(j).Head(context.Background(), 0)
	}
	return late, head, err
}

// dataset is the object store as a judge reads it.
func (d *depot) dataset(j job) *store.Dataset {
	return store.New(d.objects, store.Options{Now: time.Now}).Dataset(j.id, j.product)
}

// bucket is the object store as a life of a machine reaches it.
type bucket struct {
	l *life
	d *depot
}

var _ object.Bucket = (*bucket)(nil)

// store opens the object store for a process.
func (d *depot) store(l *life) *store.Store {
	return store.New(&bucket{l, d}, store.Options{Now: l.machine.now})
}

// do has the turn of a request, and does it. again is the effect of a request that arrives later or
// once more; nil if it has none.
func (b *bucket) do(ctx context.Context, kind, key string, op func() error, again func()) error {
	w := b.d.w
	name, err := b.l.enter("store "+kind, key)
	if err != nil {
		return err
	}
	if !sleep(ctx, w.span("latency", name, 5*time.Millisecond, 120*time.Millisecond)) {
		return context.Cause(ctx)
	}
	switch {
	case b.l.dead.Load():
		return errKilled
	case w.happens("killed", name, storeKillRate):
		if w.pick("when", name, 2) == 0 {
			_ = op()
		}
		b.l.kill(name)
		return errKilled
	case b.d.away, b.l.machine.isCut(), w.happens("store away", name, storeAwayRate):
		return errAway
	case w.happens("answer lost", name, storeLostRate):
		_ = op()
		return errAway
	case again != nil && w.happens("late", name, storeLateRate):
		w.later(w.span("late", name, time.Second, 10*time.Minute), again)
		return errAway
	case again != nil && w.happens("twice", name, storeTwiceRate):
		w.later(w.span("twice", name, time.Second, time.Minute), again)
	}
	return op()
}

// Read implements [object.Bucket].
func (b *bucket) Read(ctx context.Context, key string) (body io.ReadCloser, a object.Attributes, err error) {
	err = b.do(ctx, "read", key, func() error {
		body, a, err = b.d.objects.Read(ctx, key)
		return err
	}, nil)
	if err != nil {
		return nil, object.Attributes{}, err
	}
	if name, _ := b.l.enter("store body", key); b.d.w.happens("body cut", name, storeCutRate) {
		half := io.LimitReader(body, a.Size*int64(b.d.w.pick("cut", name, 100))/100)
		body = io.NopCloser(io.MultiReader(half, broken{}))
	}
	return body, a, nil
}

// broken is the end of a body that breaks off.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errAway }

// Look implements [object.Bucket].
func (b *bucket) Look(ctx context.Context, key string) (a object.Attributes, err error) {
	err = b.do(ctx, "look", key, func() error {
		a, err = b.d.objects.Look(ctx, key)
		return err
	}, nil)
	return a, err
}

// Write implements [object.Bucket].
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, onlyIfAbsent bool) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	kind := "put"
	if onlyIfAbsent {
		kind = "create"
	} else if b.l.hasLostLease(key) {
		b.d.w.fail(oneAtATime, "%s stores %s, and has lost the lease", b.l.machine.name, key)
	}
	op := func() error {
		return b.d.objects.Write(context.WithoutCancel(ctx), key, bytes.NewReader(data), onlyIfAbsent)
	}
	return b.do(ctx, kind, key, op, func() {
		b.d.mu.Lock()
		b.d.late[key] = true
		b.d.mu.Unlock()
		_ = op()
	})
}

// Delete implements [object.Bucket].
func (b *bucket) Delete(ctx context.Context, key string) error {
	return b.do(ctx, "delete", key, func() error { return b.d.objects.Delete(ctx, key) }, nil)
}

// List implements [object.Bucket].
func (b *bucket) List(ctx context.Context, from object.Listing) (page object.Page, err error) {
	err = b.do(ctx, "list", from.Prefix, func() error {
		page, err = b.d.objects.List(ctx, from)
		return err
	}, nil)
	return page, err
}

// Close implements [object.Bucket].
func (b *bucket) Close() error { return nil }
