// Package pages renders each page of the answers of one snapshot once, and caches it.
package pages

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"mkt/internal/deadline"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/fairqueue"
	"mkt/serve/internal/reader/lru"
)

// Cache has the rendered pages of one snapshot. Safe for concurrent use.
type Cache struct {
	tenant     string
	queue      *fairqueue.Queue
	counts     *Counts
	pages      *lru.Cache[string, *api.Page]
	renderings sync.Map // of *rendering, by key
}

// Counts count the pages of all caches that share them.
type Counts struct{ Cached, Rendered, Failed atomic.Int64 }

// New returns an empty cache of size bytes, for pages that wait for slots of the tenant.
func New(size int, tenant string, queue *fairqueue.Queue, counts *Counts) *Cache {
	return &Cache{tenant: tenant, queue: queue, counts: counts, pages: lru.New[string, *api.Page](size)}
}

// PageBytes returns how much memory the pages need.
func (c *Cache) PageBytes() int { return c.pages.Weight() }

// Page returns the page with the key. If it is not cached, Page waits until the fair
// queue gives the tenant a slot, and renders it; it returns [fairqueue.ErrBusy] if that takes too
// long. Simultaneous calls for one key share one rendering, because after a swap the
// cache is empty and thousands of clients may ask for the same few pages. The key must
// contain everything that the page depends on, besides the snapshot.
func (c *Cache) Page(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return c.PageUnqueued(ctx, key, func(ctx context.Context) (*api.Page, error) {
		if err := c.queue.Acquire(ctx, c.tenant); err != nil {
			return nil, err
		}
		defer c.queue.Release(c.tenant)
		return render(ctx)
	})
}

// CachedPage returns the page with the key if it is cached.
func (c *Cache) CachedPage(key string) (*api.Page, bool) {
	p, ok := c.pages.Get(key)
	if ok {
		c.counts.Cached.Add(1)
	}
	return p, ok
}

// rendering is a page that one request renders and others wait for.
type rendering struct {
	over chan struct{} // closed when the other fields are final
	page *api.Page
	err  error
	// abandoned reports that the rendering failed because its client disconnected or ran
	// out of time, and not because of the page.
	abandoned bool
}

var errUnfinished = errors.New("the rendering of the page did not finish")

// PageUnqueued is like [Cache.Page], but for pages rendered from memory: it does not
// use the fair queue, so clients of the change log are not refused
// because of the queries of others to the engine.
func (c *Cache) PageUnqueued(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	for began := deadline.Elapsed(); ; {
		if p, ok := c.CachedPage(key); ok {
			return p, nil
		}
		mine := &rendering{over: make(chan struct{}), err: errUnfinished, abandoned: true}
		running, others := c.renderings.LoadOrStore(key, mine)
		if !others {
			return c.render(ctx, key, mine, render)
		}
		r := running.(*rendering)
		select {
		case <-r.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case r.err == nil:
			c.counts.Cached.Add(1)
			return r.page, nil
		case r.abandoned: // by another client; try again
		case errors.Is(r.err, fairqueue.ErrSlow) && deadline.Elapsed()-began < fairqueue.MaxWait: // that request has waited longer than this one
		default:
			return nil, r.err
		}
	}
}

// render renders a page and wakes the requests that wait for it, also if render panics.
func (c *Cache) render(ctx context.Context, key string, r *rendering, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	defer func() {
		c.renderings.Delete(key)
		close(r.over)
	}()
	r.page, r.err = render(ctx)
	r.abandoned = ctx.Err() != nil
	if r.err != nil {
		c.counts.failure(ctx, r.err)
		return nil, r.err
	}
	c.counts.Rendered.Add(1)
	c.pages.Put(key, r.page, r.page.Size()+len(key))
	return r.page, nil
}

// failure counts a page that could not be rendered. It does not count a refusal such
// as NOT_FOUND or [fairqueue.ErrBusy], nor a request whose client has gone.
func (c *Counts) failure(ctx context.Context, err error) {
	var refusal *api.Error
	if !errors.As(err, &refusal) && !errors.Is(err, fairqueue.ErrBusy) && ctx.Err() == nil {
		c.Failed.Add(1)
	}
}
