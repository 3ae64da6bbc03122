package betsapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
)

// Counters of a cycle, besides those of provider.Asked.
const (
	countReadings  = "listing_readings"   // how often the whole listing was read
	countNoID      = "listing_without_id" // items that could not be used
	countTotal     = "listing_total"      // fixtures by the pager of a listing that is not complete
	countSent      = "listing_sent"       // different fixtures that it has
	countOver      = "over"               // fixtures that ended, were cancelled or withdrawn
	countFrozen    = "in_play"            // fixtures whose prematch prices do not move any more, which are not requested
	countSplit     = "batches_split"      // requests for ten fixtures that were repeated one by one
	countAskedMore = "asked_again"        // fixtures that an answer left out
)

// Ask implements provider.MarketAdapter: the listing, then the markets of every
// fixture that is still to be played, ten to a request.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := newAsker(x, provider.Request{Endpoint: wire.EndpointUpcoming, Path: wire.PathUpcoming, Query: footballOnly()})
	a.untilEmpty = true
	fixtures, err := a.list(ctx)
	if err != nil {
		return a.asked, err
	}
	err = a.markets(ctx, a.choose(fixtures))
	slices.Sort(a.asked.Failed)
	return a.asked, err
}

// footballOnly restricts a list to football, without eSoccer as far as the provider
// recognizes it.
func footballOnly() url.Values {
	return url.Values{wire.ParamSport: {wire.SportFootball}, wire.ParamNoESport: {"1"}, wire.ParamLanguage: {wire.English}}
}

func newAsker(x provider.Exchange, listing provider.Request) *asker {
	return &asker{x: x, listing: listing, asked: provider.Asked{Counters: make(map[string]int64)}}
}

// asker sends the requests of one cycle.
type asker struct {
	x       provider.Exchange
	listing provider.Request // without its page
	// untilEmpty asks for the pages of a list without a pager until one is empty.
	untilEmpty bool
	asked      provider.Asked

	mu          sync.Mutex
	done, total int   // requests, for a person
	answered    int   // batches that were answered, wholly or in part
	first       error // why a batch was not
	limited     bool  // the quota is used up: no more requests are sent
}

// count adds to a counter. Safe for concurrent use.
func (a *asker) count(name string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked.Counters[name] += int64(n)
}

// expect and step keep the progress.
func (a *asker) expect(requests int) { a.progress(0, requests) }
func (a *asker) step()               { a.progress(1, 0) }

func (a *asker) progress(done, total int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done, a.total = a.done+done, a.total+total
	a.x.Progress(min(a.done, a.total), a.total)
}

// choose sorts the listed fixtures into those whose markets are asked for and
// those that need not be.
func (a *asker) choose(fixtures []item) (ids []string) {
	for _, f := range fixtures {
		switch {
		case filterOf(&f) != "":
			a.asked.Filtered++
			continue
		case over[f.status]:
			a.count(countOver, 1)
		case frozen[f.status]:
			a.count(countFrozen, 1)
		default:
			ids = append(ids, f.id)
		}
		a.asked.Listed++
	}
	return ids
}

// markets requests the fixtures' markets, ten fixtures at a time, and then once more
// those of the fixtures that an answer left out, which may be an accident. If a
// fixture is left out twice, the bookmaker has no markets on it. One fixture's failure
// is recorded; an error is returned if the run must stop, or if there was no answer at
// all.
func (a *asker) markets(ctx context.Context, ids []string) error {
	missing, err := a.round(ctx, ids)
	if err == nil && len(missing) > 0 {
		a.count(countAskedMore, len(missing))
		missing, err = a.round(ctx, missing)
	}
	if err != nil {
		return err
	}
	a.asked.NotOffered = missing
	if a.answered == 0 && a.first != nil {
		return a.first
	}
	return nil
}

// round asks for every fixture once and returns those that were left out of
// accepted answers, sorted.
func (a *asker) round(ctx context.Context, ids []string) (missing []string, err error) {
	a.expect((len(ids) + wire.MaxBatch - 1) / wire.MaxBatch)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, a.x.Concurrency()))
	var mu sync.Mutex
	for batch := range slices.Chunk(ids, wire.MaxBatch) {
		workers.Go(func() error {
			left, err := a.batch(ctx, batch)
			a.step()
			mu.Lock()
			defer mu.Unlock()
			missing = append(missing, left...)
			return err
		})
	}
	err = workers.Wait()
	slices.Sort(missing)
	return missing, err
}

// batch requests up to ten fixtures. If the answer cannot be used, it requests each
// fixture alone, so that a broken one does not affect the others.
func (a *asker) batch(ctx context.Context, ids []string) (missing []string, err error) {
	if a.stopped() {
		a.fail(nil, ids)
		return nil, nil
	}
	p, err := a.x.Get(ctx, provider.Request{Endpoint: wire.EndpointPrematch, Path: wire.PathPrematch, Query: url.Values{
		wire.ParamFixtures: {strings.Join(ids, ",")}, wire.ParamLanguage: {wire.English},
	}})
	if err == nil {
		missing, err = missingIn(p.Body, ids)
	}
	switch {
	case err == nil:
		a.mu.Lock()
		a.answered++
		a.mu.Unlock()
		return missing, nil
	case ctx.Err() != nil || answer.MustStop(err):
		return nil, err
	case len(ids) == 1 || !answer.WorthSplitting(err):
		a.fail(err, ids)
		return nil, nil
	}
	a.count(countSplit, 1)
	for _, id := range ids {
		left, err := a.batch(ctx, []string{id})
		if err != nil {
			return nil, err
		}
		missing = append(missing, left...)
	}
	return missing, nil
}

func (a *asker) stopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limited
}

// fail records fixtures whose markets could not be fetched, and why.
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

// missingIn lists those of the requested fixtures that an answer leaves out. It returns
// an error if one of these may be in a part that cannot be read: then it is not known
// that the provider offers no markets on it.
func missingIn(body []byte, ids []string) (missing []string, err error) {
	d := answer.Document()
	defer answer.Release(d)
	results, err := readResults(d, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", wire.EndpointPrematch, answer.ErrUnreadable, err)
	}
	had, unread := make(map[string]bool, wire.MaxBatch), 0
	for item := range results.Items() {
		found := idsOf(item)
		for _, id := range found {
			had[id] = true
		}
		if len(found) == 0 {
			unread++
		}
	}
	missing = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return had[id] })
	if unread > 0 && len(missing) > 0 {
		return nil, fmt.Errorf("%s: %w: %d results without an id, and %d fixtures are missing", wire.EndpointPrematch, answer.ErrUnreadable, unread, len(missing))
	}
	return missing, nil
}

// idsOf are the fixture ids of a result: none if it has none to be read, several
// when the key is there more than once and they differ.
func idsOf(result strictjson.Value) (ids []string) {
	for key, v := range result.Members() {
		if id := answer.ID(v); key == wire.KeyFI && id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
