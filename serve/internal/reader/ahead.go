package reader

import (
	"context"
	"slices"
	"sync"

	"mkt/serve/internal/api"
)

// ahead shares queries among the requests that wait for their slots. A query takes ten times as
// long as one chunk more in it, so that the request whose turn it is also fetches what
// those behind it will need. Its zero value is ready to use. Safe for concurrent use.
type ahead struct {
	mu      sync.Mutex
	waiting []*wanted // in the order in which they began to wait
}

// wanted are the chunks that a request will need first.
type wanted struct {
	table   string
	numbers []int
	found   [][]byte // nil if no other request has fetched them
}

// maxAhead is the maximum number of chunks in a query that fetches for several requests.
const maxAhead = 8

func (a *ahead) add(w *wanted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, w)
}

func (a *ahead) remove(w *wanted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removeLocked(w)
}

func (a *ahead) removeLocked(w *wanted) {
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
}

// take returns the chunks of a request, if another one has fetched them. If not, it returns the requests
// for which the caller should fetch chunks of that table as well. w is nil if the
// request did not say what it needs.
func (a *ahead) take(w *wanted, table string, numbers []int) (found [][]byte, others []*wanted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w != nil {
		a.removeLocked(w)
		found, w.found = w.found, nil
		if found != nil && w.table == table && slices.Equal(w.numbers, numbers) {
			return found, nil
		}
	}
	n := len(numbers)
	a.waiting = slices.DeleteFunc(a.waiting, func(o *wanted) bool {
		if o.table != table || n+len(o.numbers) > maxAhead {
			return false
		}
		n += len(o.numbers)
		others = append(others, o)
		return true
	})
	return nil, others
}

func (a *ahead) give(w *wanted, found [][]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.found = found
}

type wantedKey struct{}

func wantedBy(ctx context.Context) *wanted {
	w, _ := ctx.Value(wantedKey{}).(*wanted)
	return w
}

// PageOfMarkets returns a function like Page, for a page of the markets that Markets calls do with.
// While it waits for its slot, another page's query may fetch what it needs.
func (v *View) PageOfMarkets(f Fixture, filter MarketFilter, after string, limit int) func(context.Context, string, func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return func(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
		return v.page(ctx, key, func() (*api.Page, error) {
			r := v.rangeOf(f, filter, after, limit)
			w := &wanted{table: marketChunks, numbers: r.chunks()}
			v.engine.ahead.add(w)
			defer v.engine.ahead.remove(w)
			return v.renderInTurn(context.WithValue(ctx, wantedKey{}, w), key, render)
		})
	}
}
