package main

import (
	"errors"
	"io/fs"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve/account"
	"path/filepath"
)

// tenantDir is what belongs to a tenant and to none of its products.
func (a *app) tenantDir(id string) string { return filepath.Join(a.data, layout.Tenant(id)) }

// source is a folder with the state file of a step that asks the provider.
type source struct{ of, step, dir string }

// sources are those of a tenant: the test of the connection, and each product.
func (a *app) sources(t *tenants.Tenant) []source {
	list := []source{{"test", health.StepProbe, a.tenantDir(t.ID)}}
	for _, p := range account.Products() {
		list = append(list, source{string(p), health.StepFetch, a.place(t.ID, p).dir()})
	}
	return list
}

// newest returns what the step found last, nil when it never ran.
func (s source) newest() (run *health.Run, err error) {
	err = s.open(func(root durable.FS) error {
		run, err = health.Read(root, s.step)
		return err
	})
	return run, err
}

// addCalls adds the calls it made.
func (s source) addCalls(calls map[string]map[string]int64) error {
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

// open reads in the folder, which may be missing.
func (s source) open(read func(durable.FS) error) error {
	root, err := durable.OpenExisting(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return read(root)
}

// newestRun returns what a step found last, nil if it never ran or if its state file
// cannot be read.
func (a *app) newestRun(tenant string, product football.Product, step string) *health.Run {
	run, _ := source{dir: a.place(tenant, product).dir(), step: step}.newest()
	return run
}
