package betsapi

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// Counters of a cycle, besides those of provider.Asked.
const (
	countOver      = "over"          // ended, cancelled or withdrawn fixtures
	countFrozen    = "in_play"       // fixtures whose prematch prices do not move any more, which are not requested
	countSplit     = "batches_split" // requests for ten fixtures repeated one by one
	countAskedMore = "asked_again"   // fixtures left out of an answer
)

// Ask implements provider.MarketAdapter: the listing, then the markets of every
// fixture still to be played, ten to a request.
func (adapter) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	a := &asker{Cycle: requests.New(x), untilEmpty: true,
		listing: provider.Request{Endpoint: api.EndpointUpcoming, Path: api.PathUpcoming, Query: footballOnly()}}
	fixtures, err := a.list(ctx)
	if err != nil {
		return a.Asked, err
	}
	return a.Result(a.markets(ctx, a.choose(fixtures)))
}

// footballOnly restricts a list to football, without eSoccer as far as the provider
// recognizes it.
func footballOnly() url.Values {
	return url.Values{api.ParamSport: {api.SportFootball}, api.ParamNoESport: {"1"}, api.ParamLanguage: {api.English}}
}

// choose sorts the listed fixtures into those whose markets are asked for and
// those that need not be.
func (a *asker) choose(fixtures []decode.Item) (ids []string) {
	for _, f := range fixtures {
		switch {
		case f.Rule() != "":
			a.Asked.Filtered++
			continue
		case over[f.State]:
			a.Count(countOver, 1)
		case frozen[f.State]:
			a.Count(countFrozen, 1)
		default:
			ids = append(ids, f.ID)
		}
		a.Asked.Listed++
	}
	return ids
}

// markets requests the fixtures' markets, ten fixtures at a time, and then once more
// those of the fixtures left out of an answer, which may be an accident. If a
// fixture is left out twice, the bookmaker has no markets on it. One fixture's failure
// is recorded; an error is returned if the run must stop, or if there was no answer at
// all.
func (a *asker) markets(ctx context.Context, ids []string) error {
	err := a.Batches(ctx, ids, api.MaxBatch, countSplit, a.batch)
	if missing := a.Asked.NotOffered; err == nil && len(missing) > 0 {
		a.Count(countAskedMore, len(missing))
		a.Asked.NotOffered = nil
		slices.Sort(missing)
		err = a.Batches(ctx, missing, api.MaxBatch, countSplit, a.batch)
	}
	if err != nil {
		return err
	}
	return a.Err()
}

// batch requests up to ten fixtures.
func (a *asker) batch(ctx context.Context, ids []string) error {
	p, err := a.Get(ctx, provider.Request{Endpoint: api.EndpointPrematch, Path: api.PathPrematch, Query: url.Values{
		api.ParamFixtures: {strings.Join(ids, ",")}, api.ParamLanguage: {api.English},
	}})
	if err != nil {
		return err
	}
	missing, err := missingIn(p.Body, ids)
	if err == nil {
		a.Answered(missing...)
	}
	return err
}

// missingIn lists the requested fixtures an answer leaves out. It returns an error if
// one of these may be in an unreadable part: it is not known then whether the
// provider offers markets on it.
func missingIn(body []byte, ids []string) (missing []string, err error) {
	d := decode.Document()
	defer decode.Release(d)
	_, results, err := readEnvelope(d, provider.Payload{Body: body})
	if err != nil {
		return nil, decode.Unreadable(api.EndpointPrematch, err)
	}
	found, unread := make(map[string]bool, api.MaxBatch), 0
	for item := range results.Items() {
		its := idsOf(item)
		for _, id := range its {
			found[id] = true
		}
		if len(its) == 0 {
			unread++
		}
	}
	return requests.Missing(api.EndpointPrematch, ids, found, unread)
}

// idsOf are the fixture ids of a result: none if it has none to be read, several
// when the key is there more than once and they differ.
func idsOf(result strictjson.Value) (ids []string) {
	for key, v := range result.Members() {
		if id := decode.ID(v); key == api.KeyFI && id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
