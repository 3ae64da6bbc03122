package theoddsapi

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/wire"
)

// Counters of a cycle, beside those that provider.Asked has of its own.
const (
	countSports  = "competitions"       // of football that are active
	countNoID    = "listing_without_id" // items that could not be used
	countStarted = "in_play"            // fixtures that have begun: their prices are live ones, and not asked for
	countFurther = "all_markets"        // fixtures asked for with every market
	countRefused = "markets_refused"    // those of them for which the provider takes the featured markets only
)

// An account whose plan has furtherFrom credits a month or more buys every market of
// the fixtures that start within furtherAhead; all others the featured ones. Which
// markets a fixture has must not change from cycle to cycle, so that the plan decides,
// and not what is left of it. docs/providers.md has the sum.
const (
	furtherFrom  = 1_000_000
	furtherAhead = 24 * time.Hour
)

// maxEvents bounds the fixtures of one request for a competition's prices, so that its
// URL stays short.
const maxEvents = 100

// Ask implements provider.MarketAdapter: the competitions, the fixtures of each, which
// cost nothing, and then the prices of all that are still to begin. What begins first
// is asked for first.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := &asker{x: x, bookmaker: cmp.Or(x.Bookmaker(), DefaultBookmaker), asked: provider.Asked{Counters: make(map[string]int64)}}
	events, err := a.list(ctx)
	if err != nil {
		return a.asked, err
	}
	err = a.prices(ctx, a.plan(a.choose(events)))
	slices.Sort(a.asked.Failed)
	slices.Sort(a.asked.NotOffered)
	return a.asked, err
}

