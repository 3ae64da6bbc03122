package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/world"
)

// dialect implements simulator.Dialect.
type dialect struct {
	world.IDs
	lists world.Lists[listed]
	odds  *cache.Cache[oddsKey, []byte]
}

// Endpoint implements simulator.Dialect.
func (d *dialect) Endpoint(path string) (string, simulator.Class) { return d.EndpointOf(path, nil) }

// EndpointOf implements simulator.Sorting: one path serves the list of a day, the matches in
// play, and the details of fixtures.
func (*dialect) EndpointOf(path string, query url.Values) (string, simulator.Class) {
	switch {
	case path == api.PathOdds:
		return api.EndpointOdds, simulator.Markets
	case path == api.PathStatus:
		return api.EndpointStatus, ""
	case path == api.PathLiveOdds:
		return api.EndpointLiveOdds, ""
	case path != api.PathFixtures:
		return "", ""
	case query.Has(api.ParamLive):
		return api.EndpointLive, simulator.Playing
	case query.Has(api.ParamIDs):
		return api.EndpointDetails, simulator.Details
	}
	return api.EndpointFixtures, simulator.Listing
}

// Cost implements simulator.Charging: the status of the account costs nothing.
func (*dialect) Cost(q simulator.Question) int {
	if q.Endpoint == api.EndpointStatus {
		return 0
	}
	return 1
}

// Token implements simulator.Dialect.
func (*dialect) Token(r *http.Request) string { return r.Header.Get(api.HeaderKey) }

// perMinute is the quota of a minute in the emulated plan. It is stated in the headers and
// not enforced.
const perMinute = 450

// Quota implements simulator.Dialect. The time of renewal is not sent.
func (*dialect) Quota(h http.Header, limit, remaining int, _ time.Time) {
	h.Set(api.HeaderDayLimit, strconv.Itoa(limit))
	h.Set(api.HeaderDayRemaining, strconv.Itoa(remaining))
	h.Set(api.HeaderMinuteLimit, strconv.Itoa(perMinute))
	h.Set(api.HeaderMinuteRemaining, strconv.Itoa(min(remaining, perMinute-1)))
}

// refusals are the errors of an answer with the status 200, by their keys.
var refusals = map[simulator.Refusal][2]string{
	simulator.BadMethod: {"method", "This method is not allowed."},
	simulator.BadPath:   {"endpoint", "This endpoint do not exist."},
	simulator.BadToken:  {api.ErrToken, "Error/Missing application key."},
	simulator.NotBought: {api.ErrPlan, "Free plans do not have access to this season, try from 2022 to 2024."},
	simulator.QuotaUsed: {api.ErrRequests, "You have reached the request limit for the day."},
}

// TooFast implements simulator.Paced: the quota of the minute is used up, and not that of
// the day.
func (*dialect) TooFast(h http.Header) simulator.Answer {
	h.Set(api.HeaderMinuteRemaining, "0")
	return refused("", nil, api.ErrRateLimit, fmt.Sprintf("Too many requests. Your rate limit is %d requests per minute.", perMinute))
}

// Refuse implements simulator.Dialect: with the status 200, but for faults of the server.
func (*dialect) Refuse(why simulator.Refusal) simulator.Answer {
	switch why {
	case simulator.Broken:
		return simulator.Answer{Status: http.StatusInternalServerError, Body: []byte(`{"message":"Internal server error"}`)}
	case simulator.Maintenance:
		return simulator.Answer{Status: http.StatusServiceUnavailable, Body: []byte(`{"message":"Service unavailable"}`)}
	}
	return refused("", nil, refusals[why][0], refusals[why][1])
}

// refused returns an answer with an error.
func refused(get string, query url.Values, key, text string) simulator.Answer {
	errors := append(simulator.JSON(map[string]string{key: text}), `,"results":0,"paging":{"current":1,"total":1},"response":[]}`...)
	return simulator.Answer{Body: append([]byte(`{`+repeated(get, query)+`,"errors":`), errors...)}
}

