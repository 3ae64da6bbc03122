// Package emulator renders the simulated world in the wire format of BetsAPI: listings, prices of
// bookmakers, and matches in play.
package emulator

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/world"
)

// New returns an emulator of BetsAPI: an [http.Handler] in the provider's
// wire format, with its paging, quota headers, error envelopes and oddities, over
// invented worlds or, if Options.Replay is set, over recorded payloads.
//
//	e, err := emulator.New(simulator.Options{Seed: 1})
//	url, done, err := simulator.Listen(ctx, e, "127.0.0.1:0")
//	// Send requests to url with the token e.Tokens()[0], and compare the answers
//	// with e.Listed, e.Meant and e.InPlay.
func New(o simulator.Options) (*simulator.Server, error) {
	var d simulator.Dialect = &dialect{IDs: fixtureIDs,
		lists:    world.NewLists((*world.World).Fixtures, func(it listedItem) int { return len(it.json) }),
		rendered: cache.New[pricesKey](64<<20, func(b []byte) int { return len(b) }),
	}
	if o.Replay != "" {
		r, err := openReplay(o.Replay)
		if err != nil {
			return nil, err
		}
		d = r
	}
	return simulator.NewServer(o, d)
}

// base is the common part of the emulator over worlds and over recordings.
type base struct{}

// simulated are the paths served. Faults are aimed at a class.
var simulated = map[string]struct {
	endpoint string
	class    simulator.Class
}{
	api.PathUpcoming: {api.EndpointUpcoming, simulator.Listing},
	api.PathPrematch: {api.EndpointPrematch, simulator.Markets},

	"/v1/events/inplay": {api.EndpointInplay, simulator.Playing},
	"/v3/events/inplay": {api.EndpointInplay, simulator.Playing},
	"/v1/event/view":    {api.EndpointView, simulator.Details},
}

// classOf returns the class of an endpoint, or its name if it has none.
func classOf(endpoint string) simulator.Class {
	for _, p := range simulated {
		if p.endpoint == endpoint {
			return p.class
		}
	}
	return simulator.Class(endpoint)
}

func (base) Endpoint(path string) (string, simulator.Class) {
	p := simulated[path]
	return p.endpoint, p.class
}

// Token is the query parameter, or the header of the older reference
// (betsapi.md, section 1).
func (base) Token(r *http.Request) string {
	if t := r.URL.Query().Get(api.ParamToken); t != "" {
		return t
	}
	return r.Header.Get("X-API-TOKEN")
}

func (base) Quota(h http.Header, limit, remaining int, reset time.Time) {
	h[api.HeaderLimit] = []string{strconv.Itoa(limit)}
	h[api.HeaderRemaining] = []string{strconv.Itoa(remaining)}
	h[api.HeaderReset] = []string{strconv.FormatInt(reset.Unix(), 10)}
}

// refusals are the error envelopes (betsapi.md, section 1.2): the words are the
// documented ones, the statuses those that clients have seen.
var refusals = map[simulator.Refusal]struct {
	status       int
	code, detail string
}{
	simulator.BadMethod:   {http.StatusMethodNotAllowed, api.ErrMethod, ""},
	simulator.BadPath:     {http.StatusNotFound, api.ErrNotFound, ""},
	simulator.BadToken:    {http.StatusUnauthorized, api.ErrAuthorize, ""},
	simulator.NotBought:   {http.StatusForbidden, api.ErrPermission, ""},
	simulator.QuotaUsed:   {http.StatusTooManyRequests, api.ErrTooMany, "buy Volume Packages from the provider"},
	simulator.Broken:      {http.StatusInternalServerError, api.ErrInternal, ""},
	simulator.Maintenance: {http.StatusServiceUnavailable, api.ErrMaintenance, ""},
}

func (base) Refuse(why simulator.Refusal) simulator.Answer {
	r := refusals[why]
	return refusal(r.status, r.code, r.detail)
}

func refusal(status int, code, detail string) simulator.Answer {
	if detail != "" {
		detail = `,"error_detail":"` + detail + `"`
	}
	return simulator.Answer{Status: status, Body: fmt.Appendf(nil, `{"success":0,"error":"%s"%s}`, code, detail)}
}

func paramRequired(name string) *simulator.Answer {
	a := refusal(http.StatusOK, api.ErrRequired, name)
	return &a
}

func paramInvalid(name string) *simulator.Answer {
	a := refusal(http.StatusOK, api.ErrInvalid, name)
	return &a
}

var digitsOnly = regexp.MustCompile(`^[0-9]{1,18}$`)

// Format implements simulator.Dialect.
func (base) Format() simulator.Format {
	return simulator.Format{List: api.KeyResults, IDs: []string{"id", api.KeyFI}, Nonsense: `{"success":"yes","results":"see attachment"}`,
		Classes: []simulator.Class{simulator.Listing, simulator.Markets, simulator.Playing, simulator.Details}}
}

// Wrap implements simulator.Dialect.
func (base) Wrap(items [][]byte, page *simulator.Page) []byte {
	size := 100
	for _, it := range items {
		size += len(it) + 1
	}
	b := append(make([]byte, 0, size), `{"success":1`...)
	if page != nil {
		b = fmt.Appendf(b, `,"pager":{"page":%d,"per_page":%d,"total":%d}`, page.Number, page.Size, page.Total)
	}
	return append(simulator.AppendArray(append(b, `,"results":`...), items), '}')
}

// idList reads a parameter of up to ten ids, with a comma, each once.
func idList(query url.Values, param string) ([]string, *simulator.Answer) {
	text := query.Get(param)
	if text == "" {
		return nil, paramRequired(param)
	}
	ids := strings.Split(text, ",")
	if len(ids) > api.MaxBatch {
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
