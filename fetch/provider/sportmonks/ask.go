package sportmonks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// Counters of a cycle, besides those of provider.Asked.
const (
	countNoID      = "listing_without_id"   // unusable items
	countLostPages = "listing_pages_lost"   // pages not received
	countRepeated  = "listing_repeated"     // fixtures listed twice: the list moved while it was read
	countNothing   = "listing_empty"        // the provider found nothing, or the plan includes nothing
	countOver      = "over"                 // ended, cancelled or withdrawn fixtures
	countFrozen    = "in_play"              // fixtures whose prematch prices do not move any more, which are not requested
	countNoOdds    = "listed_without_odds"  // fixtures without odds by the list, which are not requested
	countSplit     = "batches_split"        // requests for several fixtures repeated one by one
	countUnpriced  = "answers_without_odds" // fixtures whose answers have no odds member
)

// Ask implements provider.MarketAdapter: the fixtures of the coming days, then the
// prices of one bookmaker for every fixture still to be played, several to a
// request, by kick-off: if the quota is used up, the later ones are left.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := asker{requests.New(x)}
	now := x.Now().UTC()
	// A match that began late yesterday may still be in play.
	from, to := now.Add(-3*time.Hour).Format(api.DayForm), now.AddDate(0, 0, api.Days).Format(api.DayForm)
	fixtures, err := a.list(ctx, provider.Request{Endpoint: api.EndpointBetween, Path: api.PathBetween + from + "/" + to, Query: url.Values{
		api.ParamInclude: {api.IncludeListing}, api.ParamPerPage: {api.PerPage},
	}})
	if err != nil {
		return a.Asked, err
	}
	return a.Result(a.markets(ctx, a.choose(fixtures)))
}

// asker sends the requests of one cycle.
type asker struct{ *requests.Cycle }

// page is one answer of a list.
type page struct {
	items   []item
	noID    int
	more    bool // another page follows
	whole   bool // it has as many items as it says
	nothing bool // the provider says that it found nothing
}

// list reads a list page by page. It is complete if every page was received and has as
// many items as it says, the last one says that it is the last, and no fixture is on two
// pages. It returns an error only if the first page fails or the run must stop.
func (a asker) list(ctx context.Context, question provider.Request) ([]item, error) {
	var items []item
	place := make(map[string]int)
	complete := true
	for n := 1; ; n++ {
		p, err := a.page(ctx, question, n)
		switch {
		case err != nil && (n == 1 || ctx.Err() != nil || decode.MustStop(err)):
			return nil, err
		case err != nil: // the next pages may be readable, but it is not known where the list ends
			a.Count(countLostPages, 1)
			return items, nil
		}
		before := len(items)
		for _, i := range p.items {
			if at, met := place[i.ID]; met {
				items[at], complete = i, complete && at >= before // on one page, it says nothing about others
				a.Count(countRepeated, 1)
				continue
			}
			place[i.ID] = len(items)
			items = append(items, i)
		}
		a.Count(countNoID, p.noID)
		complete = complete && p.whole && p.noID == 0 && !p.nothing
		if p.nothing {
			a.Count(countNothing, 1)
		}
		isNew := len(items) > before || p.noID > 0 // else the provider sends one page again and again
		if !p.more || n == api.MaxPages || !isNew {
			a.Asked.ListingComplete = complete && !p.more
			return items, nil
		}
	}
}

func (a asker) page(ctx context.Context, question provider.Request, n int) (*page, error) {
	a.Expect(1)
	defer a.Step()
	query := url.Values{api.ParamPage: {strconv.Itoa(n)}}
	for key, values := range question.Query {
		query[key] = values
	}
	question.Query = query
	payload, err := a.Get(ctx, question)
	if err != nil {
		return nil, err
	}
	p, err := readPage(payload.Body)
	if err != nil {
		return nil, decode.Unreadable(fmt.Sprintf("%s page %d", question.Endpoint, n), err)
	}
	return p, nil
}

