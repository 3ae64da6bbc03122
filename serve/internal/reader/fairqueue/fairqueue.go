// Package fairqueue gives slots to tenants in turn, so that a tenant with many requests
// waits behind its own.
package fairqueue

import (
	"context"
	"errors"
	"fmt"
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
	each int // maximum number of slots of one tenant

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

// New returns a queue for a number of slots, of which one tenant holds at most the smaller of
// most and all but one.
func New(slots, most int) *Queue {
	return &Queue{each: min(most, max(1, slots-1)), free: slots, tenants: map[string]*tenantQueue{}}
}

// Acquire waits for a slot, which the caller must release. The error is [ErrBusy] or that
// of the context.
func (q *Queue) Acquire(ctx context.Context, tenant string) error {
	slot, err := q.enqueue(tenant)
	if slot == nil || err != nil {
		return err
	}
	timer := time.NewTimer(MaxWait)
	defer timer.Stop()
	select {
	case <-slot:
		return nil
	case <-timer.C:
		err = ErrSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !q.cancel(tenant, slot, err) {
		return nil // the slot was given at the same moment
	}
	return err
}

// enqueue takes a free slot and returns nil, or adds a waiter and returns its channel.
func (q *Queue) enqueue(tenant string) (chan struct{}, error) {
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
func (q *Queue) cancel(tenant string, slot chan struct{}, why error) bool {
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

// Release gives a slot back, to the next tenant in turn.
func (q *Queue) Release(tenant string) {
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

func (q *Queue) removeTurn(l *tenantQueue) {
	for i := range q.turns {
		if q.turns[i] == l {
			q.turns = append(q.turns[:i], q.turns[i+1:]...)
			return
		}
	}
}

func (q *Queue) forget(tenant string, l *tenantQueue) {
	if l.holding == 0 && len(l.waiters) == 0 {
		delete(q.tenants, tenant)
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
	c := Counts{Refused: q.refused, TimedOut: q.timeouts, Waiting: q.waiting}
	for _, t := range q.tenants {
		c.Holding += t.holding
	}
	return c
}
