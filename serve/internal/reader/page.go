package reader

import (
	"context"
	"errors"
	"sync"

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
	return v.page(ctx, key, func() (*api.Page, error) { return v.renderInTurn(ctx, key, render) })
}

// PageUnqueued is like [View.Page], but for pages rendered from memory: it does not
// use the fair queue, so clients of the change log are not refused
// because of the queries of others to the engine.
func (v *View) PageUnqueued(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return v.page(ctx, key, func() (*api.Page, error) { return v.render(ctx, key, render) })
}

// CachedPage returns the page with the key if it is cached.
func (v *View) CachedPage(key string) (*api.Page, bool) {
	p, ok := v.pages.Get(key)
	if ok {
		v.dataset.library.counts.cached.Add(1)
	}
	return p, ok
}

func (v *View) page(ctx context.Context, key string, render func() (*api.Page, error)) (*api.Page, error) {
	for began := deadline.Elapsed(); ; {
		if p, ok := v.CachedPage(key); ok {
			return p, nil
		}
		f, mine := v.renderings.join(key)
		if mine {
			return v.renderings.run(ctx, f, render)
		}
		select {
		case <-f.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case f.err == nil:
			v.dataset.library.counts.cached.Add(1)
			return f.page, nil
		case f.abandoned: // by another client; try again
		case errors.Is(f.err, fairqueue.ErrSlow) && deadline.Elapsed()-began < fairqueue.MaxWait: // that request has waited longer than this one
		default:
			return nil, f.err
		}
	}
}

func (v *View) renderInTurn(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	q, tenant := v.dataset.library.renders, v.dataset.clientID
	if err := q.Acquire(ctx, tenant); err != nil {
		return nil, err
	}
	defer q.Release(tenant)
	return v.render(ctx, key, render)
}

func (v *View) render(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	if p, ok := v.CachedPage(key); ok { // rendered while this request waited for its slot
		return p, nil
	}
	l := v.dataset.library
	p, err := render(ctx)
	if err != nil {
		l.counts.failure(ctx, err)
		return nil, err
	}
	l.counts.rendered.Add(1)
	v.pages.Put(key, p, p.Size()+len(key))
	return p, nil
}

type rendering struct {
	key  string
	over chan struct{} // closed when the other fields are final
	page *api.Page
	err  error
	// abandoned reports that the rendering failed because its client disconnected or ran
	// out of time, and not because of the page.
	abandoned bool
}

var errUnfinished = errors.New("the rendering of the page did not finish")

// renderings are the pages of one view that are being rendered, by key.
type renderings struct {
	mu    sync.Mutex
	byKey map[string]*rendering
}

// join returns the rendering of a key. If mine is true, it is new and the caller must
// call run.
func (s *renderings) join(key string) (f *rendering, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.byKey[key]; ok {
		return f, false
	}
	if s.byKey == nil {
		s.byKey = map[string]*rendering{}
	}
	f = &rendering{key: key, over: make(chan struct{}), err: errUnfinished, abandoned: true}
	s.byKey[key] = f
	return f, true
}

// run renders the page and wakes the requests that wait for it, also if
// render panics.
func (s *renderings) run(ctx context.Context, f *rendering, render func() (*api.Page, error)) (*api.Page, error) {
	defer func() {
		s.mu.Lock()
		delete(s.byKey, f.key)
		s.mu.Unlock()
		close(f.over)
	}()
	f.page, f.err = render()
	f.abandoned = ctx.Err() != nil
	return f.page, f.err
}
