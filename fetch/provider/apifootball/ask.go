package apifootball

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// horizon is how many days are listed, including today: the provider has odds from 14
// days before kick-off on.
const horizon = 15

// Counters of a cycle, besides those of provider.Asked.
const (
	countNoID   = "listing_without_id" // unusable items
	countOver   = "over"               // ended, postponed or cancelled fixtures
	countFrozen = "in_play"            // fixtures whose prematch prices do not move any more, which are not requested
	countMoved  = "days_moved"         // days whose odds moved from page to page while they were read, and were read once more
)

// Ask implements provider.MarketAdapter: the lists of the next days, then the odds of
// every day that has a fixture to be played, ten fixtures to a page. The earliest day is
// requested first: if the quota is used up, the latest days are left.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := asker{requests.New(x)}
	days, err := a.list(ctx)
	if err == nil {
		err = a.odds(ctx, days)
	}
	return a.Result(err)
}

// asker sends the requests of one cycle.
type asker struct{ *requests.Cycle }

// errStopped is the error of a request that was not sent, because the quota is used up.
var errStopped = errors.New("the quota is used up")

// get sends one request, unless the quota is used up. It records an error; fatal reports
// whether the run must stop because of it.
func (a asker) get(ctx context.Context, r provider.Request) (p provider.Payload, fatal bool, err error) {
	if a.Stopped() {
		return p, false, errStopped
	}
	defer a.Step()
	if p, err = a.Get(ctx, r); err == nil {
		return p, false, nil
	}
	a.Fail(err)
	return p, ctx.Err() != nil || decode.MustStop(err), err
}

// day is one day of the list and its odds.
type day struct {
	date   string
	items  []decode.Item
	listed bool     // the list was received
	whole  bool     // and it has as many fixtures as it says
	ids    []string // of the fixtures whose odds are requested
}

// list reads the lists of all days. Without one of them the listing is incomplete; it is
// an error if none was received.
func (a asker) list(ctx context.Context) ([]*day, error) {
	days := make([]*day, horizon)
	today := a.Now().UTC()
	for n := range days {
		days[n] = &day{date: today.AddDate(0, 0, n).Format(api.DateForm)}
	}
	a.Expect(len(days))
	err := a.Each(ctx, len(days), func(ctx context.Context, n int) error { return a.listDay(ctx, days[n]) })
	if err != nil {
		return nil, err
	}
	a.Asked.ListingComplete = true
	had := 0
	for _, d := range days {
		a.Asked.ListingComplete = a.Asked.ListingComplete && d.whole
		if d.listed {
			had++
		}
	}
	if had == 0 {
		return nil, a.Err()
	}
	if a.choose(days); a.Asked.Listed == 0 && a.Err() != nil { // the days with fixtures were not received
		return nil, a.Err()
	}
	return days, nil
}

func (a asker) listDay(ctx context.Context, d *day) error {
	p, fatal, err := a.get(ctx, provider.Request{Endpoint: api.EndpointFixtures, Path: api.PathFixtures, Query: url.Values{api.ParamDate: {d.date}}})
	if err != nil {
		if fatal {
			return err
		}
		return nil
	}
	doc := decode.Document()
	defer decode.Release(doc)
	envelope, items, err := readEnvelope(doc, p)
	if err != nil {
		a.Fail(decode.Unreadable(api.EndpointFixtures, err))
		return nil
	}
	said, ok := readPaging(envelope)
	d.listed, d.whole = true, ok && said.total <= 1
	var ignored decode.Counts
	for v := range items.Items() {
		i, broken := readItem(v, nil, &ignored)
		if broken != "" {
			d.whole = false
			a.Count(countNoID, 1)
			continue
		}
		d.items = append(d.items, i)
	}
	return nil
}

// choose sorts the listed fixtures into those whose odds are requested and the others. A
// fixture moved to another day while the days were read counts on the later one.
func (a asker) choose(days []*day) {
	met := make(map[string]bool)
	for n := len(days) - 1; n >= 0; n-- {
		d := days[n]
		for k := range d.items {
			f := &d.items[k]
			if met[f.ID] {
				continue
			}
			met[f.ID] = true
			switch {
			case f.Rule() != "":
				a.Asked.Filtered++
				continue
			case over[f.State]:
				a.Count(countOver, 1)
			case inPlay[f.State]:
				a.Count(countFrozen, 1)
			default:
				d.ids = append(d.ids, strings.Clone(f.ID)) // a copy, which does not keep the whole payload in memory
			}
			a.Asked.Listed++
		}
		d.items = nil
	}
}

