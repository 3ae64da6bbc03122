package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what happens at the edge. Every label is of a closed set: route
// patterns, status codes, the contract's error codes, and words of this file.
// Nothing that a client wrote is one. client_id is, on one counter alone: which
// account floods is the first thing to ask, ids are the operator's own words, and
// there are as many as tenants.yaml has; who leaves it takes the series along.
//
// What the library, the accounts, the connections and the sockets are is read when
// somebody looks: dataMetrics, accountMetrics, connectionMetrics, socketMetrics.
type metrics struct {
	requests *prometheus.CounterVec // route, status, code
	accounts accountCounts
	shed     *prometheus.CounterVec // reason
	took     *prometheus.HistogramVec
	byRoute  map[string]prometheus.Observer // of took
	inFlight prometheus.GaugeFunc
}

// shedding is why a request was told SERVICE_UNAVAILABLE.
type shedding string

const (
	notShed     shedding = ""
	shedDrain   shedding = "draining"
	shedCrowd   shedding = "in_flight"         // too many at once, over all accounts
	shedOwn     shedding = "account_in_flight" // too many of this account at once
	shedWaiting shedding = "line"              // too many cold pages wait, or this one waited too long
	shedLate    shedding = "late"              // the time for one answer ran out
)

// noRoute is the route of what found none.
const noRoute = "none"

// durations are the buckets, in seconds: cached answers take tens of
// microseconds, cold ones half a millisecond, and ten seconds are the end.
var durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

func newMetrics(s *server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mkt_http_requests_total",
			Help: "Requests answered, by route pattern, status and error code (empty for none)."}, []string{"route", "status", "code"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mkt_http_shed_total",
			Help: "Requests told SERVICE_UNAVAILABLE, by reason."}, []string{"reason"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mkt_http_request_duration_seconds",
			Help: "From a request's head to the last byte written, by route pattern.", Buckets: durations}, []string{"route"}),
		inFlight: prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mkt_http_requests_in_flight",
			Help: "Requests being answered now."}, func() float64 { return float64(s.inFlight.Load()) }),
		byRoute: map[string]prometheus.Observer{noRoute: nil},
	}
	for _, rt := range table {
		m.byRoute[rt.name] = nil
	}
	for name := range m.byRoute {
		m.byRoute[name] = m.took.WithLabelValues(name)
	}
	for _, reason := range []shedding{shedDrain, shedCrowd, shedOwn, shedWaiting, shedLate} {
		m.shed.WithLabelValues(string(reason)) // so that a rate is 0 before the first, not nothing
	}
	return m
}

// collectors are all that /metrics shows of the API.
func (s *server) collectors() []prometheus.Collector {
	m := s.metrics
	return []prometheus.Collector{m.requests, m.took, m.inFlight, m.shed, accountMetrics{&m.accounts, s.accounts}, dataMetrics{s}, connectionMetrics{s.connections}, socketMetrics{s.realtime, s.sockets}}
}

// count counts an answer.
func (m *metrics) count(a *answer) {
	route := a.route
	if route == "" {
		route = noRoute
	}
	m.requests.WithLabelValues(route, statusName(a.status), string(a.code)).Inc()
	if took := m.byRoute[route]; took != nil { // a socket's time is its client's
		took.Observe(time.Since(a.since).Seconds())
	}
	if a.shed != notShed {
		m.shed.WithLabelValues(string(a.shed)).Inc()
	}
	if a.tenant != "" {
		m.accounts.add(a.tenant, a.outcome())
	}
}

var statusNames = func() (names [600]string) {
	for i := 100; i < len(names); i++ {
		names[i] = strconv.Itoa(i)
	}
	return names
}()

// statusName is a status in digits; that of a handler that wrote nothing is 200,
// as net/http will say.
func statusName(status int) string {
	if status < 100 || status >= len(statusNames) {
		return statusNames[http.StatusOK]
	}
	return statusNames[status]
}
