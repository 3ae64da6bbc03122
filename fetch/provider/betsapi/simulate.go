package betsapi

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator"
)

// NewSimulator returns a BetsAPI to develop and test against: an http.Handler
// that speaks the provider's wire format, with its paging, quota headers, error
// envelopes and oddities, over invented worlds or, with Options.Replay, over
// recorded payloads.
//
//	sim, err := betsapi.NewSimulator(simulator.Options{Seed: 1})
//	url, done, err := simulator.Listen(ctx, sim, "127.0.0.1:0")
//	// ask at url with sim.Tokens()[0]; compare with sim.Listed and sim.Meant
func NewSimulator(o simulator.Options) (*Simulator, error) {
	var d simulator.Dialect = &speech{pages: make(map[pageKey]*board), sheets: newShelf(64 << 20)}
	if o.Replay != "" {
		r, err := openReplay(o.Replay)
		if err != nil {
			return nil, err
		}
		d = r
	}
	server, err := simulator.NewServer(o, d)
	if err != nil {
		return nil, err
	}
	return &Simulator{Server: server, replayed: o.Replay != ""}, nil
}

// Simulator is a running BetsAPI of ours.
type Simulator struct {
	*simulator.Server
	replayed bool
}

// manner is what any BetsAPI of ours does alike, invented or replayed.
type manner struct{}

var _ simulator.Dialect = (*speech)(nil)

// simulated are the paths served, newest version first; the class is how faults are
// aimed.
var simulated = map[string]struct {
	endpoint string
	class    simulator.Class
}{
	pathUpcoming:          {endpointUpcoming, simulator.Listing},
	"/v3/bet365/prematch": {endpointPrematch, simulator.Markets},
	pathPrematch:          {endpointPrematch, simulator.Markets},

	"/v1/events/inplay":        {endpointInplay, simulator.Playing},
	"/v3/events/inplay":        {endpointInplay, simulator.Playing},
	"/v1/bet365/inplay_filter": {simInPlayFilter, simulator.Playing},
	"/v1/event/view":           {endpointView, simulator.Details},
	"/v1/event/stats_trend":    {simStatsTrend, simulator.Details},
}

// classOf is the class of an endpoint as faults are aimed, its name where it has
// none.
func classOf(endpoint string) simulator.Class {
	for _, p := range simulated {
		if p.endpoint == endpoint {
			return p.class
		}
	}
	return simulator.Class(endpoint)
}

func (manner) Endpoint(path string) (string, simulator.Class) {
	p := simulated[path]
	return p.endpoint, p.class
}

// Token is the query parameter, or the header of the older reference
// (betsapi.md, section 1).
func (manner) Token(r *http.Request) string {
	if t := r.URL.Query().Get(paramToken); t != "" {
		return t
	}
	return r.Header.Get("X-API-TOKEN")
}

func (manner) Quota(h http.Header, limit, remaining int, reset time.Time) {
	h[headerLimit] = []string{strconv.Itoa(limit)}
	h[headerRemaining] = []string{strconv.Itoa(remaining)}
	h[headerReset] = []string{strconv.FormatInt(reset.Unix(), 10)}
}

// refusals are the error envelopes (betsapi.md, section 1.2): the words are the
// documented ones, the statuses those that clients have seen.
var refusals = map[simulator.Refusal]struct {
	status       int
	code, detail string
}{
	simulator.BadMethod:   {http.StatusMethodNotAllowed, errMethod, ""},
	simulator.BadPath:     {http.StatusNotFound, errNotFound, ""},
	simulator.BadToken:    {http.StatusUnauthorized, errAuthorize, ""},
	simulator.NotBought:   {http.StatusForbidden, errPermission, ""},
	simulator.QuotaUsed:   {http.StatusTooManyRequests, errTooMany, "buy Volume Packages from the provider"},
	simulator.Broken:      {http.StatusInternalServerError, errInternal, ""},
	simulator.Maintenance: {http.StatusServiceUnavailable, errMaintenance, ""},
}

func (manner) Refuse(why simulator.Refusal) simulator.Answer {
	r := refusals[why]
	return refusal(r.status, r.code, r.detail)
}

func refusal(status int, code, detail string) simulator.Answer {
	b := append([]byte(`{"success":0,"error":`), quotedText(code)...)
	if detail != "" {
		b = append(append(b, `,"error_detail":`...), quotedText(detail)...)
	}
	return simulator.Answer{Status: status, Body: append(b, '}')}
}

func paramRequired(name string) *simulator.Answer {
	a := refusal(http.StatusOK, errRequired, name)
	return &a
}

func paramInvalid(name string) *simulator.Answer {
	a := refusal(http.StatusOK, errInvalid, name)
	return &a
}

var digitsOnly = regexp.MustCompile(`^[0-9]{1,18}$`)

// fixtureIDs reads the FI parameter.
func fixtureIDs(query url.Values) ([]string, *simulator.Answer) { return idList(query, paramFixtures) }

// idList reads a parameter of up to ten ids, with a comma, each once.
func idList(query url.Values, param string) ([]string, *simulator.Answer) {
	text := query.Get(param)
	if text == "" {
		return nil, paramRequired(param)
	}
	ids := strings.Split(text, ",")
	if len(ids) > maxBatch {
		return nil, paramInvalid(param)
	}
	var once []string
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id = strings.TrimSpace(id); !digitsOnly.MatchString(id) {
			return nil, paramInvalid(param)
		}
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	return once, nil
}
