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
	"mkt/serve/account"
)

// TenantDir returns the folder of what belongs to a tenant and to none of its products.
func (env *Env) TenantDir(id string) string { return filepath.Join(env.Data, layout.Tenant(id)) }

// Source is a folder with the state file of a step that asks the provider.
type Source struct{ Of, Step, Dir string }

// Sources returns the sources of a tenant: the test of the connection, and each product.
func (env *Env) Sources(t *tenants.Tenant) []Source {
	list := []Source{{"test", health.StepProbe, env.TenantDir(t.ID)}}
	for _, p := range account.Products() {
		list = append(list, Source{string(p), health.StepFetch, env.Dataset(t.ID, p).Dir()})
	}
	return list
}

// Newest returns the newest run of the step, nil if it never ran.
func (s Source) Newest() (run *health.Run, err error) {
	err = s.open(func(root durable.FS) error {
		run, err = health.Read(root, s.Step)
		return err
	})
	return run, err
}

// AddCalls adds the calls that the step made, by day and endpoint.
func (s Source) AddCalls(calls map[string]map[string]int64) error {
	return s.open(func(root durable.FS) error {
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
	})
}

// open calls read with the folder, unless it does not exist.
func (s Source) open(read func(durable.FS) error) error {
	root, err := durable.OpenExisting(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return read(root)
}

// NewestRun returns what a step found last, nil if it never ran or if its state file
// cannot be read.
func (env *Env) NewestRun(tenant string, product football.Product, step string) *health.Run {
	run, _ := Source{Dir: env.Dataset(tenant, product).Dir(), Step: step}.Newest()
	return run
}
