// Package metrics counts what the server answers, and reads the state of its parts at each scrape.
//
// Every label is from a closed set: route patterns, status codes, the contract's error codes, and
// words of this package and those below it. No label contains anything that a client sent. Only one
// counter has client_id, because the first question in an overload is which account causes it; ids
// are chosen by the operator, there are only as many as tenants.yaml has, and a removed account
// loses its series.
package metrics

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/serve/internal/api"
	"mkt/serve/internal/response"
)

// Metrics are the counters of the HTTP API. The state of everything else is read at each scrape.
type Metrics struct {
	requests *prometheus.CounterVec // route, status, code
	shed     *prometheus.CounterVec // reason
	took     *prometheus.HistogramVec
	byRoute  map[string]series
	limits   *prometheus.HistogramVec // outcome
	traffic  sync.Map                 // client id → *Traffic
}

const noRoute = "none"

// series are those of a route that most requests count in, because looking them up takes longer.
type series struct {
	took     prometheus.Observer
	answered func() prometheus.Counter // of requests, with status 200; it is created by the first one
}

// durations are the buckets in seconds: cached answers take tens of microseconds, others
// half a millisecond, and none takes more than ten seconds.
var durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// New returns the counters of requests to routes with these names.
func New(routes []string) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mkt_http_requests_total",
			Help: "Requests answered, by route pattern, status and error code (empty if there was no error)."}, []string{"route", "status", "code"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mkt_http_shed_total",
			Help: "Requests refused with SERVICE_UNAVAILABLE, by reason."}, []string{"reason"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mkt_http_request_duration_seconds",
			Help: "Time from a request's head to the last byte of its answer, by route pattern.", Buckets: durations}, []string{"route"}),
		byRoute: map[string]series{},
	}
	// A series that an alert reads is created before its first event: otherwise its rate would not
	// show the first ones.
	for _, name := range append([]string{noRoute}, routes...) {
		m.byRoute[name] = series{took: m.took.WithLabelValues(name), answered: sync.OnceValue(func() prometheus.Counter {
			return m.requests.WithLabelValues(name, statusName(http.StatusOK), "")
		})}
		m.requests.WithLabelValues(name, statusName(http.StatusInternalServerError), string(api.InternalError))
	}
	for _, reason := range []response.Shed{response.ShedDraining, response.ShedCrowded, response.ShedAccount, response.ShedQueue, response.ShedLate} {
		m.shed.WithLabelValues(string(reason))
	}
	return m
}

// Traffic returns the counts of an account.
func (m *Metrics) Traffic(clientID string) *Traffic {
	t, ok := m.traffic.Load(clientID)
	if !ok {
		t, _ = m.traffic.LoadOrStore(clientID, new(Traffic))
	}
	return t.(*Traffic)
}

// Count counts an answer, and counts it in the traffic of the account. of is nil for an answer without
// an account.
func (m *Metrics) Count(a *response.Writer, of *Traffic) {
	route := a.Route
	if route == "" {
		route = noRoute
	}
	series, ok := m.byRoute[route]
	if ok && a.Status == http.StatusOK && a.Code == "" {
		series.answered().Inc()
	} else {
		m.requests.WithLabelValues(route, statusName(a.Status), string(a.Code)).Inc()
	}
	if ok { // the duration of a socket is meaningless
		series.took.Observe(a.Took.Seconds())
	}
	if a.Shed != "" {
		m.shed.WithLabelValues(string(a.Shed)).Inc()
	}
	if of != nil {
		of.ended[outcomeOf(a)].Add(1)
	}
}

var statusNames = func() (names [600]string) {
	for i := 100; i < len(names); i++ {
		names[i] = strconv.Itoa(i)
	}
	return names
}()

// statusName returns a status in digits. If a handler wrote nothing, that is 200, as
// net/http will answer.
func statusName(status int) string {
	if status < 100 || status >= len(statusNames) {
		return statusNames[http.StatusOK]
	}
	return statusNames[status]
}
