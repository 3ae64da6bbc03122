package batch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/schedule/cyclestate"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Job is one tenant's product, the unit of work of a batch step.
type Job struct {
	Tenant  *accounts.Tenant
	Product football.Product
}

func (j Job) String() string { return j.Tenant.ID + " " + string(j.Product) }

// Selection selects the jobs of a batch command.
type Selection struct {
	ids     []string
	All     bool
	Product string
	cycle   string

	parallel int

	asks bool // its steps send requests to the provider
}

func (s *Selection) flags(g *Group, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&s.ids, "tenant", nil, "tenant to run (may be repeated)")
	flags.BoolVar(&s.All, "all", false, "run every tenant that is active, subscribed and connected")
	flags.StringVar(&s.Product, "product", "", "product to run (default: those the tenant has)")
	flags.StringVar(&s.cycle, "cycle", "", "id of a cycle that is run again (default: the next cycle)")
	flags.IntVar(&s.parallel, "parallel", 4, "tenants that run at once")
	cli.Bound(flags, "parallel", mostParallel, cli.Between(&s.parallel, 1, 256))
	g.Settings.Bind(flags, "parallel", "batch.parallel")
}

const mostParallel = "a whole number from 1 to 256"

// check checks the flags before anything is opened.
func (s *Selection) check() error {
	switch {
	case s.All && len(s.ids) > 0:
		return terminal.Usagef("--tenant and --all: want one of the two")
	case !s.All && len(s.ids) == 0:
		return terminal.Usagef("which tenant? give --tenant ID, or --all")
	}
	if s.Product != "" {
		if err := terminal.CheckWord("--product", s.Product, dataset.ProductNames()...); err != nil {
			return err
		}
	}
	if s.cycle == "" {
		return nil
	}
	_, product, err := layout.ParseCycleID(s.cycle)
	switch {
	case err != nil:
		return terminal.Usagef("--cycle: %w", err)
	case s.Product != "" && s.Product != product:
		return terminal.Usagef("--cycle %s: is a cycle of %s, not of %s", s.cycle, product, s.Product)
	case !slices.Contains(football.Products(), football.Product(product)):
		return terminal.Usagef("--cycle %s: %q is no product; want %s", s.cycle, product, strings.Join(dataset.ProductNames(), ", "))
	}
	s.Product = product
	return nil
}

// passed is a tenant skipped by --all, and the reason.
type passed struct {
	Tenant string `json:"client_id"`
	Reason string `json:"skipped"`
}

// Jobs returns the selected jobs in the order of the file. A named tenant runs whatever its
// status, for an engineer's tests; --all skips a tenant whose provider must not be asked.
func (s *Selection) Jobs(f *accounts.File, now time.Time) (run []Job, pass []passed, err error) {
	if s.All {
		for i := range f.Tenants {
			picked, reason := s.due(&f.Tenants[i], now)
			if len(picked) == 0 {
				pass = append(pass, passed{f.Tenants[i].ID, reason})
			}
			run = append(run, picked...)
		}
		return run, pass, nil
	}
	asked := map[string]bool{}
	for _, id := range s.ids {
		if asked[id] {
			continue
		}
		asked[id] = true
		t, err := cli.TenantByID(f, id)
		if err != nil {
			return nil, nil, err
		}
		products := s.products(t)
		if len(products) == 0 {
			wanted := strings.Join(dataset.ProductNames(), " or ")
			if s.Product != "" {
				wanted = s.Product
			}
			return nil, nil, fmt.Errorf("tenant %s has no product that can be run: it needs %s under products in %s", id, wanted, f.Name)
		}
		for _, p := range products {
			run = append(run, Job{t, p})
		}
	}
	return run, nil, nil
}

// postpone removes the jobs whose provider must not be asked yet, except those of a named tenant.
func (s *Selection) postpone(g *Group, jobs []Job, pass []passed) ([]Job, []passed) {
	if !s.All || !s.asks {
		return jobs, pass
	}
	var run []Job
	for _, j := range jobs {
		if h := g.postponed(j); h != nil {
			pass = append(pass, passed{j.Tenant.ID, string(j.Product) + ": " + h.Reason})
			continue
		}
		run = append(run, j)
	}
	return run, pass
}

func (s *Selection) due(t *accounts.Tenant, now time.Time) ([]Job, string) {
	if why := cyclestate.Stopped(t); why != "" {
		return nil, why
	}
	var list []Job
	for _, p := range s.products(t) {
		if cyclestate.InForce(t, p, now) {
			list = append(list, Job{t, p})
		}
	}
	return list, "no product in force"
}

func (s *Selection) products(t *accounts.Tenant) []football.Product {
	var list []football.Product
	for _, p := range football.Products() {
		if _, subscribed := t.Products[p]; subscribed && (s.Product == "" || s.Product == string(p)) {
			list = append(list, p)
		}
	}
	return list
}

// postponed returns why a job must not ask its provider yet; nil if it may.
func (g *Group) postponed(j Job) *cyclestate.Postponement {
	return cyclestate.PostponementOf(g.Data, j.Tenant, j.Product, g.Now())
}

// quotaOf returns the newest report of a tenant's quota, nil if there is none or if it
// cannot be read.
func (g *Group) quotaOf(t *accounts.Tenant) *health.Quota {
	findings, err := cyclestate.Findings(g.Data, t)
	if err != nil || t.Provider == nil {
		return nil
	}
	return health.NewestQuota(t.Provider.Fingerprint(), findings...)
}
