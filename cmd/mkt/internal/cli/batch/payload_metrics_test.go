package batch

import (
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
)

// The metric counts accounts, and has a series for each kind of change also if there is none.
func TestPayloadMetrics(t *testing.T) {
	table, _, _ := newTestTimetable(t, 0, 0)
	acme, _ := table.share.File().Tenant("acme")
	gathered := func() map[string]float64 {
		registry := prometheus.NewRegistry()
		registry.MustRegister(payloadMetrics{table})
		families, err := registry.Gather()
		check.Must(t, err)
		got := map[string]float64{}
		for _, family := range families {
			for _, m := range family.GetMetric() {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, l.GetValue())
				}
				got[strings.Join(labels, " ")] = m.GetGauge().GetValue()
			}
		}
		return got
	}
	before := gathered()
	if n, there := before["field_gone market_engine "+acme.Provider.Name]; !there || n != 0 {
		t.Errorf("%v", before)
	}
	dir := table.group.Dataset("acme", football.MarketEngine).Dir()
	check.Must(t, os.MkdirAll(dir, 0o755))
	root, err := durable.OpenRoot(dir)
	check.Must(t, err)
	defer root.Close()
	change := `{"kind": "field_gone", "name": "a.b", "since": "2026-11-29T14:00:00Z", "has": 9, "of": 10}`
	check.Must(t, health.OverwriteState(root, "state/payload.json", []byte(`{"format": 1, "source": {"provider": "`+acme.Provider.Name+`"}, "changes": [`+change+`,`+change+`]}`)))
	got := gathered()
	if got["field_gone market_engine "+acme.Provider.Name] != 1 || got["field_new market_engine "+acme.Provider.Name] != 0 || len(got) != len(before) {
		t.Errorf("%v, before it %v", got, before)
	}
}
