package pages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mkt/internal/testing/check"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/fairqueue"
)

func newCache() *Cache {
	return New(1<<20, "acme", fairqueue.New(2, 8), new(Counts))
}

// checkQueueUnused fails if a request holds a slot or waits for one.
func (c *Cache) checkQueueUnused(t testing.TB) {
	t.Helper()
	if n := c.queue.Counts(); n.Holding != 0 || n.Waiting != 0 {
		t.Errorf("%d hold a slot, %d wait", n.Holding, n.Waiting)
	}
}

// After a swap the cache is empty. If thousands of requests ask for a few pages at once,
// each page is rendered once and no request is refused.
func TestSimultaneousRequestsShareOneRendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := newCache()
		var rendered atomic.Int64
		release := make(chan struct{})
		var all sync.WaitGroup
		for n := range 10_000 {
			all.Go(func() {
				p, err := cache.Page(t.Context(), fmt.Sprint("page ", n%50), func(context.Context) (*api.Page, error) {
					rendered.Add(1)
					<-release
					return api.Document(n % 50)
				})
				if err != nil || p == nil {
					t.Errorf("%d: %v", n, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		if n := rendered.Load(); n != 50 {
			t.Errorf("%d renderings of 50 pages", n)
		}
		cache.checkQueueUnused(t)
		cache.renderings.Range(func(key, _ any) bool {
			t.Errorf("the rendering of %s remains", key)
			return true
		})
	})
}

// If the rendering request is cancelled or panics, one of those that wait renders
// instead. An error of the page itself is returned to all of them.
func TestWaitingRequestTakesOverRendering(t *testing.T) {
	wrong := errors.New("wrong with the page")
	for name, c := range map[string]struct {
		first func(ctx context.Context) (*api.Page, error)
		want  error
	}{
		"disconnects": {func(ctx context.Context) (*api.Page, error) { <-ctx.Done(); return nil, errors.New("interrupted") }, nil},
		"panics":      {func(context.Context) (*api.Page, error) { panic("here") }, nil},
		"fails":       {func(context.Context) (*api.Page, error) { return nil, wrong }, wrong},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cache := newCache()
				cancelled, cancel := context.WithCancel(t.Context())
				begun, others := make(chan struct{}), make(chan struct{})
				var all sync.WaitGroup
				all.Go(func() {
					defer func() { recover() }()
					cache.Page(cancelled, "page", func(ctx context.Context) (*api.Page, error) {
						close(begun)
						<-others
						return c.first(ctx)
					})
				})
				<-begun
				for range 5 {
					all.Go(func() {
						p, err := cache.Page(t.Context(), "page", func(context.Context) (*api.Page, error) { return api.Document("done") })
						if !errors.Is(err, c.want) || (p == nil) != (c.want != nil) {
							t.Errorf("%v, %v", p, err)
						}
					})
				}
				synctest.Wait()
				close(others)
				if name == "disconnects" {
					cancel()
				}
				all.Wait()
				cancel()
				cache.checkQueueUnused(t)
			})
		})
	}
}

// A request that joins a rendering which waits in the queue is not refused together
// with the requests that have waited for the maximum time.
func TestEachRequestWaitsItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := newCache()
		var all sync.WaitGroup
		q := cache.queue
		check.Must(t, q.Acquire(t.Context(), "acme"))
		all.Go(func() {
			time.Sleep(fairqueue.MaxWait + time.Second)
			q.Release("acme")
		})
		synctest.Wait()
		for _, c := range []struct {
			comes time.Duration
			want  error
		}{{0, fairqueue.ErrBusy}, {fairqueue.MaxWait / 2, nil}} {
			all.Go(func() {
				time.Sleep(c.comes)
				_, err := cache.Page(t.Context(), "page", func(context.Context) (*api.Page, error) { return api.Document("done") })
				if !errors.Is(err, c.want) {
					t.Errorf("the request after %v: %v, want %v", c.comes, err, c.want)
				}
			})
		}
		all.Wait()
	})
}
