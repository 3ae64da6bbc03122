package reader

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
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// work acquires a slot, holds it for a while, and returns the error of acquire.
func (q *fairQueue) work(ctx context.Context, tenant string, d time.Duration) error {
	if err := q.acquire(ctx, tenant); err != nil {
		return err
	}
	time.Sleep(d)
	q.release(tenant)
	return nil
}

// checkUnused fails unless all slots are free, no request waits, and no tenant is
// remembered.
func (q *fairQueue) checkUnused(t testing.TB, slots int64) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.holding != 0 || q.waiting != 0 || len(q.tenants) != 0 {
		t.Errorf("%d hold a slot, %d wait, %d tenants remembered", q.holding, q.waiting, len(q.tenants))
	}
	if !q.slots.TryAcquire(slots) || q.slots.TryAcquire(1) {
		t.Errorf("the number of free slots is not %d", slots)
	}
}

// However many requests one tenant sends, the request of another is next.
func TestFairQueueOneTenantCannotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(2)
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

// If all slots are taken, the tenants take turns.
func TestFairQueueRoundRobin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(1)
		must(t, q.acquire(t.Context(), "holder"))
		var order []string
		var all sync.WaitGroup
		for _, tenant := range []string{"a", "a", "a", "b", "b", "c"} {
			all.Go(func() {
				must(t, q.acquire(t.Context(), tenant))
				order = append(order, tenant)
				q.release(tenant)
			})
			synctest.Wait()
		}
		q.release("holder")
		all.Wait()
		if want := []string{"a", "b", "c", "a", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("turns: %v, want %v", order, want)
		}
		q.checkUnused(t, 1)
	})
}

func TestFairQueueBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(4)
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
		if q.waiting > maxWaitingAll || q.tenants["0"].waiting > maxWaitingEach {
			t.Errorf("%d wait, %d of one tenant", q.waiting, q.tenants["0"].waiting)
		}
		q.mu.Unlock()
		time.Sleep(maxWait + time.Millisecond)
		synctest.Wait()
		q.mu.Lock()
		if q.waiting != 0 || q.timeouts == 0 || q.refused == 0 {
			t.Errorf("after the maximum wait %d requests still wait, %d timed out, %d were refused", q.waiting, q.timeouts, q.refused)
		}
		q.mu.Unlock()
		all.Wait()
		if errs[ErrBusy.Error()] != 20*200-4 || errs["<nil>"] != 4 {
			t.Errorf("%v", errs)
		}
		q.checkUnused(t, 4)
	})
}

// A request whose client disconnects takes no slot.
func TestFairQueueCancelledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(1)
		must(t, q.acquire(t.Context(), "a"))
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- q.acquire(ctx, "b") }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) || q.timeouts != 0 {
			t.Errorf("%v, %d counted as timeouts", err, q.timeouts)
		}
		q.release("a")
		q.checkUnused(t, 1)
	})
}

// Whatever requests come, end and disconnect: there are never more at once than
// slots, no slot is lost, and none stays free while a tenant that may have it waits.
func TestFairQueueProperty(t *testing.T) {
	type step struct{ kind, tenant, which int }
	rapid.Check(t, func(r *rapid.T) {
		slots := rapid.IntRange(1, 12).Draw(r, "slots")
		steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
			return step{rapid.IntRange(0, 3).Draw(r, "kind"), rapid.IntRange(0, 2).Draw(r, "tenant"), rapid.IntRange(0, 999).Draw(r, "which")}
		}), 1, 200).Draw(r, "steps")
		var failure string
		synctest.Test(t, func(t *testing.T) {
			q := newFairQueue(slots)
			q.maxWait = time.Hour
			type request struct {
				tenant   string
				cancel   context.CancelFunc
				acquired bool
				err      error
			}
			var requests []*request
			held := func(r *request) bool { return r.acquired }
			release := func(r *request) {
				r.cancel()
				if r.acquired {
					q.release(r.tenant)
				}
			}
			for _, s := range steps {
				var chosen []int
				for i, r := range requests {
					if held(r) == (s.kind == 2) {
						chosen = append(chosen, i)
					}
				}
				switch {
				case s.kind < 2:
					ctx, cancel := context.WithCancel(t.Context())
					r := &request{tenant: string(rune('a' + s.tenant)), cancel: cancel}
					requests = append(requests, r)
					go func() { r.err = q.acquire(ctx, r.tenant); r.acquired = r.err == nil }()
				case len(chosen) > 0:
					i := chosen[s.which%len(chosen)]
					release(requests[i])
					requests = slices.Delete(requests, i, i+1)
				}
				synctest.Wait()
				requests = slices.DeleteFunc(requests, func(r *request) bool { return r.err != nil })
				held := map[string]int64{}
				holding := 0
				for _, r := range requests {
					if r.acquired {
						held[r.tenant]++
						holding++
					}
				}
				if holding > slots || holding != q.holding || len(requests)-holding != q.waiting {
					failure = fmt.Sprintf("%d of %d slots held, %d counted; %d wait, %d counted", holding, slots, q.holding, len(requests)-holding, q.waiting)
				}
				for _, r := range requests {
					if !r.acquired && holding < slots && held[r.tenant] < q.each {
						failure = r.tenant + " waits although a slot is free"
					}
				}
			}
			for len(requests) > 0 {
				release(requests[0])
				requests = requests[1:]
				synctest.Wait()
			}
			q.checkUnused(t, int64(slots))
		})
		if failure != "" {
			r.Fatal(failure)
		}
	})
}

func BenchmarkFairQueue(b *testing.B) {
	q := newFairQueue(4)
	for b.Loop() {
		must(b, q.acquire(b.Context(), "acme"))
		q.release("acme")
	}
}
