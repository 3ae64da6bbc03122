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

// work takes a place, holds it for that long, and says what came of it.
func (p *places) work(ctx context.Context, tenant string, took time.Duration) error {
	if err := p.take(ctx, tenant); err != nil {
		return err
	}
	time.Sleep(took)
	p.leave(tenant)
	return nil
}

// empty: nobody holds or waits, and nothing is remembered of who did.
func (p *places) empty(t testing.TB, n int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free != n || p.waiting != 0 || len(p.lines) != 0 || len(p.ring) != 0 {
		t.Errorf("left behind: %d of %d free, %d waiting, %d lines, %d in the ring", p.free, n, p.waiting, len(p.lines), len(p.ring))
	}
}

// However many one tenant sends, another's request is next.
func TestFloodOfOneTenantWaitsBehindItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(2)
		var all sync.WaitGroup
		for range waitingEach {
			all.Go(func() { p.work(t.Context(), "flood", 10*time.Millisecond) })
		}
		synctest.Wait()
		for range 5 {
			began := time.Now()
			if err := p.work(t.Context(), "quiet", 10*time.Millisecond); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 10*time.Millisecond {
				t.Errorf("a quiet tenant's work of 10 ms took %v beside a flood", took)
			}
		}
		all.Wait()
		p.empty(t, 2)
	})
}

// With every place taken, each that comes free goes to another tenant.
func TestPlacesGoRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		must(t, p.take(t.Context(), "holder"))
		var order []string
		var all sync.WaitGroup
		for _, tenant := range []string{"a", "a", "a", "b", "b", "c"} {
			all.Go(func() {
				must(t, p.take(t.Context(), tenant))
				order = append(order, tenant)
				p.leave(tenant)
			})
			synctest.Wait()
		}
		p.leave("holder")
		all.Wait()
		if want := []string{"a", "b", "c", "a", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("turns: %v, want %v", order, want)
		}
		p.empty(t, 1)
	})
}

func TestLinesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(4)
		var all sync.WaitGroup
		errs := map[string]int{}
		var mu sync.Mutex
		for tenant := range 20 {
			for range 200 {
				all.Go(func() {
					err := p.work(t.Context(), fmt.Sprint(tenant), time.Hour)
					mu.Lock()
					defer mu.Unlock()
					errs[fmt.Sprint(err)]++
				})
			}
		}
		synctest.Wait()
		p.mu.Lock()
		if p.waiting > waitingAll || len(p.lines["0"].waiters) > waitingEach {
			t.Errorf("%d wait, %d of one tenant", p.waiting, len(p.lines["0"].waiters))
		}
		p.mu.Unlock()
		time.Sleep(patience + time.Millisecond)
		synctest.Wait()
		p.mu.Lock()
		if p.waiting != 0 || p.impatient == 0 || p.refused == 0 {
			t.Errorf("after the longest wait %d still wait, %d had enough, %d were turned away", p.waiting, p.impatient, p.refused)
		}
		p.mu.Unlock()
		all.Wait()
		if errs[ErrBusy.Error()] != 20*200-4 || errs["<nil>"] != 4 {
			t.Errorf("%v", errs)
		}
		p.empty(t, 4)
	})
}

// A request whose client goes away takes no place.
func TestWhoGoesAwayLosesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		must(t, p.take(t.Context(), "a"))
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- p.take(ctx, "b") }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) || p.impatient != 0 {
			t.Errorf("%v, %d counted as impatient", err, p.impatient)
		}
		p.leave("a")
		p.empty(t, 1)
	})
}

// Whatever comes and goes: never more at once than there are places, none is
// lost, and none stands free while a tenant that may have it waits.
func TestPlacesProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "places")
		p := newPlaces(n)
		type ticket struct {
			tenant string
			mine   chan struct{}
		}
		var waiting []ticket
		var holding []string
		settle := func() {
			waiting = slices.DeleteFunc(waiting, func(w ticket) bool {
				select {
				case <-w.mine:
					holding = append(holding, w.tenant)
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
				switch mine, err := p.join(tenant); {
				case err == nil && mine == nil:
					holding = append(holding, tenant)
				case err == nil:
					waiting = append(waiting, ticket{tenant, mine})
				}
			case 2:
				if len(holding) > 0 {
					i := rapid.IntRange(0, len(holding)-1).Draw(r, "who leaves")
					p.leave(holding[i])
					holding = slices.Delete(holding, i, i+1)
				}
			case 3:
				if len(waiting) > 0 {
					i := rapid.IntRange(0, len(waiting)-1).Draw(r, "who gives up")
					if p.giveUp(waiting[i].tenant, waiting[i].mine, ErrBusy) {
						waiting = slices.Delete(waiting, i, i+1)
					}
				}
			}
			settle()
			if len(holding)+p.free != n || len(waiting) != p.waiting {
				r.Fatalf("%d hold, %d free of %d; %d wait, %d counted", len(holding), p.free, n, len(waiting), p.waiting)
			}
			for _, w := range waiting {
				if p.free > 0 && p.lines[w.tenant].holds < p.each {
					r.Fatalf("%s waits beside a free place", w.tenant)
				}
			}
		}
	})
}
