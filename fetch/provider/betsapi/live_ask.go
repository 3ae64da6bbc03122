package betsapi

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// Three quarters of the quota are for live intelligence. The rest is for the market
// engine and for retries.
const (
	liveCadence  = 8 * time.Second
	liveShare    = 3
	liveShareOf  = 4
	detailWithin = 5 * time.Second // afterwards no more details are asked for in a cycle
)

// Counters of a live cycle, besides those of provider.Asked.
const (
	countDetails  = "details"         // fixtures whose details were fetched
	countSkipped  = "details_not_due" // fixtures whose turn it was not: the quota is not for all of them
	countCutOff   = "details_cut_off" // fixtures whose turn it was, when the cycle's time or the quota was used up
	countNotInUse = "not_in_play"     // listed, and not in play any more, or not yet
)

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{ decode.LiveReader }

// Ask implements provider.LiveAdapter: the list, which holds clock, score and
// counters of every fixture, then views, which add the provider's own events, ten
// fixtures to a request. If the quota is not enough for all, fixtures take turns in the
// order of their ids; resume is the last one whose turn it was.
func (liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	a := &asker{Cycle: requests.New(x), listing: provider.Request{Endpoint: api.EndpointInplay, Path: api.PathInplay, Query: footballOnly()}}
	a.Asked.Resume = resume
	late, cancel := context.WithTimeout(ctx, detailWithin)
	defer cancel()
	listed, err := a.inplay(ctx)
	if err != nil {
		return a.Asked, err
	}
	ids := inTurn(a.playing(listed), resume)
	allowed := details(x, listed.pages) * api.MaxBatch
	if allowed < len(ids) {
		a.Count(countSkipped, len(ids)-allowed)
		ids = ids[:allowed]
	}
	return a.Result(a.views(ctx, late, ids))
}

// inplay reads the list of fixtures in play, once: the next cycle reads it again.
func (a *asker) inplay(ctx context.Context) (*reading, error) {
	r, err := a.readPages(ctx)
	if err != nil {
		return nil, err
	}
	if a.Asked.ListingComplete = r.isComplete(); !a.Asked.ListingComplete {
		a.countShort(r)
	}
	return r, nil
}

// playing are the listed fixtures in play.
func (a *asker) playing(r *reading) (ids []string) {
	for i := range r.items {
		f := &r.items[i]
		switch {
		case f.Rule() != "":
			a.Asked.Filtered++
		case f.State == api.StatusInPlay || f.State == api.StatusInterrupted || f.State == api.StatusSuspended:
			a.Asked.Listed++
			ids = append(ids, f.ID)
		default:
			a.Count(countNotInUse, 1)
		}
	}
	return ids
}

// inTurn puts ids in the order in which it is their turn: those after the last
// one first.
func inTurn(ids []string, last string) []string {
	slices.SortFunc(ids, byNumber)
	at, found := slices.BinarySearchFunc(ids, last, byNumber)
	if found {
		at++
	}
	return slices.Concat(ids[at:], ids[:at])
}

// byNumber compares ids, which are digits, as numbers.
func byNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// details is how many requests for details a cycle may send: an even share of
// the quota left until it is renewed.
func details(x provider.Exchange, pages int) int {
	q, known := x.Quota()
	if !known {
		q = provider.Quota{Left: api.Hourly, Resets: time.Hour}
	}
	cycles := int((q.Resets + liveCadence - 1) / liveCadence)
	return max(0, q.Left*liveShare/liveShareOf/max(1, cycles)-pages)
}

// views requests the details of the fixtures whose turn it is, until late ends. It
// returns an error if the run must stop.
func (a *asker) views(ctx, late context.Context, ids []string) error {
	batches := slices.Collect(slices.Chunk(ids, api.MaxBatch))
	a.Expect(len(batches))
	asked := make([]bool, len(batches))
	err := a.Each(late, len(batches), func(late context.Context, n int) error {
		if late.Err() != nil || a.Stopped() {
			return nil
		}
		defer a.Step()
		batch := batches[n]
		_, err := a.Get(late, provider.Request{Endpoint: api.EndpointView, Path: api.PathView, Query: url.Values{
			api.ParamEvents: {strings.Join(batch, ",")}, api.ParamLanguage: {api.English},
		}})
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil && late.Err() != nil:
			return nil // no time is left: the next cycle begins with them
		case err != nil && decode.MustStop(err):
			return err
		case err != nil:
			a.Fail(err, batch...)
		default:
			a.Count(countDetails, len(batch))
		}
		asked[n] = true
		return nil
	})
	for _, sent := range asked {
		if sent {
			a.Asked.Optional++
		}
	}
	done := 0
	for done < len(batches) && asked[done] {
		a.Asked.Resume = batches[done][len(batches[done])-1]
		done++
	}
	for n, batch := range batches {
		if !asked[n] {
			a.Count(countCutOff, len(batch))
		}
	}
	return err
}
