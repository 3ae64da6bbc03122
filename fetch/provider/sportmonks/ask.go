package sportmonks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/wire"
)

// Counters of a cycle, beside those that provider.Asked has of its own.
const (
	countNoID      = "listing_without_id"   // items that could not be used
	countLostPages = "listing_pages_lost"   // pages that were not had
	countRepeated  = "listing_repeated"     // fixtures met twice: the list moved while it was read
	countNothing   = "listing_empty"        // the provider says that it found nothing, or that the plan holds nothing
	countOver      = "over"                 // fixtures that ended, were cancelled or withdrawn
	countFrozen    = "in_play"              // fixtures whose prematch prices do not move any more: not asked
	countNoOdds    = "listed_without_odds"  // fixtures that the list says have no odds: not asked
	countSplit     = "batches_split"        // requests for several that were asked again one by one
	countUnpriced  = "answers_without_odds" // fixtures that were answered without any odds at all
)

// Ask implements provider.MarketAdapter: the fixtures of the coming days, then the
// prices of one bookmaker of every fixture that is still to be played, several to a
// request, those first that begin first: where the quota ends, the later ones wait.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := newAsker(x)
	now := x.Now().UTC()
	// A match that began late yesterday is still on.
	from, to := now.Add(-3*time.Hour).Format(wire.DayForm), now.AddDate(0, 0, wire.Days).Format(wire.DayForm)
	fixtures, err := a.list(ctx, provider.Request{Endpoint: wire.EndpointBetween, Path: wire.PathBetween + from + "/" + to, Query: url.Values{
		wire.ParamInclude: {wire.IncludeListing}, wire.ParamPerPage: {wire.PerPage},
	}})
	if err != nil {
		return a.asked, err
	}
	err = a.markets(ctx, a.choose(fixtures))
	slices.Sort(a.asked.Failed)
	slices.Sort(a.asked.NotOffered)
	return a.asked, err
}

// asker is one cycle's asking.
type asker struct {
	x     provider.Exchange
	asked provider.Asked

	mu          sync.Mutex
	done, total int   // requests, for a person
	answered    int   // batches that were had
	first       error // why a batch was not
	limited     bool  // the quota is used up: nothing more is asked
}

func newAsker(x provider.Exchange) *asker {
	return &asker{x: x, asked: provider.Asked{Counters: make(map[string]int64)}}
}

// count adds to a counter. Safe for concurrent use.
func (a *asker) count(name string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked.Counters[name] += int64(n)
}

// progress keeps the progress.
func (a *asker) progress(done, total int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.total = a.done+done, a.total+total
	a.x.Progress(min(a.done, a.total), a.total)
}

// page is one answer of a list.
type page struct {
	items   []item
	noID    int
	more    bool // another page follows
	whole   bool // it holds as many items as it says
	nothing bool // the provider says that it found nothing
}

// list reads a list page by page. It is complete if every page was had and holds as
// many items as it says, the last one says that it is the last, and no fixture was met
// twice. Only the first page's failure, and what must stop the run, is an error.
func (a *asker) list(ctx context.Context, question provider.Request) ([]item, error) {
	var items []item
	place := make(map[string]int)
	complete := true
	for n := 1; ; n++ {
		p, err := a.page(ctx, question, n)
		switch {
		case err != nil && (n == 1 || ctx.Err() != nil || answer.MustStop(err)):
			return nil, err
		case err != nil: // its followers may be had, but where it ends is not known
			a.count(countLostPages, 1)
			return items, nil
		}
		for _, i := range p.items {
			if at, met := place[i.id]; met {
				items[at], complete = i, false
				a.count(countRepeated, 1)
				continue
			}
			place[i.id] = len(items)
			items = append(items, i)
		}
		a.count(countNoID, p.noID)
		complete = complete && p.whole && p.noID == 0 && !p.nothing
		if p.nothing {
			a.count(countNothing, 1)
		}
		if !p.more || n == wire.MaxPages || len(p.items)+p.noID == 0 {
			a.asked.ListingComplete = complete && !p.more
			return items, nil
		}
	}
}

func (a *asker) page(ctx context.Context, question provider.Request, n int) (*page, error) {
	a.progress(0, 1)
	defer a.progress(1, 0)
	query := url.Values{wire.ParamPage: {strconv.Itoa(n)}}
	for key, values := range question.Query {
		query[key] = values
	}
	question.Query = query
	payload, err := a.x.Get(ctx, question)
	if err != nil {
		return nil, err
	}
	p, err := readPage(payload.Body)
	if err != nil {
		return nil, fmt.Errorf("%s page %d: %w: %w", question.Endpoint, n, answer.ErrUnreadable, err)
	}
	return p, nil
}

// readPage reads one answer of a list.
func readPage(body []byte) (*page, error) {
	var d strictjson.Document
	data, err := readData(&d, body)
	if err != nil {
		return nil, err
	}
	p := &page{nothing: foundNothing(d.Root())}
	for v := range itemsOf(data) {
		i, broken := readItem(v, nil, new(tally)) // counted where the archive is read
		if broken != "" {
			p.noID++
			continue
		}
		p.items = append(p.items, i)
	}
	if err := withoutIDs(len(p.items)+p.noID, len(p.items)); err != nil {
		return nil, err
	}
	pager := d.Root().Get(wire.KeyPagination)
	count, ok := whole(pager.Get(wire.KeyCount), 1<<20)
	p.more = pager.Get(wire.KeyHasMore).Kind() == strictjson.True
	// A list that is not paged has no pager, and is whole.
	p.whole = pager.Kind() == strictjson.Absent || ok && count == len(p.items)+p.noID && !pager.Repeats()
	return p, nil
}

