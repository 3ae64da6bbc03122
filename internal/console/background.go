package console

import (
	"context"
	"errors"
	"sync"
	"time"

	"mkt/internal/panics"
)

// background reads values that take long to read, one at a time, and keeps the ones used last. A page
// shows a value as far as it is read, and is refreshed.
type background[K comparable, V any] struct {
	most int           // how many values are kept
	wait time.Duration // how long a page waits for one

	mu   sync.Mutex // guards the following fields
	kept map[K]*reading[V]
	one  sync.Mutex // held while a value is read
}

// reading is a value, or the work of reading it.
type reading[V any] struct {
	value       V      // of the newest complete reading
	upTo        string // the caller's mark of it; "" before the first
	running     chan struct{}
	done, total int
	err         error // of the newest reading
	used        time.Time
}

// get returns a value. If it is not read up to a mark yet, or reading it failed, read is called in the
// background with the value that is there; running is then not nil. A panic of read is an error: it must
// not end the console.
func (b *background[K, V]) get(ctx context.Context, key K, upTo string, now time.Time, read func(before V, progress func(done, total int)) (V, error)) reading[V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.entry(key, now)
	if r == nil {
		return reading[V]{running: make(chan struct{})}
	}
	if r.running == nil && r.upTo != upTo {
		r.running, r.err = make(chan struct{}), nil
		go b.read(r, upTo, read)
	}
	if running := r.running; running != nil {
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
func (b *background[K, V]) entry(key K, now time.Time) *reading[V] {
	if r := b.kept[key]; r != nil {
		r.used = now
		return r
	}
	if len(b.kept) >= b.most {
		var oldest *reading[V]
		var of K
		for k, r := range b.kept {
			if r.running == nil && (oldest == nil || r.used.Before(oldest.used)) {
				oldest, of = r, k
			}
		}
		if oldest == nil {
			return nil
		}
		delete(b.kept, of)
	}
	if b.kept == nil {
		b.kept = map[K]*reading[V]{}
	}
	r := &reading[V]{used: now}
	b.kept[key] = r
	return r
}

func (b *background[K, V]) read(r *reading[V], upTo string, read func(before V, progress func(done, total int)) (V, error)) {
	b.one.Lock()
	defer b.one.Unlock()
	value, err := guarded(func() (V, error) {
		return read(r.value, func(done, total int) { // only this goroutine writes the value
			b.mu.Lock()
			defer b.mu.Unlock()
			r.done, r.total = done, total
		})
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.err = err; err == nil {
		r.value, r.upTo = value, upTo
	}
	r.done, r.total = 0, 0
	close(r.running)
	r.running = nil
}

// guarded returns a panic as an error.
func guarded[V any](do func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("it failed: " + panics.Describe(p))
		}
	}()
	return do()
}
