package daemon

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
)

// Reloads watches tenants.yaml and counts its edits.
type reloads struct {
	env        *cli.Env
	generation prometheus.Gauge
	inForce    prometheus.Gauge
	refused    prometheus.Counter
}

func NewReloads(env *cli.Env) *reloads {
	r := &reloads{
		env: env,
		generation: prometheus.NewGauge(prometheus.GaugeOpts{Name: "mkt_tenants_generation",
			Help: "Generation of tenants.yaml in force: 1 at the start, one more with each edit."}),
		inForce: prometheus.NewGauge(prometheus.GaugeOpts{Name: "mkt_tenants_file_in_force",
			Help: "1 if the present tenants.yaml is in force, 0 if it is refused or cannot be read."}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "mkt_tenants_edits_refused_total",
			Help: "Edits of tenants.yaml that were refused; the generation before stayed in force."}),
	}
	r.generation.Set(1)
	r.inForce.Set(1)
	return r
}

func (r *reloads) Collectors() []prometheus.Collector {
	return []prometheus.Collector{r.generation, r.inForce, r.refused}
}

// Watch calls apply with each valid edit until ctx is done. If apply refuses one, the
// generation before stays in force.
func (r *reloads) Watch(ctx context.Context, from *tenants.File, apply func(*tenants.File) error) {
	refused := func() { r.refused.Inc(); r.inForce.Set(0) }
	tenants.Watch(ctx, from, tenants.WatchOptions{Now: r.env.Now, Log: r.env.Log, Refused: refused}, func(f *tenants.File) error {
		if err := apply(f); err != nil {
			return err
		}
		r.generation.Inc()
		r.inForce.Set(1)
		return nil
	})
}
