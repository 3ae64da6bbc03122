package theoddsapi

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

// Counters of a cycle, besides those of provider.Asked.
const (
	countSports  = "competitions"       // active competitions of football
	countNoID    = "listing_without_id" // unusable items
	countStarted = "in_play"            // fixtures already begun: their prices are live ones, which are not requested
	countFurther = "all_markets"        // fixtures requested with every market
	countRefused = "markets_refused"    // those of them for which the provider accepts the featured markets only
)

// For an account whose plan has furtherFrom credits a month or more, every market of the
// fixtures that start within furtherAhead is requested, otherwise the featured ones. The
// markets of a fixture must not change from cycle to cycle, so the size of the plan decides and
// not the credits that are left. If no answer of this cycle states the plan, the plan of the
// cycle before is used.
// docs/providers.md has the cost.
const (
	furtherFrom  = 1_000_000
	furtherAhead = 24 * time.Hour
)

// maxEvents is the limit of fixtures in one request for a competition's prices, so that
// its URL stays short.
const maxEvents = 100

// Ask implements provider.MarketAdapter: the competitions and the fixtures of each, which
// cost nothing, and then the prices of the fixtures that have not begun, by kick-off.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := &asker{Cycle: requests.New(x)}
	events, err := a.list(ctx)
	if err != nil {
		return a.Asked, err
	}
	return a.Result(a.prices(ctx, a.plan(a.choose(events))))
}

// asker sends the requests of one cycle.
type asker struct {
	*requests.Cycle
	narrow atomic.Bool // the provider refuses the list of every market
}

