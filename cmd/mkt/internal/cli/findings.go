package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// TenantDir returns the folder for a tenant's data of no product.
func (env *Env) TenantDir(id string) string { return filepath.Join(env.Data, layout.Tenant(id)) }

// Source is a folder below the data root with the state file of a step, such as fetch, that sends
// requests to the provider.
type Source struct{ Of, Step, Dir string }

// Sources returns the sources of a tenant: the test of the connection, and each product.
func (env *Env) Sources(t *tenants.Tenant) []Source {
	list := []Source{{"test", health.StepProbe, layout.Tenant(t.ID)}}
	for _, p := range football.Products() {
		list = append(list, Source{string(p), health.StepFetch, layout.TenantProduct(t.ID, string(p))})
	}
	return list
}

// NewestOf returns the newest run of a source's step, nil if it never ran.
func (env *Env) NewestOf(s Source) (*health.Run, error) {
	return health.ReadIn(env.Data, s.Dir, s.Step)
}

// AddCalls adds the calls of a source's step, by day and endpoint.
func (env *Env) AddCalls(s Source, calls map[string]map[string]int64) error {
	root, err := durable.OpenWithin(env.Data, s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	counted, err := health.ReadCalls(root)
	for day, endpoints := range counted.Days {
		if calls[day] == nil {
			calls[day] = map[string]int64{}
		}
		for endpoint, n := range endpoints {
			calls[day][endpoint] += n
		}
	}
	return err
}

// NewestRun returns the newest run of a step, nil if there is none or its state file cannot be
// read.
func (env *Env) NewestRun(tenant string, product football.Product, step string) *health.Run {
	run, _ := health.ReadIn(env.Data, layout.TenantProduct(tenant, string(product)), step)
	return run
}
