package reader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mkt/serve/internal/api"
)

// bare is a view without a snapshot, for pages that need none.
func bare() *View {
	l := &Library{places: newPlaces(2)}
	return &View{dataset: &Dataset{library: l, clientID: "acme"}, pages: newLRU[string, *api.Page](1 << 20)}
}

// S1: behind a swap nothing is remembered. Thousands who ask for a few pages at once
// cause one rendering of each, and nobody is turned away.
func TestOneRenderingForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := bare()
		var rendered atomic.Int64
		release := make(chan struct{})
		var all sync.WaitGroup
		for n := range 10_000 {
			all.Go(func() {
				p, err := v.Page(t.Context(), fmt.Sprint("page ", n%50), func(context.Context) (*api.Page, error) {
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
		v.dataset.library.places.empty(t, 2)
		if len(v.flights.byKey) != 0 {
			t.Errorf("%d flights are left", len(v.flights.byKey))
		}
	})
}

// Whoever renders may go away or panic: one of those who wait takes over. What is
// wrong with the page is told to all of them.
func TestRenderingIsTakenOver(t *testing.T) {
	wrong := errors.New("wrong with the page")
	for name, c := range map[string]struct {
		first func(ctx context.Context) (*api.Page, error)
		want  error
	}{
		"goes away": {func(ctx context.Context) (*api.Page, error) { <-ctx.Done(); return nil, errors.New("interrupted") }, nil},
		"panics":    {func(context.Context) (*api.Page, error) { panic("here") }, nil},
		"fails":     {func(context.Context) (*api.Page, error) { return nil, wrong }, wrong},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := bare()
				impatient, leave := context.WithCancel(t.Context())
				begun, others := make(chan struct{}), make(chan struct{})
				var all sync.WaitGroup
				all.Go(func() {
					defer func() { recover() }()
					v.Page(impatient, "page", func(ctx context.Context) (*api.Page, error) {
						close(begun)
						<-others
						return c.first(ctx)
					})
				})
				<-begun
				for range 5 {
					all.Go(func() {
						p, err := v.Page(t.Context(), "page", func(context.Context) (*api.Page, error) { return api.Document("done") })
						if !errors.Is(err, c.want) || (p == nil) != (c.want != nil) {
							t.Errorf("%v, %v", p, err)
						}
					})
				}
				synctest.Wait()
				close(others)
				if name == "goes away" {
					leave()
				}
				all.Wait()
				leave()
				v.dataset.library.places.empty(t, 2)
			})
		})
	}
}

// Who comes late to a rendering that waits in line is not turned away with those who
// have waited long enough.
func TestLatecomersWaitTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := bare()
		var all sync.WaitGroup
		all.Go(func() { v.dataset.library.places.work(t.Context(), "acme", patience+time.Second) })
		synctest.Wait()
		for _, c := range []struct {
			comes time.Duration
			want  error
		}{{0, ErrBusy}, {patience / 2, nil}} {
			all.Go(func() {
				time.Sleep(c.comes)
				_, err := v.Page(t.Context(), "page", func(context.Context) (*api.Page, error) { return api.Document("done") })
				if !errors.Is(err, c.want) {
					t.Errorf("who came after %v: %v, want %v", c.comes, err, c.want)
				}
			})
		}
		all.Wait()
	})
}
