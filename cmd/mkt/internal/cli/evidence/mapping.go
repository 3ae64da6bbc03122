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
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform/coverage"
)

func newMapping(g *Group) *cobra.Command {
	return cli.Group("mapping", "Look at how provider markets are mapped", newMappingCheck(g), newMappingExplain(g))
}

type mappingFlags struct {
	provider, bookmaker, pattern string
	tenant, cycle                string
	listings                     []string
	participants                 string
	home, away                   string
	against                      string
}

func newMappingCheck(g *Group) *cobra.Command {
	var f mappingFlags
	cmd := &cobra.Command{
		Use:        "report DIR | --tenant ID",
		SuggestFor: []string{"check"}, // an earlier name
		Short:      "Show how the markets in payloads are mapped",
		Long: `Show how the markets in a folder of payloads, or in the archived answers of a
tenant's cycle, are mapped: how many markets and selections there are, mapped,
RAW and publishable, every name that stays RAW with the reason and an example,
and markets that look as if they were misread. Nothing is written.

What a file is follows from its bytes; files that are neither prices nor lists
of fixtures of the provider are listed at the end. DIR can be the folder of an
archived cycle (raw/cycle=…), too: then provider and bookmaker are its own.

Where a payload has the prices of several bookmakers, those of one are read:
of --bookmaker, or the one that an account has without a choice of its own.
"--bookmaker all" reads those of each, one after the other.

Many markets are recognized by the names of the teams, which payloads of
markets may lack. In a cycle they come from its list of fixtures. For a folder
they come from the lists of fixtures in it, from participants.csv in it, and
from the flags below. Fixtures whose teams are unknown are counted, because
more of their markets stay RAW.

--against shows instead what moved: by the name of the market, what its
markets became before and what they become now, and by reason the selections
that are not publishable. Before is
  FILE     what this command printed with --output json, of this mkt or another
  CYCLE    with --tenant, what mkt transform made of that cycle then
Save a report, edit a table, build, and compare.`,
		Example: `  mkt mapping report --tenant acme
  mkt mapping report payloads --provider theoddsapi --bookmaker all
  mkt mapping report payloads --home Fulham --away Arsenal
  mkt mapping report payloads --output json > before.json
  mkt mapping report payloads --against before.json
  mkt mapping report --tenant acme --against 20261120T090700Z-market_engine`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			coverage, from, err := g.coverage(&f, args)
			if err != nil {
				return err
			}
			if f.against != "" {
				return g.showMoved(&f, coverage)
			}
			view := coverageOf(coverage)
			if f.tenant == "" {
				view.hint = " Name them with --listing, --participants, or --home and --away."
			}
			return g.showCoverage(view, from)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.provider, "provider", tenants.ProviderNames()[0], "provider of the payloads: "+strings.Join(tenants.ProviderNames(), ", "))
	flags.StringVar(&f.bookmaker, "bookmaker", "", "whose prices to read, in the provider's spelling, or all")
	flags.StringVar(&f.pattern, "pattern", "*.json", "names of the files in DIR to read")
	flags.StringVar(&f.tenant, "tenant", "", "read the answers of this tenant's cycle instead of a folder")
	flags.StringVar(&f.cycle, "cycle", "", "which cycle of --tenant (default: the newest one fetched)")
	flags.StringArrayVar(&f.listings, "listing", nil, "a payload of the list of fixtures, or a folder of them; can be repeated")
	flags.StringVar(&f.participants, "participants", "", `a CSV file with lines of "provider fixture id,home,away"`)
	flags.StringVar(&f.home, "home", "", "the home team, when all payloads are of one fixture; with --away")
	flags.StringVar(&f.away, "away", "", "the away team; with --home")
	flags.StringVar(&f.against, "against", "", "show the changes since this report or cycle")
	return cmd
}

func (f *mappingFlags) check(args []string) error {
	named := len(f.listings) > 0 || f.participants != "" || f.home != "" || f.away != ""
	switch {
	case (len(args) == 1) == (f.tenant != ""):
		return cli.Usagef("give either a folder of payloads or --tenant")
	case f.tenant != "" && named:
		return cli.Usagef("--listing, --participants, --home and --away are for a folder: a cycle has its own list of fixtures")
	case f.tenant != "" && f.bookmaker != "":
		return cli.Usagef("--bookmaker is for a folder: a cycle has the prices of the bookmaker that it asked for")
	case f.tenant == "" && f.cycle != "":
		return cli.Usagef("--cycle needs --tenant")
	case (f.home == "") != (f.away == ""):
		return cli.Usagef("--home and --away are given together")
	}
	if _, _, err := layout.ParseCycleID(f.against); err == nil {
		if f.tenant == "" || f.cycle != "" && f.cycle != f.against {
			return cli.Usagef("--against %s: a cycle is compared with itself: give --tenant, and no other --cycle", f.against)
		}
		f.cycle = f.against
	}
	if _, product, err := layout.ParseCycleID(f.cycle); f.cycle != "" && (err != nil || product != string(football.MarketEngine)) {
		return cli.Usagef("--cycle %q: want the id of a cycle of market_engine, such as 20261120T090700Z-market_engine", f.cycle)
	}
	if err := cli.CheckWord("--provider", f.provider, tenants.ProviderNames()...); err != nil {
		return err
	}
	return f.checkBookmaker()
}

// allBookmakers is the value of --bookmaker for each of them.
const allBookmakers = "all"

