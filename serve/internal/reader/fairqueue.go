package reader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrBusy reports that too many requests wait for the engine. The same request may
// succeed in a moment.
var ErrBusy = errors.New("too many pages wait to be rendered")

// errSlow is the [ErrBusy] of a request that has waited for the maximum time.
var errSlow = fmt.Errorf("%w", ErrBusy)

// Bounds of the requests that wait for uncached pages. A page takes half a
// millisecond of a processor, so a full queue of one tenant is about 50 ms of work;
// maxWait is for a slow engine.
const (
	maxWaitingEach = 128 // of one tenant; more are refused at once
	maxWaitingAll  = 1024
	maxWait        = 2 * time.Second
)

// fairQueue gives rendering slots to tenants: as many as there are processors, because
// the engine reads from memory and more at once would only slow each other down. A
// tenant with many requests waits behind its own: each free slot goes to the next
// tenant in turn, and none holds all slots. Semaphores cannot replace it: the
// order in which their waiters wake up would decide whose turn it is. Safe for concurrent
// use.
type fairQueue struct {
	each    int // maximum number of slots of one tenant
	maxWait time.Duration

	mu      sync.Mutex
	free    int
	waiting int
	tenants map[string]*tenantQueue // those that hold a slot or wait
	turns   []*tenantQueue          // those that wait, in the order of their turns

	refused, timeouts int64 // requests that got ErrBusy: too many waited; the wait was too long
}

type tenantQueue struct {
	holding int
	waiters []chan struct{} // closed when the request gets its slot; first come, first served
}

func newFairQueue(slots int) *fairQueue {
	return &fairQueue{each: min(maxConcurrent, max(1, slots-1)), maxWait: maxWait, free: slots, tenants: map[string]*tenantQueue{}}
}

// acquire waits for a slot, which the caller must release. The error is [ErrBusy] or that
// of the context.
func (q *fairQueue) acquire(ctx context.Context, tenant string) error {
	slot, err := q.enqueue(tenant)
	if slot == nil || err != nil {
		return err
	}
	timer := time.NewTimer(q.maxWait)
	defer timer.Stop()
	select {
	case <-slot:
		return nil
	case <-timer.C:
		err = errSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !q.cancel(tenant, slot, err) {
		return nil // the slot was given at the same moment
	}
	return err
}

// enqueue takes a free slot and returns nil, or adds a waiter and returns its channel.
func (q *fairQueue) enqueue(tenant string) (chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[tenant]
	if l == nil {
		l = &tenantQueue{}
		q.tenants[tenant] = l
	}
	if q.free > 0 && l.holding < q.each {
		q.free--
		l.holding++
		return nil, nil
	}
	if len(l.waiters) >= maxWaitingEach || q.waiting >= maxWaitingAll {
		q.refused++
		q.forget(tenant, l)
		return nil, ErrBusy
	}
	if len(l.waiters) == 0 {
		q.turns = append(q.turns, l)
	}
	slot := make(chan struct{})
	l.waiters = append(l.waiters, slot)
	q.waiting++
	return slot, nil
}

// cancel removes a waiter. It returns false if the waiter has already got its slot.
func (q *fairQueue) cancel(tenant string, slot chan struct{}, why error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[tenant]
	for i, w := range l.waiters {
		if w != slot {
			continue
		}
		l.waiters = append(l.waiters[:i], l.waiters[i+1:]...)
		q.waiting--
		if errors.Is(why, ErrBusy) {
			q.timeouts++
		}
		if len(l.waiters) == 0 {
			q.removeTurn(l)
		}
		q.forget(tenant, l)
		return true
	}
	return false
}

func (q *fairQueue) release(tenant string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.tenants[tenant]
	l.holding--
	q.free++
	for passed := 0; q.free > 0 && passed < len(q.turns); {
		next := q.turns[0]
		q.turns = append(q.turns[:0], q.turns[1:]...)
		if next.holding >= q.each {
			q.turns = append(q.turns, next)
			passed++
			continue
		}
		close(next.waiters[0])
		next.waiters = next.waiters[1:]
		next.holding++
		q.free--
		q.waiting--
		if passed = 0; len(next.waiters) > 0 {
			q.turns = append(q.turns, next)
		}
	}
	q.forget(tenant, l)
}

func (q *fairQueue) removeTurn(l *tenantQueue) {
	for i := range q.turns {
		if q.turns[i] == l {
			q.turns = append(q.turns[:i], q.turns[i+1:]...)
			return
		}
	}
}

func (q *fairQueue) forget(tenant string, l *tenantQueue) {
	if l.holding == 0 && len(l.waiters) == 0 {
		delete(q.tenants, tenant)
	}
}
