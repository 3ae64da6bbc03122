package cyclestate

import (
	"errors"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Source is a folder below the data root with the state file of a step, such as fetch, that sends
// requests to the provider.
type Source struct{ Of, Step, Dir string }

// Sources returns the sources of an account: the test of the connection, and each product.
func Sources(id string) []Source {
	list := []Source{{"test", health.StepProbe, layout.Tenant(id)}}
	for _, p := range football.Products() {
		list = append(list, Source{string(p), health.StepFetch, layout.TenantProduct(id, string(p))})
	}
	return list
}

// Newest returns the newest run of the source's step, nil if it never ran.
func (s Source) Newest(data string) (*health.Run, error) {
	return health.ReadIn(data, s.Dir, s.Step)
}

// AddCalls adds the calls of the source's step, by day and endpoint.
func (s Source) AddCalls(data string, calls map[string]map[string]int64) error {
	root, err := durable.OpenWithin(data, s.Dir)
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
func NewestRun(data, tenant string, product football.Product, step string) *health.Run {
	run, _ := health.ReadIn(data, layout.TenantProduct(tenant, string(product)), step)
	return run
}

// NewestRuns returns the newest run of each step of [Steps], nil for a step without one.
func NewestRuns(data, tenant string, p football.Product) (list []*health.Run) {
	for _, step := range Steps {
		list = append(list, NewestRun(data, tenant, p, step))
	}
	return list
}
