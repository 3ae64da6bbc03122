package sportmonks

import (
	"context"
	"net/url"

	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// countNotInUse counts fixtures in the list of those in play that are not in play any
// more, or not yet.
const countNotInUse = "not_in_play"

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{}

var _ provider.LiveAdapter = liveAdapter{}

// IsList implements provider.LiveAdapter.
func (liveAdapter) IsList(endpoint string) bool { return endpoint == api.EndpointInplay }

// IsDetail implements provider.LiveAdapter. The list has all details.
func (liveAdapter) IsDetail(string) bool { return false }

// ReadList implements provider.LiveAdapter.
func (liveAdapter) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	return readLive(pages)
}

// ReadDetail implements provider.LiveAdapter.
func (liveAdapter) ReadDetail(p provider.Payload) (provider.LiveSheet, error) {
	return readLive([]provider.Payload{p})
}

// Ask implements provider.LiveAdapter: one list, which has clock, score, counters and
// events of every fixture. The next cycle need not continue anything.
func (liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	a := asker{requests.New(x)}
	a.Asked.Resume = resume
	fixtures, err := a.list(ctx, provider.Request{Endpoint: api.EndpointInplay, Path: api.PathInplay, Query: url.Values{
		api.ParamInclude: {api.IncludeInplay},
	}})
	if err != nil {
		return a.Asked, err
	}
	for i := range fixtures {
		switch f := &fixtures[i]; {
		case filterOf(f) != "":
			a.Asked.Filtered++
		case frozen[f.state]:
			a.Asked.Listed++
		default:
			a.Count(countNotInUse, 1)
		}
	}
	return a.Asked, nil
}
