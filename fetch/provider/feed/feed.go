package feed

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
)

// Provider is the registration of the feed of a source.
func Provider(name string) provider.Provider {
	s := source(name)
	return provider.Provider{
		Name:         s.provider(),
		AnyHost:      true,
		Conditional:  true,
		Capabilities: []provider.Capability{provider.Prematch, provider.LiveStats, provider.Timeline},
		Budget: provider.Budget{
			Requests:    20_000, // a cadence of 8 s and large lists every quarter of an hour; a feed may state less
			Window:      time.Hour,
			Burst:       20,
			Concurrency: 4,
			MaxBody:     16 << 20,
		},
		Cycle:     provider.Estimate{Markets: 33, Live: 1},
		Authorize: func(r *http.Request, credential string) { r.Header.Set("Authorization", "Bearer "+credential) },
		Classify:  s.classify,
		Probes:    probes,
		ReadPlan:  readPlan,
		NeededBy:  neededBy,
		Table:     table,

		ParseTable: ParseTable,
		Recorded:   recorded,
		Markets: marketAdapter{s, decode.MarketEndpoints{Listing: []string{provider.EndpointMapping, api.EndpointFixtures},
			Markets: []string{api.EndpointMarkets}}},
		Live: liveAdapter{decode.LiveReader{List: api.EndpointLive, Read: s.readLive}, s},
	}
}

// Codes of this package.
const (
	errSource   = "OTHER_SOURCE"
	errNotFound = "NOT_FOUND"
)

// source is the name of a source. Every answer has it.
type source string

// provider returns the name of the source's provider.
func (s source) provider() string { return Prefix + string(s) }

// classify judges a complete answer. Statuses have their usual meanings, whatever the
// body; an accepted answer names the source and has a list.
func (s source) classify(status int, _ http.Header, body []byte) provider.Verdict {
	switch status {
	case http.StatusOK:
	case http.StatusNotFound:
		return provider.Verdict{Kind: provider.Rejected, Code: errNotFound}
	default:
		return decode.Usual(status, decode.Status)
	}
	return decode.Classify(func(d *strictjson.Document) provider.Verdict {
		v, ok := decode.ByStatus(decode.Usual).Judge(d, status, body, "{")
		switch root := d.Root(); {
		case !ok:
			return v
		case endpointOf(root) == "":
			return provider.Verdict{Kind: provider.Rejected, Code: decode.NoEnvelope}
		case root.Get("source").Text() != string(s):
			return provider.Verdict{Kind: provider.Rejected, Code: errSource}
		}
		return provider.Verdict{Kind: provider.Accepted}
	})
}

// endpointOf returns the endpoint whose answer this is, "" if it is none.
func endpointOf(root strictjson.Value) string {
	is := func(key string) bool { return root.Get(key).Kind() == strictjson.Array }
	switch {
	case root.Get("source").Kind() != strictjson.String, root.Repeats():
	case is("fixtures") && is("missing"):
		return api.EndpointMarkets
	case is("fixtures"):
		return api.EndpointFixtures
	case is("matches"):
		return api.EndpointLive
	}
	return ""
}

// open returns the outermost value of a payload, which must be the source's answer of an
// endpoint.
func (s source) open(d *strictjson.Document, p provider.Payload, endpoint string) (strictjson.Value, error) {
	root, err := decode.Root(d, p)
	if err == nil && (endpointOf(root) != endpoint || root.Get("source").Text() != string(s)) {
		err = errors.New("it is another answer")
	}
	if err != nil {
		return strictjson.Value{}, fmt.Errorf("%s payload %d: %w", endpoint, p.Number, err)
	}
	return root, nil
}

// recorded implements Recorded of [provider.Provider].
func recorded(body []byte) provider.Recorded {
	d := decode.Document()
	defer decode.Release(d)
	if d.Parse(body) != nil {
		return provider.Recorded{}
	}
	return provider.Recorded{Endpoint: endpointOf(d.Root()), Body: body}
}
