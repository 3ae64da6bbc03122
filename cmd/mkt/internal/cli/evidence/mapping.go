package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
)

func newMapping(g *Group) *cobra.Command {
	return cli.Group("mapping", "Look at how provider markets are mapped", newMappingCheck(g))
}

type mappingFlags struct {
	provider, pattern string
	tenant, cycle     string
	listings          []string
	participants      string
	home, away        string
}

func newMappingCheck(g *Group) *cobra.Command {
	var f mappingFlags
	cmd := &cobra.Command{
		Use:   "check DIR | --tenant ID",
		Short: "Show how the markets in payloads are mapped",
		Long: `Show how the markets in a folder of payloads, or in the archived answers of a
tenant's cycle, are mapped: how many markets and selections there are, mapped,
RAW and publishable, and every name that stays RAW with the reason. Nothing is
written.

Many markets are recognized by the names of the teams, which payloads of
markets do not hold. In a cycle they come from its list of fixtures. For a
folder they come from the payloads of lists in it (in a folder named like the
endpoint, such as bet365-upcoming), from participants.csv in it, and from the
flags below. Fixtures whose teams are unknown are counted, because more of
their markets stay RAW.`,
		Example: `  mkt mapping check --tenant acme
  mkt mapping check payloads --listing upcoming.json
  mkt mapping check payloads --home Fulham --away Arsenal`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			coverage, from, err := g.coverage(&f, args)
			if err != nil {
				return err
			}
			view := coverageOf(coverage)
			if f.tenant == "" {
				view.hint = " Name them\nwith --listing, --participants, or --home and --away."
			}
			return g.showCoverage(view, from)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.provider, "provider", tenants.ProviderNames()[0], "provider of the payloads: "+strings.Join(tenants.ProviderNames(), ", "))
	flags.StringVar(&f.pattern, "pattern", "*.json", "names of the files in DIR to read")
	flags.StringVar(&f.tenant, "tenant", "", "read the answers of this tenant's cycle instead of a folder")
	flags.StringVar(&f.cycle, "cycle", "", "which cycle of --tenant (default: the newest one fetched)")
	flags.StringArrayVar(&f.listings, "listing", nil, "a payload of the list of fixtures, or a folder of them; can be repeated")
	flags.StringVar(&f.participants, "participants", "", `a CSV file with lines of "provider fixture id,home,away"`)
	flags.StringVar(&f.home, "home", "", "the home team, when all payloads are of one fixture; with --away")
	flags.StringVar(&f.away, "away", "", "the away team; with --home")
	return cmd
}

func (f *mappingFlags) check(args []string) error {
	named := len(f.listings) > 0 || f.participants != "" || f.home != "" || f.away != ""
	switch {
	case (len(args) == 1) == (f.tenant != ""):
		return cli.Usagef("give either a folder of payloads or --tenant")
	case f.tenant != "" && named:
		return cli.Usagef("--listing, --participants, --home and --away are for a folder: a cycle has its own list of fixtures")
	case f.tenant == "" && f.cycle != "":
		return cli.Usagef("--cycle needs --tenant")
	case (f.home == "") != (f.away == ""):
		return cli.Usagef("--home and --away are given together")
	}
	if _, product, err := layout.ParseCycleID(f.cycle); f.cycle != "" && (err != nil || product != string(football.MarketEngine)) {
		return cli.Usagef("--cycle %q: want the id of a cycle of market_engine, such as 20261120T090700Z-market_engine", f.cycle)
	}
	return cli.CheckWord("--provider", f.provider, tenants.ProviderNames()...)
}

// coverage reads the payloads. from names their folder or cycle.
func (g *Group) coverage(f *mappingFlags, args []string) (c transform.Coverage, from string, err error) {
	if f.tenant != "" {
		return g.cycleCoverage(f)
	}
	dir := args[0]
	p, _ := all.Lookup(f.provider)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return c, "", fmt.Errorf("payloads %s: no such folder", dir)
	}
	who, err := f.who()
	if err != nil {
		return c, "", err
	}
	c, err = transform.CoverFolder(os.DirFS(dir), p, f.pattern, who)
	switch {
	case errors.Is(err, transform.ErrNotOne):
		return c, "", cli.Usagef("--home and --away: %w; name the teams of each with --listing or --participants", err)
	case err != nil:
		return c, "", fmt.Errorf("payloads %s: %w", dir, err)
	case len(c.Payloads) == 0:
		return c, "", fmt.Errorf("payloads %s: no file is named %s", dir, f.pattern)
	}
	return c, dir, nil
}

func (f *mappingFlags) who() (who transform.Participants, err error) {
	for _, name := range f.listings {
		bodies, err := readPayloads(name)
		if err != nil {
			return who, fmt.Errorf("--listing: %w", err)
		}
		who.Listings = append(who.Listings, bodies...)
	}
	if f.participants != "" {
		file, err := os.Open(f.participants)
		if err != nil {
			return who, fmt.Errorf("--participants: %w", err)
		}
		defer file.Close()
		if who.Teams, err = transform.ReadTeams(file); err != nil {
			return who, fmt.Errorf("--participants %s: %w", f.participants, err)
		}
	}
	if f.home != "" {
		who.Only = &transform.Teams{Home: f.home, Away: f.away}
	}
	return who, nil
}

func readPayloads(name string) (bodies [][]byte, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	files := []string{name}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(name, "*.json")); err != nil || len(files) == 0 {
			return nil, fmt.Errorf("%s: no .json file in it", name)
		}
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}

func (g *Group) cycleCoverage(f *mappingFlags) (c transform.Coverage, from string, err error) {
	w := cli.Filter{Tenant: f.tenant, Product: string(football.MarketEngine)}
	if err := w.Check(); err != nil {
		return c, "", err
	}
	datasets, err := cli.Datasets(g.Data, w)
	if err != nil {
		return c, "", err
	}
	root, err := datasets[0].Open()
	if err != nil {
		return c, "", err
	}
	defer root.Close()
	id := layout.CycleID(f.cycle)
	if id == "" {
		newest, found, err := raw.Newest(root)
		if err != nil {
			return c, "", err
		}
		if !found {
			return c, "", fmt.Errorf("%s: no cycle was fetched yet: run mkt fetch --tenant %s first", datasets[0], f.tenant)
		}
		id = newest.CycleID
	}
	archive, err := raw.Open(root, id)
	if err != nil {
		return c, "", fmt.Errorf("%s: cycle %s: %w", datasets[0], id, err)
	}
	p, ok := all.Lookup(archive.Cycle().Provider)
	if !ok {
		return c, "", fmt.Errorf("%s: cycle %s: this build has no adapter for the provider %q", datasets[0], id, archive.Cycle().Provider)
	}
	c, err = transform.CoverArchive(archive, p)
	if err != nil {
		return c, "", fmt.Errorf("%s: cycle %s: %w", datasets[0], id, err)
	}
	return c, string(id), nil
}

func (g *Group) showCoverage(view coverageView, from string) (err error) {
	if g.JSON() {
		err = g.Encode(view)
	} else {
		err = view.print(g)
	}
	if err == nil && view.Unreadable > 0 {
		err = fmt.Errorf("%s: %d of %d payloads cannot be read", from, view.Unreadable, len(view.Payloads))
	}
	return err
}
