package batch

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/schedule"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/schedule/sharing"
	"mkt/publish/football"
)

// cycleMetrics has no label for the tenant: there would be thousands of series, and the log,
// mkt doctor and the state files name the tenant.
type cycleMetrics struct {
	now func() time.Time

	cycles    *prometheus.CounterVec   // product, outcome
	failures  *prometheus.CounterVec   // product, step, code
	took      *prometheus.HistogramVec // product
	running   *prometheus.GaugeVec     // product
	skipped   *prometheus.CounterVec   // product
	postponed *prometheus.CounterVec   // product, reason
	asked     *prometheus.CounterVec   // provider, product
	rejected  *prometheus.CounterVec   // provider, product
	received  *prometheus.CounterVec   // provider, product

	mu       sync.Mutex
	lastGood map[string]time.Time // by entry: when its newest successful cycle ended, by its state file
}

const (
	cyclePublished   = "published"
	cycleFailed      = "failed"
	cycleLocked      = "locked"      // another process runs it
	cycleInterrupted = "interrupted" // stopped between two steps
	cycleUnleased    = "no_lease"    // there was none, or it was lost
)

// cycleDurations are the buckets in seconds, from a live cycle, which may take eight, to a
// large account's, which takes minutes.
var cycleDurations = []float64{.1, .25, .5, 1, 2, 4, 8, 16, 32, 60, 120, 300, 600, 1800}

func newCycleMetrics(now func() time.Time) *cycleMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &cycleMetrics{
		now:       now,
		cycles:    counter("mkt_cycles_total", "Cycles run: published, failed, locked (another process ran it), interrupted (by the stop) or no_lease (there was none, or it was lost).", "product", "outcome"),
		failures:  counter("mkt_cycle_failures_total", "Steps that failed, by the code in state files and mkt doctor; empty if the step never began.", "product", "step", "code"),
		skipped:   counter("mkt_cycle_ticks_skipped_total", "Ticks that came while the cycle before was still under way.", "product"),
		postponed: counter("mkt_cycle_ticks_postponed_total", "Ticks at which the provider must not be asked yet: its quota is used up, or it refused.", "product", "reason"),
		asked:     counter("mkt_provider_requests_total", "Requests sent to providers by fetches, retries among them.", "provider", "product"),
		rejected:  counter("mkt_provider_answers_rejected_total", "Answers that were archived as rejected.", "provider", "product"),
		received:  counter("mkt_provider_bytes_total", "Bytes of accepted answers, uncompressed.", "provider", "product"),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mkt_cycle_duration_seconds",
			Help: "Fetch, transform and publish together, of cycles that published.", Buckets: cycleDurations}, []string{"product"}),
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "mkt_cycles_running",
			Help: "Cycles under way."}, []string{"product"}),
		lastGood: map[string]time.Time{},
	}
	for _, p := range football.Products() {
		for _, outcome := range []string{cyclePublished, cycleFailed, cycleLocked, cycleInterrupted, cycleUnleased} {
			m.cycles.WithLabelValues(string(p), outcome)
		}
		m.took.WithLabelValues(string(p))
		m.running.WithLabelValues(string(p))
		m.skipped.WithLabelValues(string(p))
		for _, why := range cyclestate.Whys {
			m.postponed.WithLabelValues(string(p), string(why))
		}
	}
	return m
}

// begin counts a cycle as running. The returned function counts its outcome, once: further calls
// do nothing.
func (m *cycleMetrics) begin(j Job) (ended func(outcome string)) {
	product, began := string(j.Product), m.now()
	m.running.WithLabelValues(product).Inc()
	var once sync.Once
	return func(outcome string) {
		once.Do(func() {
			m.running.WithLabelValues(product).Dec()
			m.cycles.WithLabelValues(product, outcome).Inc()
			if outcome == cyclePublished {
				m.took.WithLabelValues(product).Observe(m.now().Sub(began).Seconds())
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.lastGood, sharing.Entry(j.Tenant.ID, j.Product)) // read it again from the state file
		})
	}
}

// count adds the requests and bytes of a fetch.
func (m *cycleMetrics) count(j Job, r Report) {
	if r.Step != "fetch" {
		return
	}
	for key, counter := range map[string]*prometheus.CounterVec{"requests": m.asked, "rejected": m.rejected, "bytes": m.received} {
		n := 0.
		switch v := r.Counts[key].(type) {
		case int:
			n = float64(v)
		case int64:
			n = float64(v)
		}
		counter.WithLabelValues(j.Tenant.Provider.Name, string(j.Product)).Add(n)
	}
}

func (m *cycleMetrics) failure(r Report) {
	m.failures.WithLabelValues(r.Product, r.Step, r.Code).Inc()
}

func (m *cycleMetrics) countPostponed(j Job, why cyclestate.Why) {
	m.postponed.WithLabelValues(string(j.Product), string(why)).Inc()
}

func (m *cycleMetrics) skip(j schedule.Job) { m.skipped.WithLabelValues(j.Lane).Inc() }

func (t *timetable) collectors() []prometheus.Collector {
	m := t.metrics
	return []prometheus.Collector{m.cycles, m.failures, m.took, m.running, m.skipped, m.postponed, m.asked, m.rejected, m.received, agesOfCycles{t}, quotas{t}, payloadMetrics{t}, workMetrics{t}}
}

func (m *cycleMetrics) forget(p football.Product, known map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.lastGood, func(name string, _ time.Time) bool {
		_, product, _ := strings.Cut(name, "/")
		return product == string(p) && !known[name]
	})
}
