package reader

import (
	"context"
	"errors"

	"mkt/internal/deadline"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/fairqueue"
)

// ErrBusy reports that too many pages wait to be rendered. The same request may succeed in
// a moment.
var ErrBusy = fairqueue.ErrBusy

// Page returns the page with the key. If it is not cached, Page waits until the fair
// queue gives the tenant a slot, and renders it; it returns [ErrBusy] if that takes too
// long. Simultaneous calls for one key share one rendering, because after a swap the
// cache is empty and thousands of clients may ask for the same few pages. The key must
// contain everything that the page depends on, besides the view.
func (v *View) Page(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return v.PageUnqueued(ctx, key, func(ctx context.Context) (*api.Page, error) {
		q, tenant := v.dataset.library.renders, v.dataset.clientID
		if err := q.Acquire(ctx, tenant); err != nil {
			return nil, err
		}
		defer q.Release(tenant)
		return render(ctx)
	})
}

// CachedPage returns the page with the key if it is cached.
func (v *View) CachedPage(key string) (*api.Page, bool) {
	p, ok := v.pages.Get(key)
	if ok {
		v.dataset.library.counts.cached.Add(1)
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

// PageUnqueued is like [View.Page], but for pages rendered from memory: it does not
// use the fair queue, so clients of the change log are not refused
// because of the queries of others to the engine.
func (v *View) PageUnqueued(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	for began := deadline.Elapsed(); ; {
		if p, ok := v.CachedPage(key); ok {
			return p, nil
		}
		mine := &rendering{over: make(chan struct{}), err: errUnfinished, abandoned: true}
		running, others := v.renderings.LoadOrStore(key, mine)
		if !others {
			return v.render(ctx, key, mine, render)
		}
		r := running.(*rendering)
		select {
		case <-r.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case r.err == nil:
			v.dataset.library.counts.cached.Add(1)
			return r.page, nil
		case r.abandoned: // by another client; try again
		case errors.Is(r.err, fairqueue.ErrSlow) && deadline.Elapsed()-began < fairqueue.MaxWait: // that request has waited longer than this one
		default:
			return nil, r.err
		}
	}
}

// render renders a page and wakes the requests that wait for it, also if render panics.
func (v *View) render(ctx context.Context, key string, r *rendering, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	defer func() {
		v.renderings.Delete(key)
		close(r.over)
	}()
	r.page, r.err = render(ctx)
	r.abandoned = ctx.Err() != nil
	counts := &v.dataset.library.counts
	if r.err != nil {
		counts.failure(ctx, r.err)
		return nil, r.err
	}
	counts.rendered.Add(1)
	v.pages.Put(key, r.page, r.page.Size()+len(key))
	return r.page, nil
}
