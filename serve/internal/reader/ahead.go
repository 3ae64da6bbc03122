package reader

import (
	"context"
	"iter"
	"slices"
	"sync"

	"mkt/serve/internal/api"
)

// ahead knows the chunks for the requests that wait for their slots. A query takes ten times as
// long as one chunk more in it. So the request whose turn it is also fetches the chunks of
// those behind it. Its zero value is ready to use. Safe for concurrent use.
type ahead struct {
	mu      sync.Mutex
	waiting []*wanted // in the order in which they began to wait
}

// wanted are the chunks that a request will need first.
type wanted struct {
	table   string
	numbers []int
}

// maxAhead is the maximum number of chunks in a query that fetches more than it was asked for.
const maxAhead = 16

func (a *ahead) add(w *wanted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, w)
}

func (a *ahead) remove(w *wanted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	}
}

// take returns up to limit chunks of a table for which requests wait. The caller should fetch them,
// as no other call returns them.
func (a *ahead) take(table string, limit int) (numbers []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = slices.DeleteFunc(a.waiting, func(w *wanted) bool {
		if w.table != table || len(numbers)+len(w.numbers) > limit {
			return false
		}
		numbers = append(numbers, w.numbers...)
		return true
	})
	return numbers
}

// chunkName is the name of a chunk in an engine.
type chunkName struct {
	table string
	no    int
}

// recentShare is the share of an engine's memory for the chunks that were fetched last: enough
// for a hundred of usual size at most, and for those that one query fetches ahead at least.
const recentShare = 32

// following yields the chunks that first pages of the fixtures after f need, if clients seem to request
// such pages in the order of the fixtures, as they do after they have listed them.
func (v *View) following(f Fixture, filter MarketFilter, limit int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !v.isInSuccession(f) {
			return
		}
		for n := v.index.withMarkets(f.n, +1); n >= 0; n = v.index.withMarkets(n, +1) {
			for _, no := range v.rangeOf(Fixture{n: n}, filter, "", limit).chunks() {
				if !yield(no) {
					return
				}
			}
		}
	}
}

// isInSuccession reports whether the first chunks of three of the six fixtures before f were fetched
// recently. Not all have to be, because a client may use several connections, and leave out fixtures.
func (v *View) isInSuccession(f Fixture) bool {
	const before, enough = 6, 3
	n, recent := f.n, 0
	for range before {
		if n = v.index.withMarkets(n, -1); n < 0 {
			break
		}
		from, _ := v.index.markets(n)
		if v.engine.recent.Contains(chunkName{marketChunks, from / chunkRows}) {
			recent++
		}
	}
	return recent >= enough
}

// PageOfMarkets returns a function like [View.Page], for a page of the markets that [View.Markets]
// selects. While it waits for its slot, another page's query may fetch its chunks.
func (v *View) PageOfMarkets(f Fixture, filter MarketFilter, after string, limit int) func(context.Context, string, func(context.Context) (*api.Page, error)) (*api.Page, error) {
	return func(ctx context.Context, key string, render func(context.Context) (*api.Page, error)) (*api.Page, error) {
		return v.page(ctx, key, func() (*api.Page, error) {
			w := &wanted{table: marketChunks, numbers: v.rangeOf(f, filter, after, limit).chunks()}
			v.engine.ahead.add(w)
			defer v.engine.ahead.remove(w)
			return v.renderInTurn(ctx, key, render)
		})
	}
}
