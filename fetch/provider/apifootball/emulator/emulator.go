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

	"mkt/fetch/provider/apifootball/internal/wire"
	"mkt/fetch/simulator"
)

// New returns an emulator of API-Football: an http.Handler that speaks the provider's
// wire format over invented worlds or, if Options.Replay is set, over recorded payloads.
func New(o simulator.Options) (*simulator.Server, error) {
	d := &dialect{
		lists: simulator.NewLists((*simulator.World).Football, func(l listed) int { return len(l.json) }),
		odds:  simulator.NewCache[oddsKey](64<<20, func(b []byte) int { return len(b) }),
	}
	if o.Replay == "" {
		return simulator.NewServer(o, d)
	}
	r, err := openReplay(o.Replay)
	if err != nil {
		return nil, err
	}
	return simulator.NewServer(o, simulator.Replay{Dialect: wireFormat{d}, Serve: r.answer, Sells: d.Format().Classes})
}

// wireFormat is the dialect without its worlds.
type wireFormat struct{ simulator.Dialect }

// EndpointOf implements simulator.Sorting.
func (wireFormat) EndpointOf(path string, query url.Values) (string, simulator.Class) {
	return (*dialect)(nil).EndpointOf(path, query)
}

// TooFast implements simulator.Paced.
func (wireFormat) TooFast(h http.Header) simulator.Answer { return (*dialect)(nil).TooFast(h) }

// dialect implements simulator.Dialect.
type dialect struct {
	lists simulator.Lists[listed]
	odds  *simulator.Cache[oddsKey, []byte]
}

// Endpoint implements simulator.Dialect.
func (d *dialect) Endpoint(path string) (string, simulator.Class) { return d.EndpointOf(path, nil) }

// EndpointOf implements simulator.Sorting: one path serves the list of a day, the matches in
// play, and the details of fixtures.
func (*dialect) EndpointOf(path string, query url.Values) (string, simulator.Class) {
	switch {
	case path == wire.PathOdds:
		return wire.EndpointOdds, simulator.Markets
	case path == wire.PathStatus:
		return wire.EndpointStatus, ""
	case path == wire.PathLiveOdds:
		return wire.EndpointLiveOdds, ""
	case path != wire.PathFixtures:
		return "", ""
	case query.Has(wire.ParamLive):
		return wire.EndpointLive, simulator.Playing
	case query.Has(wire.ParamIDs):
		return wire.EndpointDetails, simulator.Details
	}
	return wire.EndpointFixtures, simulator.Listing
}

// Cost implements simulator.Charging: the status of the account costs nothing.
func (*dialect) Cost(q simulator.Question) int {
	if q.Endpoint == wire.EndpointStatus {
		return 0
	}
	return 1
}

// Token implements simulator.Dialect.
func (*dialect) Token(r *http.Request) string { return r.Header.Get(wire.HeaderKey) }

// perMinute is the quota of a minute in the emulated plan. It is stated in the headers and
// not enforced.
const perMinute = 450

// Quota implements simulator.Dialect. The time of renewal is not sent.
func (*dialect) Quota(h http.Header, limit, remaining int, _ time.Time) {
	h.Set(wire.HeaderDayLimit, strconv.Itoa(limit))
	h.Set(wire.HeaderDayRemaining, strconv.Itoa(remaining))
	h.Set(wire.HeaderMinuteLimit, strconv.Itoa(perMinute))
	h.Set(wire.HeaderMinuteRemaining, strconv.Itoa(min(remaining, perMinute-1)))
}

// refusals are the errors of an answer with the status 200, by their keys.
var refusals = map[simulator.Refusal][2]string{
	simulator.BadMethod: {"method", "This method is not allowed."},
	simulator.BadPath:   {"endpoint", "This endpoint do not exist."},
	simulator.BadToken:  {wire.ErrToken, "Error/Missing application key."},
	simulator.NotBought: {wire.ErrPlan, "Free plans do not have access to this season, try from 2022 to 2024."},
	simulator.QuotaUsed: {wire.ErrRequests, "You have reached the request limit for the day."},
}

