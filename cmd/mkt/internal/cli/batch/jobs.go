package batch

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// Job is one tenant's product: what a batch step works on.
type Job struct {
	Tenant  *tenants.Tenant
	Product football.Product
}

func (j Job) String() string { return j.Tenant.ID + " " + string(j.Product) }

// Selection is which jobs a batch command is to run.
type Selection struct {
	ids     []string
	All     bool
	Product string
	cycle   string

	parallel int

	asks bool // its steps ask the provider
}

func (s *Selection) flags(g *Group, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&s.ids, "tenant", nil, "tenant to run (may be repeated)")
	flags.BoolVar(&s.All, "all", false, "run every tenant that is active, subscribed and connected")
	flags.StringVar(&s.Product, "product", "", "product to run (default: those the tenant has)")
	flags.StringVar(&s.cycle, "cycle", "", "cycle id, to run one again (default: the next)")
	flags.IntVar(&s.parallel, "parallel", 4, "tenants run at once")
	cli.Bound(flags, "parallel", mostParallel, cli.Between(&s.parallel, 1, 256))
	g.Settings.Bind(flags, "parallel", "batch.parallel")
}

// mostParallel are the words for how many runs may be under way at once.
const mostParallel = "a whole number from 1 to 256"

// check judges the flags before anything is opened.
func (s *Selection) check() error {
	switch {
	case s.All && len(s.ids) > 0:
		return cli.Usagef("--tenant and --all: want one of the two")
	case !s.All && len(s.ids) == 0:
		return cli.Usagef("which tenant? give --tenant ID, or --all")
	case s.Product != "" && !tenants.KnownProduct(football.Product(s.Product)):
		return cli.Usagef("--product %q: want %s", s.Product, strings.Join(cli.ProductNames(), ", "))
	}
	if s.cycle == "" {
		return nil
	}
	_, product, err := layout.ParseCycleID(s.cycle)
	switch {
	case err != nil:
		return cli.Usagef("--cycle: %w", err)
	case s.Product != "" && s.Product != product:
		return cli.Usagef("--cycle %s: is a cycle of %s, not of %s", s.cycle, product, s.Product)
	case !tenants.KnownProduct(football.Product(product)):
		return cli.Usagef("--cycle %s: %q is no product; want %s", s.cycle, product, strings.Join(cli.ProductNames(), ", "))
	}
	s.Product = product
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
func (s *Selection) Jobs(f *tenants.File, now time.Time) (run []Job, pass []passed, err error) {
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
			wanted := strings.Join(cli.ProductNames(), " or ")
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

// holdBack takes the jobs out whose provider is not to be asked yet. One that was
// named is asked.
func (s *Selection) holdBack(g *Group, jobs []Job, pass []passed) ([]Job, []passed) {
	if !s.All || !s.asks {
		return jobs, pass
	}
	var run []Job
	for _, j := range jobs {
		if h := g.heldBack(j); h != nil {
			pass = append(pass, passed{j.Tenant.ID, string(j.Product) + ": " + h.reason})
			continue
		}
		run = append(run, j)
	}
	return run, pass
}

// due lists the jobs of a tenant that run by themselves, or why there are none.
func (s *Selection) due(t *tenants.Tenant, now time.Time) ([]Job, string) {
	switch {
	case t.Status != account.Active:
		return nil, string(t.Status)
	case t.Provider == nil:
		return nil, "no provider"
	case t.Provider.Disabled:
		return nil, "provider disabled"
	}
	var list []Job
	for _, p := range s.products(t) {
		if t.Subscription(p, now) == account.InForce {
			list = append(list, Job{t, p})
		}
	}
	return list, "no product in force"
}

// products lists those of a tenant that are asked for and have an engine.
func (s *Selection) products(t *tenants.Tenant) []football.Product {
	var list []football.Product
	for _, p := range account.Products() {
		named := s.Product == string(p) || s.Product == "" && tenants.KnownProduct(p)
		if _, subscribed := t.Products[p]; subscribed && named {
			list = append(list, p)
		}
	}
	return list
}
