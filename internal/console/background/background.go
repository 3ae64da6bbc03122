// Package background reads values that take long to read. Meanwhile a page shows how far the reading is.
package background

import (
	"context"
	"errors"
	"sync"
	"time"

	"mkt/internal/panics"
)

// pageWait is how long a page waits for a value, before it is shown without and refreshed.
const pageWait = 150 * time.Millisecond

// Reader reads values one at a time, and keeps the ones used last. It is safe for concurrent use.
type Reader[K comparable, V any] struct {
	most int           // how many values are kept
	wait time.Duration // how long a page waits for one

	mu   sync.Mutex // guards the following fields
	kept map[K]*Reading[V]
	one  sync.Mutex // held while a value is read
}

// Reading is a value, or the work of reading it.
type Reading[V any] struct {
	Value       V             // of the newest complete reading
	upTo        string        // the caller's mark of it; "" before the first
	Running     chan struct{} // nil if nothing is being read
	Done, Total int
	Err         error // of the newest reading
	used        time.Time
}

// New returns a reader that keeps so many values.
func New[K comparable, V any](most int) *Reader[K, V] {
	return &Reader[K, V]{most: most, wait: pageWait}
}

// Get returns a value. If it is not read up to a mark yet, or reading it failed, read is called in the
// background with the value that is there; Running is then not nil. A panic of read is an error: it must
// not end the console.
func (b *Reader[K, V]) Get(ctx context.Context, key K, upTo string, now time.Time, read func(before V, progress func(done, total int)) (V, error)) Reading[V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.entry(key, now)
	if r == nil {
		return Reading[V]{Running: make(chan struct{})}
	}
	if r.Running == nil && r.upTo != upTo {
		r.Running, r.Err = make(chan struct{}), nil
		go b.read(r, upTo, read)
	}
	if running := r.Running; running != nil {
		b.mu.Unlock()
		timer := time.NewTimer(b.wait)
		select {
		case <-running:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		b.mu.Lock()
	}
	return *r
}

// entry returns the entry of a key. If there are too many it forgets the least recently used one. It
// returns nil if all of them are being read. b.mu must be held.
func (b *Reader[K, V]) entry(key K, now time.Time) *Reading[V] {
	if r := b.kept[key]; r != nil {
		r.used = now
		return r
	}
	if len(b.kept) >= b.most {
		var oldest *Reading[V]
		var of K
		for k, r := range b.kept {
			if r.Running == nil && (oldest == nil || r.used.Before(oldest.used)) {
				oldest, of = r, k
			}
		}
		if oldest == nil {
			return nil
		}
		delete(b.kept, of)
	}
	if b.kept == nil {
		b.kept = map[K]*Reading[V]{}
	}
	r := &Reading[V]{used: now}
	b.kept[key] = r
	return r
}

func (b *Reader[K, V]) read(r *Reading[V], upTo string, read func(before V, progress func(done, total int)) (V, error)) {
	b.one.Lock()
	defer b.one.Unlock()
	value, err := Guarded(func() (V, error) {
		return read(r.Value, func(done, total int) { // only this goroutine writes the value
			b.mu.Lock()
			defer b.mu.Unlock()
			r.Done, r.Total = done, total
		})
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Err = err; err == nil {
		r.Value, r.upTo = value, upTo
	}
	r.Done, r.Total = 0, 0
	close(r.Running)
	r.Running = nil
}

// Guarded calls a function, whose panic it returns as an error.
func Guarded[V any](do func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("it failed: " + panics.Describe(p))
		}
	}()
	return do()
}
