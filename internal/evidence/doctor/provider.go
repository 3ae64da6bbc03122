package doctor

import (
	"context"
	"errors"

	"mkt/fetch"
	"mkt/fetch/provider"
)

func (d *doctor) providers(ctx context.Context) {
	if d.Probe == nil {
		return
	}
	asked := map[string]bool{}
	for _, r := range d.roots {
		if !d.isDue(r) || asked[r.id] {
			continue
		}
		asked[r.id] = true
		d.provider(ctx, r)
	}
}

func (d *doctor) provider(ctx context.Context, r *root) {
	at := place{tenant: r.id, file: d.Tenants}
	p, err := d.Probe(ctx, r.tenant, r.product)
	set := d.connect(r.tenant)
	switch {
	case err == nil:
		d.ok("provider", at, "%s answered %s in %d ms", r.tenant.Provider.Name, p.Endpoints[len(p.Endpoints)-1], p.Took.Milliseconds())
		for _, other := range d.roots {
			if other.id == r.id && d.isDue(other) {
				d.inPlan(other, p.Plan)
			}
		}
	case errors.Is(err, provider.ErrUnreachable):
		d.bad(Fail, "PROVIDER_UNREACHABLE", "provider", at, "check that this machine reaches the provider by https (proxies of the environment are not used), or wait", "%v", err).causedBy(r.unreachable(), "")
	case errors.Is(err, fetch.ErrCredential), errors.Is(err, fetch.ErrPermission):
		d.bad(Fail, "PROVIDER_REFUSES", "provider", at, set, "%v", err)
	case errors.Is(err, fetch.ErrLimited):
		d.bad(Warn, "PROVIDER_LIMITED", "provider", at, "wait, or run the cycles of "+r.id+" less often", "%v", err)
	default:
		d.bad(Fail, "PROVIDER_ODD", "provider", at, d.mkt("fetch --tenant "+r.id+" --log-level debug"), "%v", err)
	}
}
