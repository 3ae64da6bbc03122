package reader

import (
	"context"
	"errors"
	"sync"
	"time"

	"mkt/serve/internal/api"
)

// Page returns the page of that key, rendering it when it is not remembered: then
// it waits for its tenant's turn, or returns ErrBusy. Whoever asks for what is being
// rendered already waits for that: behind a swap nothing is remembered, and
// thousands may ask for a few pages at once. The key must name everything the page
// depends on beside the view.
func (v *View) Page(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return v.page(ctx, key, func() (*api.Page, error) { return v.inTurn(ctx, key, render) })
}

// PageAtHand is Page of what is rendered out of memory: it waits for nobody's turn, so
// that who follows the change log is not turned away for what others ask the engine.
func (v *View) PageAtHand(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return v.page(ctx, key, func() (*api.Page, error) { return v.render(ctx, key, render) })
}

func (v *View) page(ctx context.Context, key string, render func() (*api.Page, error)) (*api.Page, error) {
	for came := time.Now(); ; {
		if p, ok := v.pages.get(key); ok {
			v.dataset.library.counts.cached.Add(1)
			return p, nil
		}
		f, mine := v.flights.join(key)
		if mine {
			return v.flights.fly(ctx, f, render)
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
		case f.givenUp: // not by this one
		case errors.Is(f.err, errSlow) && time.Since(came) < v.dataset.library.places.patience: // it came later
		default:
			return nil, f.err
		}
	}
}

// inTurn renders when the tenant's turn has come.
func (v *View) inTurn(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	l, tenant := v.dataset.library, v.dataset.clientID
	if err := l.places.take(ctx, tenant); err != nil {
		return nil, err
	}
	defer l.places.leave(tenant)
	return v.render(ctx, key, render)
}

// render renders and remembers.
func (v *View) render(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
	l := v.dataset.library
	if p, ok := v.pages.get(key); ok { // made between the look and the turn
		l.counts.cached.Add(1)
		return p, nil
	}
	p, err := render(ctx)
	if err != nil {
		l.counts.failure(ctx, err)
		return nil, err
	}
	l.counts.rendered.Add(1)
	v.pages.put(key, p, p.Size()+len(key))
	return p, nil
}

// flight is a page that is being rendered, for all who want it.
type flight struct {
	key  string
	over chan struct{} // closed when the rest is settled
	page *api.Page
	err  error
	// givenUp: it failed with its one client, who went away or ran out of time, and
	// not with the page.
	givenUp bool
}

// errNobody: whoever rendered never came to an end.
var errNobody = errors.New("the page was not rendered to its end")

// flights are those of one view, by key. Its zero value is ready.
type flights struct {
	mu    sync.Mutex
	byKey map[string]*flight
}

// join finds the flight of a key; mine: it is new, and the caller's to fly.
func (s *flights) join(key string) (f *flight, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.byKey[key]; ok {
		return f, false
	}
	if s.byKey == nil {
		s.byKey = map[string]*flight{}
	}
	f = &flight{key: key, over: make(chan struct{}), err: errNobody, givenUp: true}
	s.byKey[key] = f
	return f, true
}

// fly settles a flight, also when render panics.
func (s *flights) fly(ctx context.Context, f *flight, render func() (*api.Page, error)) (*api.Page, error) {
	defer func() {
		s.mu.Lock()
		delete(s.byKey, f.key)
		s.mu.Unlock()
		close(f.over)
	}()
	f.page, f.err = render()
	f.givenUp = ctx.Err() != nil
	return f.page, f.err
}
