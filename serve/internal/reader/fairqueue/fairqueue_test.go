package fairqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/testing/check"
)

// work acquires a slot, holds it for a while, and returns the error of [Queue.Acquire].
func (q *Queue) work(ctx context.Context, tenant string, took time.Duration) error {
	if err := q.Acquire(ctx, tenant); err != nil {
		return err
	}
	time.Sleep(took)
	q.Release(tenant)
	return nil
}

// checkUnused fails unless all slots are free, no request waits, and no tenant is
// remembered.
func (q *Queue) checkUnused(t testing.TB, n int) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free != n || len(q.waiters) != 0 || len(q.tenants) != 0 {
		t.Errorf("%d of %d slots free, %d waiting, %d tenants remembered", q.free, n, len(q.waiters), len(q.tenants))
	}
}

func TestOneTenantCannotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(2, 8)
		var all sync.WaitGroup
		for range maxWaitingEach {
			all.Go(func() { q.work(t.Context(), "flood", 10*time.Millisecond) })
		}
		synctest.Wait()
		for range 5 {
			began := time.Now()
			if err := q.work(t.Context(), "quiet", 10*time.Millisecond); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 10*time.Millisecond {
				t.Errorf("a quiet tenant's work of 10 ms took %v while another sent many requests", took)
			}
		}
		all.Wait()
		q.checkUnused(t, 2)
	})
}

func TestRoundRobin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 8)
		check.Must(t, q.Acquire(t.Context(), "holder"))
		var order []string
		var all sync.WaitGroup
		for _, tenant := range []string{"a", "a", "a", "b", "b", "c"} {
			all.Go(func() {
				if err := q.Acquire(t.Context(), tenant); err != nil {
					t.Error(err)
				}
				order = append(order, tenant)
				q.Release(tenant)
			})
			synctest.Wait()
		}
		q.Release("holder")
		all.Wait()
		if want := []string{"a", "b", "c", "a", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("turns: %v, want %v", order, want)
		}
		q.checkUnused(t, 1)
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(4, 8)
		var all sync.WaitGroup
		errs := map[string]int{}
		var mu sync.Mutex
		for tenant := range 20 {
			for range 200 {
				all.Go(func() {
					err := q.work(t.Context(), fmt.Sprint(tenant), time.Hour)
					mu.Lock()
					defer mu.Unlock()
					errs[fmt.Sprint(err)]++
				})
			}
		}
		synctest.Wait()
		q.mu.Lock()
		for id, l := range q.tenants {
			if len(q.waiters) > maxWaitingAll || l.waiting > maxWaitingEach {
				t.Errorf("%d wait, %d of tenant %s", len(q.waiters), l.waiting, id)
			}
		}
		q.mu.Unlock()
		time.Sleep(MaxWait + time.Millisecond)
		synctest.Wait()
		q.mu.Lock()
		if len(q.waiters) != 0 || q.timeouts == 0 || q.refused == 0 {
			t.Errorf("after the maximum wait %d requests still wait, %d timed out, %d were refused", len(q.waiters), q.timeouts, q.refused)
		}
		q.mu.Unlock()
		all.Wait()
		if errs[ErrBusy.Error()] != 20*200-4 || errs["<nil>"] != 4 {
			t.Errorf("%v", errs)
		}
		q.checkUnused(t, 4)
	})
}

func TestCancelledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 8)
		check.Must(t, q.Acquire(t.Context(), "a"))
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- q.Acquire(ctx, "b") }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) || q.timeouts != 0 {
			t.Errorf("%v, %d counted as timeouts", err, q.timeouts)
		}
		q.Release("a")
		q.checkUnused(t, 1)
	})
}

// Whatever requests come, end and disconnect: there are never more at once than slots, no
// slot is lost, and none stays free while a tenant that may have it waits.
func TestProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "slots")
		q := New(n, 8)
		var waiting []*waiter
		var holding []string
		update := func() {
			waiting = slices.DeleteFunc(waiting, func(w *waiter) bool {
				select {
				case <-w.slot:
					holding = append(holding, w.id)
					return true
				default:
					return false
				}
			})
		}
		for range rapid.IntRange(1, 200).Draw(r, "steps") {
			switch rapid.IntRange(0, 3).Draw(r, "step") {
			case 0, 1:
				tenant := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "tenant")
				switch w, err := q.enqueue(tenant); {
				case err == nil && w == nil:
					holding = append(holding, tenant)
				case err == nil:
					waiting = append(waiting, w)
				}
			case 2:
				if len(holding) > 0 {
					i := rapid.IntRange(0, len(holding)-1).Draw(r, "who leaves")
					q.Release(holding[i])
					holding = slices.Delete(holding, i, i+1)
				}
			case 3:
				if len(waiting) > 0 {
					i := rapid.IntRange(0, len(waiting)-1).Draw(r, "who gives up")
					if q.cancel(waiting[i], ErrBusy) {
						waiting = slices.Delete(waiting, i, i+1)
					}
				}
			}
			update()
			if len(holding)+q.free != n || len(waiting) != len(q.waiters) {
				r.Fatalf("%d hold, %d free of %d; %d wait, %d counted", len(holding), q.free, n, len(waiting), len(q.waiters))
			}
			for _, w := range waiting {
				if q.free > 0 && w.holding < q.each {
					r.Fatalf("%s waits although a slot is free", w.id)
				}
			}
		}
	})
}
