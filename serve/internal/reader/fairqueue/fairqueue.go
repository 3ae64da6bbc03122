// Package fairqueue gives slots to tenants in turn, so that a tenant with many requests
// waits behind its own.
package fairqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrBusy reports that too many requests wait. The same request may
// succeed in a moment.
var ErrBusy = errors.New("too many pages wait to be rendered")

// ErrSlow is the [ErrBusy] of a request that has waited for the maximum time.
var ErrSlow = fmt.Errorf("%w", ErrBusy)

// Bounds of the requests that wait for uncached pages. A page takes about a
// millisecond of a processor, so a full queue of one tenant is about 130 ms of work;
// MaxWait is for a slow engine.
const (
	maxWaitingEach = 128 // of one tenant; more are refused at once
	maxWaitingAll  = 1024
	MaxWait        = 2 * time.Second
)

// Queue gives rendering slots to tenants: as many as there are processors, because
// the engine reads from memory and more at once would only slow each other down. A
// tenant with many requests waits behind its own: each free slot goes to the next
// tenant in turn, and none holds all slots. Semaphores cannot replace it: the
// order in which their waiters wake up would decide whose turn it is. Safe for concurrent
// use.
type Queue struct {
	slots, each int // of all, and at most of one tenant

	mu      sync.Mutex
	free    int
	turns   int                // that were given so far
	waiters []*waiter          // in the order of their arrival
	tenants map[string]*tenant // those that hold a slot or wait

	refused, timeouts int64 // requests that got ErrBusy: too many waited; the wait was too long
}

type tenant struct {
	id                     string
	holding, waiting, turn int // the tenant with the smallest turn is next
}

type waiter struct {
	*tenant
	slot chan struct{} // closed when the request gets its slot
}

// New returns a queue for a number of slots. One tenant holds at most the smaller of most and slots-1 of
// them, or the only one.
func New(slots, most int) *Queue {
	return &Queue{slots: slots, each: min(most, max(1, slots-1)), free: slots, tenants: map[string]*tenant{}}
}

// Acquire waits for a slot, which the caller must release. The error is [ErrBusy] or that
// of the context.
func (q *Queue) Acquire(ctx context.Context, tenant string) error {
	w, err := q.enqueue(tenant)
	if w == nil {
		return err
	}
	timer := time.NewTimer(MaxWait)
	defer timer.Stop()
	select {
	case <-w.slot:
		return nil
	case <-timer.C:
		err = ErrSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !q.cancel(w, err) {
		return nil // the slot was given at the same moment
	}
	return err
}

// enqueue takes a free slot and returns nil, or adds a waiter.
func (q *Queue) enqueue(id string) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[id]
	if t == nil {
		t = &tenant{id: id}
		q.tenants[id] = t
	}
	if q.free > 0 && t.holding < q.each {
		q.free--
		t.holding++
		return nil, nil
	}
	if t.waiting >= maxWaitingEach || len(q.waiters) >= maxWaitingAll {
		q.refused++
		q.forget(t)
		return nil, ErrBusy
	}
	if t.waiting == 0 {
		q.turns++
		t.turn = q.turns
	}
	t.waiting++
	w := &waiter{t, make(chan struct{})}
	q.waiters = append(q.waiters, w)
	return w, nil
}

// cancel removes a waiter. It returns false if the waiter has already got its slot.
func (q *Queue) cancel(w *waiter, why error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiters, w)
	if i < 0 {
		return false
	}
	if errors.Is(why, ErrBusy) {
		q.timeouts++
	}
	q.remove(i)
	q.forget(w.tenant)
	return true
}

// Release gives a slot back, to the next tenant in turn.
func (q *Queue) Release(tenant string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[tenant]
	t.holding--
	q.free++
	for i := q.next(); i >= 0; i = q.next() {
		w := q.waiters[i]
		q.remove(i)
		q.free--
		q.turns++
		w.holding, w.turn = w.holding+1, q.turns
		close(w.slot)
	}
	q.forget(t)
}

// next returns the place of the waiter that gets a free slot: the first one of the tenant whose
// turn it is. It returns -1 if there is none.
func (q *Queue) next() int {
	next := -1
	for i, w := range q.waiters {
		if q.free > 0 && w.holding < q.each && (next < 0 || w.turn < q.waiters[next].turn) {
			next = i
		}
	}
	return next
}

func (q *Queue) remove(i int) {
	q.waiters[i].waiting--
	q.waiters = slices.Delete(q.waiters, i, i+1)
}

func (q *Queue) forget(t *tenant) {
	if t.holding == 0 && t.waiting == 0 {
		delete(q.tenants, t.id)
	}
}

// Counts are the requests that were refused and those that are here now.
type Counts struct {
	Refused, TimedOut int64 // [ErrBusy] because too many waited; because the wait was too long
	Waiting, Holding  int   // now
}

// Counts returns the counts of all tenants together.
func (q *Queue) Counts() Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Counts{q.refused, q.timeouts, len(q.waiters), q.slots - q.free}
}