// asker is one cycle's asking.
type asker struct {
	x         provider.Exchange
	bookmaker string
	asked     provider.Asked

	mu          sync.Mutex
	done, total int   // requests, for a person
	answered    int   // requests for prices that were answered
	first       error // why one was not
	limited     bool  // the quota is used up: nothing more is asked
	narrow      bool  // the provider refuses the list of every market
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

// list reads the fixtures of every competition. The list is complete if every answer
// came and all of it could be read.
func (a *asker) list(ctx context.Context) ([]event, error) {
	sports, whole, err := a.sports(ctx)
	if err != nil {
		return nil, err
	}
	a.asked.ListingComplete = whole
	a.count(countSports, len(sports))
	a.expect(len(sports))
	lists := make([][]event, len(sports))
	failures := make([]error, len(sports))
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, a.x.Concurrency()))
	for i, sport := range sports {
		workers.Go(func() error {
			defer a.step()
			lists[i], failures[i] = a.events(ctx, sport)
			if err := failures[i]; err != nil && (ctx.Err() != nil || mustStop(err) || answer.KindOf(err) == provider.Limited) {
				return err
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	failed := slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	if len(failed) > 0 {
		a.asked.ListingComplete = false
	}
	if len(failed) == len(sports) {
		return nil, failed[0]
	}
	return slices.Concat(lists...), nil
}

// sports returns the keys of the competitions of football that are active, and
// whether the whole list could be read.
func (a *asker) sports(ctx context.Context) (keys []string, whole bool, err error) {
	a.expect(1)
	defer a.step()
	payload, err := a.x.Get(ctx, competitions())
	if err != nil {
		return nil, false, err
	}
	var d strictjson.Document
	list, err := readList(&d, payload.Body)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w: %w", wire.EndpointSports, answer.ErrUnreadable, err)
	}
	whole = true
	for v := range list.Items() {
		key, isFootball, ok := readSport(v)
		whole = whole && ok
		if isFootball && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, false, fmt.Errorf("%s: %w: it has no active competition of football", wire.EndpointSports, answer.ErrUnreadable)
	}
	return keys, whole, nil
}

// events returns the fixtures of a competition.
func (a *asker) events(ctx context.Context, sport string) (events []event, err error) {
	payload, err := a.x.Get(ctx, provider.Request{Endpoint: wire.EndpointEvents, Path: wire.PathEvents(sport), Query: url.Values{wire.ParamDateFormat: {wire.ISO}}})
	if err != nil {
		return nil, err
	}
	var d strictjson.Document
	list, err := readList(&d, payload.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", wire.EndpointEvents, answer.ErrUnreadable, err)
	}
	items := 0
	for v := range list.Items() {
		items++
		e, broken := readEvent(v, nil, new(tally)) // counted where the archive is read
		if broken == "" {
			e.path = sport
			events = append(events, e)
		}
	}
	if unread := items - len(events); unread > 0 {
		a.count(countNoID, unread)
		if items > 1 && len(events) == 0 {
			return nil, fmt.Errorf("%s: %w: none of %d items has an id", wire.EndpointEvents, answer.ErrUnreadable, items)
		}
		a.mu.Lock()
		a.asked.ListingComplete = false
		a.mu.Unlock()
	}
	return events, nil
}

// choose sorts the listed fixtures into those whose prices are asked for and those
// that need not be, each once.
func (a *asker) choose(events []event) (chosen []event) {
	met := make(map[string]bool)
	now := a.x.Now()
	for _, e := range events {
		if met[e.id] {
			continue
		}
		met[e.id] = true
		if e.filterOf() != "" {
			a.asked.Filtered++
			continue
		}
		a.asked.Listed++
		if starts, known := e.startsAt.Get(); known && !starts.After(now) {
			a.count(countStarted, 1)
			continue
		}
		chosen = append(chosen, e)
	}
	return chosen
}

// job is one request for prices.
type job struct {
	sport  string
	ids    []string
	all    bool      // of one fixture, every market; else the featured ones
	starts time.Time // when the first of them begins
}

// plan makes the requests, those first whose fixtures begin first.
func (a *asker) plan(events []event) (jobs []job) {
	q, known := a.x.Quota()
	further := known && q.Limit >= furtherFrom
	until := a.x.Now().Add(furtherAhead)
	slices.SortStableFunc(events, func(a, b event) int { return a.starts().Compare(b.starts()) })
	open := make(map[string]int) // the job of a competition that may hold more fixtures
	for _, e := range events {
		if further && e.starts().Before(until) {
			jobs = append(jobs, job{e.path, []string{e.id}, true, e.starts()})
			continue
		}
		at, ok := open[e.path]
		if !ok || len(jobs[at].ids) == maxEvents {
			at, open[e.path] = len(jobs), len(jobs)
			jobs = append(jobs, job{sport: e.path, starts: e.starts()})
		}
		jobs[at].ids = append(jobs[at].ids, e.id)
	}
	return jobs
}

// starts is when a fixture begins; one of which that is not known begins last.
func (e *event) starts() time.Time { return e.startsAt.Or(time.Unix(1<<33, 0)) }

// prices sends the requests. One fixture's failure is recorded; an error is returned
// when the run must stop, or nothing at all was answered.
func (a *asker) prices(ctx context.Context, jobs []job) error {
	a.expect(len(jobs))
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, a.x.Concurrency()))
	for _, j := range jobs {
		workers.Go(func() error {
			defer a.step()
			return a.job(ctx, j)
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

// job sends one request, and once more with the featured markets alone if the provider
// refuses the list of every market.
func (a *asker) job(ctx context.Context, j job) error {
	limited, narrow := a.state()
	if limited {
		a.fail(nil, j.ids)
		return nil
	}
	all := j.all && !narrow
	if j.all {
		a.count(countFurther, 1)
	}
	missing, err := a.ask(ctx, j, all)
	if all && isRefusedMarket(err) {
		a.mu.Lock()
		a.narrow = true
		a.mu.Unlock()
		all = false
		missing, err = a.ask(ctx, j, false)
	}
	if j.all && !all {
		a.count(countRefused, 1)
	}
	switch {
	case err == nil:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.answered++
		a.asked.NotOffered = append(a.asked.NotOffered, missing...)
	case ctx.Err() != nil || mustStop(err):
		return err
	default:
		a.fail(err, j.ids)
	}
	return nil
}

// ask sends one request and returns those of its fixtures that the answer leaves out:
// the provider offers nothing on them. One that it does not know any more is over.
func (a *asker) ask(ctx context.Context, j job, all bool) (missing []string, err error) {
	q := url.Values{
		wire.ParamBookmakers: {a.bookmaker}, wire.ParamMarkets: {wire.Featured},
		wire.ParamOddsFormat: {wire.Decimal}, wire.ParamDateFormat: {wire.ISO},
	}
	r := provider.Request{Endpoint: wire.EndpointOdds, Path: wire.PathOdds(j.sport), Query: q}
	switch {
	case j.all:
		r.Endpoint, r.Path = wire.EndpointEventOdds, wire.PathEventOdds(j.sport, j.ids[0])
	default:
		q.Set(wire.ParamEvents, strings.Join(j.ids, ","))
	}
	if all {
		q.Set(wire.ParamMarkets, everyMarket())
	}
	payload, err := a.x.Get(ctx, r)
	if j.all && answer.VerdictOf(err).Code == wire.ErrEventNotFound {
		return j.ids, nil
	}
	if err != nil {
		return nil, err
	}
	return missingIn(r.Endpoint, payload.Body, j.ids)
}

// missingIn lists those of the fixtures asked for that an answer leaves out. It is
// an error when one of these may be in a part that cannot be read: then the provider
// has not said that it offers nothing on it.
func missingIn(endpoint string, body []byte, ids []string) (missing []string, err error) {
	d := answer.Document()
	defer answer.Release(d)
	events, err := readEvents(d, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", endpoint, answer.ErrUnreadable, err)
	}
	met, unread := make(map[string]bool, len(ids)), 0
	for _, v := range events {
		id, broken := eventID(v)
		if broken != "" {
			unread++
		}
		met[id] = true
	}
	missing = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return met[id] })
	if endpoint == wire.EndpointEventOdds && len(missing) > 0 {
		return nil, fmt.Errorf("%s: %w: it is about another fixture", endpoint, answer.ErrUnreadable)
	}
	if unread > 0 && len(missing) > 0 {
		return nil, fmt.Errorf("%s: %w: %d fixtures without an id, and %d are missing", endpoint, answer.ErrUnreadable, unread, len(missing))
	}
	return missing, nil
}

func (a *asker) state() (limited, narrow bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limited, a.narrow
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

// isRefusedMarket reports whether the provider refuses a request for its markets.
func isRefusedMarket(err error) bool {
	switch answer.VerdictOf(err).Code {
	case wire.ErrMarket, wire.ErrMarketCombo, wire.ErrMissingMarket:
		return true
	}
	return false
}

// mustStop reports whether an error ends the run: that of a bookmaker whom the provider
// does not have, too.
func mustStop(err error) bool {
	return answer.MustStop(err) || answer.VerdictOf(err).Code == wire.ErrBookmakers
}