func (f *mappingFlags) checkBookmaker() error {
	if f.bookmaker == "" {
		return nil
	}
	p, _ := all.Lookup(f.provider)
	switch {
	case p.Bookmakers == nil:
		return cli.Usagef("--bookmaker: %s sells the prices of one bookmaker", f.provider)
	case f.bookmaker != allBookmakers && !p.Bookmakers.Valid(f.bookmaker):
		return cli.Usagef("--bookmaker %q: no bookmaker of %s can be called that; the default is %s", f.bookmaker, f.provider, p.Bookmakers.Default)
	}
	return nil
}

// coverage reads the payloads. from names their folder or cycle.
func (g *Group) coverage(f *mappingFlags, args []string) (c coverage.Report, from string, err error) {
	if f.tenant != "" {
		return g.cycleCoverage(f)
	}
	dir := args[0]
	p, _ := all.Lookup(f.provider)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return c, "", fmt.Errorf("payloads %s: no such folder", dir)
	}
	if data, cycle, ok := archivedCycle(dir); ok {
		return archiveCoverage(data, cycle)
	}
	if isDataRoot(dir) {
		return c, "", fmt.Errorf("payloads %s: this is a data root, or a part of one: give --tenant ID, with --data if it is not that of the settings, or the folder of one raw cycle", dir)
	}
	who, err := f.who()
	if err != nil {
		return c, "", err
	}
	options := coverage.FolderOptions{Pattern: f.pattern, Bookmaker: f.bookmaker, Who: who}
	if f.bookmaker == allBookmakers {
		options.Bookmaker, options.EachBookmaker = "", true
	}
	c, err = coverage.OfFolder(os.DirFS(dir), p, options)
	switch {
	case errors.Is(err, coverage.ErrNotOne):
		return c, "", cli.Usagef("--home and --away: %w; name the teams of each with --listing or --participants", err)
	case err != nil:
		return c, "", fmt.Errorf("payloads %s: %w", dir, err)
	case len(c.Payloads) == 0 && c.Listings == 0 && len(c.Others) == 0:
		return c, "", fmt.Errorf("payloads %s: no file is named %s", dir, f.pattern)
	}
	return c, dir, nil
}

// isDataRoot reports whether a folder is a data root, or the folder of an account, a
// product or its raw cycles.
func isDataRoot(dir string) bool {
	for _, below := range []string{layout.Tenant("*"), "product=*", layout.RawDir + "/cycle=*", "cycle=*"} {
		if found, err := filepath.Glob(filepath.Join(dir, below)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// archivedCycle reports whether a folder is that of a raw cycle, and in which dataset.
func archivedCycle(dir string) (dataset string, id layout.CycleID, ok bool) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", "", false
	}
	if id, ok = layout.ParseCycleDir(filepath.Base(path)); !ok || filepath.Base(filepath.Dir(path)) != layout.RawDir {
		return "", "", false
	}
	return filepath.Dir(filepath.Dir(path)), id, true
}

func archiveCoverage(dataset string, id layout.CycleID) (c coverage.Report, from string, err error) {
	root, err := durable.OpenExisting(dataset)
	if err != nil {
		return c, "", err
	}
	defer root.Close()
	c, err = coverageOfCycle(root, id)
	if err != nil {
		return c, "", fmt.Errorf("cycle %s: %w", id, err)
	}
	return c, string(id), nil
}

func (f *mappingFlags) who() (who coverage.Participants, err error) {
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
		if who.Teams, err = coverage.ReadTeams(file); err != nil {
			return who, fmt.Errorf("--participants %s: %w", f.participants, err)
		}
	}
	if f.home != "" {
		who.Only = &coverage.Teams{Home: f.home, Away: f.away}
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

func (g *Group) cycleCoverage(f *mappingFlags) (c coverage.Report, from string, err error) {
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
	c, err = coverageOfCycle(root, id)
	if err != nil {
		return c, "", fmt.Errorf("%s: cycle %s: %w", datasets[0], id, err)
	}
	return c, string(id), nil
}

// coverageOfCycle reads the answers of a cycle of the dataset at root.
func coverageOfCycle(root durable.ReadFS, id layout.CycleID) (c coverage.Report, err error) {
	archive, err := raw.Open(root, id)
	if err != nil {
		return c, err
	}
	p, ok := all.Lookup(archive.Cycle().Provider)
	if !ok {
		return c, fmt.Errorf("this build has no adapter for the provider %q", archive.Cycle().Provider)
	}
	return coverage.OfArchive(archive, p)
}

// showMoved prints the changes of the mapping.
func (g *Group) showMoved(f *mappingFlags, c coverage.Report) error {
	provider, before, err := g.against(f)
	if err != nil {
		return err
	}
	if provider != c.Provider {
		return fmt.Errorf("--against %s: it is about %s, and this about %s", f.against, provider, c.Provider)
	}
	v := compareOutcomes(before, outcomesOf(c.Outcomes()))
	v.Provider, v.Against = provider, f.against
	return g.show(v, v.document)
}

// showCoverage prints the coverage. An unreadable payload is an error, and so is a set of payloads
// without any prices.
func (g *Group) showCoverage(view coverageView, from string) (err error) {
	err = g.show(view, view.document)
	switch {
	case err != nil:
		return err
	case view.Unreadable > 0:
		return fmt.Errorf("%s: %d of %d payloads cannot be read", from, view.Unreadable, len(view.Payloads))
	case len(view.Payloads) > 0:
		return nil
	}
	return fmt.Errorf("%s: no payload is prices of %s%s", from, view.Provider, view.providerHint())
}
