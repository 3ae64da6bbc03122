package reader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrBusy reports that too many requests wait for the engine. The same request may
// succeed in a moment.
var ErrBusy = errors.New("too many pages wait to be rendered")

// errSlow is the ErrBusy of a request that has waited for the maximum time.
var errSlow = fmt.Errorf("%w", ErrBusy)

// Bounds of the requests that wait for pages that are not cached. A page takes half a
// millisecond of a processor, so a full queue of one tenant is about 50 ms of work;
// maxWait is for an engine that is slow.
const (
	maxWaitingEach = 128 // of one tenant; more are refused at once
	maxWaitingAll  = 1024
	maxWait        = 2 * time.Second
)

// fairQueue gives rendering slots to tenants: as many as there are processors, because
// the engine reads from memory and more at once would only slow each other down. A
// tenant that sends many requests waits behind its own: the tenants take turns, and
// none holds all slots. Safe for concurrent use.
type fairQueue struct {
	each    int64 // maximum number of slots of one tenant
	maxWait time.Duration
	slots   *semaphore.Weighted // at most one request of each tenant waits for it, so that the tenants take turns

	mu                sync.Mutex
	tenants           map[string]*tenantQueue // those that hold a slot or wait
	holding, waiting  int
	refused, timeouts int64 // requests that got ErrBusy: too many waited; the wait was too long
}

// tenantQueue is the queue of one tenant.
type tenantQueue struct {
	holding, waiting int                 // guarded by the mutex of the fairQueue
	quota            *semaphore.Weighted // of slots
	turn             *semaphore.Weighted // 1: the right to wait for a slot
}

func newFairQueue(slots int) *fairQueue {
	return &fairQueue{each: int64(min(maxConcurrent, max(1, slots-1))), maxWait: maxWait, slots: semaphore.NewWeighted(int64(slots)), tenants: map[string]*tenantQueue{}}
}

// acquire waits for a slot, which the caller must release. The error is ErrBusy or
// that of the context.
func (q *fairQueue) acquire(ctx context.Context, tenant string) error {
	t, ok, err := q.enter(tenant)
	if ok || err != nil {
		return err
	}
	wait, cancel := context.WithTimeoutCause(ctx, q.maxWait, errSlow)
	defer cancel()
	err = t.acquire(wait, q.slots)
	q.mu.Lock()
	defer q.mu.Unlock()
	t.waiting--
	q.waiting--
	if err == nil {
		t.holding++
		q.holding++
		return nil
	}
	q.forget(tenant, t)
	if context.Cause(wait) == errSlow {
		q.timeouts++
		return errSlow
	}
	return ctx.Err()
}

// enter takes a slot if one is free, or else counts the request as waiting.
func (q *fairQueue) enter(tenant string) (t *tenantQueue, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t = q.tenants[tenant]; t == nil {
		t = &tenantQueue{quota: semaphore.NewWeighted(q.each), turn: semaphore.NewWeighted(1)}
		q.tenants[tenant] = t
	}
	if t.quota.TryAcquire(1) {
		if q.slots.TryAcquire(1) {
			t.holding++
			q.holding++
			return t, true, nil
		}
		t.quota.Release(1)
	}
	if t.waiting >= maxWaitingEach || q.waiting >= maxWaitingAll {
		q.refused++
		q.forget(tenant, t)
		return nil, false, ErrBusy
	}
	t.waiting++
	q.waiting++
	return t, false, nil
}

func (t *tenantQueue) acquire(ctx context.Context, slots *semaphore.Weighted) error {
	if err := t.quota.Acquire(ctx, 1); err != nil {
		return err
	}
	err := t.turn.Acquire(ctx, 1)
	if err == nil {
		err = slots.Acquire(ctx, 1)
		t.turn.Release(1)
	}
	if err != nil {
		t.quota.Release(1)
	}
	return err
}

func (q *fairQueue) release(tenant string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[tenant]
	t.holding--
	q.holding--
	q.slots.Release(1)
	t.quota.Release(1)
	q.forget(tenant, t)
}

// forget removes a tenant that neither holds a slot nor waits.
func (q *fairQueue) forget(tenant string, t *tenantQueue) {
	if t.holding == 0 && t.waiting == 0 {
		delete(q.tenants, tenant)
	}
}
