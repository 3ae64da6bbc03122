package emulator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"mkt/fetch/provider/sportmonks/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/world"
)

// Oddities of a fixture, each drawn separately.
const (
	oddAwayFirst = iota + 301
	oddStopped
)

// dialect implements simulator.Dialect.
type dialect struct {
	world.IDs
	lists    world.Lists[listedItem]
	rendered *cache.Cache[pricesKey, []byte]
	limit    *rateLimit // nil if an answer does not state it
}

// rateLimit is the block of an answer that states the quota.
type rateLimit struct {
	Resets    int    `json:"resets_in_seconds"`
	Remaining int    `json:"remaining"`
	Entity    string `json:"requested_entity"`
}

var _ simulator.Metered = dialect{}

// Metered implements simulator.Metered.
func (d dialect) Metered(_, remaining int, resets time.Duration) simulator.Dialect {
	d.limit = &rateLimit{int((resets + time.Second - 1) / time.Second), remaining, "Fixture"}
	return d
}

// Quota implements simulator.Dialect: the provider sends no headers for it.
func (dialect) Quota(http.Header, int, int, time.Time) {}

// paths are the served paths. One that ends with a slash is followed by dates or
// ids.
var paths = []struct {
	path, endpoint string
	class          simulator.Class
}{
	{api.PathBetween, api.EndpointBetween, simulator.Listing},
	{api.PathByDate, api.EndpointByDate, simulator.Listing},
	{api.PathMulti, api.EndpointMulti, simulator.Markets},
	{api.PathInplay, api.EndpointInplay, simulator.Playing},
	{api.PathLiveOdds, api.EndpointLiveOdds, ""},
}

// Endpoint implements simulator.Dialect.
func (dialect) Endpoint(path string) (string, simulator.Class) {
	for _, p := range paths {
		if path == p.path || strings.HasSuffix(p.path, "/") && strings.HasPrefix(path, p.path) {
			return p.endpoint, p.class
		}
	}
	return "", ""
}

// Token implements simulator.Dialect: the token is in the header or in the query.
func (dialect) Token(r *http.Request) string {
	if token := r.Header.Get(api.HeaderToken); token != "" {
		return token
	}
	return r.URL.Query().Get("api_token")
}

// Format implements simulator.Dialect.
func (dialect) Format() simulator.Format {
	return simulator.Format{List: api.KeyData, IDs: []string{"id"}, Nonsense: `{"data":"see attachment"}`,
		Classes: []simulator.Class{simulator.Listing, simulator.Markets, simulator.Playing}}
}

// envelope is the envelope of every answer, with its members in the recorded order.
type envelope struct {
	Data         json.RawMessage `json:"data,omitempty"`
	Message      string          `json:"message,omitempty"`
	Pagination   *pagination     `json:"pagination,omitempty"`
	Subscription []subscription  `json:"subscription,omitempty"`
	RateLimit    *rateLimit      `json:"rate_limit,omitempty"`
	Timezone     string          `json:"timezone,omitempty"`
}

type pagination struct {
	Count   int  `json:"count"`
	PerPage int  `json:"per_page"`
	Page    int  `json:"current_page"`
	Next    *int `json:"next_page"`
	More    bool `json:"has_more"`
}

type subscription struct {
	Meta   []string `json:"meta"`
	Plans  []plan   `json:"plans"`
	AddOns []string `json:"add_ons"`
}

type plan struct {
	Plan     string `json:"plan"`
	Sport    string `json:"sport"`
	Category string `json:"category"`
}

var bought = []subscription{{Meta: []string{}, Plans: []plan{{"Simulated Plan", "Football", "Advanced"}}, AddOns: []string{}}}

// Wrap implements simulator.Dialect.
func (d dialect) Wrap(items [][]byte, page *simulator.Page) []byte {
	e := envelope{Data: []byte("[]"), Subscription: bought, RateLimit: d.limit, Timezone: "UTC"}
	if len(items) > 0 {
		e.Data = simulator.AppendArray(nil, items)
	}
	if page != nil {
		e.Pagination = &pagination{Count: len(items), PerPage: page.Size, Page: page.Number, More: page.Number*page.Size < page.Total}
		if e.Pagination.More {
			next := page.Number + 1
			e.Pagination.Next = &next
		}
	}
	return encoded(e)
}

// encoded returns the JSON of an envelope. Its data is inserted as it is, because a fault
// may have made it invalid JSON.
func encoded(e envelope) []byte {
	data := e.Data
	if data != nil {
		e.Data = []byte("0")
	}
	return bytes.Replace(simulator.JSON(e), []byte(`"data":0`), append([]byte(`"data":`), data...), 1)
}

// nothing returns the answer that found nothing: some have an empty list, and some have no
// data at all.
func (d dialect) nothing(list bool) simulator.Answer {
	e := envelope{Message: api.NoResult + " matching your request. Either the query did not return any results or you don't have access to it via your current subscription.",
		Subscription: bought, RateLimit: d.limit, Timezone: "UTC"}
	if list {
		e.Data = []byte("[]")
	}
	return simulator.Answer{Body: encoded(e)}
}

// refusals have the documented statuses. Of the bodies only the message is documented.
var refusals = map[simulator.Refusal]struct {
	status  int
	message string
}{
	simulator.BadMethod:   {http.StatusMethodNotAllowed, "The method is not supported for this route."},
	simulator.BadPath:     {http.StatusNotFound, "The requested endpoint does not exist!"},
	simulator.BadToken:    {http.StatusUnauthorized, "Unauthenticated."},
	simulator.NotBought:   {http.StatusForbidden, "You do not have access to this endpoint with your current subscription."},
	simulator.QuotaUsed:   {http.StatusTooManyRequests, "Too Many Attempts."},
	simulator.Broken:      {http.StatusInternalServerError, "Server Error"},
	simulator.Maintenance: {http.StatusServiceUnavailable, "Service Unavailable"},
}

// Refuse implements simulator.Dialect.
func (d dialect) Refuse(why simulator.Refusal) simulator.Answer {
	r := refusals[why]
	return simulator.Answer{Status: r.status, Body: encoded(envelope{Message: r.message, RateLimit: d.limit})}
}

func wrongParameter(what string) simulator.Answer {
	return simulator.Answer{Status: http.StatusBadRequest, Body: encoded(envelope{Message: "The parameter '" + what + "' is not valid."})}
}

// listedItem is one rendered fixture of the list.
type listedItem struct {
	day  string
	json []byte // nil if the provider does not have the fixture
}

// pricesKey identifies one rendering of a fixture's prices.
type pricesKey struct {
	world   *world.World
	number  int64
	version int64
	state   competition.Status
	kickOff int64
	odds    bool
}

var fixtureIDs = world.IDs{First: 19_000_000}