// choose sorts the listed fixtures into those whose prices are asked for, by their
// kick-off, and those that need not be.
func (a *asker) choose(fixtures []item) (ids []string) {
	slices.SortStableFunc(fixtures, func(i, j item) int { return i.startsAt.Or(time.Time{}).Compare(j.startsAt.Or(time.Time{})) })
	for n := range fixtures {
		f := &fixtures[n]
		switch {
		case filterOf(f) != "":
			a.asked.Filtered++
			continue
		case over[f.state]:
			a.count(countOver, 1)
		case frozen[f.state]:
			a.count(countFrozen, 1)
		case f.withoutOdds:
			a.count(countNoOdds, 1)
			a.asked.NotOffered = append(a.asked.NotOffered, f.id)
		default:
			ids = append(ids, f.id)
		}
		a.asked.Listed++
	}
	return ids
}

// markets asks for the fixtures' prices. One fixture's failure is recorded; an error
// is returned when the run must stop, or nothing at all was had.
func (a *asker) markets(ctx context.Context, ids []string) error {
	a.progress(0, (len(ids)+wire.MaxBatch-1)/wire.MaxBatch)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, a.x.Concurrency()))
	for batch := range slices.Chunk(ids, wire.MaxBatch) {
		workers.Go(func() error {
			defer a.progress(1, 0)
			return a.batch(ctx, batch)
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	if a.answered == 0 && a.first != nil {
		return a.first
	}
	return nil
}

// batch asks for some fixtures. When the answer cannot be used, each is asked for by
// itself, so that a broken one does not take the others along.
func (a *asker) batch(ctx context.Context, ids []string) error {
	if a.stopped() {
		a.fail(nil, ids)
		return nil
	}
	p, err := a.x.Get(ctx, provider.Request{Endpoint: wire.EndpointMulti, Path: wire.PathMulti + strings.Join(ids, ","), Query: url.Values{
		wire.ParamInclude: {wire.IncludeOdds}, wire.ParamFilters: {bookmakerFilter(a.x.Bookmaker())},
	}})
	var had answeredFixtures
	if err == nil {
		had, err = fixturesIn(p.Body, ids)
	}
	switch {
	case err == nil:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.answered++
		a.asked.NotOffered = append(a.asked.NotOffered, had.missing...)
		a.asked.Failed = append(a.asked.Failed, had.unpriced...)
		a.asked.Counters[countUnpriced] += int64(len(had.unpriced))
		return nil
	case ctx.Err() != nil || answer.MustStop(err):
		return err
	case len(ids) == 1 || !answer.WorthSplitting(err):
		a.fail(err, ids)
		return nil
	}
	a.count(countSplit, 1)
	for _, id := range ids {
		if err := a.batch(ctx, []string{id}); err != nil {
			return err
		}
	}
	return nil
}

func (a *asker) stopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limited
}

// fail records fixtures whose prices could not be had, and why.
func (a *asker) fail(err error, ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked.Failed = append(a.asked.Failed, ids...)
	if err != nil && a.first == nil {
		a.first = err
	}
	if answer.KindOf(err) == provider.Limited {
		a.limited = true
	}
}

// answeredFixtures is what an answer says of the fixtures that were asked for.
type answeredFixtures struct {
	missing  []string // left out: the provider offers nothing on them
	unpriced []string // without the odds that were asked for
}

// fixturesIn sorts the fixtures that were asked for by what an answer holds of them. It
// is an error when one of these may be in a part that cannot be read: then the provider
// has not said that it offers no markets on it.
func fixturesIn(body []byte, ids []string) (had answeredFixtures, err error) {
	d := answer.Document()
	defer answer.Release(d)
	data, err := readData(d, body)
	if err != nil {
		return had, fmt.Errorf("%s: %w: %w", wire.EndpointMulti, answer.ErrUnreadable, err)
	}
	if foundNothing(d.Root()) { // or the plan does not hold them: nothing is known of them
		return answeredFixtures{unpriced: slices.Clone(ids)}, nil
	}
	met, unread := make(map[string]bool, len(ids)), 0
	for v := range itemsOf(data) {
		id := identifier(v.Get("id"))
		if id == "" {
			unread++
			continue
		}
		if !met[id] && v.Get(wire.KeyOdds).Kind() == strictjson.Absent && slices.Contains(ids, id) {
			had.unpriced = append(had.unpriced, strings.Clone(id))
		}
		met[id] = true
	}
	for _, id := range ids {
		if !met[id] {
			had.missing = append(had.missing, id)
		}
	}
	if unread > 0 && len(had.missing) > 0 {
		return had, fmt.Errorf("%s: %w: %d fixtures without an id, and %d are missing", wire.EndpointMulti, answer.ErrUnreadable, unread, len(had.missing))
	}
	return had, nil
}
