package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/serve/account"
)

// Reloads watches tenants.yaml and counts its edits.
type reloads struct {
	env        *cli.Env
	generation prometheus.Gauge
	inForce    prometheus.Gauge
	refused    prometheus.Counter
	store      prometheus.Gauge
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
	r.store = prometheus.NewGauge(prometheus.GaugeOpts{Name: "mkt_tenants_store_in_force",
		Help: "1 if the newest accounts in the object store were read and are valid, 0 if not; only with tenants_in_store."})
	r.store.Set(1)
	return r
}

func (r *reloads) Collectors() []prometheus.Collector {
	all := []prometheus.Collector{r.generation, r.inForce, r.refused}
	if r.env.SharedTenants {
		all = append(all, r.store)
	}
	return all
}

// refresh keeps the copy of the accounts up to date with the object store until ctx is done.
func (r *reloads) refresh(ctx context.Context) {
	tick := time.NewTicker(cli.RefreshEvery)
	defer tick.Stop()
	trouble := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := r.env.RefreshTenants(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && trouble != "":
			trouble = ""
			r.env.Log.Info("the accounts in the object store are read again")
		case err != nil && err.Error() != trouble:
			trouble = err.Error()
			r.env.Log.Error("the newest accounts in the object store are not in force: those before stay", "error", err)
		}
		r.store.Set(1)
		if err != nil {
			r.store.Set(0)
		}
	}
}

// Watch calls apply with each valid edit until ctx is done. If apply refuses one, the
// generation before stays in force.
func (r *reloads) Watch(ctx context.Context, from *accounts.File, apply func(*accounts.File) error) {
	if r.env.SharedTenants {
		go r.refresh(ctx)
	}
	refused := func() { r.refused.Inc(); r.inForce.Set(0) }
	accounts.Watch(ctx, from, accounts.WatchOptions{Now: r.env.Now, Log: r.env.Log, Refused: refused}, func(f *accounts.File) error {
		if err := apply(f); err != nil {
			return err
		}
		r.generation.Inc()
		r.inForce.Set(1)
		return nil
	})
}

// Revocations keeps accounts revoked while serve or schedule runs, even if somebody edits
// tenants.yaml by hand to bring them back. It knows the revocations seen in this
// process, and those in the audit log if this user may read it.
type Revocations struct {
	mu      sync.Mutex // guards revoked
	revoked map[string]bool
}

// Apply returns the generation to put in force: f itself, or a copy in which revoked accounts
// stay revoked.
func (r *Revocations) Apply(f *accounts.File, log *slog.Logger) *accounts.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revoked == nil {
		r.revoked = map[string]bool{}
	}
	undone, err := audit.Undone(f)
	if err != nil {
		log.Warn("the revocations in the audit log cannot be read", "error", err)
	}
	for _, p := range undone {
		r.revoked[p.Tenant] = true
	}
	var back []string
	for i := range f.Tenants {
		switch t := &f.Tenants[i]; {
		case t.Status == account.Revoked:
			r.revoked[t.ID] = true
		case r.revoked[t.ID]:
			back = append(back, t.ID)
			log.Error("account stays revoked: revoked is final, and the tenants file says otherwise", "tenant", t.ID, "file", f.Name, "line", t.Line,
				"fix", "mkt tenant revoke "+t.ID)
		}
	}
	if len(back) == 0 {
		return f
	}
	return f.WithRevoked(back)
}