// oddsOf is the result of one reading of all pages of the odds of a day.
type oddsOf struct {
	date string

	mu    sync.Mutex
	total int             // pages, by the first one
	met   map[string]bool // fixtures on which the bookmaker has bets
	short bool            // a page was not received, or the pages are fewer than the first of them says
	moved bool            // a fixture is there twice, or the number of pages changed: one may have been skipped
}

// odds requests the odds of every day with a fixture to be played. A fixture that is
// missing has no odds if all pages of its day were received; otherwise it has failed.
func (a asker) odds(ctx context.Context, days []*day) error {
	days = slices.DeleteFunc(slices.Clone(days), func(d *day) bool { return len(d.ids) == 0 })
	walks, err := a.walk(ctx, days)
	if err != nil {
		return err
	}
	var again []*day
	for n, w := range walks {
		if w.moved && !w.short {
			again = append(again, days[n])
		}
	}
	a.Count(countMoved, len(again))
	seconds, err := a.walk(ctx, again)
	if err != nil {
		return err
	}
	for n, d := range days {
		w := walks[n]
		if at := slices.Index(again, d); at >= 0 {
			second := seconds[at]
			for id := range w.met {
				second.met[id] = true
			}
			w = second
		}
		for _, id := range d.ids {
			switch {
			case w.met[id]:
			case w.short || w.moved:
				a.Asked.Failed = append(a.Asked.Failed, id)
			default:
				a.Asked.NotOffered = append(a.Asked.NotOffered, id)
			}
		}
	}
	if len(days) == 0 {
		return nil
	}
	return a.Err()
}

// walk reads every page of the odds of some days, one day after the other: the first page,
// which says how many there are, then the others in groups, until a group has no fixture
// that the pages before it lack.
func (a asker) walk(ctx context.Context, days []*day) ([]*oddsOf, error) {
	walks := make([]*oddsOf, len(days))
	a.Expect(len(days))
	for n, d := range days {
		w := &oddsOf{date: d.date, met: make(map[string]bool)}
		walks[n] = w
		if err := a.page(ctx, w, 1); err != nil {
			return nil, err
		}
		last := min(w.total, api.MaxPages)
		w.short = w.short || last < w.total
		// As many pages as are sent at once are a group. A total that is too high costs one
		// group and not all pages.
		for next, size := 2, max(1, a.Concurrency()); next <= last; next += size {
			before, group := len(w.met), min(size, last-next+1)
			a.Expect(group)
			if err := a.Each(ctx, group, func(ctx context.Context, k int) error { return a.page(ctx, w, next+k) }); err != nil {
				return nil, err
			}
			if len(w.met) == before && next+group <= last {
				w.short = true
				break
			}
		}
	}
	return walks, nil
}

// page requests one page of a day's odds.
func (a asker) page(ctx context.Context, w *oddsOf, n int) error {
	query := url.Values{api.ParamDate: {w.date}, api.ParamBookmaker: {a.Bookmaker()}, api.ParamPage: {strconv.Itoa(n)}}
	p, fatal, err := a.get(ctx, provider.Request{Endpoint: api.EndpointOdds, Path: api.PathOdds, Query: query})
	var sheet provider.Sheet
	var said paging
	if err == nil {
		if sheet, said, err = readOdds(p); err != nil {
			a.Fail(err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.short = true
		if fatal {
			return err
		}
		return nil
	}
	a.Answered()
	if n == 1 {
		w.total = said.total
	}
	w.moved = w.moved || said.total != w.total || said.current != n && said.results > 0
	for _, f := range sheet.Fixtures {
		id := f.Fixture.ProviderFixtureID
		w.moved = w.moved || w.met[id]
		w.met[strings.Clone(id)] = true
	}
	for id := range sheet.Broken { // it is there, and transform reports its damage
		w.met[strings.Clone(id)] = true
	}
	return nil
}

// readOdds reads a page of odds as transform will, so both find the same fixtures in
// it.
func readOdds(p provider.Payload) (provider.Sheet, paging, error) {
	sheet, err := adapter{}.ReadMarkets(p, provider.Listing{})
	if err != nil {
		return sheet, paging{}, fmt.Errorf("%w: %w", decode.ErrUnreadable, err)
	}
	d := decode.Document()
	defer decode.Release(d)
	if err := d.Parse(p.Body); err != nil {
		return sheet, paging{}, decode.Unreadable(api.EndpointOdds, err)
	}
	said, ok := readPaging(d.Root())
	if !ok || sheet.Damaged[fixtureNoID]+sheet.Damaged[fixtureNoObject] > 0 {
		return sheet, said, fmt.Errorf("%s: %w: its paging or the id of a fixture cannot be read", api.EndpointOdds, decode.ErrUnreadable)
	}
	return sheet, said, nil
}