// TooFast implements simulator.Paced: the quota of the minute is used up, and not that of
// the day.
func (*dialect) TooFast(h http.Header) simulator.Answer {
	h.Set(wire.HeaderMinuteRemaining, "0")
	return refused("", nil, wire.ErrRateLimit, fmt.Sprintf("Too many requests. Your rate limit is %d requests per minute.", perMinute))
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
	return `"` + wire.KeyGet + `":` + string(simulator.JSON(get)) + `,"` + wire.KeyParameters + `":` + text
}

// Format implements simulator.Dialect.
func (*dialect) Format() simulator.Format {
	return simulator.Format{List: wire.KeyResponse, IDs: []string{"fixture"}, Nonsense: `{"get":7,"errors":[],"results":"many","paging":[],"response":"see attachment"}`,
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

// Answer implements simulator.Dialect.
func (d *dialect) Answer(q simulator.Question) simulator.Answer {
	get, _, _ := strings.Cut(q.Endpoint, "/")
	if key, text := wrong(q); key != "" {
		return refused(get, q.Query, key, text)
	}
	var items [][]byte
	page := simulator.Page{Number: 1}
	switch q.Endpoint {
	case wire.EndpointStatus:
		return accountStatus(get)
	case wire.EndpointLiveOdds:
		items = [][]byte{} // the world has no prices in play
	case wire.EndpointFixtures:
		items = d.day(q)
	case wire.EndpointLive:
		items = playing(q)
	case wire.EndpointDetails:
		items = details(q)
	default:
		items, page = d.oddsPage(q)
	}
	if page.Size == 0 { // it is not paged
		page.Size, page.Total = max(1, len(items)), len(items)
	}
	page.Asked = repeated(get, q.Query)
	return simulator.Answer{Items: items, Page: &page}
}

func accountStatus(get string) simulator.Answer {
	return simulator.Answer{Body: []byte(`{` + repeated(get, nil) + `,"errors":[],"results":1,"paging":{"current":1,"total":1},"response":` +
		`{"account":{"firstname":"Sim","lastname":"Ulator","email":"simulator@example.com"},"subscription":{"plan":"Ultra","end":"2030-01-01T00:00:00+00:00","active":true}}}`)}
}

// parameters are the parameters of the endpoints. A request has at least one of them.
var parameters = map[string][]string{
	wire.EndpointFixtures: {wire.ParamDate},
	wire.EndpointLive:     {wire.ParamLive},
	wire.EndpointDetails:  {wire.ParamIDs},
	wire.EndpointLiveOdds: {wire.ParamBet},
	wire.EndpointOdds:     {wire.ParamDate, wire.ParamBookmaker, wire.ParamPage},
}

// wrong returns what is wrong with a request, "" if nothing is.
func wrong(q simulator.Question) (key, text string) {
	known := parameters[q.Endpoint]
	if known == nil {
		return "", ""
	}
	if len(q.Query) == 0 {
		return wire.ErrRequired, "At least one parameter is required."
	}
	for _, name := range slices.Sorted(maps.Keys(q.Query)) {
		value := q.Query.Get(name)
		number, err := strconv.Atoi(value)
		switch {
		case !slices.Contains(known, name):
			return name, "The " + name + " field do not exist."
		case name == wire.ParamLive && value != wire.LiveAll:
			return name, "The Live field must be all."
		case name == wire.ParamIDs && strings.Count(value, wire.IDSeparator) >= wire.MaxIDs:
			return name, "The Ids field must not have more than 20 ids."
		case (name == wire.ParamBookmaker || name == wire.ParamPage) && (err != nil || number < 1):
			return name, "The " + name + " field must contain an integer."
		}
		if _, err := time.Parse(wire.DateForm, value); name == wire.ParamDate && err != nil {
			return name, "The Date field must contain a valid date."
		}
	}
	if !q.Query.Has(known[0]) {
		return wire.ErrRequired, "The " + known[0] + " field is required."
	}
	return "", ""
}
