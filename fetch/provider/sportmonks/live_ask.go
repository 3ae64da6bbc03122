package sportmonks

import (
	"context"
	"net/url"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks/internal/api"
)

// countNotInUse counts fixtures in the list of those in play that are not in play any
// more, or not yet.
const countNotInUse = "not_in_play"

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{ decode.LiveReader }

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
		case f.Rule() != "":
			a.Asked.Filtered++
		case frozen[f.State]:
			a.Asked.Listed++
		default:
			a.Count(countNotInUse, 1)
		}
	}
	return a.Asked, nil
}