// list reads the fixtures of every competition. The list is complete if every answer was
// received and all of it could be read.
func (a *asker) list(ctx context.Context) ([]event, error) {
	sports, whole, err := a.sports(ctx)
	if err != nil {
		return nil, err
	}
	a.Count(countSports, len(sports))
	a.Expect(len(sports))
	lists := make([][]event, len(sports))
	wholes := make([]bool, len(sports))
	failures := make([]error, len(sports))
	err = a.Each(ctx, len(sports), func(ctx context.Context, i int) error {
		defer a.Step()
		if a.Stopped() {
			return nil
		}
		lists[i], wholes[i], failures[i] = a.events(ctx, sports[i])
		switch err := failures[i]; {
		case err != nil && (ctx.Err() != nil || mustStop(err)):
			return err
		case decode.KindOf(err) == provider.Limited: // the lists under way are finished
			a.Fail(err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.Asked.ListingComplete = whole && !slices.Contains(wholes, false)
	failed := slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	events := slices.Concat(lists...)
	if len(failed) > 0 && len(events) == 0 {
		return nil, failed[0]
	}
	return events, nil
}

// sports returns the keys of the active competitions of football, and
// whether the whole list could be read.
func (a *asker) sports(ctx context.Context) (keys []string, whole bool, err error) {
	a.Expect(1)
	defer a.Step()
	payload, err := a.Get(ctx, competitions())
	if err != nil {
		return nil, false, err
	}
	var d strictjson.Document
	list, err := readList(&d, payload)
	if err != nil {
		return nil, false, decode.Unreadable(api.EndpointSports, err)
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
		return nil, false, decode.Unreadable(api.EndpointSports, errors.New("it has no active competition of football"))
	}
	return keys, whole, nil
}

// events returns the fixtures of a competition, and whether the whole list could be
// read.
func (a *asker) events(ctx context.Context, sport string) (events []event, whole bool, err error) {
	payload, err := a.Get(ctx, provider.Request{Endpoint: api.EndpointEvents, Path: api.PathEvents(sport), Query: url.Values{api.ParamDateFormat: {api.ISO}}})
	if err != nil {
		return nil, false, err
	}
	var d strictjson.Document
	list, err := readList(&d, payload)
	if err != nil {
		return nil, false, decode.Unreadable(api.EndpointEvents, err)
	}
	unread := 0
	for v := range list.Items() {
		e, broken := readEvent(v, nil, new(decode.Counts)) // counted where the archive is read
		if broken != "" {
			unread++
			continue
		}
		e.path = sport
		events = append(events, e)
	}
	if unread > 0 {
		a.Count(countNoID, unread)
	}
	if err := decode.CheckIDs(len(events)+unread, len(events)); err != nil {
		return nil, false, decode.Unreadable(api.EndpointEvents, err)
	}
	return events, unread == 0, nil
}

// choose sorts the listed fixtures into those whose prices are requested and those that
// need not be, each once.
func (a *asker) choose(events []event) (chosen []event) {
	met := make(map[string]bool)
	now := a.Now()
	for _, e := range events {
		if met[e.ID] {
			continue
		}
		met[e.ID] = true
		if e.Rule() != "" {
			a.Asked.Filtered++
			continue
		}
		a.Asked.Listed++
		if starts, known := e.StartsAt.Get(); known && !starts.After(now) {
			a.Count(countStarted, 1)
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
	all    bool      // every market of one fixture; else the featured ones of several
	starts time.Time // the first kick-off
}

// plan returns the requests, by the first kick-off.
func (a *asker) plan(events []event) (jobs []job) {
	q, _ := a.Quota()
	further := q.Limit >= furtherFrom
	until := a.Now().Add(furtherAhead)
	slices.SortStableFunc(events, func(a, b event) int { return a.starts().Compare(b.starts()) })
	open := make(map[string]int) // the job of a competition that may take more fixtures
	for _, e := range events {
		if further && e.starts().Before(until) {
			jobs = append(jobs, job{e.path, []string{e.ID}, true, e.starts()})
			continue
		}
		at, ok := open[e.path]
		if !ok || len(jobs[at].ids) == maxEvents {
			at, open[e.path] = len(jobs), len(jobs)
			jobs = append(jobs, job{sport: e.path, starts: e.starts()})
		}
		jobs[at].ids = append(jobs[at].ids, e.ID)
	}
	return jobs
}

// starts returns the kick-off, or a time after all others if it is not known.
func (e *event) starts() time.Time { return e.StartsAt.Or(time.Unix(1<<33, 0)) }

// prices sends the requests. One fixture's failure is recorded; an error is returned if
// the run must stop, or if there was no answer at all.
func (a *asker) prices(ctx context.Context, jobs []job) error {
	a.Expect(len(jobs))
	err := a.Each(ctx, len(jobs), func(ctx context.Context, n int) error {
		defer a.Step()
		return a.job(ctx, jobs[n])
	})
	if err != nil {
		return err
	}
	return a.Err()
}

// job sends one request. If the provider refuses the list of every market, it sends the
// request once more with the featured markets only.
func (a *asker) job(ctx context.Context, j job) error {
	if a.Stopped() {
		a.Fail(nil, j.ids...)
		return nil
	}
	all := j.all && !a.narrow.Load()
	if j.all {
		a.Count(countFurther, 1)
	}
	missing, err := a.ask(ctx, j, all)
	if all && isRefusedMarket(err) {
		a.narrow.Store(true)
		all = false
		missing, err = a.ask(ctx, j, false)
	}
	if j.all && !all {
		a.Count(countRefused, 1)
	}
	switch {
	case err == nil:
		a.Answered(missing...)
	case ctx.Err() != nil || mustStop(err):
		return err
	default:
		a.Fail(err, j.ids...)
	}
	return nil
}

// ask sends one request and returns the fixtures missing from the answer: the
// provider offers nothing on them. A fixture unknown to the provider is over.
func (a *asker) ask(ctx context.Context, j job, all bool) (missing []string, err error) {
	q := url.Values{
		api.ParamBookmakers: {a.Bookmaker()}, api.ParamMarkets: {api.Featured},
		api.ParamOddsFormat: {api.Decimal}, api.ParamDateFormat: {api.ISO},
	}
	r := provider.Request{Endpoint: api.EndpointOdds, Path: api.PathOdds(j.sport), Query: q}
	switch {
	case j.all:
		r.Endpoint, r.Path = api.EndpointEventOdds, api.PathEventOdds(j.sport, j.ids[0])
	default:
		q.Set(api.ParamEvents, strings.Join(j.ids, ","))
	}
	if all {
		q.Set(api.ParamMarkets, everyMarket())
	}
	payload, err := a.Get(ctx, r)
	if j.all && decode.VerdictOf(err).Code == api.ErrEventNotFound {
		return j.ids, nil
	}
	if err != nil {
		return nil, err
	}
	return missingIn(r.Endpoint, payload.Body, j.ids)
}

// missingIn lists the requested fixtures an answer leaves out. It returns an
// error if one of these may be in an unreadable part: it is not known then whether
// the provider offers anything on it.
func missingIn(endpoint string, body []byte, ids []string) (missing []string, err error) {
	d := decode.Document()
	defer decode.Release(d)
	events, err := readEvents(d, provider.Payload{Body: body})
	if err != nil {
		return nil, decode.Unreadable(endpoint, err)
	}
	met, unread := make(map[string]bool, len(ids)), 0
	for _, v := range events {
		id, broken := eventID(v)
		if broken != "" {
			unread++
		}
		met[id] = true
	}
	if endpoint == api.EndpointEventOdds && !met[ids[0]] {
		return nil, decode.Unreadable(endpoint, errors.New("the answer is about another fixture"))
	}
	return requests.Missing(endpoint, ids, met, unread)
}

// isRefusedMarket reports whether the provider refuses a request because of its markets.
func isRefusedMarket(err error) bool {
	switch decode.VerdictOf(err).Code {
	case api.ErrMarket, api.ErrMarketCombo, api.ErrMissingMarket:
		return true
	}
	return false
}

// mustStop reports whether an error ends the run. One of them is that the provider does
// not have the bookmaker.
func mustStop(err error) bool {
	return decode.MustStop(err) || decode.VerdictOf(err).Code == api.ErrBookmakers
}