// readPage reads one answer of a list.
func readPage(body []byte) (*page, error) {
	d := decode.Document()
	defer decode.Release(d)
	_, data, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return nil, err
	}
	p := &page{nothing: foundNothing(d.Root())}
	for v := range itemsOf(data) {
		i, broken := readItem(v, nil, new(decode.Counts)) // counted where the archive is read
		if broken != "" {
			p.noID++
			continue
		}
		p.items = append(p.items, i)
	}
	if err := decode.CheckIDs(len(p.items)+p.noID, len(p.items)); err != nil {
		return nil, err
	}
	pager := d.Root().Get(api.KeyPagination)
	count, ok := decode.Whole(pager.Get(api.KeyCount), 1<<20)
	p.more = pager.Get(api.KeyHasMore).Kind() == strictjson.True
	// A list without pages has no pager, and is whole.
	p.whole = pager.Kind() == strictjson.Absent || ok && count == len(p.items)+p.noID && !pager.Repeats()
	return p, nil
}

// choose sorts the listed fixtures into those whose prices are asked for, by their
// kick-off, and those that need not be.
func (a asker) choose(fixtures []item) (ids []string) {
	slices.SortStableFunc(fixtures, func(i, j item) int { return i.StartsAt.Or(time.Time{}).Compare(j.StartsAt.Or(time.Time{})) })
	for n := range fixtures {
		f := &fixtures[n]
		switch {
		case f.Rule() != "":
			a.Asked.Filtered++
			continue
		case over[f.State]:
			a.Count(countOver, 1)
		case frozen[f.State]:
			a.Count(countFrozen, 1)
		case f.withoutOdds:
			a.Count(countNoOdds, 1)
			a.Asked.NotOffered = append(a.Asked.NotOffered, f.ID)
		default:
			ids = append(ids, f.ID)
		}
		a.Asked.Listed++
	}
	return ids
}

// markets requests the fixtures' prices. One fixture's failure is recorded; an error is
// returned if the run must stop, or if there was no answer at all.
func (a asker) markets(ctx context.Context, ids []string) error {
	if err := a.Batches(ctx, ids, api.MaxBatch, countSplit, a.batch); err != nil {
		return err
	}
	return a.Err()
}

// batch requests some fixtures.
func (a asker) batch(ctx context.Context, ids []string) error {
	p, err := a.Get(ctx, pricesOf(strings.Join(ids, ","), a.Bookmaker()))
	if err != nil {
		return err
	}
	had, err := fixturesIn(p.Body, ids)
	if err != nil {
		return err
	}
	a.Answered(had.missing...)
	a.Fail(nil, had.unpriced...)
	a.Count(countUnpriced, len(had.unpriced))
	return nil
}

// pricesOf requests the prices of one bookmaker on fixtures, with commas between their
// ids.
func pricesOf(ids, bookmaker string) provider.Request {
	return provider.Request{Endpoint: api.EndpointMulti, Path: api.PathMulti + ids, Query: url.Values{
		api.ParamInclude: {api.IncludeOdds}, api.ParamFilters: {bookmakerFilter(bookmaker)},
	}}
}

// answeredFixtures are the requested fixtures that an answer lacks, wholly or in part.
type answeredFixtures struct {
	missing  []string // left out: the provider offers nothing on them
	unpriced []string // without the requested odds
}

// fixturesIn finds the requested fixtures an answer leaves out, or sends without
// odds. It returns an error if a missing one may be in an unreadable part: it is
// not known then whether the provider offers markets on it.
func fixturesIn(body []byte, ids []string) (had answeredFixtures, err error) {
	d := decode.Document()
	defer decode.Release(d)
	_, data, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return had, decode.Unreadable(api.EndpointMulti, err)
	}
	if foundNothing(d.Root()) { // or the plan does not include them: nothing is known about them
		return answeredFixtures{unpriced: slices.Clone(ids)}, nil
	}
	met, unread := make(map[string]bool, len(ids)), 0
	for v := range itemsOf(data) {
		id := decode.ID(v.Get("id"))
		if id == "" {
			unread++
			continue
		}
		if !met[id] && v.Get(api.KeyOdds).Kind() == strictjson.Absent && slices.Contains(ids, id) {
			had.unpriced = append(had.unpriced, strings.Clone(id))
		}
		met[id] = true
	}
	had.missing, err = requests.Missing(api.EndpointMulti, ids, met, unread)
	return had, err
}
