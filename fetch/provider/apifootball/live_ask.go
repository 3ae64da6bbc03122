package apifootball

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/wire"
)

const (
	// detailsEvery is how long the details of a cycle are used: the provider renews the
	// statistics every minute, and everything else in them is in the list as well.
	detailsEvery = 52 * time.Second
	detailWithin = 5 * time.Second // after that no more details are asked for in a cycle
)

// Counters of a live cycle, besides those of provider.Asked.
const (
	countDetails = "details"         // fixtures whose details were fetched
	countSkipped = "details_not_due" // fixtures whose statistics cannot be new, or for which the quota is too small
	countCutOff  = "details_cut_off" // fixtures whose turn it was, when the cycle's time or the quota was used up
	countNotLive = "not_in_play"     // listed, and not in play any more, or not yet
)

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{}

var _ provider.LiveAdapter = liveAdapter{}

// IsList implements provider.LiveAdapter.
func (liveAdapter) IsList(endpoint string) bool { return endpoint == wire.EndpointLive }

// IsDetail implements provider.LiveAdapter.
func (liveAdapter) IsDetail(endpoint string) bool { return endpoint == wire.EndpointDetails }

// Ask implements provider.LiveAdapter: the list, which has clock, score and events of
// every fixture in play, then, once a minute, the details, which have the statistics,
// twenty fixtures to a request. resume is when the details were last requested, in
// seconds since 1970.
func (liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	a := asker{requests.New(x)}
	a.Asked.Resume = resume
	late, cancel := context.WithTimeout(ctx, detailWithin)
	defer cancel()
	ids, err := a.inPlay(ctx)
	if err != nil {
		return a.Asked, err
	}
	now := x.Now().UTC()
	batches := slices.Collect(slices.Chunk(ids, wire.MaxIDs))
	if !isDue(resume, now) || !affords(x, len(batches)) {
		a.Count(countSkipped, len(ids))
		return a.Asked, nil
	}
	whole, err := a.details(ctx, late, batches)
	if whole && err == nil {
		a.Asked.Resume = strconv.FormatInt(now.Unix(), 10)
	}
	return a.Result(err)
}

// isDue reports whether statistics may be new since the details were last requested.
func isDue(resume string, now time.Time) bool {
	last, err := strconv.ParseInt(resume, 10, 64)
	since := now.Sub(time.Unix(last, 0))
	return err != nil || since < 0 || since >= detailsEvery
}

// affords reports whether the quota has so many requests left. It returns true if that is
// not known.
func affords(x provider.Exchange, requests int) bool {
	q, known := x.Quota()
	return !known || q.Left >= requests
}

// inPlay reads the list and returns the fixtures in play.
func (a asker) inPlay(ctx context.Context) (ids []string, err error) {
	a.Expect(1)
	p, _, err := a.get(ctx, provider.Request{Endpoint: wire.EndpointLive, Path: wire.PathFixtures, Query: url.Values{wire.ParamLive: {wire.LiveAll}}})
	if err != nil {
		return nil, err
	}
	doc := answer.Document()
	defer answer.Release(doc)
	items, err := readResponse(doc, p.Body)
	if err != nil {
		return nil, answer.Unreadable(wire.EndpointLive, err)
	}
	said, ok := readPaging(doc.Root())
	a.Asked.ListingComplete = ok && said.total <= 1
	var ignored answer.Tally
	for v := range items.Items() {
		i, broken := readItem(v, nil, &ignored)
		switch {
		case broken != "":
			a.Asked.ListingComplete = false
			a.Count(countNoID, 1)
		case filterOf(&i) != "":
			a.Asked.Filtered++
		case inPlay[i.status]:
			a.Asked.Listed++
			ids = append(ids, strings.Clone(i.id))
		default:
			a.Count(countNotLive, 1)
		}
	}
	return ids, nil
}

// details requests the details of fixtures until late ends. whole reports whether every
// request was sent. It returns an error if the run must stop.
func (a asker) details(ctx, late context.Context, batches [][]string) (whole bool, err error) {
	a.Expect(len(batches))
	asked := make([]bool, len(batches))
	err = a.Each(late, len(batches), func(late context.Context, n int) error {
		if late.Err() != nil {
			return nil
		}
		p, fatal, err := a.get(late, provider.Request{Endpoint: wire.EndpointDetails, Path: wire.PathFixtures, Query: url.Values{
			wire.ParamIDs: {strings.Join(batches[n], wire.IDSeparator)},
		}})
		if err == nil {
			_, err = liveAdapter{}.ReadDetail(p)
		}
		switch {
		case ctx.Err() != nil:
			return err
		case err == nil:
			a.Count(countDetails, len(batches[n]))
		case err == errStopped || late.Err() != nil:
			return nil // the next cycle requests them first
		case fatal:
			return err
		default:
			a.Fail(nil, batches[n]...)
		}
		asked[n] = true
		return nil
	})
	whole = true
	for n, batch := range batches {
		if !asked[n] {
			whole = false
			a.Count(countCutOff, len(batch))
		}
	}
	return whole, err
}
