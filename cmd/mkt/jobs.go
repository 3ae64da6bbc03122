package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// job is one tenant's product: what a batch step works on.
type job struct {
	tenant  *tenants.Tenant
	product football.Product
}

func (j job) String() string { return j.tenant.ID + " " + string(j.product) }

// selection is which jobs a batch command is to run.
type selection struct {
	ids     []string
	all     bool
	product string
	cycle   string

	parallel int

	asks bool // its steps ask the provider
}

func (s *selection) flags(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&s.ids, "tenant", nil, "tenant to run (may be repeated)")
	flags.BoolVar(&s.all, "all", false, "run every tenant that is active, subscribed and connected")
	flags.StringVar(&s.product, "product", "", "product to run (default: those the tenant has)")
	flags.StringVar(&s.cycle, "cycle", "", "cycle id, to run one again (default: the next)")
	flags.IntVar(&s.parallel, "parallel", 4, "tenants run at once")
	bound(flags, "parallel", mostParallel, between(&s.parallel, 1, 256))
	a.set.bind(flags, "parallel", "batch.parallel")
}

// mostParallel are the words for how many runs may be under way at once.
const mostParallel = "a whole number from 1 to 256"

// check judges the flags before anything is opened.
func (s *selection) check() error {
	switch {
	case s.all && len(s.ids) > 0:
		return usagef("--tenant and --all: want one of the two")
	case !s.all && len(s.ids) == 0:
		return usagef("which tenant? give --tenant ID, or --all")
	case s.product != "" && !tenants.KnownProduct(football.Product(s.product)):
		return usagef("--product %q: want %s", s.product, strings.Join(productNames(), ", "))
	}
	if s.cycle == "" {
		return nil
	}
	_, product, err := layout.ParseCycleID(s.cycle)
	switch {
	case err != nil:
		return usagef("--cycle: %w", err)
	case s.product != "" && s.product != product:
		return usagef("--cycle %s: is a cycle of %s, not of %s", s.cycle, product, s.product)
	case !tenants.KnownProduct(football.Product(product)):
		return usagef("--cycle %s: %q is no product; want %s", s.cycle, product, strings.Join(productNames(), ", "))
	}
	s.product = product
	return nil
}

// passed is a tenant that --all does not run, and why.
type passed struct {
	Tenant string `json:"tenant"`
	Reason string `json:"skipped"`
}

// jobs picks the runs in the file's order. A tenant asked for by name is run
// whatever its status, so that an engineer can; --all passes by those for whom
// the provider must not be asked.
func (s *selection) jobs(f *tenants.File, now time.Time) (run []job, pass []passed, err error) {
	if s.all {
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
		t, err := tenantByID(f, id)
		if err != nil {
			return nil, nil, err
		}
		products := s.products(t)
		if len(products) == 0 {
			wanted := strings.Join(productNames(), " or ")
			if s.product != "" {
				wanted = s.product
			}
			return nil, nil, fmt.Errorf("tenant %s has no product that can be run: it needs %s under products in %s", id, wanted, f.Name)
		}
		for _, p := range products {
			run = append(run, job{t, p})
		}
	}
	return run, nil, nil
}

// holdBack takes the jobs out whose provider is not to be asked yet. One that was
// named is asked.
func (s *selection) holdBack(a *app, jobs []job, pass []passed) ([]job, []passed) {
	if !s.all || !s.asks {
		return jobs, pass
	}
	var run []job
	for _, j := range jobs {
		if h := a.heldBack(j); h != nil {
			pass = append(pass, passed{j.tenant.ID, string(j.product) + ": " + h.reason})
			continue
		}
		run = append(run, j)
	}
	return run, pass
}

// due lists the jobs of a tenant that run by themselves, or why there are none.
func (s *selection) due(t *tenants.Tenant, now time.Time) ([]job, string) {
	switch {
	case t.Status != account.Active:
		return nil, string(t.Status)
	case t.Provider == nil:
		return nil, "no provider"
	case t.Provider.Disabled:
		return nil, "provider disabled"
	}
	var list []job
	for _, p := range s.products(t) {
		if t.Subscription(p, now) == account.InForce {
			list = append(list, job{t, p})
		}
	}
	return list, "no product in force"
}

// products lists those of a tenant that are asked for and have an engine.
func (s *selection) products(t *tenants.Tenant) []football.Product {
	var list []football.Product
	for _, p := range account.Products() {
		named := s.product == string(p) || s.product == "" && tenants.KnownProduct(p)
		if _, subscribed := t.Products[p]; subscribed && named {
			list = append(list, p)
		}
	}
	return list
}