// repeated returns the part of the envelope that repeats the request. Without parameters
// they are an empty array.
func repeated(get string, query url.Values) string {
	parameters := make(map[string]string, len(query))
	for name := range query {
		parameters[name] = query.Get(name)
	}
	text := string(simulator.JSON(parameters))
	if len(parameters) == 0 {
		text = "[]"
	}
	return `"` + api.KeyGet + `":` + string(simulator.JSON(get)) + `,"` + api.KeyParameters + `":` + text
}

// Format implements simulator.Dialect.
func (*dialect) Format() simulator.Format {
	return simulator.Format{List: api.KeyResponse, IDs: []string{"fixture"}, Nonsense: `{"get":7,"errors":[],"results":"many","paging":[],"response":"see attachment"}`,
		Classes: []simulator.Class{simulator.Listing, simulator.Markets, simulator.Playing, simulator.Details}}
}

// Wrap implements simulator.Dialect.
func (*dialect) Wrap(items [][]byte, page *simulator.Page) []byte {
	p := simulator.Page{Number: 1, Size: 1, Asked: repeated("", nil)}
	pages := 1
	if page != nil {
		p = *page
		pages = max(1, (p.Total+p.Size-1)/p.Size)
	}
	b := fmt.Appendf(nil, `{%s,"errors":[],"results":%d,"paging":{"current":%d,"total":%d},"response":`, p.Asked, len(items), p.Number, pages)
	return append(simulator.AppendArray(b, items), '}')
}

func accountStatus(get string) simulator.Answer {
	return simulator.Answer{Body: []byte(`{` + repeated(get, nil) + `,"errors":[],"results":1,"paging":{"current":1,"total":1},"response":` +
		`{"account":{"firstname":"Sim","lastname":"Ulator","email":"simulator@example.com"},"subscription":{"plan":"Ultra","end":"2030-01-01T00:00:00+00:00","active":true}}}`)}
}

// parameters are the parameters of the endpoints. A request has at least one of them.
var parameters = map[string][]string{
	api.EndpointFixtures: {api.ParamDate},
	api.EndpointLive:     {api.ParamLive},
	api.EndpointDetails:  {api.ParamIDs},
	api.EndpointLiveOdds: {api.ParamBet},
	api.EndpointOdds:     {api.ParamDate, api.ParamBookmaker, api.ParamPage},
}

// wrong returns the error of a request, "" if there is none.
func wrong(q simulator.Question) (key, text string) {
	known := parameters[q.Endpoint]
	if known == nil {
		return "", ""
	}
	if len(q.Query) == 0 {
		return api.ErrRequired, "At least one parameter is required."
	}
	for _, name := range slices.Sorted(maps.Keys(q.Query)) {
		value := q.Query.Get(name)
		number, err := strconv.Atoi(value)
		switch {
		case !slices.Contains(known, name):
			return name, "The " + name + " field do not exist."
		case name == api.ParamLive && value != api.LiveAll:
			return name, "The Live field must be all."
		case name == api.ParamIDs && strings.Count(value, api.IDSeparator) >= api.MaxIDs:
			return name, "The Ids field must not have more than 20 ids."
		case (name == api.ParamBookmaker || name == api.ParamPage) && (err != nil || number < 1):
			return name, "The " + name + " field must contain an integer."
		}
		if _, err := time.Parse(api.DateForm, value); name == api.ParamDate && err != nil {
			return name, "The Date field must contain a valid date."
		}
	}
	if !q.Query.Has(known[0]) {
		return api.ErrRequired, "The " + known[0] + " field is required."
	}
	return "", ""
}

// listed is a fixture of a list.
type listed struct {
	day  string
	json []byte
}

// oddsKey identifies the odds of a fixture, of one bookmaker or of all.
type oddsKey struct {
	world   *world.World
	number  int64
	version int64
	maker   string
}
